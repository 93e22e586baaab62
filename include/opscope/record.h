// The recorder: writes down what a runtime does while it runs, as a profile that every
// command of opscope reads. For C11 and later, and C++. docs/record.md has the guarantees.
//
// One recording at a time in a process. An event goes to a buffer of its thread: no lock
// and no allocation (but for the first event of a thread, and where a full buffer grows);
// a thread in the background writes it down. While nothing is recorded an event costs one
// load and a branch. Not to be called from signal handlers.
//
// What events refer to (texts, lanes, operators, calls) is described once, for an id; that
// takes a lock. Ids belong to their recording; all are 0 while nothing is recorded.

#ifndef OPSCOPE_RECORD_H
#define OPSCOPE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum opscope_full {     // what happens to an event when the buffer of its thread is full
    OPSCOPE_FULL_BLOCK, // its thread waits
    OPSCOPE_FULL_GROW,  // its thread gets a buffer of twice the size
    OPSCOPE_FULL_DROP,  // it is lost, and counted as lost on its lane
};

struct opscope_record_options {
    const char *path;       // a profile (.prof); NULL: wherever `opscope profile` around this
                            // process wants it, which it also gets of every other recording
    int in_memory;          // not 0: nothing is written before the recording stops
    enum opscope_full full; // the policy
    size_t buffer_bytes;    // of each thread, rounded up to a power of two; 0: 1 MiB
    unsigned interval_ms;   // between two writes; 0: 20
    int monotonic;          // not 0: CLOCK_MONOTONIC also where there is a better clock
    const char *process;    // name of the process in the profile; NULL: "process"
};

// 0, or -1 and a text in `message` (size bytes, may be NULL with 0).
int opscope_record_start(const struct opscope_record_options *options, char *message, size_t size);

// Writes what is left and ends the file. -1 also when something could not be written.
// What a thread records at the same time may be missing.
int opscope_record_stop(char *message, size_t size);

// Writes what was recorded before the call; it survives the end of the process, however
// that comes. -1: nothing is recorded, or the file cannot be written any more.
int opscope_record_flush(void);

// Descriptions ------------------------------------------------------------------

enum opscope_value_kind {
    OPSCOPE_UINT,
    OPSCOPE_INT,
    OPSCOPE_BOOL,
    OPSCOPE_REAL,
    OPSCOPE_TEXT,     // number: an id of opscope_text
    OPSCOPE_FLOW_OUT, // number: the flow that starts here, key 0
    OPSCOPE_FLOW_IN,  // number: the flow that ends here, key 0
};

struct opscope_value {
    uint32_t key; // an id of opscope_text
    uint32_t kind;
    union {
        uint64_t number;
        int64_t integer;
        double real;
    } as;
};

// The id of a text; the same text has the same id.
uint32_t opscope_text(const char *text);

// A lane that spans and instants lie on. What its work is, and what does it, comes from the name
// where that is one that opscope knows ("DMA IN", "SLICE 1", "HOST").
uint32_t opscope_lane(const char *name);

// What does the work of a lane, of any machine. What is NULL or 0 is not said. Structures grow at
// their end in later versions.
struct opscope_engine {
    const char *role;   // what the work is: "compute", "transfer in", "transfer out", "transfer"
                        // (within the device), "communication", "control", "wait", "host",
                        // "host copy", "host call", "device" (as a whole); others are not known
    const char *engine; // what does it, as its machine calls it: "matrix", "load" ...
    const char *queue;  // that orders the work
    uint32_t index;     // which of several lanes of an engine, from 0
    uint32_t device;    // its number + 1
    uint32_t core;      // of the device: its number + 1
    uint32_t reserved;  // 0
};

// A lane of an engine; the name is what it is shown by.
uint32_t opscope_engine_lane_sized(const char *name, const struct opscope_engine *engine,
                                   size_t size);

static inline uint32_t opscope_engine_lane(const char *name, const struct opscope_engine *engine)
{
    return opscope_engine_lane_sized(name, engine, sizeof *engine);
}

// A memory, for opscope_allocated and opscope_freed. `device` and `core`, which it belongs to, are
// numbers + 1; 0: not said.
uint32_t opscope_memory(const char *name, uint32_t device, uint32_t core);

// A lane that samples lie on.
uint32_t opscope_counter(const char *name, const char *unit);

// Names the calling thread's own lane, which events with lane 0 go to.
void opscope_thread_name(const char *name);

// An operator, for its calls: a node of a network, what it computes, where it stands in the
// source, and its attributes.
uint32_t opscope_operator(const char *name, const char *type, const char *location,
                          const struct opscope_value *values, uint32_t count);

// One execution of an operator; `parent` is the call that it is a part of, or 0.
uint32_t opscope_call(uint32_t operator_id, uint32_t parent, uint32_t iteration);

// Says something about the recording as a whole.
void opscope_fact(const char *key, const char *text);

// Events ------------------------------------------------------------------------

enum opscope_event_kind { OPSCOPE_SPAN, OPSCOPE_INSTANT, OPSCOPE_SAMPLE };

enum { OPSCOPE_VALUES_MOST = 30 }; // of one event; one with more is lost

struct opscope_event {
    uint64_t start; // of opscope_now
    uint64_t end;
    uint32_t lane; // 0: the thread's own
    uint32_t name;
    uint32_t call; // 0: none
    uint16_t kind;
    uint16_t value_count;
};

// Records an event; what the functions below end in.
void opscope_record_event(const struct opscope_event *event, const struct opscope_value *values);

enum { OPSCOPE_OFF, OPSCOPE_ON_TSC, OPSCOPE_ON_MONOTONIC };
extern uint32_t opscope_record_state;  // read it by opscope_recording
extern uint32_t opscope_record_number; // of recordings begun: ids belong to one number

// What opscope_now is where it cannot be inlined.
// The clock where it is not the time stamp counter; opscope_now asks it.
uint64_t opscope_now_far(void);

// OPSCOPE_OFF, or the clock that is recorded with.
static inline uint32_t opscope_recording(void)
{
    return __atomic_load_n(&opscope_record_state, __ATOMIC_RELAXED);
}

// Ticks of the recording's clock; 0 while nothing is recorded.
static inline uint64_t opscope_now(void)
{
    const uint32_t state = opscope_recording();
    if (__builtin_expect(state == OPSCOPE_OFF, 1))
        return 0;
#if defined(__x86_64__) || defined(__i386__)
    if (state == OPSCOPE_ON_TSC)
        return __builtin_ia32_rdtsc();
#endif
    return opscope_now_far();
}

// A span that is over. `start` and `end` are of opscope_now; nothing when start is 0.
static inline void opscope_span(uint32_t lane, uint32_t name, uint32_t call, uint64_t start,
                                uint64_t end, const struct opscope_value *values, uint16_t count)
{
    if (start == 0 || opscope_recording() == OPSCOPE_OFF)
        return;
    const struct opscope_event event = {start, end, lane, name, call, OPSCOPE_SPAN, count};
    opscope_record_event(&event, values);
}

// A span around what is between the two calls: the first gives what the second takes.
static inline uint64_t opscope_begin(void)
{
    return opscope_now();
}

// Ends the span that opscope_begin began.
static inline void opscope_end(uint64_t begun, uint32_t lane, uint32_t name, uint32_t call)
{
    if (begun != 0)
        opscope_span(lane, name, call, begun, opscope_now(), NULL, 0);
}

// Something that happens now and takes no time.
static inline void opscope_instant(uint32_t lane, uint32_t name, uint32_t call,
                                   const struct opscope_value *values, uint16_t count)
{
    const uint64_t now = opscope_now();
    if (now == 0)
        return;
    const struct opscope_event event = {now, now, lane, name, call, OPSCOPE_INSTANT, count};
    opscope_record_event(&event, values);
}

// A sample of a counter (a lane of opscope_counter).
static inline void opscope_sample(uint32_t counter, double number)
{
    const uint64_t now = opscope_now();
    if (now == 0)
        return;
    const struct opscope_event event = {now, now, counter, 0, 0, OPSCOPE_SAMPLE, 1};
    struct opscope_value value;
    value.key = 0;
    value.kind = OPSCOPE_REAL;
    value.as.real = number;
    opscope_record_event(&event, &value);
}

// Memory that is taken now: `name` is what for, `call` whose (0: not said). Reading the profile
// makes lifetimes of buffers of it; what is never freed lives to the end.
void opscope_allocated(uint32_t memory, uint64_t address, uint64_t bytes, uint32_t name,
                       uint32_t call);

// What was taken at this address is given back now.
void opscope_freed(uint32_t memory, uint64_t address);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
