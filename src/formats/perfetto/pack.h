// Chunks of events on their way to the file: put into bytes (encode.h), packed and written. Small
// traces are plain packets that any reader takes; after the first PACK_PLAIN chunks one of
// PACK_EACH is packed with zlib into a compressed packet, which Perfetto unpacks itself. Packing
// takes longer than putting into bytes: packing a third of it saves a quarter of the bytes for a
// third of the time. All threads do both (base/parts.h), and what is ready is written in order. The
// same events give the same bytes.
//
// Memory: PARTS_OF_THREAD chunks for each thread, each of PACK_EVENTS events, with the bytes that
// they become and as much for what those are packed to.

#ifndef OPSCOPE_FORMATS_PERFETTO_PACK_H
#define OPSCOPE_FORMATS_PERFETTO_PACK_H

#include "base/status.h"
#include "encode.h"

// Events in a chunk, and about how many bytes; a compressed packet is made of no more than these.
enum { PACK_EVENTS = 2048, PACK_CHUNK = 256 << 10 };
enum { PACK_PLAIN = 32, PACK_EACH = 3 };

struct pack;

// `options` are read as long as the pack is open.
status pack_open(const char *path, const struct encode_options *options, struct pack **out_pack);

// The chunk at hand, to which events are added.
struct chunk *pack_chunk(struct pack *pack);

// Whether it has as much as becomes a chunk.
bool pack_is_full(const struct pack *pack);

// The same after handing on the one at hand if it is full.
struct chunk *pack_chunk_with_room(struct pack *pack);

// Room for packets of at most `size` bytes that are there already; pack_commit says how many they
// took.
unsigned char *pack_reserve(struct pack *pack, size_t size);
void pack_commit(struct pack *pack, size_t size);

// Whether what follows is written plain, whatever the size.
void pack_plain(struct pack *pack, bool plain);

// `written` says whether what was committed is the whole (base/output.h).
status pack_close(struct pack *pack, status written);

#endif
