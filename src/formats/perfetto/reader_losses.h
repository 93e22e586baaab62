// What of a trace does not come out as an event, counted by track and reason.
// One note in the ledger stands for all of a kind.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_LOSSES_H
#define OPSCOPE_FORMATS_PERFETTO_READER_LOSSES_H

#include "formats/trace/spans.h"

enum perfetto_loss {
    // Spans, instants and samples that are missing, besides those of spans.h:
    PERFETTO_LOSS_NO_TYPE = SPAN_LOSSES,
    PERFETTO_LOSS_STATE_EVENT,
    PERFETTO_LOSS_LEGACY_PHASE, // detail: the phase
    PERFETTO_LOSS_NO_VALUE,
    PERFETTO_LOSS_NOT_COUNTER,
    PERFETTO_LOSS_ON_COUNTER,
    PERFETTO_LOSS_NO_COUNTER_TRACK,
    PERFETTO_LOSS_NO_STATE,
    PERFETTO_LOSS_NO_TIME,
    PERFETTO_LOSS_NO_CLOCK, // detail: the clock
    PERFETTO_LOSS_TIME_RANGE,
    PERFETTO_LOSS_MALFORMED,
    PERFETTO_LOSS_CUT,
    PERFETTO_LOSS_GARBAGE,
    PERFETTO_LOSS_PACKED_DAMAGED,
    PERFETTO_LOSS_PACKED_LARGE,
    PERFETTO_LOSS_PACKED_NESTED,
    PERFETTO_LOSS_DROPPED_BEFORE,
    // Nothing is missing that the profile could hold:
    PERFETTO_LOSS_NO_SEQUENCE,
    PERFETTO_LOSS_NAME_UNKNOWN,
    PERFETTO_LOSS_ANNOTATION,
    PERFETTO_LOSS_EVENT_FIELD,  // detail: the field's number
    PERFETTO_LOSS_OTHER_PACKET, // detail: the field's number
    PERFETTO_LOSSES,
};

void perfetto_losses_add(struct losses *losses, uint32_t track, enum perfetto_loss loss,
                         uint64_t detail, uint64_t offset);

// Whether the loss leaves open how many events there should have been.
bool perfetto_losses_unknown(enum perfetto_loss loss);

// Writes the notes, in the order in which the losses were first seen.
void perfetto_losses_report(const struct losses *losses, struct profile *profile, const char *path);

#endif
