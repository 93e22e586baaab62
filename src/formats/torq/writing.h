// What the writers of the Torq forms share: the file, the row being made, and
// the account of what the form has no place for.

#ifndef OPSCOPE_FORMATS_TORQ_WRITING_H
#define OPSCOPE_FORMATS_TORQ_WRITING_H

#include "base/output.h"
#include "timeline.h"
#include "torq.h"

enum writing_loss {
    WRITING_OTHER_ENGINES, // events that are left out
    WRITING_INSTANTS,
    WRITING_SAMPLES,
    WRITING_IDS, // properties of events that are written
    WRITING_BYTES,
    WRITING_SLICES,
    WRITING_TYPES,
    WRITING_LOCATIONS,
    WRITING_DISPATCHES,
    WRITING_LINE_BREAKS, // changes
    WRITING_CYCLES,
    WRITING_MICROSECONDS,
    WRITING_LOSSES,
};

struct writing {
    struct profile *profile;
    enum torq_form form;
    const char *path;
    struct output *output;
    struct timeline timeline;
    struct bytes row;
    struct bytes text;
    uint64_t losses[WRITING_LOSSES];
};

// Opens the file and writes the header.
status writing_start(struct writing *writing, struct profile *profile, enum torq_form form,
                     const char *path, const char *header, timeline_ticks to_ticks);

// Leaves out what a track holds, but for its spans when `spans` is set.
void writing_leave_out(struct writing *writing, const struct track *track, bool spans);

// Appends a text as a field. A line break in it becomes a blank: no reader of
// these files knows rows of several lines.
void writing_text(struct writing *writing, struct view text, char separator);

// Appends a location. One that a reader would take for a piece is quoted.
void writing_location(struct writing *writing, uint32_t call, char separator);

// The same in the last field of a row, where Torq's runtime quotes nothing.
void writing_last_location(struct writing *writing, uint32_t call, char separator);

// "" when the call is of no operator with a location.
struct view writing_location_of(const struct writing *writing, uint32_t call);

// Writes the row and starts the next one.
void writing_end_row(struct writing *writing);

// The value with this key; false when the event has none.
bool writing_value(const struct timeline_event *event, uint32_t key, struct value *out_value);

// Notes the losses, closes the file and frees everything. Returns `result` or
// else what went wrong with the file.
status writing_finish(struct writing *writing, status result);

#endif
