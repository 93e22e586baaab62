#include "container.h"

#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/recovery.h"
#include "cursor.h"

enum packing { PACKED_LZ4, PACKED_ZSTD, PACKINGS };

enum { MAGIC = 4, STREAMS_MOST = 255 };

// One of several streams: each refers back to blocks of its own.
struct stream {
    char *before; // LZ4: the block before
    int before_size;
    ZSTD_DStream *zstd;
};

struct unpacking {
    enum packing packing;
    unsigned stream_count;
    struct stream streams[STREAMS_MOST];
    char block[TRACY_BLOCK];
};

static bool starts_with(struct view bytes, const char *magic)
{
    return bytes.size >= MAGIC && memcmp(bytes.data, magic, MAGIC) == 0;
}

bool tracy_container_recognise(struct view bytes)
{
    return starts_with(bytes, "tlZ\x04") || starts_with(bytes, "tZst") ||
           starts_with(bytes, "tr\xfdP");
}

// False where the header is of no container that is known.
static bool tracy_container_read_header(struct tracy_cursor *cursor, struct unpacking *unpacking)
{
    const struct view magic = tracy_take(cursor, MAGIC);
    unpacking->stream_count = 1;
    unpacking->packing = starts_with(magic, "tZst") ? PACKED_ZSTD : PACKED_LZ4;
    if (!starts_with(magic, "tr\xfdP"))
        return true;
    const unsigned packing = tracy_u8(cursor);
    unpacking->stream_count = tracy_u8(cursor);
    unpacking->packing = packing == 0 ? PACKED_LZ4 : PACKED_ZSTD;
    return !cursor->short_of && packing < PACKINGS && unpacking->stream_count > 0;
}

static int unpack_lz4(struct stream *stream, struct view packed, char *block)
{
    if (stream->before == NULL)
        stream->before = memory_allocate(TRACY_BLOCK);
    const int size = LZ4_decompress_safe_usingDict(
        packed.data, block, (int)packed.size, TRACY_BLOCK, stream->before, stream->before_size);
    if (size > 0) {
        memcpy(stream->before, block, (size_t)size);
        stream->before_size = size;
    }
    return size;
}

static void tracy_container_free_zstd(void *stream)
{
    ZSTD_freeDStream(stream);
}

// The frame is flushed at each block and never ended.
static int tracy_container_unpack_zstd(struct stream *stream, struct view packed, char *block)
{
    if (stream->zstd == NULL) {
        stream->zstd = ZSTD_createDStream();
        if (stream->zstd == NULL)
            recovery_fail(0);
        recovery_hold(RECOVERY_AT_ONCE, tracy_container_free_zstd, stream->zstd);
    }
    ZSTD_inBuffer in = {packed.data, packed.size, 0};
    ZSTD_outBuffer out = {block, TRACY_BLOCK, 0};
    while (in.pos < in.size) {
        const size_t before = in.pos + out.pos;
        if (ZSTD_isError(ZSTD_decompressStream(stream->zstd, &out, &in)) ||
            in.pos + out.pos == before)
            break;
    }
    return in.pos == in.size ? (int)out.pos : -1;
}

static const char *unpack_block(struct unpacking *unpacking, unsigned number,
                                struct tracy_cursor *cursor, int *out_size)
{
    struct stream *stream = &unpacking->streams[number % unpacking->stream_count];
    const uint32_t packed_size = tracy_u32(cursor);
    const struct view packed = tracy_take(cursor, packed_size);
    *out_size = 0;
    if (cursor->short_of || packed.size > INT32_MAX)
        return "the file is cut off";
    const int size = unpacking->packing == PACKED_LZ4
                         ? unpack_lz4(stream, packed, unpacking->block)
                         : tracy_container_unpack_zstd(stream, packed, unpacking->block);
    if (size < 0)
        return "a packed block is damaged";
    *out_size = size;
    return NULL;
}

static status unpack_blocks(struct unpacking *unpacking, struct tracy_cursor *cursor,
                            struct spool *out, const char **out_damage)
{
    int size = TRACY_BLOCK;
    for (unsigned number = 0; size == TRACY_BLOCK && *out_damage == NULL; number++) {
        // A file whose size is a multiple of a block's may end without a shorter one.
        if (tracy_left(cursor) == 0 && number > 0)
            break;
        *out_damage = unpack_block(unpacking, number, cursor, &size);
        STATUS_TRY(spool_append(out, unpacking->block, (size_t)size));
    }
    return STATUS_OK;
}

status tracy_container_unpack(struct view bytes, struct spool *out, const char **out_damage)
{
    struct tracy_cursor cursor = tracy_cursor_of(bytes);
    struct unpacking *unpacking = memory_allocate_zeroed(1, sizeof *unpacking);
    *out_damage = NULL;
    status result = STATUS_OK;
    if (!tracy_container_read_header(&cursor, unpacking))
        *out_damage = "the header names no packing that is known";
    else
        result = unpack_blocks(unpacking, &cursor, out, out_damage);
    for (unsigned i = 0; i < unpacking->stream_count; i++) {
        free(unpacking->streams[i].before);
        if (unpacking->streams[i].zstd != NULL)
            recovery_let_go(unpacking->streams[i].zstd);
        ZSTD_freeDStream(unpacking->streams[i].zstd);
    }
    free(unpacking);
    return result;
}
