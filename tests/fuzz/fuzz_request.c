// Any bytes as the head of an HTTP request, as they come: what is told of it lies in them, and more
// bytes never change what was whole.

#include <stdlib.h>

#include "view/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void lies_in(struct view part, struct view text)
{
    check(part.size == 0 ||
          (part.data >= text.data && part.data + part.size <= text.data + text.size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view text = {(const char *)data, size};
    struct request request, before;
    uint64_t number;
    const enum request_state state = request_read(text, &request);
    const enum request_state half = request_read(view_slice(text, 0, size / 2), &before);
    check(half == REQUEST_UNFINISHED || half == state);
    if (state != REQUEST_WHOLE)
        return 0;
    lies_in(request.method, text);
    lies_in(request.path, text);
    lies_in(request.query, text);
    lies_in(request.host, text);
    check(request.path.size > 0 && request.path.data[0] == '/' && request.host.size > 0);
    request_number(&request, "from", &number);
    return 0;
}
