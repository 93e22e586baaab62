// Streams of programs with Tracy: any bytes give a profile with an account that adds up. What does
// not begin as a stored stream is taken for the items of one frame, which is packed first, in a
// protocol that its length chooses.

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "formats/tracy/stream.h"
#include "formats/tracy/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_stream(struct view bytes)
{
    struct input *input = input_over("fuzz.stream", bytes);
    struct profile *profile = profile_create();
    const status failure = tracy_stream_read(input, profile);
    const struct ledger sum = profile_ledger(profile);
    if (failure == STATUS_OK && sum.expected != LEDGER_UNKNOWN &&
        sum.expected != sum.recorded + sum.lost + sum.impossible)
        abort();
    status_free(failure);
    profile_free(profile);
    input_close(input);
}

static void read_items(const uint8_t *data, size_t size)
{
    enum { GREETING = TRACY_STREAM_HEAD + 4, PROTOCOLS = 6 };
    const double multiplier = 1;
    const uint32_t protocol = tracy_dialect_offer((unsigned)(size % PROTOCOLS));
    struct tracy_dialect dialect;
    if (!tracy_dialect_find(protocol, &dialect))
        abort();
    const size_t head = GREETING + tracy_dialect_welcome(&dialect);
    const size_t room = head + 4 + (size_t)LZ4_compressBound((int)size);
    char *stream = calloc(1, room);
    memcpy(stream, TRACY_STREAM_MAGIC, sizeof TRACY_STREAM_MAGIC - 1);
    memcpy(stream + TRACY_STREAM_HEAD, &protocol, sizeof protocol);
    memcpy(stream + GREETING, &multiplier, sizeof multiplier);
    const int packed = LZ4_compress_default((const char *)data, stream + head + 4, (int)size,
                                            (int)(room - head - 4));
    memcpy(stream + head, &packed, sizeof packed);
    read_stream((struct view){stream, head + 4 + (size_t)packed});
    free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    if (tracy_stream_recognise(bytes))
        read_stream(bytes);
    else if (size > 0 && size <= TRACY_CONTENT_MOST)
        read_items(data, size);
    return 0;
}
