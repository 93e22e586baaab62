// The result of whatever can fail: a pointer-sized value, null when all went well.
//
// A failure carries a code and a message for the user. The message names the
// input, the place in it and what was expected:
//     trace.csv:12: column 'Start': 'abc' is not a number
// What would steer a terminal, in what it quotes, is shown as '?'.
// Whoever gets a failure owns it: hand it on, or read it and free it.

#ifndef OPSCOPE_BASE_STATUS_H
#define OPSCOPE_BASE_STATUS_H

#include <stdint.h>

enum status_code {
    STATUS_DONE = 0,
    STATUS_USAGE,       // the caller asked for something that makes no sense
    STATUS_NOT_FOUND,   // a file or a named thing does not exist
    STATUS_IO,          // the system refused to read or write
    STATUS_DATA,        // the input is not what it should be
    STATUS_UNSUPPORTED, // valid, but not handled here
    STATUS_LIMIT,       // larger than a documented limit
};

typedef struct status_failure *status;

#define STATUS_OK ((status)0)

// Returns a failure to the caller at once; goes on when `expression` is ok.
#define STATUS_TRY(expression)                                                                     \
    do {                                                                                           \
        const status status_try_result = (expression);                                             \
        if (status_try_result != STATUS_OK)                                                        \
            return status_try_result;                                                              \
    } while (0)

status status_make(enum status_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

// Like `status_make`, with "input:line: " in front.
status status_at(enum status_code code, const char *input, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5), returns_nonnull));

// A failure of a system call on `path`: "path: what: reason", from `error_number`.
status status_system(int error_number, const char *path, const char *what)
    __attribute__((returns_nonnull));

// There is no memory for what the text names: says so, and what the user can do.
status status_no_memory(const char *what, ...)
    __attribute__((format(printf, 1, 2), returns_nonnull));

// The same where not even a message can be made.
status status_out_of_memory(void);

enum status_code status_code_of(status failure);
const char *status_message(status failure);

// Puts a place and ": " in front of a failure's message; takes the failure over.
// Accepts STATUS_OK.
status status_within(status failure, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Accepts STATUS_OK.
void status_free(status failure);

// Keeps the first of two results and frees the other.
status status_first(status first, status second);

#endif
