// Samples of counters.
//
// Values are multiplied as their track says and stay whole numbers as long as
// they fit. An incremental counter is added up by sequence, from 0 each time the
// sequence's state is cleared.
//
// Memory: one total per incremental counter and sequence.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_COUNTERS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_COUNTERS_H

#include "reader_losses.h"
#include "reader_tracks.h"

// Where an incremental counter stands, as one sequence counts it.
struct perfetto_total {
    const struct perfetto_track *track;
    uint32_t sequence;
    uint32_t generation;
    bool is_real;
    int64_t number;
    double real;
};

struct perfetto_counters {
    struct profile *profile;
    struct losses *losses;
    struct bytes value; // of the sample at hand
    struct perfetto_total *totals;
    size_t count;
    size_t capacity;
    struct hash_index index;
};

// `value` is a VALUE_INT or a VALUE_REAL; `offset` is that of the packet.
void perfetto_counters_add(struct perfetto_counters *counters,
                           const struct perfetto_sequence *sequence,
                           const struct perfetto_track *track, uint64_t time, struct value value,
                           uint64_t offset);

void perfetto_counters_free(struct perfetto_counters *counters);

#endif
