// Files that users name.

#ifndef OPSCOPE_CLI_PATHS_H
#define OPSCOPE_CLI_PATHS_H

#include "options.h"

// Refuses an output that is one of the inputs: it would be emptied before it is
// read.
status paths_check(const char *command, const char *output, const char *const *inputs,
                   size_t count);

#endif
