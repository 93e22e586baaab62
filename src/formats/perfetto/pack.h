// Packets on their way to the file. Small traces are plain packets that any
// reader takes; from PACK_PLAIN bytes on, every second chunk of packets is
// packed with zlib into a compressed packet, which Perfetto unpacks itself.
// Packing takes longer than all the rest of writing a trace: packing half of it
// saves a third of the bytes for half of the time. It happens on all threads (base/parts.h). The
// same packets give the same bytes.
//
// Memory: PARTS_OF_THREAD chunks for each thread, each with as much for what it is packed to.

#ifndef OPSCOPE_FORMATS_PERFETTO_PACK_H
#define OPSCOPE_FORMATS_PERFETTO_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { PACK_PLAIN = 4 << 20, PACK_CHUNK = 256 << 10 };

struct pack;

status pack_open(const char *path, struct pack **out_pack);

// Room for a packet of at most `size` bytes; pack_commit says how many it took.
unsigned char *pack_reserve(struct pack *pack, size_t size);
void pack_commit(struct pack *pack, size_t size);

// Whether what follows is written plain, whatever the size.
void pack_plain(struct pack *pack, bool plain);

// `written` says whether what was committed is the whole (base/output.h).
status pack_close(struct pack *pack, status written);

#endif
