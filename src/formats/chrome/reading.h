// What the parts of the Chrome reader share.

#ifndef OPSCOPE_FORMATS_CHROME_READING_H
#define OPSCOPE_FORMATS_CHROME_READING_H

#include "as_written.h"
#include "async.h"
#include "dialect.h"
#include "events.h"
#include "flows.h"
#include "lanes.h"
#include "values.h"

struct chrome_reading;

enum chrome_loss {
    CHROME_LOSS_NO_PHASE = SPAN_LOSSES, // events that are missing
    CHROME_LOSS_PHASE,                  // detail: the phase
    CHROME_LOSS_NO_TIME,
    CHROME_LOSS_TIME_RANGE,
    CHROME_LOSS_NO_ID,
    CHROME_LOSS_NO_SAMPLE,
    CHROME_LOSS_MALFORMED,
    CHROME_LOSS_COPY,       // events that cannot be
    CHROME_LOSS_FLOW_NO_ID, // flow events
    CHROME_LOSS_FLOW_UNBOUND,
    CHROME_LOSS_NO_DURATION, // remarks: nothing is missing that the profile could hold
    CHROME_LOSS_OVERLAP,
    CHROME_LOSS_METADATA,
    CHROME_LOSS_EMPTY_ARGUMENT,
    CHROME_LOSS_ARGUMENT,
    CHROME_LOSS_MEMBER,
    CHROME_LOSS_TRAILING,
    CHROME_LOSSES,
};

// Counts an event that is missing.
void chrome_lose(struct chrome_reading *reading, uint32_t track, enum chrome_loss loss,
                 uint64_t detail, uint64_t offset);

// Metadata (M): names and order of processes and threads.
void chrome_metadata_read(struct chrome_reading *reading, const struct chrome_event *event);

// A member of the object form.
void chrome_member_read(struct chrome_reading *reading, struct view key, struct view value);

struct chrome_reading {
    struct chrome_visitor visitor; // first: visitors are cast to readings
    const struct input *input;
    struct profile *profile;
    struct chrome_dialect *dialect; // NULL: none
    struct chrome_lanes lanes;
    struct chrome_lanes edges; // of a profile without events: what the second look found
    struct profile *edge_profile;
    struct chrome_values values;
    struct chrome_text_cache names;
    struct losses losses;
    struct spans spans;
    struct chrome_async async;
    struct chrome_flows flows;
    struct bytes list; // values of the event at hand
    struct as_written written;
    int64_t base;    // ns that are added to all times
    uint64_t cut;    // where the input ends inside an event
    uint64_t unread; // events that are lost and may be the beginning or the end of a span
    bool is_cut;
    bool looked; // whether the beginnings and ends were looked at
    uint32_t scope_key;
};

// String ids.
static inline uint32_t reading_name_of(struct chrome_reading *reading,
                                       const struct chrome_event *event)
{
    return chrome_text_id_kept(&reading->names, &reading->profile->strings, event->name,
                               event->name_id);
}

static inline uint32_t reading_category_of(struct chrome_reading *reading,
                                           const struct chrome_event *event)
{
    return chrome_text_id_kept(&reading->values.keys, &reading->profile->strings, event->category,
                               event->category_id);
}

#endif
