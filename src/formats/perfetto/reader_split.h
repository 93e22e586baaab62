// Track events taken apart before it is known what their numbers stand for: what needs nothing but
// the message itself, so that any thread can do it.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_SPLIT_H
#define OPSCOPE_FORMATS_PERFETTO_READER_SPLIT_H

#include "reader_packets.h"

enum perfetto_split_depth {
    PERFETTO_SPLIT_OUTLINE, // type and track
    PERFETTO_SPLIT_WHOLE,   // the other fields as well, as items
};

// Splits the packet's event; it has `split` then. One with anything out of the ordinary, or more
// items than there is room for, is left as it is: reader_events.h knows what to make of its
// message. Returns how many of `items`, of which there are `room`, it took.
uint32_t perfetto_split(struct perfetto_packet *packet, enum perfetto_split_depth depth,
                        struct perfetto_item *items, uint32_t room);

#endif
