#include "device_spans.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/spool.h"

struct device_process {
    uint32_t session;
    uint32_t device;
    uint32_t clock;
    uint32_t process; // track; 0: not made yet
    uint32_t operations;
    bool fitted;
    uint64_t base_ticks;
    uint64_t base_ns;
    struct segments cores; // struct core_track
};

struct core_track {
    uint32_t x;
    uint32_t y;
    uint32_t track;
};

// What zones are called in the profile.
struct zone_texts {
    uint32_t name; // 0: not looked up yet
    uint32_t source;
};

// A row, as small as sorting wants it.
struct spans_marker {
    uint64_t time;
    uint64_t line;
    uint64_t data;
    uint64_t run_host_id;
    uint64_t trace_id;
    const char *meta;
    uint32_t meta_size;
    uint32_t lane;
    uint32_t zone;
    uint8_t marker; // enum device_marker
    bool traced;
};

_Static_assert(sizeof(struct spans_marker) <= SORT_ITEM_MOST, "markers are sorted in place");

// A zone that has started.
struct open_zone {
    uint32_t name;
    uint64_t id;
    uint64_t start;
    uint64_t line;
};

struct lane_spans {
    uint32_t track; // 0: none yet
    struct open_zone *open;
    size_t open_count;
    size_t open_capacity;
    struct spans_marker *early; // ends without a start so far, all of one time
    size_t early_count;
    size_t early_capacity;
};

// A zone's start is looked for among so many that are open: more are open only
// where ends were lost. As many early ends are kept.
enum { OPEN_SEARCHED = 64 };

enum { FALLBACK_MEGAHERTZ = 1000 };

void device_spans_start(struct device_spans *spans, struct profile *profile,
                        const struct device_ops *ops, const uint32_t *run_calls)
{
    *spans = (struct device_spans){
        .profile = profile,
        .ops = ops,
        .run_calls = run_calls,
        .run_key = profile_string(profile, VIEW_LITERAL("run_host_id")),
        .data_key = profile_string(profile, VIEW_LITERAL("data")),
        .source_key = profile_string(profile, VIEW_LITERAL("source")),
        .trace_key = profile_string(profile, VIEW_LITERAL("trace")),
        .meta_key = profile_string(profile, VIEW_LITERAL("meta_data")),
        .sum_key = profile_string(profile, VIEW_LITERAL("cycles")),
    };
}

void device_spans_free(struct device_spans *spans)
{
    for (size_t i = 0; i < spans->process_count; i++)
        segments_free(&spans->processes[i].cores);
    for (size_t i = 0; i < spans->lane_count; i++) {
        free(spans->lanes[i].open);
        free(spans->lanes[i].early);
    }
    free(spans->processes);
    free(spans->lanes);
    free(spans->zones);
    bytes_free(&spans->values);
}

// Tracks ----------------------------------------------------------------------

static struct device_process *process_get(struct device_spans *spans, uint32_t session,
                                          uint32_t device)
{
    for (size_t i = 0; i < spans->process_count; i++) {
        if (spans->processes[i].session == session && spans->processes[i].device == device)
            return &spans->processes[i];
    }
    spans->processes = memory_grow(spans->processes, spans->process_count, &spans->process_capacity,
                                   sizeof *spans->processes);
    struct device_process *process = &spans->processes[spans->process_count++];
    *process = (struct device_process){.session = session, .device = device};
    segments_start(&process->cores, sizeof(struct core_track));
    return process;
}

static uint64_t megahertz_of(const struct device_spans *spans, uint32_t session)
{
    const struct device_session *about = segments_get(&spans->ops->sessions, session);
    return about->megahertz > 0 ? about->megahertz : FALLBACK_MEGAHERTZ;
}

// The run that is earliest against its launch decides.
void device_spans_fit(struct device_spans *spans, uint32_t session, uint32_t device, uint64_t cycle,
                      uint64_t ns)
{
    struct device_process *process = process_get(spans, session, device);
    const double megahertz = (double)megahertz_of(spans, session);
    const double lag = (double)cycle * 1000.0 / megahertz - (double)ns;
    const double best = (double)process->base_ticks * 1000.0 / megahertz - (double)process->base_ns;
    if (process->fitted && lag >= best)
        return;
    process->fitted = true;
    process->base_ticks = cycle;
    process->base_ns = ns;
}

static void process_make(struct device_spans *spans, struct device_process *process)
{
    struct profile *profile = spans->profile;
    char name[80];
    const bool several = spans->ops->sessions.count > 1;
    const int size = snprintf(name, sizeof name, "device %u", process->device);
    if (several)
        snprintf(name + size, sizeof name - (size_t)size, " (log %u)", process->session + 1);
    process->clock =
        profile_clock_add(profile, "cycles", megahertz_of(spans, process->session) * 1000000,
                          process->base_ticks, process->base_ns);
    const struct track track = {.kind = TRACK_PROCESS,
                                .name = profile_string(profile, view_of(name)),
                                .rank = (int32_t)process->device + 1};
    process->process = profile_track_add(profile, &track);
    struct track operations = {.kind = TRACK_LANE,
                               .parent = process->process,
                               .name = profile_string(profile, VIEW_LITERAL("operations")),
                               .clock = process->clock,
                               .device = process->device + 1,
                               .provenance = PROVENANCE_DERIVED};
    profile_track_set_engine(profile, &operations, ROLE_DEVICE, role_name(ROLE_DEVICE));
    process->operations = profile_track_add(profile, &operations);
    if (process->fitted)
        profile_note(profile, 0, LEDGER_REMARK, 1,
                     "%s: its clock is placed so that no operation starts before the host "
                     "launched it",
                     name);
}

static struct device_process *process_made(struct device_spans *spans, uint32_t session,
                                           uint32_t device)
{
    struct device_process *process = process_get(spans, session, device);
    if (process->process == 0)
        process_make(spans, process);
    return process;
}

uint32_t device_spans_operations(struct device_spans *spans, uint32_t session, uint32_t device)
{
    return process_made(spans, session, device)->operations;
}

static uint32_t core_make(struct device_spans *spans, struct device_process *process,
                          const struct device_lane *lane)
{
    for (uint32_t i = 0; i < process->cores.count; i++) {
        const struct core_track *core = segments_get(&process->cores, i);
        if (core->x == lane->core_x && core->y == lane->core_y)
            return core->track;
    }
    char name[64];
    snprintf(name, sizeof name, "core %u,%u", lane->core_x, lane->core_y);
    const struct track group = {.kind = TRACK_GROUP,
                                .parent = process->process,
                                .name = profile_string(spans->profile, view_of(name)),
                                .device = process->device + 1,
                                .core = process->cores.count + 1,
                                .rank = (int32_t)process->cores.count + 1};
    struct core_track *core = segments_add(&process->cores);
    *core =
        (struct core_track){lane->core_x, lane->core_y, profile_track_add(spans->profile, &group)};
    return core->track;
}

static struct lane_spans *device_spans_lane_get(struct device_spans *spans,
                                                const struct device_log *log, uint32_t index)
{
    if (index >= spans->lane_count) {
        const size_t count = ((size_t)index + 1) * 2;
        spans->lanes = memory_resize(spans->lanes, count * sizeof *spans->lanes);
        memset(spans->lanes + spans->lane_count, 0,
               (count - spans->lane_count) * sizeof *spans->lanes);
        spans->lane_count = count;
    }
    struct lane_spans *lane = &spans->lanes[index];
    if (lane->track != 0)
        return lane;
    const struct device_lane *about = device_log_lane(log, index);
    struct device_process *process = process_made(spans, spans->session, about->device);
    const uint32_t core = core_make(spans, process, about);
    const struct track track = {.kind = TRACK_LANE,
                                .parent = core,
                                .name = profile_string(spans->profile, about->risc_name),
                                .clock = process->clock,
                                .device = process->device + 1,
                                .core = profile_track(spans->profile, core)->core,
                                .provenance = PROVENANCE_MEASURED,
                                .rank = (int32_t)about->risc,
                                .nests = true,
                                .ledger = {.expected = LEDGER_UNKNOWN}};
    lane->track = profile_track_add(spans->profile, &track);
    return lane;
}

// Events ----------------------------------------------------------------------

static struct zone_texts zone_texts_make(struct device_spans *spans, const struct device_zone *zone)
{
    char text[1024];
    struct zone_texts texts = {0};
    snprintf(text, sizeof text, "timer %llu", (unsigned long long)zone->timer_id);
    texts.name = profile_string(spans->profile, zone->name.size > 0 ? zone->name : view_of(text));
    if (zone->source_file.size == 0)
        return texts;
    snprintf(text, sizeof text, "%.*s:%.*s", VIEW_ARGUMENTS(zone->source_file),
             VIEW_ARGUMENTS(zone->source_line));
    texts.source = profile_string(spans->profile, view_of(text));
    return texts;
}

static struct zone_texts zone_texts(struct device_spans *spans, const struct device_log *log,
                                    uint32_t zone)
{
    if (zone >= spans->zone_count) {
        const size_t count = ((size_t)zone + 1) * 2;
        spans->zones = memory_resize(spans->zones, count * sizeof *spans->zones);
        memset(spans->zones + spans->zone_count, 0,
               (count - spans->zone_count) * sizeof *spans->zones);
        spans->zone_count = count;
    }
    if (spans->zones[zone].name == 0)
        spans->zones[zone] = zone_texts_make(spans, device_log_zone(log, zone));
    return spans->zones[zone];
}

static uint32_t device_spans_call_of(const struct device_spans *spans,
                                     const struct device_lane *lane, uint64_t id, uint64_t time)
{
    if (id == 0)
        return 0;
    const uint32_t run = device_ops_run_at(spans->ops, spans->session, lane->device, id, time);
    return run == HASH_NONE ? 0 : spans->run_calls[run];
}

static void device_spans_add_values(struct device_spans *spans, const struct device_log *log,
                                    const struct spans_marker *row)
{
    const uint32_t source = zone_texts(spans, log, row->zone).source;
    spans->values.size = 0;
    if (row->run_host_id != 0)
        value_add_uint(&spans->values, spans->run_key, row->run_host_id);
    if (row->traced)
        value_add_uint(&spans->values, spans->trace_key, row->trace_id);
    if (row->marker == DEVICE_ZONE_TOTAL)
        value_add_uint(&spans->values, spans->sum_key, row->data);
    else if (row->marker != DEVICE_ZONE_START && row->marker != DEVICE_ZONE_END)
        value_add_uint(&spans->values, spans->data_key, row->data);
    if (row->meta_size > 0)
        value_add_text(&spans->values, spans->meta_key, (struct view){row->meta, row->meta_size});
    if (source != 0)
        value_add_string(&spans->values, spans->source_key, source);
}

static void device_spans_add_event(struct device_spans *spans, const struct device_log *log,
                                   const struct lane_spans *lane, const struct spans_marker *row,
                                   uint64_t start)
{
    const bool span = row->marker == DEVICE_ZONE_END;
    const struct event event = {.kind = span ? EVENT_SPAN : EVENT_INSTANT,
                                .track = lane->track,
                                .name = zone_texts(spans, log, row->zone).name,
                                .start = start,
                                .end = row->time,
                                .call = device_spans_call_of(spans, device_log_lane(log, row->lane),
                                                             row->run_host_id, start)};
    device_spans_add_values(spans, log, row);
    profile_event_add(spans->profile, &event, bytes_view(&spans->values));
}

static void lose_zone(struct device_spans *spans, const struct device_log *log, uint32_t track,
                      uint32_t name, uint64_t line, const char *what)
{
    const struct view text = profile_text(spans->profile, name);
    if (spans->explained < spans->unread) {
        spans->explained++;
        return;
    }
    profile_note(spans->profile, track, LEDGER_LOST, 1, "%s:%llu: %.*s %s", log->input->path,
                 (unsigned long long)line, VIEW_ARGUMENTS(text), what);
}

static void lose_end(struct device_spans *spans, const struct device_log *log,
                     const struct lane_spans *lane, const struct spans_marker *row)
{
    lose_zone(spans, log, lane->track, zone_texts(spans, log, row->zone).name, row->line,
              "ends and did not start");
}

static void lose_early(struct device_spans *spans, const struct device_log *log,
                       struct lane_spans *lane)
{
    for (size_t i = 0; i < lane->early_count; i++)
        lose_end(spans, log, lane, &lane->early[i]);
    lane->early_count = 0;
}

// A zone that takes no time and whose end stands in front of its start.
static bool take_early(struct device_spans *spans, const struct device_log *log,
                       struct lane_spans *lane, const struct spans_marker *row)
{
    const uint32_t name = zone_texts(spans, log, row->zone).name;
    for (size_t i = 0; i < lane->early_count; i++) {
        const struct spans_marker end = lane->early[i];
        if (zone_texts(spans, log, end.zone).name != name || end.run_host_id != row->run_host_id)
            continue;
        lane->early[i] = lane->early[--lane->early_count];
        device_spans_add_event(spans, log, lane, &end, row->time);
        return true;
    }
    return false;
}

static void open_zone(struct device_spans *spans, const struct device_log *log,
                      struct lane_spans *lane, const struct spans_marker *row)
{
    if (take_early(spans, log, lane, row))
        return;
    lane->open =
        memory_grow(lane->open, lane->open_count, &lane->open_capacity, sizeof *lane->open);
    lane->open[lane->open_count++] = (struct open_zone){zone_texts(spans, log, row->zone).name,
                                                        row->run_host_id, row->time, row->line};
}

static void close_zone(struct device_spans *spans, const struct device_log *log,
                       struct lane_spans *lane, const struct spans_marker *row)
{
    const uint32_t name = zone_texts(spans, log, row->zone).name;
    const size_t least = lane->open_count > OPEN_SEARCHED ? lane->open_count - OPEN_SEARCHED : 0;
    for (size_t i = lane->open_count; i > least; i--) {
        const struct open_zone open = lane->open[i - 1];
        if (open.name != name || open.id != row->run_host_id)
            continue;
        memmove(&lane->open[i - 1], &lane->open[i], (lane->open_count - i) * sizeof *lane->open);
        lane->open_count--;
        device_spans_add_event(spans, log, lane, row, open.start);
        return;
    }
    if (lane->early_count == OPEN_SEARCHED) {
        lose_end(spans, log, lane, row);
        return;
    }
    lane->early =
        memory_grow(lane->early, lane->early_count, &lane->early_capacity, sizeof *lane->early);
    lane->early[lane->early_count++] = *row;
}

static void take_marker(struct device_spans *spans, const struct device_log *log,
                        const struct spans_marker *row)
{
    struct lane_spans *lane = device_spans_lane_get(spans, log, row->lane);
    if (lane->early_count > 0 && lane->early[0].time != row->time)
        lose_early(spans, log, lane);
    if (row->marker == DEVICE_ZONE_START)
        open_zone(spans, log, lane, row);
    else if (row->marker == DEVICE_ZONE_END)
        close_zone(spans, log, lane, row);
    else
        device_spans_add_event(spans, log, lane, row, row->time);
}

// Logs ------------------------------------------------------------------------

static struct spans_marker marker_of(const struct device_log *log, const struct device_log_row *row)
{
    return (struct spans_marker){.time = row->time,
                                 .line = log->line.number,
                                 .data = row->data,
                                 .run_host_id = row->run_host_id,
                                 .trace_id = row->trace_id,
                                 .meta = row->meta.data,
                                 .meta_size = row->meta.size < UINT32_MAX ? (uint32_t)row->meta.size
                                                                          : UINT32_MAX,
                                 .lane = row->lane,
                                 .zone = row->zone,
                                 .marker = (uint8_t)row->marker,
                                 .traced = row->traced};
}

// Lane by lane, in order of time; in the file's order where times are equal.
static bool marker_before(const void *a, const void *b)
{
    const struct spans_marker *left = a;
    const struct spans_marker *right = b;
    if (left->lane != right->lane)
        return left->lane < right->lane;
    if (left->time != right->time)
        return left->time < right->time;
    return left->line < right->line;
}

static status take_sorted(struct device_spans *spans, const struct device_log *log,
                          struct spool *spool)
{
    char *data;
    size_t size;
    if (spool_size(spool) == 0)
        return STATUS_OK;
    STATUS_TRY(spool_read(spool, &data, &size));
    // Spools start at a page or an allocation: markers are aligned.
    struct spans_marker *markers = (void *)data;
    const size_t count = size / sizeof *markers;
    sort_in_place(markers, count, sizeof *markers, marker_before);
    for (size_t i = 0; i < count; i++)
        take_marker(spans, log, &markers[i]);
    return STATUS_OK;
}

// Zones that are still open; the next log has lanes of its own.
static status finish_session(struct device_spans *spans, const struct device_log *log,
                             struct spool *spool)
{
    const status failure = take_sorted(spans, log, spool);
    spool_free(spool);
    *spool = SPOOL_EMPTY;
    for (size_t i = 0; i < spans->lane_count; i++) {
        struct lane_spans *lane = &spans->lanes[i];
        lose_early(spans, log, lane);
        for (size_t k = 0; k < lane->open_count; k++)
            lose_zone(spans, log, lane->track, lane->open[k].name, lane->open[k].line,
                      "starts and does not end");
        lane->open_count = 0;
        lane->track = 0;
    }
    spans->session++;
    return failure;
}

static status device_spans_take_row(struct device_spans *spans, const struct device_log *log,
                                    const struct device_log_row *row, struct spool *spool)
{
    const struct device_session *session = segments_get(&spans->ops->sessions, spans->session);
    const struct spans_marker marker = marker_of(log, row);
    if (session->unordered)
        return spool_append(spool, &marker, sizeof marker);
    take_marker(spans, log, &marker);
    return STATUS_OK;
}

static status device_spans_read_rows(struct device_spans *spans, struct device_log *log,
                                     struct spool *spool)
{
    struct device_log_row row;
    enum device_log_result result;
    while ((result = device_log_next(log, &row)) != DEVICE_LOG_END) {
        if (result == DEVICE_LOG_ROW)
            STATUS_TRY(device_spans_take_row(spans, log, &row, spool));
        else if (result == DEVICE_LOG_SESSION)
            STATUS_TRY(finish_session(spans, log, spool));
    }
    return finish_session(spans, log, spool);
}

status device_spans_read(struct device_spans *spans, const struct input *input)
{
    struct device_log log;
    struct spool spool = SPOOL_EMPTY;
    status failure = device_log_open(input, &log);
    if (failure == STATUS_OK)
        failure = device_spans_read_rows(spans, &log, &spool);
    if (spans->explained > 0)
        profile_note(spans->profile, 0, LEDGER_REMARK, spans->explained,
                     "%s: %llu zones lack a start or an end, perhaps on lines that are lost, and "
                     "are not counted again",
                     input->path, (unsigned long long)spans->explained);
    spool_free(&spool);
    device_log_free(&log);
    return failure;
}
