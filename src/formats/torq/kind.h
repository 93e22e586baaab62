// Which of Torq's engines an engine of a target is, for files that spell them out.

#ifndef OPSCOPE_FORMATS_TORQ_KIND_H
#define OPSCOPE_FORMATS_TORQ_KIND_H

#include "target/target.h"

enum torq_kind {
    TORQ_KIND_DMA_IN,  // from the far memory
    TORQ_KIND_DMA_OUT, // to it
    TORQ_KIND_CDMA,    // between others
    TORQ_KIND_SLICE,
    TORQ_KIND_CSS,
    TORQ_KIND_HOST, // and what is none of these
    TORQ_KINDS,
};

enum torq_kind torq_kind_of(const struct target *target, uint32_t engine);

// The first one; TARGET_NONE.
uint32_t torq_kind_engine(const struct target *target, enum torq_kind kind);

// Whether a target is a Torq at all.
bool torq_kind_is_torq(const struct target *target);

#endif
