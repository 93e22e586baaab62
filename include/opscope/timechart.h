// Time charts: logs of functions on threads of processes, as a Perfetto trace (.pb). The API
// of Torq's model profiler in C:
//
//     TimeChartLog                      struct opscope_time_chart_log
//     TimeChartView(filename)           opscope_time_chart_view_create
//     TimeChartView.render              opscope_time_chart_view_render
//     .add_process_descriptor           opscope_time_chart_view_add_process_descriptor
//     .add_thread_descriptor            opscope_time_chart_view_add_thread_descriptor
//     .set_track_event                  opscope_time_chart_view_set_track_event
//     .flush                            opscope_time_chart_view_flush
//     csv_to_view_compile_profile       opscope_time_chart_csv_to_view_compile_profile
//     csv_to_view_runtime_profile       opscope_time_chart_csv_to_view_runtime_profile
//     convert_to_perfetto               opscope_time_chart_convert_to_perfetto
//
// For C11 and later, and C++11 and later; results and messages as in opscope/result.h. A view
// is used by one thread at a time. Texts are UTF-8 and copied.

#ifndef OPSCOPE_TIMECHART_H
#define OPSCOPE_TIMECHART_H

#include <stddef.h>
#include <stdint.h>

#include <opscope/result.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// A function that ran on a thread of a process.
struct opscope_time_chart_log {
    const char *process;
    const char *thread;   // usually the type of the event
    const char *function; // label of the event
    uint64_t start_time;  // ticks
    uint64_t end_time;
};

// A trace that is being made. Events are kept, past a window in a temporary file, and written
// by flush.
struct opscope_time_chart_view;

// For a trace that flush and close write to `filename` (.pb, .pb.gz, .pb.zst). A tick is a
// nanosecond, unless opscope_time_chart_view_set_clock says otherwise.
int opscope_time_chart_view_create(const char *filename, struct opscope_time_chart_view **out_view,
                                   char *message, size_t size);

// Ticks a second, for the threads that are added from now on.
int opscope_time_chart_view_set_clock(struct opscope_time_chart_view *view, uint64_t hz);

// Adds a process, or a thread of one, unless it is there already. Rendering adds what is
// missing by itself.
int opscope_time_chart_view_add_process_descriptor(struct opscope_time_chart_view *view,
                                                   const char *name);
int opscope_time_chart_view_add_thread_descriptor(struct opscope_time_chart_view *view,
                                                  const char *process, const char *thread);

// Adds a log as an interval. OPSCOPE_ERROR_USAGE, and counted as impossible, when it ends
// before it starts. Logs of a thread may come in any order and overlap.
int opscope_time_chart_view_render_sized(struct opscope_time_chart_view *view,
                                         const struct opscope_time_chart_log *log, size_t size);

static inline int opscope_time_chart_view_render(struct opscope_time_chart_view *view,
                                                 const struct opscope_time_chart_log *log)
{
    return opscope_time_chart_view_render_sized(view, log, sizeof *log);
}

// As in Perfetto's TrackEvent.
enum opscope_time_chart_event {
    OPSCOPE_TYPE_SLICE_BEGIN = 1,
    OPSCOPE_TYPE_SLICE_END = 2,
    OPSCOPE_TYPE_INSTANT = 3
};

// Adds one event at `time` on the log's thread; the log's own times do not count. An end
// belongs to the last begin of its thread that has none; without one, or before it, it is
// OPSCOPE_ERROR_USAGE and counted as impossible.
int opscope_time_chart_view_set_track_event_sized(struct opscope_time_chart_view *view,
                                                  uint64_t time, int type,
                                                  const struct opscope_time_chart_log *log,
                                                  size_t size);

static inline int opscope_time_chart_view_set_track_event(struct opscope_time_chart_view *view,
                                                          uint64_t time, int type,
                                                          const struct opscope_time_chart_log *log)
{
    return opscope_time_chart_view_set_track_event_sized(view, time, type, log, sizeof *log);
}

// Writes what the view has so far; the file is there as a whole or not at all. A begin without
// an end is not written before its end comes.
int opscope_time_chart_view_flush(struct opscope_time_chart_view *view, char *message, size_t size);

// Flushes and frees the view, also when it fails. OPSCOPE_LOSS, and a message, when a begin has
// no end or something was impossible; the trace has the rest.
int opscope_time_chart_view_close(struct opscope_time_chart_view *view, char *message, size_t size);

// Frees a view without writing it. Accepts NULL.
void opscope_time_chart_view_free(struct opscope_time_chart_view *view);

// Adds a compile-time profile of Torq's (a CSV of any version) as a process of the name
// `view_name`, with its overview. `num_slices`: S<n> is slice n mod this; 0: 2.
int opscope_time_chart_csv_to_view_compile_profile(const char *view_name,
                                                   struct opscope_time_chart_view *view,
                                                   const char *csv_path, uint32_t num_slices,
                                                   char *message, size_t size);

// The same for a runtime profile.
int opscope_time_chart_csv_to_view_runtime_profile(const char *view_name,
                                                   struct opscope_time_chart_view *view,
                                                   const char *csv_path, char *message,
                                                   size_t size);

// A CSV and the name of its process; NULL: the name of the file, numbered when there are
// several, as perfetto_logger names it. This structure does not grow.
struct opscope_time_chart_profile_log {
    const char *name;
    const char *path;
};

// Compile profiles, then runtime profiles, each with its overview, to one trace: what
// `perfetto_logger --compile_profile ... --runtime_profile ... --pb` writes, byte for byte.
// Streams; the output is there as a whole or not at all. OPSCOPE_LOSS, and the ledger in
// words, when rows could not be read. `num_slices` 0: 2.
int opscope_time_chart_convert_to_perfetto(
    const struct opscope_time_chart_profile_log *compile_profile_logs, size_t compile_count,
    const struct opscope_time_chart_profile_log *runtime_profile_logs, size_t runtime_count,
    const char *pb_path, uint32_t num_slices, char *message, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
