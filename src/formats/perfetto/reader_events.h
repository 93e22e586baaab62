// Track events: what a TrackEvent message says, brought to the profile.
//
// Memory: what one event holds; see formats/spans.h and reader_counters.h.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_EVENTS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_EVENTS_H

#include "formats/trace/spans.h"
#include "reader_annotations.h"
#include "reader_counters.h"
#include "reader_tracks.h"

// Samples of further counters that come along with an event: uint64_t each.
struct perfetto_extra {
    struct bytes values; // numbers, or the bits of doubles
    struct bytes tracks; // uuids
};

struct perfetto_events {
    struct profile *profile;
    struct perfetto_tracks *tracks;
    struct losses *losses;
    struct spans spans;
    struct perfetto_counters counters;
    struct perfetto_annotations annotations;
    uint32_t correlation_key;
    struct bytes values;     // of the event at hand
    struct bytes categories; // room to join them
    struct perfetto_extra extra;
    struct perfetto_extra extra_real;
};

void perfetto_events_start(struct perfetto_events *events, struct profile *profile,
                           struct perfetto_tracks *tracks, struct losses *losses);

// The first time over the trace: says to the tracks what there is. A malformed
// message is passed over.
void perfetto_events_count(struct perfetto_tracks *tracks, struct perfetto_sequence *sequence,
                           const struct perfetto_packet *packet, uint64_t time);

// The second time: hands the event on to the profile.
void perfetto_events_read(struct perfetto_events *events, struct perfetto_sequence *sequence,
                          const struct perfetto_packet *packet, uint64_t time);

// Accounts for an event whose packet cannot be understood.
void perfetto_events_lose(struct perfetto_events *events, const struct perfetto_packet *packet,
                          enum perfetto_loss loss, uint64_t detail);

void perfetto_events_free(struct perfetto_events *events);

#endif
