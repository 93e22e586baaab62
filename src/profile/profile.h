// The profile: what was recorded, modelled or read. The one record that every
// reader fills and every report is computed from.
//
// Tables (texts, clocks, tracks, operators, calls, buffers) live in anonymous
// memory, bounded by what is distinct. Events are kept in a spool (at most
// 16 KiB a track and SPOOL_WINDOW in memory, the rest in a temporary file), or
// handed to a sink as they come and not kept.
//
// Id 0 of every table stands for "none": the empty text, the nanosecond clock,
// the root track (the profile itself), no operator, no call.

#ifndef OPSCOPE_PROFILE_PROFILE_H
#define OPSCOPE_PROFILE_PROFILE_H

#include "base/input.h"
#include "base/segments.h"
#include "base/status.h"
#include "clock.h"
#include "event.h"
#include "ledger.h"
#include "role.h"
#include "strings.h"

enum track_kind {
    TRACK_GROUP,   // holds other tracks
    TRACK_PROCESS, // a process, a device, a profile among several
    TRACK_LANE,    // a thread, an engine, a stream: where spans lie
    TRACK_COUNTER,
};

struct track {
    uint32_t parent; // track id; 0 is the root
    uint32_t name;
    uint32_t clock;
    enum track_kind kind;
    enum role role;  // what its work is
    uint32_t engine; // what does it, in the machine's own words: string id; 0: not said
    uint32_t index;  // which of several lanes of an engine
    uint32_t device; // number + 1; 0: not said
    uint32_t core;   // of the device: number + 1; 0: not said, or of none
    uint32_t queue;  // that orders its work: string id; 0: not said
    bool by_name;    // role, engine and index are what the name says, to whoever knows the words
    enum provenance provenance;
    int32_t rank;       // order among siblings
    bool nests;         // spans may lie inside one another (a call stack)
    uint32_t unit;      // counters: string id
    struct view values; // attributes, a value list
    struct ledger ledger;
    // Kept by the profile:
    uint64_t first; // earliest start and latest end of its events, in ticks
    uint64_t last;
    uint64_t spans, instants, samples;
    uint64_t previous_start, previous_end;
    bool unsorted; // some event starts before the one added before it
};

// One description of an operator, whatever it comes from.
struct operator_description {
    uint32_t name;      // of the node, as the user knows it
    uint32_t type;      // what it computes: conv2d, add, fully_connected ...
    uint32_t location;  // in the source
    struct view values; // attributes, shapes, types, work: a value list, in order
};

// One execution of an operator.
struct call {
    uint32_t operator_id;
    uint32_t parent; // call id
    uint32_t iteration;
    uint32_t invocation;
    uint32_t device;
    uint32_t replay;
    uint32_t domain; // string id: in what space `key` identifies the call
    uint64_t key;
    struct view values;
};

// In events that are streamed, a call of which nothing is known but its location: this, and the
// location's string id. It stands in no table.
#define CALL_LOCATED 0x80000000u

// A piece of memory in use.
struct buffer_lifetime {
    uint32_t memory; // string id
    uint32_t name;   // what lies there: string id; 0: not said
    uint32_t owner;  // operator id
    uint32_t clock;
    uint32_t device; // number + 1; 0: not said
    uint32_t core;   // whose memory it is: number + 1; 0: not said, or of none
    uint64_t address;
    uint64_t size;
    uint64_t from;
    uint64_t to;
};

// A fact about the profile as a whole.
struct profile_fact {
    uint32_t key;
    uint32_t text;
};

struct event_store;
struct profile_pipe;

struct profile {
    struct strings strings;
    struct segments clocks;             // struct clock_domain
    struct segments tracks;             // struct track
    struct segments operators;          // struct operator_description
    struct segments calls;              // struct call
    struct segments buffers;            // struct buffer_lifetime
    struct segments facts;              // struct profile_fact
    struct segments notes;              // struct ledger_note
    uint64_t note_counts[LEDGER_KINDS]; // events, noted word for word or not
    struct arena arena;                 // value lists of the tables
    struct event_batch *batch;
    uint64_t keys; // of its values, as told
    struct event_store *store;
    struct profile_pipe *pipe;
    struct event_sink *sink;
    uint64_t handed_on; // batches since it was finished
    status failure;
    struct input *source;  // kept open for a profile that was mapped
    struct input **inputs; // kept open because texts are views into them
    size_t input_count, input_capacity;
};

struct profile *profile_create(void);
void profile_free(struct profile *profile);

// From now on the input is the profile's, which closes it when it is freed.
void profile_keep_input(struct profile *profile, struct input *input);

// Filling -------------------------------------------------------------------

static inline uint32_t profile_string(struct profile *profile, struct view text)
{
    return strings_add(&profile->strings, text);
}

static inline struct view profile_text(const struct profile *profile, uint32_t id)
{
    return strings_get(&profile->strings, id);
}

uint32_t profile_clock_add(struct profile *profile, const char *name, uint64_t frequency,
                           uint64_t base_ticks, uint64_t base_ns);

// The clock of this name and frequency with base 0, added if it is new.
uint32_t profile_clock_find(struct profile *profile, const char *name, uint64_t frequency);

// Says what does the work of a track that is or will be added; "": nobody said.
void profile_track_set_engine(struct profile *profile, struct track *track, enum role role,
                              const char *engine);

// Each copies its value list. Derived fields of `track` are ignored.
uint32_t profile_track_add(struct profile *profile, const struct track *track);
uint32_t profile_operator_add(struct profile *profile, const struct operator_description *op);
uint32_t profile_call_add(struct profile *profile, const struct call *call);
void profile_buffer_add(struct profile *profile, const struct buffer_lifetime *buffer);
void profile_fact_add(struct profile *profile, const char *key, struct view text);

// Copies `event` (whose values_at and values_size are ignored) and `values`.
// A span that ends before it starts is not added but accounted for as
// impossible.
void profile_event_add(struct profile *profile, const struct event *event, struct view values);

// Until `profile_finish`, or until it is said anew: all values of events are numbers and texts (no
// VALUE_STRING), under keys below 64 of which bit k of `keys` is set, so that who takes the events
// need not look for others. 0: nothing is said.
void profile_keys_tell(struct profile *profile, uint64_t keys);

// Counts an event in the derived fields of its track (profile_event_add does).
static inline void track_count_event(struct track *track, const struct event *event)
{
    track->ledger.recorded++;
    if (event->start < track->first)
        track->first = event->start;
    if (event->end > track->last)
        track->last = event->end;
    const bool first = track->spans + track->instants + track->samples == 0;
    if (event->start < track->previous_start ||
        (!first && event->start == track->previous_start && event->end > track->previous_end))
        track->unsorted = true;
    track->previous_start = event->start;
    track->previous_end = event->end;
    switch (event->kind) {
    case EVENT_SPAN:
        track->spans++;
        break;
    case EVENT_INSTANT:
        track->instants++;
        break;
    default:
        track->samples++;
        break;
    }
}

// Events that follow one another on a track, counted by somebody else.
struct track_events {
    struct event first;
    struct track counted; // by track_count_event; TRACK_EVENTS_NONE before the first
};
#define TRACK_EVENTS_NONE ((struct track_events){.counted = {.first = UINT64_MAX}})

void track_count_events(struct track *track, const struct track_events *events);

// Hands on what was added so far as a batch of its own.
void profile_batch_end(struct profile *profile);

// Hands on a batch of the caller's as it is. The caller counts its events, of which none is
// impossible, in their tracks; gets an empty batch back, which is his; and frees that one.
struct event_batch *profile_batch_add(struct profile *profile, struct event_batch *batch);

// Accounts for `count` events of a track. The text names the place.
void profile_note(struct profile *profile, uint32_t track, enum ledger_note_kind kind,
                  uint64_t count, const char *format, ...) __attribute__((format(printf, 5, 6)));

// The same, known late and said early: as note number `index`.
void profile_note_at(struct profile *profile, uint32_t index, uint32_t track,
                     enum ledger_note_kind kind, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

// Notes that begin with "PATH: " are about `name` instead; "": about nobody in particular. For
// files whose places mean nothing to who reads the notes.
void profile_notes_rename(struct profile *profile, const char *path, const char *name);

// From now on batches go to `sink`, on a thread of their own, instead of the
// store. Call it before the first event; NULL keeps events again.
void profile_stream_to(struct profile *profile, struct event_sink *sink);

// Hands on what is still batched and waits for the sink. The first failure of
// the store or the sink comes out here. More events may be added afterwards.
status profile_finish(struct profile *profile);

// Reading -------------------------------------------------------------------

static inline struct clock_domain *profile_clock(const struct profile *profile, uint32_t id)
{
    return segments_get(&profile->clocks, id);
}

static inline struct track *profile_track(const struct profile *profile, uint32_t id)
{
    return segments_get(&profile->tracks, id);
}

static inline struct operator_description *profile_operator(const struct profile *profile,
                                                            uint32_t id)
{
    return segments_get(&profile->operators, id);
}

static inline struct call *profile_call(const struct profile *profile, uint32_t id)
{
    return segments_get(&profile->calls, id);
}

// The process that a track lies in, itself one or not; 0: none.
uint32_t profile_process_of(const struct profile *profile, uint32_t track);

// "" when the profile does not say.
struct view profile_fact(const struct profile *profile, const char *key);

// Its spans are sums: how long they are is true, when they are is not (the fact `placement`).
bool profile_has_totals(const struct profile *profile);

// When its first event starts and its last one ends, in ns; false when it has none.
bool profile_extent(const struct profile *profile, uint64_t *out_first, uint64_t *out_last);

// The accounts of all tracks added up, but for derived ones: what is computed
// from the data is not data.
struct ledger profile_ledger(const struct profile *profile);

// Hands the kept events to `sink`: track by track, each in order of start
// (longest first where starts are equal; instants and samples before spans).
status profile_replay(struct profile *profile, struct event_sink *sink);

// The same for one track.
status profile_replay_track(struct profile *profile, uint32_t track, struct event_sink *sink);

#endif
