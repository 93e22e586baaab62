// What a profile keeps of a trace besides what it means, so that the trace can be written as it
// was: types and spelling of arguments, flows with their ids and categories, metadata and members
// of the object form. docs/formats/kineto.md says where it lies in the profile.
//
// Values that stand for the trace and not for the event are derived: reports pass over them, and
// so do the writers of traces for viewers.
// Memory: the metadata events and the members, as they are written.

#ifndef OPSCOPE_FORMATS_CHROME_AS_WRITTEN_H
#define OPSCOPE_FORMATS_CHROME_AS_WRITTEN_H

#include "values.h"

// Values of the root track: an array of metadata events, whose being there says that the trace can
// be written as it was, and an object of members; an array form has none.
#define AS_WRITTEN_METADATA "trace metadata"
#define AS_WRITTEN_MEMBERS "trace members"

// After each end of a flow that stands in the trace: its label, its id, and how much later it is
// than its event. The label is the category; where name, phase or binding are not the usual ones, a
// line break, the phase (and "e": bound to what is around it), a line break, the size of the
// category, a line break, category and name.
#define AS_WRITTEN_FLOW "flow"
#define AS_WRITTEN_FLOW_ID "flow id"
#define AS_WRITTEN_FLOW_AT "flow at"

struct as_written {
    bool wanted;
    struct bytes metadata;
    struct bytes members;
};

// Appends the arguments of an event: every one under its key with its type. Numbers that are
// written otherwise than usual are followed by their spelling, a derived JSON of the same key.
void as_written_add_arguments(struct chrome_values *values, const struct chrome_event *event);

// Appends a member of an event that is not among those of every event.
void as_written_add_other(struct chrome_values *values, struct view key, struct view value);

void as_written_add_metadata(struct as_written *written, const struct chrome_event *event);
void as_written_add_member(struct as_written *written, struct view key, struct view value);

// What is said of a flow's end after it.
struct as_written_flow {
    uint32_t category; // string ids
    uint32_t name;
    char phase;
    bool enclosing; // "bp":"e"
    bool text_id;
    uint64_t id; // number, or string id of a text
    int64_t later;
};

struct as_written_flow_keys {
    uint32_t label, id, at;
};
struct as_written_flow_keys as_written_flow_keys(struct profile *profile);

void as_written_add_flow(struct profile *profile, const struct as_written_flow_keys *keys,
                         struct bytes *list, const struct as_written_flow *flow);

// Puts metadata and members to the root track.
void as_written_finish(struct as_written *written, struct profile *profile);

#endif
