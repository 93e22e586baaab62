#include "reader_unpack.h"

#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/recovery.h"

enum { STEP = 256 << 10 }; // unpacked at a time

static void reader_unpack_end_inflating(void *stream)
{
    inflateEnd(stream);
}

static void reader_unpack_free_zstd(void *stream)
{
    ZSTD_freeDStream(stream);
}

static z_stream *zlib_start(struct perfetto_unpacker *unpacker)
{
    z_stream *stream = unpacker->zlib;
    if (stream != NULL)
        return inflateReset(stream) == Z_OK ? stream : NULL;
    stream = memory_allocate_zeroed(1, sizeof *stream);
    if (inflateInit(stream) != Z_OK)
        recovery_fail(0); // of its tables
    recovery_hold(RECOVERY_LATER, reader_unpack_end_inflating, stream);
    unpacker->zlib = stream;
    return stream;
}

enum perfetto_unpack_result perfetto_unpack_zlib(struct perfetto_unpacker *unpacker,
                                                 struct view packed)
{
    struct bytes *unpacked = &unpacker->unpacked;
    unpacked->size = 0;
    z_stream *stream = zlib_start(unpacker);
    if (stream == NULL || packed.size > UINT32_MAX)
        return PERFETTO_UNPACK_DAMAGED;
    stream->next_in = (unsigned char *)(uintptr_t)packed.data;
    stream->avail_in = (unsigned)packed.size;
    while (unpacked->size < PERFETTO_UNPACK_MOST) {
        stream->next_out = bytes_reserve(unpacked, STEP);
        stream->avail_out = STEP;
        const int result = inflate(stream, Z_NO_FLUSH);
        unpacked->size += STEP - stream->avail_out;
        if (result == Z_STREAM_END)
            return PERFETTO_UNPACK_DONE;
        if (result != Z_OK)
            return PERFETTO_UNPACK_DAMAGED;
    }
    return PERFETTO_UNPACK_LARGE;
}

enum perfetto_unpack_result perfetto_unpack_zstd(struct perfetto_unpacker *unpacker,
                                                 struct view packed)
{
    struct bytes *unpacked = &unpacker->unpacked;
    unpacked->size = 0;
    if (unpacker->zstd == NULL) {
        unpacker->zstd = ZSTD_createDStream();
        if (unpacker->zstd == NULL)
            recovery_fail(0);
        recovery_hold(RECOVERY_LATER, reader_unpack_free_zstd, unpacker->zstd);
    }
    if (ZSTD_isError(ZSTD_initDStream(unpacker->zstd)))
        return PERFETTO_UNPACK_DAMAGED;
    ZSTD_inBuffer from = {packed.data, packed.size, 0};
    while (unpacked->size < PERFETTO_UNPACK_MOST) {
        ZSTD_outBuffer to = {bytes_reserve(unpacked, STEP), STEP, 0};
        const size_t result = ZSTD_decompressStream(unpacker->zstd, &to, &from);
        unpacked->size += to.pos;
        if (ZSTD_isError(result))
            return PERFETTO_UNPACK_DAMAGED;
        if (result == 0 && from.pos == from.size)
            return PERFETTO_UNPACK_DONE;
        if (to.pos == 0 && from.pos == from.size)
            return PERFETTO_UNPACK_DAMAGED;
    }
    return PERFETTO_UNPACK_LARGE;
}

void perfetto_unpack_free(struct perfetto_unpacker *unpacker)
{
    if (unpacker->zlib != NULL) {
        recovery_let_go(unpacker->zlib);
        inflateEnd(unpacker->zlib);
    }
    free(unpacker->zlib);
    if (unpacker->zstd != NULL)
        recovery_let_go(unpacker->zstd);
    ZSTD_freeDStream(unpacker->zstd);
    bytes_free(&unpacker->unpacked);
    *unpacker = (struct perfetto_unpacker){0};
}
