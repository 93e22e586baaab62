// The packets of a trace in the order of the file, those in compressed packets
// in their place. Only the outermost fields are looked at; what they hold is
// handed on as views, valid during the visit.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_PACKETS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_PACKETS_H

#include "base/view.h"
#include "reader_losses.h"

// Views of what is not there have no data.
struct perfetto_packet {
    uint64_t offset; // in the file; of the outer packet for compressed ones
    uint64_t timestamp;
    uint32_t sequence; // 0: none
    uint32_t clock;    // 0: the default one
    uint32_t flags;    // enum perfetto_sequence_flag
    uint32_t other;    // number of a payload that is not among those below
    bool has_timestamp;
    bool dropped_before; // the recorder lost packets of the sequence before it
    struct view event;
    struct view interned;
    struct view defaults;
    struct view snapshot;
    struct view descriptor;
    struct view attributes;
    struct view calls;
};

struct perfetto_visitor {
    void (*packet)(struct perfetto_visitor *visitor, const struct perfetto_packet *packet);
    void (*damage)(struct perfetto_visitor *visitor, enum perfetto_loss loss, uint64_t offset);
};

void perfetto_packets_visit(struct view trace, struct perfetto_visitor *visitor);

// Whether the bytes start like a trace; what is cut off at the end of `bytes`
// is given the benefit of the doubt.
bool perfetto_packets_recognise(struct view bytes);

#endif
