// The events of a Chrome trace (JSON), one after the other, as they are written.
//
// Takes the array form `[...]` and the object form `{"traceEvents":[...], ...}`, in any order of
// members, with a missing `]`, a comma too many, and cut off anywhere: everything before the cut
// is handed over. What a name or a phase means is left to the visitor.
//
// Texts are views into the input, or into memory of the reader's where they hold escapes; both
// are valid until the visitor returns. Large inputs are read ahead of the visitor on all threads
// (pieces.h); the visitor is always called on the caller's. Memory: that of the pieces, independent
// of the size of the input.

#ifndef OPSCOPE_FORMATS_CHROME_EVENTS_H
#define OPSCOPE_FORMATS_CHROME_EVENTS_H

#include "base/input.h"

// From this size on threads read ahead.
enum { CHROME_AHEAD_LEAST = 1 << 20 };

enum chrome_scalar_kind {
    CHROME_ABSENT,
    CHROME_NUMBER, // a whole number, or a text of one
    CHROME_TEXT,   // any other text (Kineto: "stream 7"); fractions, as they are written
};

// A pid or a tid.
struct chrome_scalar {
    enum chrome_scalar_kind kind;
    uint64_t number;  // negative ones as two's complement
    struct view text; // CHROME_TEXT, without escapes
};

// A member of an object: the key without its quotes, which has no escapes, and the value as it is
// written.
struct chrome_member {
    struct view key;
    struct view value;
    uint64_t number;  // of a value that is_small
    uint32_t *key_id; // for who takes the events: to keep what he calls the key; NULL: nothing is
    bool is_small;    // up to 18 digits and nothing else, as nearly all numbers are
};

struct chrome_event {
    uint64_t offset;    // of its '{' in the input
    struct view object; // all of it, for members that are not listed here: json.h
    char phase;         // 'X', 'B' ...; 0: none, or no single letter
    bool has_ts;
    bool has_dur;
    bool bad_time; // ts or dur is there and no number, or does not fit
    bool others;   // has members that are not listed here (tts, cname, sf ...)
    // Nanoseconds, rounded down; 0 when absent. `ts + dur` fits and is the end rounded down:
    // spans that touch in the file touch here.
    int64_t ts;
    int64_t dur;
    struct view name; // without escapes
    struct view category;
    // For who takes the events: to keep what he calls this name, this category, for the next events
    // that have them. 0: not known yet; NULL: nothing is kept.
    uint32_t *name_id;
    uint32_t *category_id;
    struct chrome_scalar pid;
    struct chrome_scalar tid;
    struct view beside; // what a dialect calls the lane beside that of the thread; "": that lane
    // As they are written, quotes and all (json.h has what reads them); size 0 when absent:
    struct view args;
    // The members of args where there are a few and their keys have no escapes; else none, and args
    // has to be looked at (json.h).
    const struct chrome_member *members;
    size_t member_count;
    struct chrome_rare {
        struct view id;
        struct view id2;
        struct view scope;
        struct view bind_id;
        struct view flow_in;
        struct view flow_out;
        struct view binding;       // bp
        struct view instant_scope; // s
    } rare;
    bool has_rare; // any of those
};

enum chrome_damage {
    CHROME_CUT,       // the input ends inside a value; the offset is that of its start
    CHROME_MALFORMED, // what stands there is no event; reading goes on after it
    CHROME_TRAILING,  // something stands after the end of the trace
};

struct chrome_visitor {
    void (*event)(struct chrome_visitor *visitor, const struct chrome_event *event);
    // A member of the object form other than traceEvents; the key without escapes, the value as
    // it is written. May be NULL.
    void (*member)(struct chrome_visitor *visitor, struct view key, struct view value);
    // May be NULL. A missing `]`, or `}` of the object form, is no damage but `unfinished`.
    void (*damage)(struct chrome_visitor *visitor, enum chrome_damage damage, uint64_t offset);
    bool unfinished; // set when the closing bracket or brace is missing
};

// Whether the bytes look like a Chrome trace: an array whose first item is an object with `ph`
// (or is cut off), or an object with `traceEvents`.
bool chrome_recognise(struct view bytes);

void chrome_events_visit(struct view bytes, struct chrome_visitor *visitor);

// The same of an input that may still grow: all of it is there afterwards.
void chrome_events_visit_input(const struct input *input, struct chrome_visitor *visitor);

// Only what starts at `offset`, where an event starts, and after it.
void chrome_events_visit_from(const struct input *input, uint64_t offset,
                              struct chrome_visitor *visitor);

#endif
