// Processes with their threads, devices with their streams.

#include <inttypes.h>
#include <stdio.h>

#include "nsys.h"

enum place_kind {
    PLACE_PROCESS,
    PLACE_THREAD,
    PLACE_RANGES,
    PLACE_DEVICE,
    PLACE_STREAM,
    PLACE_WAITS,
    PLACE_MEMORY,
    PLACE_METRICS,
    PLACE_METRIC,
    // What the database calls them: kept as a text's id instead of a track's.
    NAME_PROCESS,
    NAME_THREAD,
    NAME_DEVICE,
    NAME_METRIC,
};

enum { RANK_DEVICES = 1000, RANK_METRICS = 2000 };

// Names ----------------------------------------------------------------------------------------

static void keep_name(struct nsys *nsys, enum place_kind kind, uint64_t a, uint64_t b,
                      uint32_t text)
{
    const struct table_place place = {.kind = kind, .a = a, .b = b};
    if (text != 0 && tables_find_lane(&nsys->tables, &place) == 0)
        tables_keep_lane(&nsys->tables, &place, text);
}

static uint32_t name_of(const struct nsys *nsys, enum place_kind kind, uint64_t a, uint64_t b)
{
    return tables_find_lane(&nsys->tables, &(struct table_place){.kind = kind, .a = a, .b = b});
}

// A table that says what `a`, and `b` where there is one, are called: by a text, or a text's
// number.
static void read_name_table(struct nsys *nsys, const char *table, enum place_kind kind,
                            const char *a, const char *b, const char *name)
{
    struct database_rows *rows = tables_rows(&nsys->tables, table);
    if (rows == NULL)
        return;
    const int a_column = database_column(rows, a);
    const int b_column = b == NULL ? -1 : database_column(rows, b);
    const int name_column = database_column(rows, name);
    while (database_rows_next(rows)) {
        const struct database_cell cell = database_cell(rows, name_column);
        const uint32_t text = cell.kind == DATABASE_TEXT
                                  ? profile_string(nsys->tables.profile, cell.text)
                                  : tables_text(&nsys->tables, cell.integer);
        keep_name(nsys, kind, table_id(rows, a_column), table_id(rows, b_column), text);
    }
    tables_done(&nsys->tables, rows, table);
}

void nsys_read_names(struct nsys *nsys)
{
    tables_read_texts(&nsys->tables, "StringIds", "id", "value");
    read_name_table(nsys, "PROCESSES", NAME_PROCESS, "globalPid", NULL, "name");
    read_name_table(nsys, "ThreadNames", NAME_THREAD, "globalTid", NULL, "nameId");
    read_name_table(nsys, "TARGET_INFO_GPU", NAME_DEVICE, "id", NULL, "name");
    read_name_table(nsys, "TARGET_INFO_GPU_METRICS", NAME_METRIC, "typeId", "metricId",
                    "metricName");
}

// Tracks ---------------------------------------------------------------------------------------

static uint32_t add_place(struct nsys *nsys, const struct table_place *place, struct track *track,
                          const char *text, uint32_t called)
{
    struct profile *profile = nsys->tables.profile;
    nsys->text.size = 0;
    bytes_append_format(&nsys->text, "%s", text);
    if (called != 0)
        bytes_append_format(&nsys->text, " (%.*s)", VIEW_ARGUMENTS(profile_text(profile, called)));
    track->name = profile_string(profile, bytes_view(&nsys->text));
    track->provenance = PROVENANCE_MEASURED;
    const uint32_t id = profile_track_add(profile, track);
    tables_keep_lane(&nsys->tables, place, id);
    return id;
}

static uint32_t nsys_process(struct nsys *nsys, uint64_t global)
{
    const struct table_place place = {.kind = PLACE_PROCESS, .a = nsys_process_of(global)};
    const uint32_t found = tables_find_lane(&nsys->tables, &place);
    if (found != 0)
        return found;
    char text[48];
    struct track track = {.kind = TRACK_PROCESS};
    snprintf(text, sizeof text, "process %" PRIu64, global >> 24 & 0xffffff);
    return add_place(nsys, &place, &track, text, name_of(nsys, NAME_PROCESS, place.a, 0));
}

static uint32_t add_thread(struct nsys *nsys, enum place_kind kind, uint64_t global,
                           const char *suffix, struct track track)
{
    const struct table_place place = {.kind = kind, .a = global};
    const uint32_t found = tables_find_lane(&nsys->tables, &place);
    if (found != 0)
        return found;
    char text[64];
    track.kind = TRACK_LANE;
    track.parent = nsys_process(nsys, global);
    snprintf(text, sizeof text, "thread %" PRIu64 "%s", global & 0xffffff, suffix);
    return add_place(nsys, &place, &track, text, name_of(nsys, NAME_THREAD, global, 0));
}

uint32_t nsys_thread(struct nsys *nsys, uint64_t global)
{
    struct track track = {.nests = true};
    profile_track_set_engine(nsys->tables.profile, &track, ROLE_HOST, role_name(ROLE_HOST));
    return add_thread(nsys, PLACE_THREAD, global, "", track);
}

uint32_t nsys_thread_ranges(struct nsys *nsys, uint64_t global)
{
    return add_thread(nsys, PLACE_RANGES, global, " ranges", (struct track){0});
}

static uint32_t nsys_device(struct nsys *nsys, uint64_t device)
{
    const struct table_place place = {.kind = PLACE_DEVICE, .a = device};
    const uint32_t found = tables_find_lane(&nsys->tables, &place);
    if (found != 0)
        return found;
    char text[48];
    struct track track = {.kind = TRACK_PROCESS,
                          .rank = RANK_DEVICES + (int32_t)(device & 0xff),
                          .device = (uint32_t)device + 1};
    snprintf(text, sizeof text, "GPU %" PRIu64, device);
    return add_place(nsys, &place, &track, text, name_of(nsys, NAME_DEVICE, device, 0));
}

// Streams are numbered in their context, and contexts in their process.
static uint32_t add_stream(struct nsys *nsys, enum place_kind kind,
                           const struct nsys_stream *stream, const char *suffix, struct track track)
{
    const struct table_place place = {.kind = kind,
                                      .a = stream->device,
                                      .b = stream->process,
                                      .c = stream->context << 32 | (stream->stream & UINT32_MAX)};
    const uint32_t found = tables_find_lane(&nsys->tables, &place);
    if (found != 0)
        return found;
    char text[128];
    char context[48] = "";
    track.kind = TRACK_LANE;
    track.parent = nsys_device(nsys, stream->device);
    track.device = (uint32_t)stream->device + 1;
    if (stream->context > 1)
        snprintf(context, sizeof context, " of context %" PRIu64, stream->context);
    snprintf(text, sizeof text, "stream %" PRIu64 "%s%s", stream->stream, context, suffix);
    track.queue = profile_string(nsys->tables.profile, view_of(text));
    return add_place(nsys, &place, &track, text, 0);
}

uint32_t nsys_stream(struct nsys *nsys, const struct nsys_stream *stream)
{
    struct track track = {0};
    profile_track_set_engine(nsys->tables.profile, &track, ROLE_DEVICE, role_name(ROLE_DEVICE));
    return add_stream(nsys, PLACE_STREAM, stream, "", track);
}

uint32_t nsys_stream_waits(struct nsys *nsys, const struct nsys_stream *stream)
{
    return add_stream(nsys, PLACE_WAITS, stream, " synchronization", (struct track){0});
}

uint32_t nsys_memory(struct nsys *nsys, uint64_t device)
{
    const struct table_place place = {.kind = PLACE_MEMORY, .a = device};
    const uint32_t found = tables_find_lane(&nsys->tables, &place);
    if (found != 0)
        return found;
    struct track track = {.kind = TRACK_LANE, .device = (uint32_t)device + 1};
    track.parent = nsys_device(nsys, device);
    return add_place(nsys, &place, &track, "memory operations", 0);
}

uint32_t nsys_metric(struct nsys *nsys, uint64_t type, uint64_t metric)
{
    const struct table_place place = {.kind = PLACE_METRIC, .a = type, .b = metric};
    const uint32_t found = tables_find_lane(&nsys->tables, &place);
    if (found != 0)
        return found;
    const struct table_place group = {.kind = PLACE_METRICS, .a = type};
    uint32_t parent = tables_find_lane(&nsys->tables, &group);
    char text[64];
    if (parent == 0) {
        struct track track = {.kind = TRACK_GROUP, .rank = RANK_METRICS};
        snprintf(text, sizeof text, "GPU metrics %" PRIu64, type & 0xff);
        parent = add_place(nsys, &group, &track, text, 0);
    }
    const uint32_t called = name_of(nsys, NAME_METRIC, type, metric);
    struct track track = {
        .kind = TRACK_COUNTER, .parent = parent, .rank = (int32_t)(metric & 0xff)};
    snprintf(text, sizeof text, "metric %" PRIu64, metric);
    return add_place(nsys, &place, &track, text, called);
}
