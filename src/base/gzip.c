#include "gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef OPSCOPE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#endif

#include "filling.h"
#include "memory.h"
#include "recovery.h"

// The end of a piece that has no end of the stream, and what blocks that are not packed add.
enum { PIECE_ROOM = GZIP_PIECE + GZIP_PIECE / 8 + 1024 };

struct gzip_part {
    struct filled_part filled;
    size_t size;
    size_t packed_size;
    uint32_t checksum;
    unsigned char content[GZIP_PIECE];
    unsigned char packed[PIECE_ROOM];
#ifdef OPSCOPE_ISAL
    struct isal_zstream stream;
    unsigned char level[ISAL_DEF_LVL1_DEFAULT];
#endif
};

struct gzip {
    void (*write)(void *context, const void *data, size_t size);
    void *context;
    struct filling filling;
    struct gzip_part *part; // being filled
    bool begun;
    uint64_t size; // of all that was written
    uint32_t checksum;
};

// Of a piece, the blocks alone, none of them the last, up to a byte.
#ifdef OPSCOPE_ISAL
static void gzip_pack(void *argument)
{
    struct gzip_part *part = argument;
    struct isal_zstream *stream = &part->stream;
    // What it was used for before would show in what is found to be alike.
    memset(stream, 0, sizeof *stream);
    memset(part->level, 0, sizeof part->level);
    isal_deflate_init(stream);
    stream->level = 1;
    stream->level_buf = part->level;
    stream->level_buf_size = sizeof part->level;
    stream->flush = FULL_FLUSH;
    stream->next_in = part->content;
    stream->avail_in = (uint32_t)part->size;
    stream->next_out = part->packed;
    stream->avail_out = sizeof part->packed;
    isal_deflate_stateless(stream);
    part->packed_size = stream->total_out;
    part->checksum = crc32_gzip_refl(0, part->content, part->size);
}
#else
static void gzip_pack(void *argument)
{
    struct gzip_part *part = argument;
    z_stream stream = {.next_in = part->content,
                       .avail_in = (uInt)part->size,
                       .next_out = part->packed,
                       .avail_out = sizeof part->packed};
    if (deflateInit2(&stream, 3, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        recovery_fail(0);
    deflate(&stream, Z_FULL_FLUSH);
    part->packed_size = stream.total_out;
    deflateEnd(&stream);
    part->checksum = (uint32_t)crc32_z(0, part->content, part->size);
}
#endif

static void gzip_write(struct gzip *gzip, const void *data, size_t size)
{
    static const unsigned char HEADER[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    if (!gzip->begun)
        gzip->write(gzip->context, HEADER, sizeof HEADER);
    gzip->begun = true;
    gzip->write(gzip->context, data, size);
}

static void gzip_take(void *context, void *taken)
{
    struct gzip *gzip = context;
    const struct gzip_part *part = taken;
    gzip_write(gzip, part->packed, part->packed_size);
    gzip->size += part->size;
    gzip->checksum = (uint32_t)crc32_combine(gzip->checksum, part->checksum, (z_off_t)part->size);
}

struct gzip *gzip_open(void (*write)(void *context, const void *data, size_t size), void *context)
{
    struct gzip *gzip = memory_allocate_zeroed(1, sizeof *gzip);
    gzip->write = write;
    gzip->context = context;
    filling_start(&gzip->filling, sizeof(struct gzip_part), gzip_pack, gzip_take, gzip);
    return gzip;
}

static struct gzip_part *gzip_part_to_fill(struct gzip *gzip)
{
    if (gzip->part == NULL) {
        gzip->part = filling_part(&gzip->filling);
        gzip->part->size = 0;
    }
    return gzip->part;
}

static void gzip_hand_on(struct gzip *gzip)
{
    filling_hand_on(&gzip->filling, gzip->part);
    gzip->part = NULL;
}

void gzip_add(struct gzip *gzip, const void *data, size_t size)
{
    const unsigned char *from = data;
    while (size > 0) {
        struct gzip_part *part = gzip_part_to_fill(gzip);
        const size_t room = GZIP_PIECE - part->size;
        const size_t piece = size < room ? size : room;
        memcpy(part->content + part->size, from, piece);
        part->size += piece;
        from += piece;
        size -= piece;
        if (part->size == GZIP_PIECE)
            gzip_hand_on(gzip);
    }
}

// An empty last block, the checksum and the size.
void gzip_close(struct gzip *gzip)
{
    if (gzip->part != NULL)
        gzip_hand_on(gzip);
    filling_finish(&gzip->filling);
    unsigned char end[10] = {3, 0};
    for (unsigned i = 0; i < 4; i++) {
        end[2 + i] = (unsigned char)(gzip->checksum >> 8 * i);
        end[6 + i] = (unsigned char)(gzip->size >> 8 * i);
    }
    gzip_write(gzip, end, sizeof end);
    for (void *part; (part = filling_give_back(&gzip->filling)) != NULL;)
        free(part);
    free(gzip);
}
