#include "status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "letters.h"
#include "memory.h"

struct status_failure {
    enum status_code code;
    char message[];
};

// There to be given when nothing can be made any more. Never freed.
static struct {
    enum status_code code;
    char message[96];
} out_of_memory = {STATUS_LIMIT, "out of memory: end other programs, raise the limit (ulimit -v), "
                                 "or use a smaller input"};

status status_out_of_memory(void)
{
    return (status)(void *)&out_of_memory;
}

static status from_arguments(enum status_code code, const char *prefix, const char *format,
                             va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t text = length > 0 ? (size_t)length : 0;
    const size_t front = strlen(prefix);

    struct status_failure *failure = memory_allocate(sizeof *failure + front + text + 1);
    failure->code = code;
    memcpy(failure->message, prefix, front + 1);
    vsnprintf(failure->message + front, text + 1, format, arguments);
    // A name that an input brings along says nothing to the terminal.
    letters_hide(failure->message, front + text);
    return failure;
}

status status_make(enum status_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const status failure = from_arguments(code, "", format, arguments);
    va_end(arguments);
    return failure;
}

status status_at(enum status_code code, const char *input, uint64_t line, const char *format, ...)
{
    char prefix[512];
    snprintf(prefix, sizeof prefix, "%s:%llu: ", input, (unsigned long long)line);
    va_list arguments;
    va_start(arguments, format);
    const status failure = from_arguments(code, prefix, format, arguments);
    va_end(arguments);
    return failure;
}

status status_system(int error_number, const char *path, const char *what)
{
    const enum status_code code = error_number == ENOENT ? STATUS_NOT_FOUND : STATUS_IO;
    return status_make(code, "%s: %s: %s", path, what, strerror(error_number));
}

status status_no_memory(const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    const status named = from_arguments(STATUS_LIMIT, "", what, arguments);
    va_end(arguments);
    const status result = status_make(STATUS_LIMIT,
                                      "out of memory for %s: end other programs, raise the limit "
                                      "(ulimit -v), or use a smaller input or batch",
                                      named->message);
    status_free(named);
    return result;
}

status status_within(status failure, const char *format, ...)
{
    if (failure == STATUS_OK)
        return STATUS_OK;
    va_list arguments;
    va_start(arguments, format);
    const status place = from_arguments(failure->code, "", format, arguments);
    va_end(arguments);
    const status named = status_make(failure->code, "%s: %s", place->message, failure->message);
    status_free(place);
    status_free(failure);
    return named;
}

enum status_code status_code_of(status failure)
{
    return failure == STATUS_OK ? STATUS_DONE : failure->code;
}

const char *status_message(status failure)
{
    return failure == STATUS_OK ? "ok" : failure->message;
}

void status_free(status failure)
{
    if (failure != status_out_of_memory())
        free(failure);
}

status status_first(status first, status second)
{
    if (first == STATUS_OK)
        return second;
    status_free(second);
    return first;
}
