// The CSV profiles of Synaptics Torq: compile-time estimates (C1..C4) and
// runtime measurements (R1..R4). docs/formats/torq-csv.md describes every form,
// its traps, and what it cannot carry.
//
// Readers take every form, by content. A row that cannot be read is noted in
// the profile's ledger with its file and line, and reading goes on; an input
// that is none of the forms is an error. Memory: what is distinct (locations,
// event types, lanes, events that are open at once); rows are not kept here.

#ifndef OPSCOPE_FORMATS_TORQ_TORQ_H
#define OPSCOPE_FORMATS_TORQ_TORQ_H

#include "base/input.h"
#include "profile/profile.h"

enum torq_form {
    TORQ_UNKNOWN,
    TORQ_C1, // ID,Start,End,Location,Op Type
    TORQ_C2, // C1 with bytes and slice numbers
    TORQ_C3, // actionIndex, elapsed_time(us), timestamp(us), event, location, bytes
    TORQ_C4, // taskId, ...
    TORQ_R1, // id;time_since_open;time_since_start;location
    TORQ_R2, // actionIndex, elapsed_time(us), timestamp(us), event, location
    TORQ_R3, // R2 with quoted locations
    TORQ_R4, // dispatch_name,invocation_id,action_id,timestamp_us,event
    TORQ_FORMS,
};

// Looks at the first lines, with or without a header. TORQ_UNKNOWN for an
// empty input, too.
enum torq_form torq_recognise(struct view bytes);

bool torq_form_is_compile(enum torq_form form);

// Whether it is read from front to back while it may still grow (input_open_ahead): a runtime
// profile counts on from its first row to its last.
bool torq_reads_in_parts(struct view beginning);

// "torq-c1" ...
const char *torq_form_name(enum torq_form form);

// R2 to R4: a begin without its end, or an end without its begin.
struct torq_half {
    uint64_t invocation; // R4
    uint64_t action;     // where it has one
    uint64_t timestamp;  // us
    uint32_t event;      // string ids
    uint32_t dispatch;   // R4
    uint32_t call;
    bool has_action, is_end;
};

// All zero is an empty list; `items` is the owner's to free.
struct torq_halves {
    struct torq_half *items;
    size_t count, capacity;
};

struct torq_options {
    uint32_t parent;     // track of the process that the lanes go under
    uint32_t num_slices; // C1: S<n> is slice n mod num_slices; 0 means 2
    uint64_t clock_hz;   // of the compile forms' cycles; 0 means 800 MHz
    // Compile forms: the profile keeps the input (profile_keep_input), so that texts may be views
    // into it, and what takes the events knows calls that are locations (CALL_LOCATED).
    bool streams;
    struct torq_halves *halves; // to be filled, in order of their lines; NULL: not asked for
};

enum { TORQ_SLICES = 2 };
#define TORQ_CLOCK_HZ 800000000ull

// Reads any form. The input must stay open until this returns, and longer only if `streams` says
// so.
status torq_read(struct input *input, const struct torq_options *options, struct profile *profile);

// Whether an input is a profile of the wanted kind; an empty one is of both.
status torq_check(const struct input *input, bool compile);

// The same, for an input that must be of one kind.
status torq_compile_read(struct input *input, const struct torq_options *options,
                         struct profile *profile);
status torq_runtime_read(struct input *input, const struct torq_options *options,
                         struct profile *profile);

// Write the events of a finished profile that the form has a place for, in
// order of time; the others are noted as not carried. `form` is C1, C2 or C4.
status torq_compile_write(struct profile *profile, enum torq_form form, const char *path);

// What R2's elapsed_time(us) counts from: the row before, as the document says, or the first
// one, as Torq's runtime has written.
enum torq_elapsed { TORQ_SINCE_FIRST, TORQ_SINCE_PREVIOUS };

// `form` is R1, R2 or R4.
status torq_runtime_write(struct profile *profile, enum torq_form form, enum torq_elapsed elapsed,
                          const char *path);

#endif
