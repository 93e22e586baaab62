// The packets of a trace: what a packet holds, as views into its bytes.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_PACKETS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_PACKETS_H

#include "base/segments.h"
#include "base/view.h"
#include "reader_losses.h"
#include "wire/protobuf.h"

// What few packets hold. Views of what is not there have no data.
struct perfetto_payloads {
    struct view interned;
    struct view defaults;
    struct view snapshot;
    struct view descriptor;
    struct view attributes;
    struct view calls;
};

// A field of an event, or, with `name`, the value of a debug annotation that has no more than an
// interned name and a value.
struct perfetto_item {
    uint32_t name; // iid; 0: a field of the event
    uint32_t tag;  // number and enum protobuf_type, as in the message
    uint64_t value;
    const char *bytes; // `value` of them
};

// One thing that is in a trace: a packet, or damage.
struct perfetto_packet {
    uint64_t offset; // in the file; of the outer packet for compressed ones
    uint64_t timestamp;
    uint32_t sequence; // 0: none
    uint32_t clock;    // 0: the default one
    uint32_t flags;    // enum perfetto_sequence_flag
    uint32_t other;    // number of a payload that is not among those here
    struct view event;
    struct perfetto_payloads *payloads; // NULL: none
    // Of an event that is split (reader_split.h):
    const struct perfetto_item *items;
    uint64_t uuid;
    uint32_t item_count;
    unsigned char type; // enum perfetto_event_type
    bool has_uuid;
    bool split;
    bool has_timestamp;
    bool dropped_before; // the recorder lost packets of the sequence before it
    unsigned char loss;  // enum perfetto_loss: nothing but that; 0: it is a packet
};

static inline struct protobuf_field perfetto_item_field(const struct perfetto_item *item)
{
    return (struct protobuf_field){.number = item->tag >> 3,
                                   .type = (enum protobuf_type)(item->tag & 7),
                                   .value = item->value,
                                   .bytes = {item->bytes, (size_t)item->value}};
}

// Reads the outermost fields of a packet into `packet`, which has nothing but an offset yet; what
// only few have is added to `payloads` (struct perfetto_payloads). `*out_packed` is the field with
// compressed packets, number 0 where there is none.
enum protobuf_ending perfetto_packet_read(struct view bytes, struct segments *payloads,
                                          struct perfetto_packet *packet,
                                          struct protobuf_field *out_packed);

// Whether the bytes start like a trace; what is cut off at the end of `bytes`
// is given the benefit of the doubt.
bool perfetto_packets_recognise(struct view bytes);

#endif
