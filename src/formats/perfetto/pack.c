#include "pack.h"

#include <stdlib.h>
#ifdef OPSCOPE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include "base/memory.h"
#include "base/output.h"
#include "base/parts.h"
#include "fields.h"
#include "wire/protobuf.h"

enum { PACKED_HEADER = 2 * PROTOBUF_HEADER_MOST };

struct chunk {
    struct chunk *next_free;
    size_t used;
    size_t capacity;
    bool plain;
    unsigned char *bytes;
    unsigned char *packed; // after room for the headers of its packet
    size_t packed_size;    // 0: it goes out as it is
    size_t packed_capacity;
#ifdef OPSCOPE_ISAL
    struct isal_zstream zlib;
#endif
};

struct pack {
    struct output *output;
    struct parts *parts;
    struct chunk *free_chunks;
    struct chunk *chunk; // being filled
    size_t written;      // packet bytes so far
    size_t chunks;
    bool plain;
};

static struct chunk *chunk_create(void)
{
    struct chunk *chunk = memory_allocate_zeroed(1, sizeof *chunk);
    chunk->capacity = PACK_CHUNK;
    chunk->bytes = memory_allocate(PACK_CHUNK);
    return chunk;
}

static void chunk_free(struct chunk *chunk)
{
    free(chunk->bytes);
    free(chunk->packed);
    free(chunk);
}

// A chunk as one zlib stream in `room` bytes; 0 when it cannot be packed.
#ifdef OPSCOPE_ISAL
static size_t deflate_into(struct chunk *chunk, unsigned char *to, size_t room)
{
    struct isal_zstream *zlib = &chunk->zlib;
    isal_deflate_init(zlib);
    zlib->gzip_flag = IGZIP_ZLIB;
    zlib->end_of_stream = 1;
    zlib->next_in = chunk->bytes;
    zlib->avail_in = (uint32_t)chunk->used;
    zlib->next_out = to;
    zlib->avail_out = (uint32_t)room;
    const int result = isal_deflate_stateless(zlib);
    return result == COMP_OK && zlib->avail_in == 0 ? zlib->total_out : 0;
}
#else
static size_t deflate_into(struct chunk *chunk, unsigned char *to, size_t room)
{
    uLongf size = room;
    return compress2(to, &size, chunk->bytes, chunk->used, Z_BEST_SPEED) == Z_OK ? size : 0;
}
#endif

static void pack_chunk(void *part)
{
    struct chunk *chunk = part;
    chunk->packed_size = 0;
    // Perfetto takes packed packets up to 512 KB: a larger chunk is one
    // huge packet and goes out as it is.
    if (chunk->plain || chunk->used > PACK_CHUNK)
        return;
    const size_t most = PACKED_HEADER + chunk->used + chunk->used / 8 + 1024;
    if (most > chunk->packed_capacity) {
        chunk->packed = memory_resize(chunk->packed, most);
        chunk->packed_capacity = most;
    }
    chunk->packed_size = deflate_into(chunk, chunk->packed + PACKED_HEADER, most - PACKED_HEADER);
}

static void pack_write(struct pack *pack, const struct chunk *chunk)
{
    if (chunk->packed_size == 0) {
        output_write(pack->output, chunk->bytes, chunk->used);
        return;
    }
    unsigned char header[PACKED_HEADER];
    const size_t inner = protobuf_bytes_size(PERFETTO_PACKET_COMPRESSED, chunk->packed_size);
    unsigned char *end = protobuf_put_header(header, PERFETTO_TRACE_PACKET, inner);
    end = protobuf_put_header(end, PERFETTO_PACKET_COMPRESSED, chunk->packed_size);
    output_write(pack->output, header, (size_t)(end - header));
    output_write(pack->output, chunk->packed + PACKED_HEADER, chunk->packed_size);
}

status pack_open(const char *path, struct pack **out_pack)
{
    struct pack *pack = memory_allocate_zeroed(1, sizeof *pack);
    const status result = output_open(path, &pack->output);
    if (result != STATUS_OK) {
        free(pack);
        return result;
    }
    pack->parts = parts_open(pack_chunk);
    pack->chunk = chunk_create();
    *out_pack = pack;
    return STATUS_OK;
}

// Writes the chunk that was handed on first; false when there is none.
static bool pack_write_first(struct pack *pack)
{
    struct chunk *chunk = parts_take(pack->parts);
    if (chunk == NULL)
        return false;
    pack_write(pack, chunk);
    chunk->next_free = pack->free_chunks;
    pack->free_chunks = chunk;
    return true;
}

static struct chunk *pack_free_chunk(struct pack *pack)
{
    struct chunk *chunk = pack->free_chunks;
    if (chunk == NULL)
        return chunk_create();
    pack->free_chunks = chunk->next_free;
    chunk->used = 0;
    return chunk;
}

static void pack_hand_on(struct pack *pack)
{
    struct chunk *chunk = pack->chunk;
    pack->chunks++;
    chunk->plain = pack->plain || pack->written < PACK_PLAIN || pack->chunks % 2 == 0;
    pack->written += chunk->used;
    if (!parts_room(pack->parts))
        pack_write_first(pack);
    parts_put(pack->parts, chunk);
    pack->chunk = pack_free_chunk(pack);
}

unsigned char *pack_reserve(struct pack *pack, size_t size)
{
    if (pack->chunk->capacity - pack->chunk->used < size && pack->chunk->used > 0)
        pack_hand_on(pack);
    struct chunk *chunk = pack->chunk;
    if (chunk->capacity - chunk->used < size) {
        chunk->capacity = size;
        chunk->bytes = memory_resize(chunk->bytes, size);
    }
    return chunk->bytes + chunk->used;
}

void pack_commit(struct pack *pack, size_t size)
{
    pack->chunk->used += size;
}

void pack_plain(struct pack *pack, bool plain)
{
    if (pack->chunk->used > 0)
        pack_hand_on(pack);
    pack->plain = plain;
}

status pack_close(struct pack *pack, status written)
{
    pack_hand_on(pack);
    while (pack_write_first(pack))
        continue;
    parts_close(pack->parts);
    const status result = output_finish(pack->output, written);
    chunk_free(pack->chunk);
    for (struct chunk *chunk; (chunk = pack->free_chunks) != NULL;) {
        pack->free_chunks = chunk->next_free;
        chunk_free(chunk);
    }
    free(pack);
    return result;
}
