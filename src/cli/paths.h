// Files that users name.

#ifndef OPSCOPE_CLI_PATHS_H
#define OPSCOPE_CLI_PATHS_H

#include "options.h"

// Refuses an output that is one of the inputs: it would be emptied before it is
// read.
status paths_check(const char *command, const char *output, const char *const *inputs,
                   size_t count);

// Refuses a path at which no file can be made: a folder, or one in a folder that is not
// there or that the user may not write to.
status paths_check_folder(const char *command, const char *path);

// The same for what is written in place: a file that is there only has to be writable.
status paths_check_writable(const char *command, const char *path);

#endif
