// The engines of a Torq NPU and of its host in the record: what each one's work is, and how
// Torq's tools spell it.

#ifndef OPSCOPE_FORMATS_TORQ_ENGINES_H
#define OPSCOPE_FORMATS_TORQ_ENGINES_H

#include "profile/profile.h"

struct torq_engine {
    const char *name; // in the record
    enum role role;
};

extern const struct torq_engine TORQ_DMA_IN, TORQ_DMA_OUT, TORQ_CDMA, TORQ_SLICE, TORQ_CSS,
    TORQ_NPU, TORQ_HAL, TORQ_HOST, TORQ_HOST_COPY;

// The engine that a lane of this name stands for, in the spellings that the known tools write
// ("DMA IN", "NDMA In", "0_DMA_IN", "Slice 1", "HOST_COPY"); NULL: none. `*out_index` is the
// number after it, 0 without one.
const struct torq_engine *torq_engine_of_name(struct view name, uint32_t *out_index);

// The one that the record calls so; NULL: none.
const struct torq_engine *torq_engine_of_word(struct view word);

// The one of a track; NULL: none.
const struct torq_engine *torq_engine_of_track(const struct profile *profile,
                                               const struct track *track);

// `engine` may be NULL: nobody said.
void torq_engine_set(struct profile *profile, struct track *track, const struct torq_engine *engine,
                     uint32_t index);

#endif
