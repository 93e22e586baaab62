// The results of a session as JUnit's XML, which servers of continuous integration show.

#ifndef OPSCOPE_SUITE_JUNIT_H
#define OPSCOPE_SUITE_JUNIT_H

#include "list.h"

// A test case for each network, with its wall times as properties; what failed with the end of its
// log.
status junit_write(const char *path, const struct trial_list *list,
                   const struct trial_result *results);

#endif
