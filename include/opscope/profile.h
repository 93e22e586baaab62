// Profiles: read from any format that opscope knows, or built event by event; looked at, and
// written in any format that opscope writes. For C11 and later, and C++11 and later.
//
// A profile has tables (clocks, tracks, operators, calls, buffers, facts, notes of the
// ledger) and events (spans, instants, samples of counters) that lie on tracks. Items of a
// table are numbered from 0; item 0 of clocks is the nanosecond, of tracks the root, and of
// operators and calls "none". Events are kept in a temporary file once they are many: memory
// is bounded by what is distinct.
//
// Times are ticks of a clock; opscope_profile_to_ns maps them to nanoseconds. Texts are
// UTF-8 and end with a NUL; what a file holds is given as it is, valid or not. Texts and
// handles that a function gives belong to the profile and live until it is freed, unless it
// says otherwise; what a function is given is copied. Handles are not NULL where nothing says
// that NULL is accepted.
//
// Threads: one at a time for a profile and what was opened on it; any number of threads with
// a profile each. Functions that take a const profile may run at the same time on one
// profile, while no other function does. Nothing here prints, exits, or keeps state outside
// the handles; only running out of memory for a few bytes ends the process.
//
// Structures grow at their end in later versions: the functions that take one are inline and
// hand its size to the library, so that programs of both ages work with libraries of both.
// Set structures to zero before filling them.

#ifndef OPSCOPE_PROFILE_H
#define OPSCOPE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include <opscope/record.h>
#include <opscope/result.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct opscope_profile;

// For counts that nobody knows, and for "all tracks".
#define OPSCOPE_UNKNOWN UINT64_MAX
#define OPSCOPE_ALL_TRACKS UINT32_MAX

// Where a value comes from. What is absent is not 0 but not there.
enum opscope_provenance {
    OPSCOPE_ABSENT, // of a value in a list: not stated
    OPSCOPE_MEASURED,
    OPSCOPE_MODELLED,
    OPSCOPE_DERIVED
};

// Open, create, free --------------------------------------------------------------

// For formats that do not say it. Zero, or NULL instead of the whole, means the default.
struct opscope_read_options {
    uint32_t torq_slices;   // Torq C1: S<n> is slice n mod this; 2
    uint32_t reserved;      // 0
    uint64_t torq_clock_hz; // of Torq's compile-time cycles; 800 MHz
};

// Reads a file of any format, by its content (.gz and .zst as well), or a folder with the
// logs of a Tenstorrent capture. Rows that cannot be read are in the ledger, with their
// place; a file that is none of the formats, or hostile, is an error.
int opscope_profile_open_sized(const char *path, const struct opscope_read_options *options,
                               size_t options_size, struct opscope_profile **out_profile,
                               char *message, size_t size);

static inline int opscope_profile_open(const char *path, const struct opscope_read_options *options,
                                       struct opscope_profile **out_profile, char *message,
                                       size_t size)
{
    return opscope_profile_open_sized(path, options, sizeof *options, out_profile, message, size);
}

// The same from memory, which must stay until the profile is freed. `name` stands for the
// path in messages and in the names of tracks.
int opscope_profile_open_memory_sized(const void *data, size_t data_size, const char *name,
                                      const struct opscope_read_options *options,
                                      size_t options_size, struct opscope_profile **out_profile,
                                      char *message, size_t size);

static inline int opscope_profile_open_memory(const void *data, size_t data_size, const char *name,
                                              const struct opscope_read_options *options,
                                              struct opscope_profile **out_profile, char *message,
                                              size_t size)
{
    return opscope_profile_open_memory_sized(data, data_size, name, options, sizeof *options,
                                             out_profile, message, size);
}

// An empty profile, to be filled; NULL when there is no memory.
struct opscope_profile *opscope_profile_create(void);

// Accepts NULL. What was opened on the profile is freed before it.
void opscope_profile_free(struct opscope_profile *profile);

// Tables --------------------------------------------------------------------------

// How many items there are, item 0 included: ids are less than this.
uint32_t opscope_profile_clock_count(const struct opscope_profile *profile);
uint32_t opscope_profile_track_count(const struct opscope_profile *profile);
uint32_t opscope_profile_operator_count(const struct opscope_profile *profile);
uint32_t opscope_profile_call_count(const struct opscope_profile *profile);
uint32_t opscope_profile_buffer_count(const struct opscope_profile *profile);
uint32_t opscope_profile_fact_count(const struct opscope_profile *profile);
uint32_t opscope_profile_note_count(const struct opscope_profile *profile);

// Ticks with a frequency and a base.
struct opscope_profile_clock {
    const char *name;
    uint64_t frequency;  // ticks a second
    uint64_t base_ticks; // this tick ...
    uint64_t base_ns;    // ... is this nanosecond of the profile's time
};

// Each of these fills a structure with the item of an id: OPSCOPE_OK, or
// OPSCOPE_ERROR_NOT_FOUND when there is none; the structure is zero then.
int opscope_profile_get_clock_sized(const struct opscope_profile *profile, uint32_t id,
                                    struct opscope_profile_clock *out_clock, size_t size);

static inline int opscope_profile_get_clock(const struct opscope_profile *profile, uint32_t id,
                                            struct opscope_profile_clock *out_clock)
{
    return opscope_profile_get_clock_sized(profile, id, out_clock, sizeof *out_clock);
}

// The nanosecond of a tick: floor(ticks * 1e9 / frequency) from the clock's base.
// OPSCOPE_UNKNOWN when there is no such clock or the result does not fit.
uint64_t opscope_profile_to_ns(const struct opscope_profile *profile, uint32_t clock,
                               uint64_t ticks);

enum opscope_track_kind {
    OPSCOPE_TRACK_GROUP,   // holds other tracks
    OPSCOPE_TRACK_PROCESS, // a process, a device, a profile among several
    OPSCOPE_TRACK_LANE,    // a thread, an engine, a stream: where spans lie
    OPSCOPE_TRACK_COUNTER  // where samples lie
};

struct opscope_profile_track {
    const char *name;
    const char *engine;    // what does the work, as its machine calls it; NULL: not known, or
                           // when a track is added, what its name says
    const char *unit;      // of a counter; "" when it has none
    uint32_t parent;       // a track; 0: the root
    uint32_t kind;         // enum opscope_track_kind
    uint32_t clock;        // of the times of its events
    uint32_t engine_index; // which of several lanes of an engine
    uint32_t provenance;   // enum opscope_provenance, of its events; lanes and counters need one
    int32_t rank;          // order among siblings
    uint32_t nests;        // not 0: spans may lie inside one another
    uint32_t reserved;     // 0
    // Ignored when a track is added:
    uint64_t spans;
    uint64_t instants;
    uint64_t samples;
    uint64_t first; // ticks: earliest start and latest end; OPSCOPE_UNKNOWN without events
    uint64_t last;
    // Not ignored:
    const char *role;  // what the work is, one of opscope_role; NULL: not known, or when a track
                       // is added, what is known of the engine
    const char *queue; // that orders the work; NULL: not said
    uint32_t device;   // its number + 1; 0: not said
    uint32_t core;     // of the device: its number + 1; 0: not said
};

// The roles, by index; NULL after the last one: "compute", "transfer in", "transfer out",
// "transfer" (within the device), "communication" (between cores or devices), "control", "wait",
// "host", "host copy", "host call", "device" (the device as a whole).
const char *opscope_role(uint32_t index);

// The track of an id: a process, a group, a lane or a counter.
int opscope_profile_get_track_sized(const struct opscope_profile *profile, uint32_t id,
                                    struct opscope_profile_track *out_track, size_t size);

static inline int opscope_profile_get_track(const struct opscope_profile *profile, uint32_t id,
                                            struct opscope_profile_track *out_track)
{
    return opscope_profile_get_track_sized(profile, id, out_track, sizeof *out_track);
}

// A node of a network. Attributes, shapes and work are its values.
struct opscope_profile_operator {
    const char *name;     // as the user knows it
    const char *type;     // what it computes: conv2d, add, ...
    const char *location; // in the source
};

// The operator of an id.
int opscope_profile_get_operator_sized(const struct opscope_profile *profile, uint32_t id,
                                       struct opscope_profile_operator *out_operator, size_t size);

static inline int opscope_profile_get_operator(const struct opscope_profile *profile, uint32_t id,
                                               struct opscope_profile_operator *out_operator)
{
    return opscope_profile_get_operator_sized(profile, id, out_operator, sizeof *out_operator);
}

// One execution of an operator.
struct opscope_profile_call {
    uint32_t operator_id; // 0: none
    uint32_t parent;      // the call that it is a part of; 0: none
    uint32_t iteration;
    uint32_t invocation;
    uint32_t device;
    uint32_t replay;
    const char *domain; // the space in which `key` identifies the call; "": none
    uint64_t key;
};

// The call of an id.
int opscope_profile_get_call_sized(const struct opscope_profile *profile, uint32_t id,
                                   struct opscope_profile_call *out_call, size_t size);

static inline int opscope_profile_get_call(const struct opscope_profile *profile, uint32_t id,
                                           struct opscope_profile_call *out_call)
{
    return opscope_profile_get_call_sized(profile, id, out_call, sizeof *out_call);
}

// A piece of memory in use, from one tick to another.
struct opscope_profile_buffer {
    const char *memory;
    uint32_t owner; // an operator; 0: none
    uint32_t clock;
    uint64_t address;
    uint64_t size;
    uint64_t from;
    uint64_t to;
    uint32_t device;  // its number + 1; 0: not said
    uint32_t core;    // whose memory it is: its number + 1; 0: not said
    const char *name; // what lies there; "" when nobody said
};

// A lifetime of a buffer, by its index.
int opscope_profile_get_buffer_sized(const struct opscope_profile *profile, uint32_t index,
                                     struct opscope_profile_buffer *out_buffer, size_t size);

static inline int opscope_profile_get_buffer(const struct opscope_profile *profile, uint32_t index,
                                             struct opscope_profile_buffer *out_buffer)
{
    return opscope_profile_get_buffer_sized(profile, index, out_buffer, sizeof *out_buffer);
}

// A fact about the profile as a whole ("format", "source", ...); NULL when it does not say.
const char *opscope_profile_fact(const struct opscope_profile *profile, const char *key);

// Key and text of fact `index`; NULL when there is none.
const char *opscope_profile_fact_key(const struct opscope_profile *profile, uint32_t index);
const char *opscope_profile_fact_text(const struct opscope_profile *profile, uint32_t index);

// The ledger ----------------------------------------------------------------------

// The account of the data. Where `expected` is known, it is recorded + lost + impossible.
struct opscope_ledger {
    uint64_t expected;    // OPSCOPE_UNKNOWN where nobody said how many
    uint64_t recorded;    // events that are here
    uint64_t lost;        // were there and could not be read
    uint64_t impossible;  // contradict themselves
    uint64_t not_carried; // had no place in an output; 0 for a single track
};

// Of one track (0: what belongs to no track), or of all with OPSCOPE_ALL_TRACKS.
int opscope_profile_get_ledger_sized(const struct opscope_profile *profile, uint32_t track,
                                     struct opscope_ledger *out_ledger, size_t size);

static inline int opscope_profile_get_ledger(const struct opscope_profile *profile, uint32_t track,
                                             struct opscope_ledger *out_ledger)
{
    return opscope_profile_get_ledger_sized(profile, track, out_ledger, sizeof *out_ledger);
}

enum opscope_note_kind {
    OPSCOPE_NOTE_LOST,
    OPSCOPE_NOTE_IMPOSSIBLE,
    OPSCOPE_NOTE_NOT_CARRIED,
    OPSCOPE_NOTE_REMARK // nothing is missing, but the reader should know
};

// Why the ledger says what it says; the first few of each kind are kept word for word.
struct opscope_profile_note {
    const char *text;
    uint64_t count; // how many events it is about
    uint32_t kind;  // enum opscope_note_kind
    uint32_t reserved;
};

// A note of the ledger, by its index.
int opscope_profile_get_note_sized(const struct opscope_profile *profile, uint32_t index,
                                   struct opscope_profile_note *out_note, size_t size);

static inline int opscope_profile_get_note(const struct opscope_profile *profile, uint32_t index,
                                           struct opscope_profile_note *out_note)
{
    return opscope_profile_get_note_sized(profile, index, out_note, sizeof *out_note);
}

// Values --------------------------------------------------------------------------

// Besides those of enum opscope_value_kind (record.h): `number` and `end` are the start and
// the end of the event on another clock.
enum { OPSCOPE_TICKS = 7 };

// A named, typed value of an event, a track, an operator or a call.
struct opscope_profile_value {
    const char *key;     // "" for flows and for a counter's own sample
    const char *text;    // OPSCOPE_TEXT; valid until the next value is read
    uint32_t kind;       // enum opscope_value_kind, or OPSCOPE_TICKS
    uint32_t provenance; // enum opscope_provenance; of an event's: its track's where not stated
    uint64_t number;     // OPSCOPE_UINT, OPSCOPE_BOOL, flows (their id), OPSCOPE_TICKS
    int64_t integer;     // OPSCOPE_INT
    double real;         // OPSCOPE_REAL
    uint64_t end;        // OPSCOPE_TICKS
    uint32_t clock;      // OPSCOPE_TICKS
    uint32_t reserved;
};

// A list of values that is being read.
struct opscope_values;

// The values of an item, for opscope_values_free; NULL when there is no such item, or no memory.
struct opscope_values *opscope_profile_track_values(const struct opscope_profile *profile,
                                                    uint32_t id);
struct opscope_values *opscope_profile_operator_values(const struct opscope_profile *profile,
                                                       uint32_t id);
struct opscope_values *opscope_profile_call_values(const struct opscope_profile *profile,
                                                   uint32_t id);

// 1 and the next value, 0 at the end of the list, or less than 0: no memory for its text. Accepts
// NULL: an empty list.
int opscope_values_next_sized(struct opscope_values *values,
                              struct opscope_profile_value *out_value, size_t size);

static inline int opscope_values_next(struct opscope_values *values,
                                      struct opscope_profile_value *out_value)
{
    return opscope_values_next_sized(values, out_value, sizeof *out_value);
}

// Accepts NULL. Not for those of opscope_events_values.
void opscope_values_free(struct opscope_values *values);

// Events --------------------------------------------------------------------------

struct opscope_profile_event {
    const char *name;
    uint32_t kind;  // enum opscope_event_kind (record.h)
    uint32_t track; // where it lies
    uint32_t call;  // the call that it belongs to; 0: none
    uint32_t reserved;
    uint64_t start; // ticks of the track's clock
    uint64_t end;
    uint64_t start_ns; // the same in nanoseconds; ignored when an event is added
    uint64_t end_ns;
    double sample; // OPSCOPE_SAMPLE: the number; NAN when it has none
};

// Events that are being read.
struct opscope_events;

// The events of a track, or of all, track by track (OPSCOPE_ALL_TRACKS); those of a track in
// order of their start, longest first where starts are equal. To be freed before the profile
// and before anything is added to it.
int opscope_events_open(struct opscope_profile *profile, uint32_t track,
                        struct opscope_events **out_events, char *message, size_t size);

// 1 and the next event, 0 after the last one, or less than 0 when the rest cannot be read.
int opscope_events_next_sized(struct opscope_events *events,
                              struct opscope_profile_event *out_event, size_t size);

static inline int opscope_events_next(struct opscope_events *events,
                                      struct opscope_profile_event *out_event)
{
    return opscope_events_next_sized(events, out_event, sizeof *out_event);
}

// The values of the event that was read last, from the first one on; flows are among them.
// They belong to `events` and are valid until the next event is read.
struct opscope_values *opscope_events_values(struct opscope_events *events);

// Accepts NULL.
void opscope_events_free(struct opscope_events *events);

// Build ---------------------------------------------------------------------------

// Each gives the id of what it added, or 0 when it was refused (an id that does not exist, a
// kind that is none): opscope_profile_problem says why.
uint32_t opscope_profile_add_clock_sized(struct opscope_profile *profile,
                                         const struct opscope_profile_clock *clock, size_t size);
uint32_t opscope_profile_add_track_sized(struct opscope_profile *profile,
                                         const struct opscope_profile_track *track, size_t size);
uint32_t opscope_profile_add_operator_sized(struct opscope_profile *profile,
                                            const struct opscope_profile_operator *added,
                                            size_t size);
uint32_t opscope_profile_add_call_sized(struct opscope_profile *profile,
                                        const struct opscope_profile_call *call, size_t size);

static inline uint32_t opscope_profile_add_clock(struct opscope_profile *profile,
                                                 const struct opscope_profile_clock *clock)
{
    return opscope_profile_add_clock_sized(profile, clock, sizeof *clock);
}

// `engine` NULL: the one that the name stands for ("DMA IN", "SLICE 1"), if any.
static inline uint32_t opscope_profile_add_track(struct opscope_profile *profile,
                                                 const struct opscope_profile_track *track)
{
    return opscope_profile_add_track_sized(profile, track, sizeof *track);
}

static inline uint32_t opscope_profile_add_operator(struct opscope_profile *profile,
                                                    const struct opscope_profile_operator *added)
{
    return opscope_profile_add_operator_sized(profile, added, sizeof *added);
}

static inline uint32_t opscope_profile_add_call(struct opscope_profile *profile,
                                                const struct opscope_profile_call *call)
{
    return opscope_profile_add_call_sized(profile, call, sizeof *call);
}

// OPSCOPE_OK, or OPSCOPE_ERROR_USAGE when it was refused.
int opscope_profile_add_buffer_sized(struct opscope_profile *profile,
                                     const struct opscope_profile_buffer *buffer, size_t size);

static inline int opscope_profile_add_buffer(struct opscope_profile *profile,
                                             const struct opscope_profile_buffer *buffer)
{
    return opscope_profile_add_buffer_sized(profile, buffer, sizeof *buffer);
}

// Says something about the profile as a whole.
int opscope_profile_add_fact(struct opscope_profile *profile, const char *key, const char *text);

// Keeps a value for what is added next: an event, a track, an operator or a call. What is
// absent is not put. OPSCOPE_ERROR_USAGE when the kind, the clock or the text is wrong.
int opscope_profile_put_sized(struct opscope_profile *profile,
                              const struct opscope_profile_value *value, size_t size);

static inline int opscope_profile_put(struct opscope_profile *profile,
                                      const struct opscope_profile_value *value)
{
    return opscope_profile_put_sized(profile, value, sizeof *value);
}

// Adds an event: spans and instants to a lane, samples to a counter. `end` counts for spans;
// one that ends before it starts is refused and counted as impossible in the ledger.
int opscope_profile_add_event_sized(struct opscope_profile *profile,
                                    const struct opscope_profile_event *event, size_t size);

static inline int opscope_profile_add_event(struct opscope_profile *profile,
                                            const struct opscope_profile_event *event)
{
    return opscope_profile_add_event_sized(profile, event, sizeof *event);
}

// Says how many events a track should have; OPSCOPE_UNKNOWN takes it back.
int opscope_profile_expect(struct opscope_profile *profile, uint32_t track, uint64_t expected);

// Accounts for `count` events of a track that are not here (enum opscope_note_kind), or
// remarks something.
int opscope_profile_add_note(struct opscope_profile *profile, uint32_t track, uint32_t kind,
                             uint64_t count, const char *text);

// Why the last refused addition was refused; "" when none was.
const char *opscope_profile_problem(const struct opscope_profile *profile);

// Write ---------------------------------------------------------------------------

// The names of the formats that can be written, by index; NULL after the last one.
const char *opscope_writable_format(uint32_t index);

// Writes a profile in a format, or in the one that the extension says (NULL): .prof, .pb,
// .csv ..., packed with .gz or .zst after it. The file is there as a whole or not at all,
// and may be the one that the profile was read from. What the format has no place for is in
// the ledger afterwards, as not carried.
int opscope_profile_write(struct opscope_profile *profile, const char *path, const char *format,
                          char *message, size_t size);

// Reads `in` and writes `out`; memory does not grow with the number of events. `format` as in
// opscope_profile_write; from a report of Tenstorrent's also tenstorrent-report, -v1, -v2 and
// -v2.1, its versions. OPSCOPE_LOSS when something was lost, impossible or not carried; `message`
// is the ledger in words then.
int opscope_convert(const char *in, const char *out, const char *format, char *message,
                    size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
