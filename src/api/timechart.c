#include <opscope/timechart.h>

#include <stdlib.h>

#include "api.h"
#include "base/hash.h"
#include "base/memory.h"
#include "formats/trace/engine_names.h"
#include "reports/torq/logger.h"

// A begin that has no end yet.
struct begun {
    uint64_t time;
    uint32_t name;
};

// A thread, or a process (whose thread is NO_THREAD).
struct chart_lane {
    uint32_t process; // text ids
    uint32_t thread;
    uint32_t track;
    struct begun *begun; // the last one is closed first
    size_t begun_count;
    size_t begun_capacity;
};

struct opscope_time_chart_view {
    struct region region; // of all that is not the view itself
    char *path;
    struct profile *profile;
    uint32_t clock;
    struct chart_lane *lanes;
    size_t lane_count;
    size_t lane_capacity;
    struct hash_index index; // of lanes
    size_t process_count;
};

#define NO_THREAD UINT32_MAX

static int timechart_create_inside(struct opscope_time_chart_view *view, const char *filename)
{
    view->path = view_copy(view_of(filename));
    view->profile = profile_create();
    return OPSCOPE_OK;
}

static int timechart_create_in_scope(struct opscope_time_chart_view *view, const char *filename)
{
    return RECOVERY_SCOPE(&view->region, timechart_create_inside(view, filename),
                          OPSCOPE_ERROR_LIMIT);
}

int opscope_time_chart_view_create(const char *filename, struct opscope_time_chart_view **out_view,
                                   char *message, size_t size)
{
    if (filename == NULL || out_view == NULL)
        return api_refuse("a time chart needs the name of a file", message, size);
    *out_view = NULL;
    struct opscope_time_chart_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return api_no_memory(message, size);
    view->region = REGION_EMPTY;
    if (timechart_create_in_scope(view, filename) != OPSCOPE_OK) {
        opscope_time_chart_view_free(view);
        return api_no_memory(message, size);
    }
    *out_view = view;
    return OPSCOPE_OK;
}

static void free_inside(struct opscope_time_chart_view *view)
{
    for (size_t i = 0; i < view->lane_count; i++)
        free(view->lanes[i].begun);
    free(view->lanes);
    hash_free(&view->index);
    profile_free(view->profile);
    free(view->path);
}

void opscope_time_chart_view_free(struct opscope_time_chart_view *view)
{
    if (view == NULL)
        return;
    if (view->region.unsound) {
        region_release(&view->region);
    } else {
        region_forget(&view->region);
        free_inside(view);
    }
    free(view);
}

static int chart_view_set_clock(struct opscope_time_chart_view *view, uint64_t hz)
{
    if (hz == 0)
        return OPSCOPE_ERROR_USAGE;
    view->clock = hz == 1000000000 ? 0 : profile_clock_find(view->profile, "ticks", hz);
    return OPSCOPE_OK;
}

// Processes and threads -----------------------------------------------------------

static uint32_t timechart_hash_of(uint32_t process, uint32_t thread)
{
    return hash_u64((uint64_t)process << 32 | thread);
}

static struct chart_lane *timechart_find_lane(const struct opscope_time_chart_view *view,
                                              uint32_t process, uint32_t thread)
{
    const uint32_t hash = timechart_hash_of(process, thread);
    uint32_t id;
    for (uint32_t at = hash_first(&view->index, hash);
         (id = hash_next(&view->index, hash, &at)) != HASH_NONE;) {
        struct chart_lane *lane = &view->lanes[id];
        if (lane->process == process && lane->thread == thread)
            return lane;
    }
    return NULL;
}

static struct chart_lane *timechart_add_lane(struct opscope_time_chart_view *view, uint32_t process,
                                             uint32_t thread, uint32_t track)
{
    view->lanes =
        memory_grow(view->lanes, view->lane_count, &view->lane_capacity, sizeof *view->lanes);
    hash_add(&view->index, timechart_hash_of(process, thread), (uint32_t)view->lane_count);
    struct chart_lane *lane = &view->lanes[view->lane_count++];
    *lane = (struct chart_lane){.process = process, .thread = thread, .track = track};
    return lane;
}

static uint32_t timechart_process_track(struct opscope_time_chart_view *view, uint32_t process)
{
    const struct chart_lane *known = timechart_find_lane(view, process, NO_THREAD);
    if (known != NULL)
        return known->track;
    const uint32_t track = logger_process_add(view->profile, profile_text(view->profile, process),
                                              false, view->process_count++);
    return timechart_add_lane(view, process, NO_THREAD, track)->track;
}

static struct chart_lane *timechart_thread_lane(struct opscope_time_chart_view *view,
                                                uint32_t process, uint32_t thread)
{
    struct chart_lane *known = timechart_find_lane(view, process, thread);
    if (known != NULL)
        return known;
    struct track track = {.parent = timechart_process_track(view, process),
                          .name = thread,
                          .clock = view->clock,
                          .kind = TRACK_LANE,
                          .provenance = PROVENANCE_MEASURED,
                          .nests = true,
                          .ledger = {.expected = LEDGER_UNKNOWN}};
    engine_names_apply(view->profile, &track);
    return timechart_add_lane(view, process, thread, profile_track_add(view->profile, &track));
}

static int chart_view_add_process_descriptor(struct opscope_time_chart_view *view, const char *name)
{
    if (name == NULL)
        return OPSCOPE_ERROR_USAGE;
    timechart_process_track(view, profile_string(view->profile, view_of(name)));
    return OPSCOPE_OK;
}

static int chart_view_add_thread_descriptor(struct opscope_time_chart_view *view,
                                            const char *process, const char *thread)
{
    if (process == NULL || thread == NULL)
        return OPSCOPE_ERROR_USAGE;
    timechart_thread_lane(view, profile_string(view->profile, view_of(process)),
                          profile_string(view->profile, view_of(thread)));
    return OPSCOPE_OK;
}

// Events --------------------------------------------------------------------------

// The lane of a log's thread; NULL when the log is not complete.
static struct chart_lane *take_log(struct opscope_time_chart_view *view,
                                   const struct opscope_time_chart_log *given, size_t size,
                                   struct opscope_time_chart_log *log)
{
    if (!api_take(log, sizeof *log, given, size) || log->process == NULL || log->thread == NULL ||
        log->function == NULL)
        return NULL;
    return timechart_thread_lane(view, profile_string(view->profile, view_of(log->process)),
                                 profile_string(view->profile, view_of(log->thread)));
}

static int timechart_add_event(struct opscope_time_chart_view *view, const struct chart_lane *lane,
                               enum event_kind kind, uint32_t name, uint64_t start, uint64_t end)
{
    const struct event event = {
        .start = start, .end = end, .track = lane->track, .name = name, .kind = kind};
    profile_event_add(view->profile, &event, VIEW_LITERAL(""));
    return start <= end ? OPSCOPE_OK : OPSCOPE_ERROR_USAGE;
}

static int chart_view_render_sized(struct opscope_time_chart_view *view,
                                   const struct opscope_time_chart_log *given, size_t size)
{
    struct opscope_time_chart_log log;
    const struct chart_lane *lane = take_log(view, given, size, &log);
    if (lane == NULL)
        return OPSCOPE_ERROR_USAGE;
    return timechart_add_event(view, lane, EVENT_SPAN,
                               profile_string(view->profile, view_of(log.function)), log.start_time,
                               log.end_time);
}

static int timechart_begin(struct chart_lane *lane, uint64_t time, uint32_t name)
{
    lane->begun =
        memory_grow(lane->begun, lane->begun_count, &lane->begun_capacity, sizeof *lane->begun);
    lane->begun[lane->begun_count++] = (struct begun){time, name};
    return OPSCOPE_OK;
}

static int timechart_end(struct opscope_time_chart_view *view, struct chart_lane *lane,
                         uint64_t time)
{
    if (lane->begun_count == 0) {
        profile_note(view->profile, lane->track, LEDGER_IMPOSSIBLE, 1,
                     "an end at %llu without a begin", (unsigned long long)time);
        return OPSCOPE_ERROR_USAGE;
    }
    const struct begun *last = &lane->begun[--lane->begun_count];
    return timechart_add_event(view, lane, EVENT_SPAN, last->name, last->time, time);
}

static int chart_view_set_track_event_sized(struct opscope_time_chart_view *view, uint64_t time,
                                            int type, const struct opscope_time_chart_log *given,
                                            size_t size)
{
    struct opscope_time_chart_log log;
    struct chart_lane *lane = take_log(view, given, size, &log);
    if (lane == NULL)
        return OPSCOPE_ERROR_USAGE;
    const uint32_t name = profile_string(view->profile, view_of(log.function));
    switch (type) {
    case OPSCOPE_TYPE_SLICE_BEGIN:
        return timechart_begin(lane, time, name);
    case OPSCOPE_TYPE_SLICE_END:
        return timechart_end(view, lane, time);
    case OPSCOPE_TYPE_INSTANT:
        return timechart_add_event(view, lane, EVENT_INSTANT, name, time, time);
    default:
        return OPSCOPE_ERROR_USAGE;
    }
}

// Writing ---------------------------------------------------------------------------

static int chart_view_flush(struct opscope_time_chart_view *view, char *message, size_t size)
{
    status result = profile_finish(view->profile);
    if (result == STATUS_OK)
        result = api_write(view->profile, view->path, "perfetto");
    return api_answer(result, message, size);
}

static void count_open(struct opscope_time_chart_view *view)
{
    for (size_t i = 0; i < view->lane_count; i++) {
        const struct chart_lane *lane = &view->lanes[i];
        if (lane->begun_count > 0)
            profile_note(view->profile, lane->track, LEDGER_LOST, lane->begun_count,
                         "a begin without an end");
    }
}

static int chart_view_finish(struct opscope_time_chart_view *view, char *message, size_t size)
{
    count_open(view);
    const int code = chart_view_flush(view, message, size);
    return code == OPSCOPE_OK ? api_answer_loss(view->profile, message, size) : code;
}

// Torq's profiles -------------------------------------------------------------------

static status timechart_add_overview(struct opscope_time_chart_view *view, uint32_t process)
{
    struct profile *profile = view->profile;
    struct overview_collector *collector = overview_collector_create(profile, false);
    const uint32_t end_track = profile->tracks.count;
    status result = profile_finish(profile);
    for (uint32_t i = process; i < end_track && result == STATUS_OK; i++)
        result = profile_replay_track(profile, i, overview_collector_sink(collector));
    if (result == STATUS_OK)
        result = logger_overview_add(profile, collector, process);
    overview_collector_free(collector);
    return result;
}

static status timechart_add_input(struct opscope_time_chart_view *view, const char *name,
                                  struct input *input, bool compile, uint32_t num_slices)
{
    STATUS_TRY(torq_check(input, compile));
    const uint32_t process =
        logger_process_add(view->profile, view_of(name), compile, view->process_count++);
    const struct torq_options options = {.parent = process, .num_slices = num_slices};
    STATUS_TRY(torq_read(input, &options, view->profile));
    return timechart_add_overview(view, process);
}

static int csv_to_view(const char *name, struct opscope_time_chart_view *view, const char *path,
                       bool compile, uint32_t num_slices, char *message, size_t size)
{
    struct input *input;
    if (name == NULL || path == NULL)
        return api_refuse("give a name, a view and a file", message, size);
    status result = input_open(path, &input);
    if (result == STATUS_OK) {
        result = timechart_add_input(view, name, input, compile, num_slices);
        input_close(input);
    }
    return api_answer(result, message, size);
}

static int chart_csv_to_view_compile_profile(const char *view_name,
                                             struct opscope_time_chart_view *view,
                                             const char *csv_path, uint32_t num_slices,
                                             char *message, size_t size)
{
    return csv_to_view(view_name, view, csv_path, true, num_slices, message, size);
}

static int chart_csv_to_view_runtime_profile(const char *view_name,
                                             struct opscope_time_chart_view *view,
                                             const char *csv_path, char *message, size_t size)
{
    return csv_to_view(view_name, view, csv_path, false, 0, message, size);
}

static status write_logs(const struct logger_log *logs, size_t count, const char *path,
                         uint32_t num_slices, struct profile *profile)
{
    const struct logger_options options = {.num_slices = num_slices};
    if (count == 0 || path == NULL)
        return status_make(STATUS_USAGE, "give profiles and a file for the trace");
    for (size_t i = 0; i < count; i++) {
        if (logs[i].path == NULL)
            return status_make(STATUS_USAGE, "profile %zu has no path", i + 1);
    }
    return logger_write(logs, count, path, &options, profile);
}

static int chart_convert_to_perfetto(
    const struct opscope_time_chart_profile_log *compile_profile_logs, size_t compile_count,
    const struct opscope_time_chart_profile_log *runtime_profile_logs, size_t runtime_count,
    const char *pb_path, uint32_t num_slices, char *message, size_t size)
{
    const size_t count = compile_count + runtime_count;
    struct logger_log *logs = memory_allocate_zeroed(count, sizeof *logs);
    for (size_t i = 0; i < count; i++) {
        const bool compile = i < compile_count;
        const struct opscope_time_chart_profile_log *log =
            compile ? &compile_profile_logs[i] : &runtime_profile_logs[i - compile_count];
        logs[i] = (struct logger_log){log->name, log->path, compile};
    }
    struct profile *profile = profile_create();
    int code = api_answer(write_logs(logs, count, pb_path, num_slices, profile), message, size);
    if (code == OPSCOPE_OK)
        code = api_answer_loss(profile, message, size);
    profile_free(profile);
    free(logs);
    return code;
}

// In scopes --------------------------------------------------------------------------

int opscope_time_chart_view_set_clock(struct opscope_time_chart_view *view, uint64_t hz)
{
    return RECOVERY_SCOPE(&view->region, chart_view_set_clock(view, hz), OPSCOPE_ERROR_LIMIT);
}

int opscope_time_chart_view_add_process_descriptor(struct opscope_time_chart_view *view,
                                                   const char *name)
{
    return RECOVERY_SCOPE(&view->region, chart_view_add_process_descriptor(view, name),
                          OPSCOPE_ERROR_LIMIT);
}

int opscope_time_chart_view_add_thread_descriptor(struct opscope_time_chart_view *view,
                                                  const char *process, const char *thread)
{
    return RECOVERY_SCOPE(&view->region, chart_view_add_thread_descriptor(view, process, thread),
                          OPSCOPE_ERROR_LIMIT);
}

int opscope_time_chart_view_render_sized(struct opscope_time_chart_view *view,
                                         const struct opscope_time_chart_log *given, size_t size)
{
    return RECOVERY_SCOPE(&view->region, chart_view_render_sized(view, given, size),
                          OPSCOPE_ERROR_LIMIT);
}

int opscope_time_chart_view_set_track_event_sized(struct opscope_time_chart_view *view,
                                                  uint64_t time, int type,
                                                  const struct opscope_time_chart_log *given,
                                                  size_t size)
{
    return RECOVERY_SCOPE(&view->region,
                          chart_view_set_track_event_sized(view, time, type, given, size),
                          OPSCOPE_ERROR_LIMIT);
}

int opscope_time_chart_view_flush(struct opscope_time_chart_view *view, char *message, size_t size)
{
    return RECOVERY_SCOPE(&view->region, chart_view_flush(view, message, size),
                          api_no_memory(message, size));
}

int opscope_time_chart_csv_to_view_compile_profile(const char *view_name,
                                                   struct opscope_time_chart_view *view,
                                                   const char *csv_path, uint32_t num_slices,
                                                   char *message, size_t size)
{
    if (view == NULL)
        return api_refuse("give a name, a view and a file", message, size);
    return RECOVERY_SCOPE(
        &view->region,
        chart_csv_to_view_compile_profile(view_name, view, csv_path, num_slices, message, size),
        api_no_memory(message, size));
}

int opscope_time_chart_csv_to_view_runtime_profile(const char *view_name,
                                                   struct opscope_time_chart_view *view,
                                                   const char *csv_path, char *message, size_t size)
{
    if (view == NULL)
        return api_refuse("give a name, a view and a file", message, size);
    return RECOVERY_SCOPE(
        &view->region, chart_csv_to_view_runtime_profile(view_name, view, csv_path, message, size),
        api_no_memory(message, size));
}

int opscope_time_chart_convert_to_perfetto(
    const struct opscope_time_chart_profile_log *compile_profile_logs, size_t compile_count,
    const struct opscope_time_chart_profile_log *runtime_profile_logs, size_t runtime_count,
    const char *pb_path, uint32_t num_slices, char *message, size_t size)
{
    return RECOVERY_SCOPE_ALONE(chart_convert_to_perfetto(compile_profile_logs, compile_count,
                                                          runtime_profile_logs, runtime_count,
                                                          pb_path, num_slices, message, size),
                                api_no_memory(message, size));
}

int opscope_time_chart_view_close(struct opscope_time_chart_view *view, char *message, size_t size)
{
    const int code = RECOVERY_SCOPE(&view->region, chart_view_finish(view, message, size),
                                    api_no_memory(message, size));
    opscope_time_chart_view_free(view);
    return code;
}
