#include "unpack.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "memory.h"
#include "recovery.h"

enum { PIECE = 256 * 1024 };

static const char GZIP_MARK[] = "\x1f\x8b";
static const char ZSTD_MARK[] = "\x28\xb5\x2f\xfd";

static bool is_gzip(struct view bytes)
{
    return view_starts_with(bytes, GZIP_MARK);
}

bool unpack_is_packed(struct view bytes)
{
    return is_gzip(bytes) || view_starts_with(bytes, ZSTD_MARK);
}

static bool ends_in(struct view bytes, const char *mark)
{
    return bytes.size > 0 && bytes.size < strlen(mark) && memcmp(bytes.data, mark, bytes.size) == 0;
}

const char *unpack_cut_in_mark(const char *path, struct view bytes)
{
    if (view_has_extension(view_of(path), ".gz") && ends_in(bytes, GZIP_MARK))
        return "the gzip data is cut off";
    if (view_has_extension(view_of(path), ".zst") && ends_in(bytes, ZSTD_MARK))
        return "the zstd data is cut off";
    return NULL;
}

static void end_gzip(void *stream)
{
    inflateEnd(stream);
}

static void end_zstd(void *stream)
{
    ZSTD_freeDStream(stream);
}

static status open_gzip(const char *path, struct unpack *unpack)
{
    z_stream *stream = memory_allocate_zeroed(1, sizeof *stream);
    if (inflateInit2(stream, 15 + 32) != Z_OK) {
        free(stream);
        return status_no_memory("unpacking %s", path);
    }
    recovery_hold(RECOVERY_AT_ONCE, end_gzip, stream);
    unpack->stream = stream;
    return STATUS_OK;
}

static status open_zstd(const char *path, struct unpack *unpack)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (stream == NULL)
        return status_no_memory("unpacking %s", path);
    recovery_hold(RECOVERY_AT_ONCE, end_zstd, stream);
    unpack->stream = stream;
    const unsigned long long promised =
        ZSTD_getFrameContentSize(unpack->packed.data, unpack->packed.size);
    if (promised != ZSTD_CONTENTSIZE_UNKNOWN && promised != ZSTD_CONTENTSIZE_ERROR)
        unpack->promised = promised;
    return STATUS_OK;
}

status unpack_open(const char *path, struct view packed, struct unpack *out_unpack)
{
    *out_unpack = (struct unpack){.packed = packed, .promised = UINT64_MAX};
    STATUS_TRY(is_gzip(packed) ? open_gzip(path, out_unpack) : open_zstd(path, out_unpack));
    out_unpack->piece = memory_allocate(PIECE);
    return STATUS_OK;
}

// Of several members one after the other.
static struct view next_of_gzip(struct unpack *unpack)
{
    z_stream *stream = unpack->stream;
    const size_t left = unpack->packed.size - unpack->consumed;
    const uInt offered = left > UINT32_MAX ? UINT32_MAX : (uInt)left;
    stream->next_in = (Bytef *)(uintptr_t)(unpack->packed.data + unpack->consumed);
    stream->avail_in = offered;
    stream->next_out = (Bytef *)unpack->piece;
    stream->avail_out = PIECE;
    const int result = inflate(stream, Z_NO_FLUSH);
    unpack->consumed += offered - stream->avail_in;
    const bool all = unpack->consumed == unpack->packed.size;
    if (result == Z_STREAM_END && !all)
        unpack->ended = inflateReset(stream) != Z_OK;
    else
        unpack->ended = (result != Z_OK && result != Z_BUF_ERROR) || (all && stream->avail_out > 0);
    unpack->starved = result == Z_MEM_ERROR;
    if (unpack->ended && result != Z_STREAM_END)
        unpack->damage = all ? "the gzip data is cut off" : "the gzip data is damaged";
    return (struct view){unpack->piece, PIECE - stream->avail_out};
}

static struct view next_of_zstd(struct unpack *unpack)
{
    ZSTD_inBuffer in = {unpack->packed.data, unpack->packed.size, unpack->consumed};
    ZSTD_outBuffer out = {unpack->piece, PIECE, 0};
    const size_t result = ZSTD_decompressStream(unpack->stream, &out, &in);
    unpack->consumed = in.pos;
    unpack->ended = ZSTD_isError(result) || (in.pos == in.size && out.pos < out.size);
    unpack->starved = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
    if (ZSTD_isError(result))
        unpack->damage = "the zstd data is damaged";
    else if (unpack->ended && result != 0)
        unpack->damage = "the zstd data is cut off";
    return (struct view){unpack->piece, out.pos};
}

struct view unpack_next(struct unpack *unpack)
{
    return is_gzip(unpack->packed) ? next_of_gzip(unpack) : next_of_zstd(unpack);
}

void unpack_close(struct unpack *unpack)
{
    if (unpack->stream != NULL) {
        recovery_let_go(unpack->stream);
        if (is_gzip(unpack->packed)) {
            inflateEnd(unpack->stream);
            free(unpack->stream);
        } else {
            ZSTD_freeDStream(unpack->stream);
        }
    }
    free(unpack->piece);
    *unpack = (struct unpack){0};
}
