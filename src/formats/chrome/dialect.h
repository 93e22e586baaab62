// Traces of runtimes that say more in their events than a Chrome trace can: operators and calls.
//
// A dialect looks over the whole trace first, and then tells the reader of each complete event
// which call it belongs to.
// Memory: operators and calls of the profile; what is looked over lies in spools.

#ifndef OPSCOPE_FORMATS_CHROME_DIALECT_H
#define OPSCOPE_FORMATS_CHROME_DIALECT_H

#include "base/input.h"
#include "events.h"
#include "profile/profile.h"

struct chrome_dialect {
    const char *format; // the profile's fact
    int64_t base;       // ns that are added to all times
    // Keeps what the profile needs so that the trace can be written as it was (as_written.h).
    bool keeps_spelling;
    // Where a complete event, or an end of an arrow after it, belongs, when its own pid and tid do
    // not say it well. Asked in order of the file. May be NULL.
    void (*place)(struct chrome_dialect *dialect, struct chrome_event *event);
    // The call of a complete event that goes to `track`; 0: none. Events come in order of the
    // file.
    uint32_t (*call_of)(struct chrome_dialect *dialect, const struct chrome_event *event,
                        uint32_t track);
    // What the work of a complete event is, where its lane does not tell; ROLE_NONE: its lane
    // does. May be NULL.
    enum role (*role_of)(const struct chrome_event *event);
    // Whether a whole event of the host only waits for the device; NULL: none is known to. It gets
    // the value `waits`.
    bool (*waits)(const struct chrome_event *event);
    // Whether it read this member of the object form. May be NULL.
    bool (*member)(struct chrome_dialect *dialect, struct view key, struct view value);
    // Whether the same event stands in the trace before: it is refused. Asked in order of the
    // file. May be NULL.
    bool (*is_copy)(struct chrome_dialect *dialect, const struct chrome_event *event);
    // Notes what only the whole trace shows; `unread` pieces of it were no events, and are noted
    // already. May be NULL.
    void (*finish)(struct chrome_dialect *dialect, const char *path, uint64_t unread);
    void (*free)(struct chrome_dialect *dialect);
};

// The dialect of a trace, by content; NULL for an ordinary one.
status chrome_dialect_open(const struct input *input, struct profile *profile,
                           struct chrome_dialect **out_dialect);

// The event where its dialect has it: `written` itself, or changed in `placed`. `dialect` may be
// NULL.
const struct chrome_event *chrome_dialect_place(struct chrome_dialect *dialect,
                                                const struct chrome_event *written,
                                                struct chrome_event *placed);

// ONNX Runtime's profiles: docs/formats/onnxruntime-profile.md.
bool chrome_onnxruntime_is(const struct chrome_event *event);
status chrome_onnxruntime_open(const struct input *input, struct profile *profile,
                               struct chrome_dialect **out_dialect);

// PyTorch's profiler, Kineto: docs/formats/kineto.md.
bool chrome_kineto_is(const struct chrome_event *event);
status chrome_kineto_open(const struct input *input, struct profile *profile,
                          struct chrome_dialect **out_dialect);

// Operations of Cloud AI, by its tool and its runtime: opstats.c.
bool chrome_opstats_is(const struct chrome_event *event);
status chrome_opstats_open(const struct input *input, struct profile *profile,
                           struct chrome_dialect **out_dialect);

// What they share ---------------------------------------------------------------

// Appends "1x3x224x224xf32" for an array of dimensions and the name of an element as a runtime
// writes it ("float", "long int", "c10::Half").
void chrome_append_type(struct bytes *to, struct view dims, struct view element);

// The value of a key of the arguments, as both are written; size 0 when there is none.
struct view chrome_argument_raw(const struct chrome_event *event, const char *key);

// A text of the arguments without its quotes, as it is written otherwise; "" when there is none.
struct view chrome_argument(const struct chrome_event *event, const char *key);

// An array or an object of the arguments, also where it was kept as a text: then it is put into
// `scratch`, and is valid as long as that is not changed.
struct view chrome_nested_argument(const struct chrome_event *event, const char *key,
                                   struct bytes *scratch);

// A call for the span that is the step of this number itself: src/analysis/step_extents.h.
uint32_t chrome_step_call(struct profile *profile, uint32_t number);

// What a copy or a kernel of a GPU is, by what runtimes call it: "Memcpy HtoD (Pinned -> Device)",
// "CopyDeviceToHost", "ncclDevKernel_AllReduce...".
enum role chrome_copy_role(struct view name);
enum role chrome_kernel_role(struct view name);

// Says what executes the spans of a track, the first time.
void chrome_mark_track(struct profile *profile, uint32_t track, enum role role);

#endif
