#include "pack.h"

#include <stdlib.h>
#ifdef OPSCOPE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include "base/memory.h"
#include "base/output.h"
#include "base/queue.h"
#include "base/recovery.h"
#include "fields.h"
#include "wire/protobuf.h"

enum { CHUNKS = 6, PACKED_HEADER = 2 * PROTOBUF_HEADER_MOST };

struct chunk {
    size_t used;
    size_t capacity;
    bool plain;
    unsigned char *bytes;
};

struct pack {
    struct output *output;
    struct queue full;
    struct queue empty;
    struct recovery_thread thread;
    struct chunk *chunk;
    size_t written; // packet bytes so far
    size_t chunks;
    bool plain;
#ifdef OPSCOPE_ISAL
    struct isal_zstream zlib;
#endif
    unsigned char *packed;
    size_t packed_capacity;
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
    free(chunk);
}

// A chunk as one zlib stream in `room` bytes; 0 when it cannot be packed.
#ifdef OPSCOPE_ISAL
static size_t deflate_into(struct pack *pack, const struct chunk *chunk, unsigned char *to,
                           size_t room)
{
    struct isal_zstream *zlib = &pack->zlib;
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
static size_t deflate_into(struct pack *pack, const struct chunk *chunk, unsigned char *to,
                           size_t room)
{
    uLongf size = room;
    (void)pack;
    return compress2(to, &size, chunk->bytes, chunk->used, Z_BEST_SPEED) == Z_OK ? size : 0;
}
#endif

// The same after room for the headers of its packet.
static size_t deflate_chunk(struct pack *pack, const struct chunk *chunk)
{
    const size_t most = PACKED_HEADER + chunk->used + chunk->used / 8 + 1024;
    if (most > pack->packed_capacity) {
        pack->packed = memory_resize(pack->packed, most);
        pack->packed_capacity = most;
    }
    return deflate_into(pack, chunk, pack->packed + PACKED_HEADER, most - PACKED_HEADER);
}

static void pack_write_packed(struct pack *pack, const struct chunk *chunk)
{
    const size_t size = deflate_chunk(pack, chunk);
    if (size == 0) {
        output_write(pack->output, chunk->bytes, chunk->used);
        return;
    }
    unsigned char header[PACKED_HEADER];
    const size_t inner = protobuf_bytes_size(PERFETTO_PACKET_COMPRESSED, size);
    unsigned char *end = protobuf_put_header(header, PERFETTO_TRACE_PACKET, inner);
    end = protobuf_put_header(end, PERFETTO_PACKET_COMPRESSED, size);
    output_write(pack->output, header, (size_t)(end - header));
    output_write(pack->output, pack->packed + PACKED_HEADER, size);
}

static void *perfetto_pack_thread(void *argument)
{
    struct pack *pack = argument;
    struct chunk *chunk;
    while ((chunk = queue_take(&pack->full)) != NULL) {
        // Perfetto takes packed packets up to 512 KB: a larger chunk is one
        // huge packet and goes out as it is.
        if (chunk->plain || chunk->used > PACK_CHUNK)
            output_write(pack->output, chunk->bytes, chunk->used);
        else
            pack_write_packed(pack, chunk);
        queue_put(&pack->empty, chunk);
    }
    return NULL;
}

// Whoever waits gets what was not written; joining fails.
static void perfetto_pack_give_up(void *argument)
{
    struct pack *pack = argument;
    struct chunk *chunk;
    while ((chunk = queue_take(&pack->full)) != NULL)
        queue_put(&pack->empty, chunk);
}

static void perfetto_pack_stop(void *argument)
{
    queue_close(&((struct pack *)argument)->full);
}

static void pack_free(struct pack *pack)
{
    queue_close(&pack->empty);
    chunk_free(pack->chunk);
    for (struct chunk *chunk; (chunk = queue_take(&pack->empty)) != NULL;)
        chunk_free(chunk);
    queue_free(&pack->full);
    queue_free(&pack->empty);
    free(pack->packed);
    free(pack);
}

status pack_open(const char *path, struct pack **out_pack)
{
    struct pack *pack = memory_allocate_zeroed(1, sizeof *pack);
    status result = output_open(path, &pack->output);
    if (result != STATUS_OK) {
        free(pack);
        return result;
    }
    queue_start(&pack->full, CHUNKS);
    queue_start(&pack->empty, CHUNKS);
    for (int i = 0; i + 1 < CHUNKS; i++)
        queue_put(&pack->empty, chunk_create());
    pack->chunk = chunk_create();
    pack->thread = (struct recovery_thread){.run = perfetto_pack_thread,
                                            .give_up = perfetto_pack_give_up,
                                            .stop = perfetto_pack_stop,
                                            .context = pack};
    const int error = recovery_thread_start(&pack->thread);
    if (error != 0) {
        result =
            output_finish(pack->output, status_system(error, "opscope", "cannot start a thread"));
        pack_free(pack);
        return result;
    }
    *out_pack = pack;
    return STATUS_OK;
}

static void pack_hand_on(struct pack *pack)
{
    struct chunk *chunk = pack->chunk;
    pack->chunks++;
    chunk->plain = pack->plain || pack->written < PACK_PLAIN || pack->chunks % 2 == 0;
    pack->written += chunk->used;
    queue_put(&pack->full, chunk);
    pack->chunk = queue_take(&pack->empty);
    pack->chunk->used = 0;
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
    queue_close(&pack->full);
    recovery_thread_join(&pack->thread);
    const status result = output_finish(pack->output, written);
    pack_free(pack);
    return result;
}
