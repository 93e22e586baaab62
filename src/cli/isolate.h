// Runs a function in a process of its own, so that a crash or an endless loop in
// it does not end the program.

#ifndef OPSCOPE_CLI_ISOLATE_H
#define OPSCOPE_CLI_ISOLATE_H

#include <stddef.h>

#include "base/status.h"

// Calls `work(context, result)` in a child; `result`, of `size` bytes without
// pointers, comes back. Fails when the child crashed, ended without a result or
// took longer than `seconds`: it is killed then.
status isolate_run(void (*work)(const void *context, void *result), const void *context,
                   void *result, size_t size, double seconds);

#endif
