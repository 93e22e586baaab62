#include "answer.h"

#include <opscope/result.h>

#include <stdio.h>
#include <string.h>

static int api_code_of(enum status_code code)
{
    static const int codes[] = {
        [STATUS_DONE] = OPSCOPE_OK,
        [STATUS_USAGE] = OPSCOPE_ERROR_USAGE,
        [STATUS_NOT_FOUND] = OPSCOPE_ERROR_NOT_FOUND,
        [STATUS_IO] = OPSCOPE_ERROR_IO,
        [STATUS_DATA] = OPSCOPE_ERROR_DATA,
        [STATUS_UNSUPPORTED] = OPSCOPE_ERROR_UNSUPPORTED,
        [STATUS_LIMIT] = OPSCOPE_ERROR_LIMIT,
    };
    return codes[code];
}

int api_answer(status result, char *message, size_t size)
{
    if (result == STATUS_OK)
        return OPSCOPE_OK;
    const int code = api_code_of(status_code_of(result));
    if (message != NULL && size > 0)
        snprintf(message, size, "%s", status_message(result));
    status_free(result);
    return code;
}

int api_refuse(const char *text, char *message, size_t size)
{
    if (message != NULL && size > 0)
        snprintf(message, size, "%s", text);
    return OPSCOPE_ERROR_USAGE;
}

int api_no_memory(char *message, size_t size)
{
    return api_answer(status_out_of_memory(), message, size);
}

void api_give(void *out, size_t out_size, const void *from, size_t from_size)
{
    const size_t known = out_size < from_size ? out_size : from_size;
    memcpy(out, from, known);
    memset((char *)out + known, 0, out_size - known);
}

bool api_take(void *to, size_t to_size, const void *from, size_t from_size)
{
    if (from == NULL)
        return false;
    const size_t known = from_size < to_size ? from_size : to_size;
    memset(to, 0, to_size);
    memcpy(to, from, known);
    for (size_t i = known; i < from_size; i++) {
        if (((const char *)from)[i] != 0)
            return false;
    }
    return true;
}
