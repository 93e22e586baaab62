// A command as a process of its own, with a time limit: what it started ends with it.

#ifndef OPSCOPE_SUITE_PROCESS_H
#define OPSCOPE_SUITE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct process_request {
    char *const *words; // the command; ends with a NULL
    const char *input;  // a file as its standard input; NULL: none
    bool held;          // its standard input is open, with nothing in it, until it ends
    const char *log;    // the command, and what it prints, are appended here
    const char *output; // a file for its standard output; NULL: the log
    const char *errors; // a file for its standard error; NULL: the log
    uint64_t deadline;  // of base/monotonic.h: it is killed then
};

struct process_result {
    bool late;        // it was killed at the deadline
    int signal;       // that ended it; 0: none did
    int code;         // of its exit; 127: it could not be started
    uint64_t wall_ns; // from its start to its end
};

// Fails when no process could be made. What the command did is the result's.
status process_run(const struct process_request *request, struct process_result *out_result);

// "took longer than its time", "signal 9 (Killed)", "exit 3".
const char *process_text(const struct process_result *result, char *text, size_t room);

#endif
