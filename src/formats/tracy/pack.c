#include "pack.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "container.h"

// Two blocks take turns, so that the one before is still there.
struct tracy_pack {
    struct output *output;
    LZ4_stream_t state;
    unsigned turn;
    size_t used;
    char blocks[2][TRACY_BLOCK];
    char packed[LZ4_COMPRESSBOUND(TRACY_BLOCK)];
};

status tracy_pack_open(const char *path, struct tracy_pack **out_pack)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    struct tracy_pack *pack = memory_allocate_zeroed(1, sizeof *pack);
    pack->output = output;
    LZ4_initStream(&pack->state, sizeof pack->state);
    output_write(output, "tlZ\x04", 4);
    *out_pack = pack;
    return STATUS_OK;
}

static void write_block(struct tracy_pack *pack)
{
    const int size =
        LZ4_compress_fast_continue(&pack->state, pack->blocks[pack->turn], pack->packed,
                                   (int)pack->used, sizeof pack->packed, 1);
    unsigned char head[4];
    for (size_t i = 0; i < sizeof head; i++)
        head[i] = (unsigned char)(size >> (8 * i));
    output_write(pack->output, head, sizeof head);
    output_write(pack->output, pack->packed, (size_t)size);
    pack->turn ^= 1;
    pack->used = 0;
}

void tracy_pack_bytes(struct tracy_pack *pack, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        const size_t room = TRACY_BLOCK - pack->used;
        const size_t piece = size < room ? size : room;
        memcpy(pack->blocks[pack->turn] + pack->used, at, piece);
        pack->used += piece;
        at += piece;
        size -= piece;
        if (pack->used == TRACY_BLOCK)
            write_block(pack);
    }
}

// A block that is not full ends the file, also one of nothing.
status tracy_pack_close(struct tracy_pack *pack, status written)
{
    write_block(pack);
    const status result = output_finish(pack->output, written);
    free(pack);
    return result;
}

static void pack_number(struct tracy_pack *pack, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    tracy_pack_bytes(pack, bytes, size);
}

void tracy_pack_u8(struct tracy_pack *pack, unsigned number)
{
    pack_number(pack, number, 1);
}

void tracy_pack_u16(struct tracy_pack *pack, unsigned number)
{
    pack_number(pack, number, 2);
}

void tracy_pack_u24(struct tracy_pack *pack, uint32_t number)
{
    pack_number(pack, number, 3);
}

void tracy_pack_u32(struct tracy_pack *pack, uint32_t number)
{
    pack_number(pack, number, 4);
}

void tracy_pack_u64(struct tracy_pack *pack, uint64_t number)
{
    pack_number(pack, number, 8);
}

void tracy_pack_f32(struct tracy_pack *pack, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    tracy_pack_u32(pack, bits);
}

void tracy_pack_f64(struct tracy_pack *pack, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    tracy_pack_u64(pack, bits);
}

void tracy_pack_zeros(struct tracy_pack *pack, size_t size)
{
    for (size_t i = 0; i < size; i++)
        tracy_pack_u8(pack, 0);
}

void tracy_pack_text(struct tracy_pack *pack, struct view text)
{
    tracy_pack_u64(pack, text.size);
    tracy_pack_bytes(pack, text.data, text.size);
}

void tracy_pack_time(struct tracy_pack *pack, uint64_t time, uint64_t *reference)
{
    tracy_pack_u64(pack, time - *reference);
    *reference = time;
}
