#include "reader_unpack.h"

#include <stdlib.h>

#ifdef OPSCOPE_ISAL
#include <isa-l/igzip_lib.h>
#endif
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

// Several times as fast as zlib, which has the last word on what is damaged. False where it did not
// come to the end in the room that is there.
#ifdef OPSCOPE_ISAL
static bool reader_unpack_quickly(struct perfetto_unpacker *unpacker, struct view packed,
                                  size_t most, struct bytes *to, bool *out_full)
{
    const size_t room = to->capacity - to->size < most ? to->capacity - to->size : most;
    if (unpacker->isal == NULL)
        unpacker->isal = memory_allocate(sizeof(struct inflate_state));
    struct inflate_state *state = unpacker->isal;
    isal_inflate_init(state);
    state->crc_flag = ISAL_ZLIB;
    state->next_in = (unsigned char *)(uintptr_t)packed.data;
    state->avail_in = (uint32_t)packed.size;
    state->next_out = bytes_reserve(to, 0);
    state->avail_out = (uint32_t)room;
    const int result = isal_inflate_stateless(state);
    *out_full = result == ISAL_OUT_OVERFLOW && room == most;
    if (result != ISAL_DECOMP_OK || state->block_state != ISAL_BLOCK_FINISH)
        return false;
    to->size += state->total_out;
    return true;
}
#else
static bool reader_unpack_quickly(struct perfetto_unpacker *unpacker, struct view packed,
                                  size_t most, struct bytes *to, bool *out_full)
{
    (void)unpacker;
    (void)packed;
    (void)most;
    (void)to;
    *out_full = false;
    return false;
}
#endif

static size_t reader_unpack_step(size_t most, size_t done)
{
    return most - done < STEP ? most - done : STEP;
}

static enum perfetto_unpack_result reader_unpack_with_zlib(struct perfetto_unpacker *unpacker,
                                                           struct view packed, size_t most,
                                                           struct bytes *to)
{
    z_stream *stream = zlib_start(unpacker);
    if (stream == NULL)
        return PERFETTO_UNPACK_DAMAGED;
    stream->next_in = (unsigned char *)(uintptr_t)packed.data;
    stream->avail_in = (unsigned)packed.size;
    for (size_t done = 0; done < most;) {
        const size_t step = reader_unpack_step(most, done);
        stream->next_out = bytes_reserve(to, step);
        stream->avail_out = (unsigned)step;
        const int result = inflate(stream, Z_NO_FLUSH);
        to->size += step - stream->avail_out;
        done += step - stream->avail_out;
        if (result == Z_STREAM_END)
            return PERFETTO_UNPACK_DONE;
        if (result != Z_OK)
            return PERFETTO_UNPACK_DAMAGED;
    }
    return PERFETTO_UNPACK_LARGE;
}

enum perfetto_unpack_result perfetto_unpack_zlib(struct perfetto_unpacker *unpacker,
                                                 struct view packed, size_t most, struct bytes *to)
{
    bool full;
    if (packed.size > UINT32_MAX)
        return PERFETTO_UNPACK_DAMAGED;
    if (reader_unpack_quickly(unpacker, packed, most, to, &full))
        return PERFETTO_UNPACK_DONE;
    return full ? PERFETTO_UNPACK_LARGE : reader_unpack_with_zlib(unpacker, packed, most, to);
}

static ZSTD_DStream *zstd_start(struct perfetto_unpacker *unpacker)
{
    if (unpacker->zstd == NULL) {
        unpacker->zstd = ZSTD_createDStream();
        if (unpacker->zstd == NULL)
            recovery_fail(0);
        recovery_hold(RECOVERY_LATER, reader_unpack_free_zstd, unpacker->zstd);
    }
    return ZSTD_isError(ZSTD_initDStream(unpacker->zstd)) ? NULL : unpacker->zstd;
}

enum perfetto_unpack_result perfetto_unpack_zstd(struct perfetto_unpacker *unpacker,
                                                 struct view packed, size_t most, struct bytes *to)
{
    ZSTD_DStream *stream = zstd_start(unpacker);
    if (stream == NULL)
        return PERFETTO_UNPACK_DAMAGED;
    ZSTD_inBuffer from = {packed.data, packed.size, 0};
    for (size_t done = 0; done < most;) {
        const size_t step = reader_unpack_step(most, done);
        ZSTD_outBuffer out = {bytes_reserve(to, step), step, 0};
        const size_t result = ZSTD_decompressStream(stream, &out, &from);
        to->size += out.pos;
        done += out.pos;
        if (ZSTD_isError(result))
            return PERFETTO_UNPACK_DAMAGED;
        if (result == 0 && from.pos == from.size)
            return PERFETTO_UNPACK_DONE;
        if (out.pos == 0 && from.pos == from.size)
            return PERFETTO_UNPACK_DAMAGED;
    }
    return PERFETTO_UNPACK_LARGE;
}

void perfetto_unpack_free(struct perfetto_unpacker *unpacker)
{
    free(unpacker->isal);
    if (unpacker->zlib != NULL) {
        recovery_let_go(unpacker->zlib);
        inflateEnd(unpacker->zlib);
    }
    free(unpacker->zlib);
    if (unpacker->zstd != NULL)
        recovery_let_go(unpacker->zstd);
    ZSTD_freeDStream(unpacker->zstd);
    *unpacker = (struct perfetto_unpacker){0};
}
