#include "pack.h"

#include <stdlib.h>
#ifdef OPSCOPE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include "base/filling.h"
#include "base/memory.h"
#include "base/output.h"
#include "fields.h"
#include "wire/protobuf.h"

enum { PACKED_HEADER = 2 * PROTOBUF_HEADER_MOST };

// A chunk, and what it becomes.
struct part {
    struct filled_part filled;
    struct chunk chunk;
    const struct encode_options *options;
    bool plain;
    struct bytes bytes;
    struct bytes ends;   // of pieces of the bytes: size_t each
    struct bytes packed; // instead of the bytes, where it is not plain
#ifdef OPSCOPE_ISAL
    struct isal_zstream zlib;
#endif
};

struct pack {
    struct output *output;
    const struct encode_options *options;
    struct filling filling;
    struct part *part; // being filled
    size_t count;      // handed on so far
    bool plain;
};

static void part_free(struct part *part)
{
    chunk_free(&part->chunk);
    bytes_free(&part->bytes);
    bytes_free(&part->ends);
    bytes_free(&part->packed);
    free(part);
}

// Packing -----------------------------------------------------------------------------

// `from` as one zlib stream in `room` bytes; 0 when it cannot be packed.
#ifdef OPSCOPE_ISAL
static size_t deflate_into(struct part *part, struct view from, unsigned char *to, size_t room)
{
    struct isal_zstream *zlib = &part->zlib;
    isal_deflate_init(zlib);
    zlib->gzip_flag = IGZIP_ZLIB;
    zlib->end_of_stream = 1;
    zlib->next_in = (uint8_t *)(uintptr_t)from.data;
    zlib->avail_in = (uint32_t)from.size;
    zlib->next_out = to;
    zlib->avail_out = (uint32_t)room;
    const int result = isal_deflate_stateless(zlib);
    return result == COMP_OK && zlib->avail_in == 0 ? zlib->total_out : 0;
}
#else
static size_t deflate_into(struct part *part, struct view from, unsigned char *to, size_t room)
{
    (void)part;
    uLongf size = room;
    const int result = compress2(to, &size, (const Bytef *)from.data, from.size, Z_BEST_SPEED);
    return result == Z_OK ? size : 0;
}
#endif

// Perfetto takes packed packets up to 512 KB: one that is larger by itself goes out as it is, and
// so does what cannot be packed.
static void pack_piece(struct part *part, struct view piece)
{
    const size_t most = PACKED_HEADER + piece.size + piece.size / 8 + 1024;
    unsigned char *to = bytes_reserve(&part->packed, PACKED_HEADER + most);
    unsigned char *stream = to + PACKED_HEADER;
    const size_t size = piece.size <= PACK_CHUNK ? deflate_into(part, piece, stream, most) : 0;
    if (size == 0) {
        bytes_append(&part->packed, piece.data, piece.size);
        return;
    }
    const size_t inner = protobuf_bytes_size(PERFETTO_PACKET_COMPRESSED, size);
    unsigned char *end = protobuf_put_header(to, PERFETTO_TRACE_PACKET, inner);
    end = protobuf_put_header(end, PERFETTO_PACKET_COMPRESSED, size);
    memmove(end, stream, size);
    part->packed.size += (size_t)(end - to) + size;
}

static void pack_part(void *argument)
{
    struct part *part = argument;
    part->bytes.size = part->ends.size = part->packed.size = 0;
    chunk_encode(&part->chunk, part->options, PACK_CHUNK, &part->bytes, &part->ends);
    chunk_clear(&part->chunk);
    size_t from = 0;
    for (size_t i = 0; !part->plain && i < part->ends.size; i += sizeof from) {
        size_t end;
        memcpy(&end, part->ends.data + i, sizeof end);
        pack_piece(part, view_slice(bytes_view(&part->bytes), from, end));
        from = end;
    }
}

// In order ----------------------------------------------------------------------------

static void pack_take(void *context, void *taken)
{
    struct pack *pack = context;
    const struct part *part = taken;
    const struct bytes *bytes = part->plain ? &part->bytes : &part->packed;
    output_write(pack->output, bytes->data, bytes->size);
}

static void pack_fill_next(struct pack *pack)
{
    pack->part = filling_part(&pack->filling);
    pack->part->options = pack->options;
}

status pack_open(const char *path, const struct encode_options *options, struct pack **out_pack)
{
    struct pack *pack = memory_allocate_zeroed(1, sizeof *pack);
    const status result = output_open(path, &pack->output);
    if (result != STATUS_OK) {
        free(pack);
        return result;
    }
    pack->options = options;
    filling_start(&pack->filling, sizeof(struct part), pack_part, pack_take, pack);
    pack_fill_next(pack);
    *out_pack = pack;
    return STATUS_OK;
}

static void pack_hand_on(struct pack *pack)
{
    struct part *part = pack->part;
    part->plain = pack->plain || pack->count < PACK_PLAIN || pack->count % PACK_EACH != 0;
    pack->count++;
    filling_hand_on(&pack->filling, part);
    pack_fill_next(pack);
}

struct chunk *pack_chunk(struct pack *pack)
{
    return &pack->part->chunk;
}

bool pack_is_full(const struct pack *pack)
{
    const struct chunk *chunk = &pack->part->chunk;
    return chunk->count >= PACK_EVENTS || chunk->size >= PACK_CHUNK;
}

struct chunk *pack_chunk_with_room(struct pack *pack)
{
    if (pack_is_full(pack))
        pack_hand_on(pack);
    return pack_chunk(pack);
}

unsigned char *pack_reserve(struct pack *pack, size_t size)
{
    return chunk_reserve(pack_chunk_with_room(pack), size);
}

void pack_commit(struct pack *pack, size_t size)
{
    chunk_commit(pack_chunk(pack), size);
}

void pack_plain(struct pack *pack, bool plain)
{
    if (pack_chunk(pack)->count > 0)
        pack_hand_on(pack);
    pack->plain = plain;
}

status pack_close(struct pack *pack, status written)
{
    pack_hand_on(pack);
    filling_finish(&pack->filling);
    const status result = output_finish(pack->output, written);
    part_free(pack->part);
    for (struct part *part; (part = filling_give_back(&pack->filling)) != NULL;)
        part_free(part);
    free(pack);
    return result;
}
