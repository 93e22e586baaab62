// What the packets of a sequence share: interned texts, defaults and clocks.
//
// A packet may clear this state and start anew; one that needs it where it was
// never started, or after the recorder lost packets, cannot be understood.
// Every packet of a trace is entered here, in order, before it is looked at.
//
// Memory: one entry per sequence, PERFETTO_SEQUENCES_MOST at most, and its
// interned texts (as string ids).

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_SEQUENCES_H
#define OPSCOPE_FORMATS_PERFETTO_READER_SEQUENCES_H

#include "base/segments.h"
#include "fields.h"
#include "profile/strings.h"
#include "reader_clocks.h"
#include "reader_packets.h"

enum { PERFETTO_SEQUENCES_MOST = 1 << 20, PERFETTO_SEQUENCES_RECENT = 64 };

enum perfetto_interned_kind {
    PERFETTO_TEXT_CATEGORY,
    PERFETTO_TEXT_EVENT_NAME,
    PERFETTO_TEXT_ANNOTATION_NAME,
    PERFETTO_TEXT_STRING,
    PERFETTO_TEXT_CORRELATION,
    PERFETTO_TEXT_KINDS,
};

struct perfetto_interned_entry {
    uint64_t iid;
    uint32_t text; // string id of the profile
};

// Writers number their texts 1, 2, 3 ...: entry i then holds number i + 1. The
// index is for those that do not.
struct perfetto_interned {
    struct perfetto_interned_entry *entries;
    size_t count;
    size_t capacity;
    struct hash_index index;
};

struct perfetto_track;

struct perfetto_sequence {
    uint32_t id;
    bool has_state;
    bool seen;           // has had a packet
    bool gap;            // packets are missing before the one entered last
    uint32_t generation; // how often the state was cleared
    uint64_t track;      // default track_uuid
    uint32_t clock;      // default timestamp_clock_id; 0: trace time
    struct perfetto_clock_use clock_use;
    struct bytes extra_tracks; // default uuids of extra counters (uint64_t each)
    struct bytes extra_double_tracks;
    struct perfetto_interned interned[PERFETTO_TEXT_KINDS];
    uint64_t found_uuid; // the track looked for last, and the track (NULL: nothing); the tracks
    struct perfetto_track *found; // keep it
};

struct perfetto_sequences {
    struct segments sequences; // struct perfetto_sequence
    struct hash_index index;
    struct perfetto_clocks clocks;
    struct strings *strings;           // where interned texts go; NULL: not read
    struct perfetto_sequence *current; // of the packet entered last
    struct perfetto_sequence *recent[PERFETTO_SEQUENCES_RECENT]; // by the rest of their id
    bool too_many; // some packets were entered for another sequence
};

// Use `perfetto_sequences_enter`.
bool perfetto_sequences_enter_far(struct perfetto_sequences *sequences,
                                  const struct perfetto_packet *packet,
                                  struct perfetto_sequence **out_sequence);

void perfetto_sequences_start(struct perfetto_sequences *sequences, struct strings *strings);

// The sequence of `packet`, with its state as the packet says. False when some
// of what the packet says about it is malformed.
static inline bool perfetto_sequences_enter(struct perfetto_sequences *sequences,
                                            const struct perfetto_packet *packet,
                                            struct perfetto_sequence **out_sequence)
{
    struct perfetto_sequence *recent =
        sequences->recent[packet->sequence % PERFETTO_SEQUENCES_RECENT];
    if (recent == NULL || recent->id != packet->sequence || packet->payloads != NULL ||
        (packet->flags & PERFETTO_STATE_CLEARED) != 0 || packet->dropped_before)
        return perfetto_sequences_enter_far(sequences, packet, out_sequence);
    recent->gap = false;
    sequences->current = recent;
    *out_sequence = recent;
    return true;
}

// The trace time of a packet that has a timestamp. Where it cannot be known,
// `*out_loss` says why.
bool perfetto_sequences_time(const struct perfetto_sequences *sequences,
                             struct perfetto_sequence *sequence,
                             const struct perfetto_packet *packet, uint64_t *out_time,
                             enum perfetto_loss *out_loss);

bool perfetto_interned_find_far(const struct perfetto_interned *interned, uint64_t iid,
                                uint32_t *out_text);

// False when the number is not defined.
static inline bool perfetto_interned_find(const struct perfetto_interned *interned, uint64_t iid,
                                          uint32_t *out_text)
{
    if (iid - 1 >= interned->count || interned->entries[iid - 1].iid != iid)
        return perfetto_interned_find_far(interned, iid, out_text);
    *out_text = interned->entries[iid - 1].text;
    return true;
}

void perfetto_sequences_free(struct perfetto_sequences *sequences);

#endif
