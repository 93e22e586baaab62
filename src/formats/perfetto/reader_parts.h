// The packets of a trace in the order of the file, those in compressed packets in their place.
//
// The file is cut into parts between packets (base/parts.h). What needs nothing but a packet itself
// is done part by part, on all threads: unpacking, finding the packets, their outermost fields and
// those of their events. The visitor is called on the caller's thread, in order.
//
// Memory: PARTS_OF_THREAD parts for each thread, of at most 5 MiB each, most often 1 MiB. Packets
// that unpack to more than PERFETTO_PART_UNPACKED, up to PERFETTO_UNPACK_MOST, are unpacked by the
// caller's thread, one at a time; so is what is left of a part with more than
// PERFETTO_PART_PACKETS.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_PARTS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_PARTS_H

#include "reader_packets.h"
#include "reader_split.h"

enum {
    PERFETTO_PART_UNPACKED = 640 << 10,
    PERFETTO_PART_PACKETS = 16 << 10,
    PERFETTO_PART_ITEMS = 32 << 10,
};

// A packet and what it refers to are valid during the visit.
struct perfetto_visitor {
    void (*packet)(struct perfetto_visitor *visitor, const struct perfetto_packet *packet);
    void (*damage)(struct perfetto_visitor *visitor, enum perfetto_loss loss, uint64_t offset);
};

// `depth` says how far events are split.
void perfetto_parts_visit(struct view trace, enum perfetto_split_depth depth,
                          struct perfetto_visitor *visitor);

#endif
