// Processes with their threads, agents with their queues; names of kernels and tracks.

#include <inttypes.h>
#include <stdio.h>

#include "rocpd.h"

enum place_kind {
    PLACE_PROCESS,
    PLACE_THREAD,
    PLACE_AGENT,
    PLACE_QUEUE,
    PLACE_MEMORY,
    // What the database says of them: kept as a number or a text's id instead of a track's.
    PROCESS_NUMBER,
    PROCESS_NAME,
    THREAD_NUMBER,
    THREAD_NAME,
    AGENT_TYPE, // enum agent_type
    AGENT_NUMBER,
    AGENT_NAME,
    QUEUE_NAME,
    STREAM_NAME,
    KERNEL_NAME,
    TRACK_NAME,
    TRACK_PROCESS_ID,
    TRACK_THREAD_ID,
    TRACK_AGENT_ID,
    TRACK_QUEUE_ID,
    TRACK_STREAM_ID,
};

enum agent_type { AGENT_HOST = 1, AGENT_DEVICE };

enum { RANK_DEVICES = 1000 };

static struct table_place place_of(const struct rocpd *rocpd, enum place_kind kind, uint64_t id)
{
    return (struct table_place){.kind = kind, .a = rocpd->run, .b = id};
}

// Numbers are kept with one added: 0 is nothing.
static void keep(struct rocpd *rocpd, enum place_kind kind, uint64_t id, uint64_t number)
{
    const struct table_place place = place_of(rocpd, kind, id);
    if (number != 0 && number < UINT32_MAX && tables_find_lane(&rocpd->tables, &place) == 0)
        tables_keep_lane(&rocpd->tables, &place, (uint32_t)number);
}

static uint32_t kept(const struct rocpd *rocpd, enum place_kind kind, uint64_t id)
{
    const struct table_place place = place_of(rocpd, kind, id);
    return tables_find_lane(&rocpd->tables, &place);
}

// Names ----------------------------------------------------------------------------------------

// A column of a table by the id of its row.
struct said {
    const char *column;
    enum place_kind kind;
    enum { SAID_NUMBER, SAID_TEXT, SAID_TEXT_ID, SAID_TYPE } how;
};

static void keep_cell(struct rocpd *rocpd, const struct said *said, uint64_t id,
                      struct database_cell cell)
{
    int64_t number;
    switch (said->how) {
    case SAID_NUMBER:
        if (table_number(cell, &number) && number >= 0)
            keep(rocpd, said->kind, id, (uint64_t)number + 1);
        break;
    case SAID_TEXT:
        if (cell.kind == DATABASE_TEXT && cell.text.size > 0)
            keep(rocpd, said->kind, id, profile_string(rocpd->tables.profile, cell.text));
        break;
    case SAID_TEXT_ID:
        if (table_number(cell, &number))
            keep(rocpd, said->kind, id, tables_text(&rocpd->tables, number));
        break;
    case SAID_TYPE:
        if (cell.kind == DATABASE_TEXT)
            keep(rocpd, said->kind, id, view_is(cell.text, "GPU") ? AGENT_DEVICE : AGENT_HOST);
        break;
    }
}

static void read_said(struct rocpd *rocpd, const char *base, const struct said *said, size_t count)
{
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, base, table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    if (rows == NULL)
        return;
    const int id = database_column(rows, "id");
    while (database_rows_next(rows)) {
        for (size_t i = 0; i < count; i++) {
            const int column = database_column(rows, said[i].column);
            keep_cell(rocpd, &said[i], table_id(rows, id), database_cell(rows, column));
        }
    }
    tables_done(&rocpd->tables, rows, table);
}

#define READ_SAID(rocpd, base, said) read_said(rocpd, base, said, sizeof(said) / sizeof *(said))

void rocpd_read_places(struct rocpd *rocpd)
{
    static const struct said PROCESSES[] = {{"pid", PROCESS_NUMBER, SAID_NUMBER},
                                            {"name", PROCESS_NAME, SAID_TEXT},
                                            {"command", PROCESS_NAME, SAID_TEXT}};
    static const struct said THREADS[] = {{"tid", THREAD_NUMBER, SAID_NUMBER},
                                          {"name", THREAD_NAME, SAID_TEXT}};
    static const struct said AGENTS[] = {{"type", AGENT_TYPE, SAID_TYPE},
                                         {"type_index", AGENT_NUMBER, SAID_NUMBER},
                                         {"product_name", AGENT_NAME, SAID_TEXT},
                                         {"model_name", AGENT_NAME, SAID_TEXT},
                                         {"name", AGENT_NAME, SAID_TEXT}};
    static const struct said QUEUES[] = {{"name", QUEUE_NAME, SAID_TEXT}};
    static const struct said STREAMS[] = {{"name", STREAM_NAME, SAID_TEXT}};
    static const struct said KERNELS[] = {{"display_name", KERNEL_NAME, SAID_TEXT},
                                          {"kernel_name", KERNEL_NAME, SAID_TEXT}};
    static const struct said TRACKS[] = {
        {"name_id", TRACK_NAME, SAID_TEXT_ID},     {"pid", TRACK_PROCESS_ID, SAID_NUMBER},
        {"tid", TRACK_THREAD_ID, SAID_NUMBER},     {"agent_id", TRACK_AGENT_ID, SAID_NUMBER},
        {"queue_id", TRACK_QUEUE_ID, SAID_NUMBER}, {"stream_id", TRACK_STREAM_ID, SAID_NUMBER}};
    READ_SAID(rocpd, "rocpd_info_process", PROCESSES);
    READ_SAID(rocpd, "rocpd_info_thread", THREADS);
    READ_SAID(rocpd, "rocpd_info_agent", AGENTS);
    READ_SAID(rocpd, "rocpd_info_queue", QUEUES);
    READ_SAID(rocpd, "rocpd_info_stream", STREAMS);
    READ_SAID(rocpd, "rocpd_info_kernel_symbol", KERNELS);
    READ_SAID(rocpd, "rocpd_track", TRACKS);
}

uint32_t rocpd_kernel_name(const struct rocpd *rocpd, uint64_t kernel)
{
    return kept(rocpd, KERNEL_NAME, kernel);
}

uint32_t rocpd_track_name(const struct rocpd *rocpd, uint64_t track)
{
    return kept(rocpd, TRACK_NAME, track);
}

bool rocpd_agent_is_device(const struct rocpd *rocpd, uint64_t agent, uint32_t *out_number)
{
    const uint32_t number = kept(rocpd, AGENT_NUMBER, agent);
    *out_number = number == 0 ? 0 : number - 1;
    return kept(rocpd, AGENT_TYPE, agent) == AGENT_DEVICE;
}

bool rocpd_agent_is_host(const struct rocpd *rocpd, uint64_t agent)
{
    return kept(rocpd, AGENT_TYPE, agent) == AGENT_HOST;
}

// Where rows lie -------------------------------------------------------------------------------

struct rocpd_place_columns rocpd_place_columns(const struct database_rows *rows)
{
    return (struct rocpd_place_columns){.process = database_column(rows, "pid"),
                                        .thread = database_column(rows, "tid"),
                                        .agent = database_column(rows, "agent_id"),
                                        .queue = database_column(rows, "queue_id"),
                                        .stream = database_column(rows, "stream_id"),
                                        .track = database_column(rows, "track_id")};
}

static uint64_t own_or_tracks(const struct rocpd *rocpd, const struct database_rows *rows,
                              int column, uint64_t track, enum place_kind kind)
{
    const uint32_t of_track = track == 0 ? 0 : kept(rocpd, kind, track);
    return column >= 0 ? table_id(rows, column) : of_track == 0 ? 0 : of_track - 1;
}

struct rocpd_place rocpd_place(struct rocpd *rocpd, const struct database_rows *rows,
                               const struct rocpd_place_columns *columns)
{
    const uint64_t track = table_id(rows, columns->track);
    return (struct rocpd_place){
        .process = own_or_tracks(rocpd, rows, columns->process, track, TRACK_PROCESS_ID),
        .thread = own_or_tracks(rocpd, rows, columns->thread, track, TRACK_THREAD_ID),
        .agent = own_or_tracks(rocpd, rows, columns->agent, track, TRACK_AGENT_ID),
        .queue = own_or_tracks(rocpd, rows, columns->queue, track, TRACK_QUEUE_ID),
        .stream = own_or_tracks(rocpd, rows, columns->stream, track, TRACK_STREAM_ID)};
}

// Tracks ---------------------------------------------------------------------------------------

static uint32_t add_track(struct rocpd *rocpd, const struct table_place *place, struct track *track,
                          const char *text, uint32_t called)
{
    struct profile *profile = rocpd->tables.profile;
    rocpd->text.size = 0;
    bytes_append_format(&rocpd->text, "%s", text);
    if (called != 0)
        bytes_append_format(&rocpd->text, " (%.*s)", VIEW_ARGUMENTS(profile_text(profile, called)));
    track->name = profile_string(profile, bytes_view(&rocpd->text));
    track->provenance = PROVENANCE_MEASURED;
    const uint32_t id = profile_track_add(profile, track);
    tables_keep_lane(&rocpd->tables, place, id);
    return id;
}

// "what 17": the number that is kept for it, else its id.
static void number_text(const struct rocpd *rocpd, const char *what, enum place_kind kind,
                        uint64_t id, char *text, size_t room)
{
    const uint32_t number = kept(rocpd, kind, id);
    snprintf(text, room, "%s %" PRIu64, what, number == 0 ? id : (uint64_t)number - 1);
}

static uint32_t rocpd_process(struct rocpd *rocpd, uint64_t process)
{
    const struct table_place place = place_of(rocpd, PLACE_PROCESS, process);
    const uint32_t found = tables_find_lane(&rocpd->tables, &place);
    if (found != 0)
        return found;
    char text[48];
    struct track track = {.kind = TRACK_PROCESS};
    number_text(rocpd, "process", PROCESS_NUMBER, process, text, sizeof text);
    return add_track(rocpd, &place, &track, text, kept(rocpd, PROCESS_NAME, process));
}

uint32_t rocpd_thread(struct rocpd *rocpd, const struct rocpd_place *where)
{
    struct table_place place = place_of(rocpd, PLACE_THREAD, where->thread);
    place.c = where->process;
    const uint32_t found = tables_find_lane(&rocpd->tables, &place);
    if (found != 0)
        return found;
    char text[48];
    struct track track = {
        .kind = TRACK_LANE, .parent = rocpd_process(rocpd, where->process), .nests = true};
    profile_track_set_engine(rocpd->tables.profile, &track, ROLE_HOST, role_name(ROLE_HOST));
    number_text(rocpd, "thread", THREAD_NUMBER, where->thread, text, sizeof text);
    return add_track(rocpd, &place, &track, text, kept(rocpd, THREAD_NAME, where->thread));
}

// A GPU, or a processor that copies.
static uint32_t rocpd_agent(struct rocpd *rocpd, uint64_t agent, uint32_t *out_device)
{
    const struct table_place place = place_of(rocpd, PLACE_AGENT, agent);
    const uint32_t found = tables_find_lane(&rocpd->tables, &place);
    const bool device = !rocpd_agent_is_host(rocpd, agent);
    const uint32_t number = kept(rocpd, AGENT_NUMBER, agent);
    *out_device = device && number != 0 ? number : 0;
    if (found != 0)
        return found;
    char text[48];
    struct track track = {.kind = TRACK_PROCESS,
                          .rank = RANK_DEVICES + (int32_t)(number & 0xff),
                          .device = *out_device};
    number_text(rocpd, device ? "GPU" : "CPU", AGENT_NUMBER, agent, text, sizeof text);
    return add_track(rocpd, &place, &track, text, kept(rocpd, AGENT_NAME, agent));
}

static void queue_text(const struct rocpd *rocpd, const struct rocpd_place *where, char *text,
                       size_t room)
{
    const struct profile *profile = rocpd->tables.profile;
    const uint32_t queue = kept(rocpd, QUEUE_NAME, where->queue);
    const uint32_t stream = kept(rocpd, STREAM_NAME, where->stream);
    char numbers[2][48];
    snprintf(numbers[0], sizeof numbers[0], "queue %" PRIu64, where->queue);
    snprintf(numbers[1], sizeof numbers[1], "stream %" PRIu64, where->stream);
    const struct view queue_name =
        queue != 0 ? profile_text(profile, queue) : view_of(where->queue != 0 ? numbers[0] : "");
    const struct view stream_name =
        stream != 0 ? profile_text(profile, stream) : view_of(where->stream != 0 ? numbers[1] : "");
    if (queue_name.size + stream_name.size == 0)
        snprintf(text, room, "copies");
    else
        snprintf(text, room, "%.*s%s%.*s", VIEW_ARGUMENTS(queue_name),
                 queue_name.size > 0 && stream_name.size > 0 ? ", " : "",
                 VIEW_ARGUMENTS(stream_name));
}

uint32_t rocpd_queue(struct rocpd *rocpd, const struct rocpd_place *where)
{
    struct table_place place = place_of(rocpd, PLACE_QUEUE, where->agent);
    place.c = where->queue << 32 | (where->stream & UINT32_MAX);
    const uint32_t found = tables_find_lane(&rocpd->tables, &place);
    if (found != 0)
        return found;
    char text[256];
    struct track track = {.kind = TRACK_LANE};
    track.parent = rocpd_agent(rocpd, where->agent, &track.device);
    queue_text(rocpd, where, text, sizeof text);
    track.queue = profile_string(rocpd->tables.profile, view_of(text));
    profile_track_set_engine(rocpd->tables.profile, &track, ROLE_DEVICE, role_name(ROLE_DEVICE));
    return add_track(rocpd, &place, &track, text, 0);
}

uint32_t rocpd_memory_lane(struct rocpd *rocpd, const struct rocpd_place *where)
{
    const struct table_place place = place_of(rocpd, PLACE_MEMORY, where->agent);
    const uint32_t found = tables_find_lane(&rocpd->tables, &place);
    if (found != 0)
        return found;
    struct track track = {.kind = TRACK_LANE};
    track.parent = rocpd_agent(rocpd, where->agent, &track.device);
    return add_track(rocpd, &place, &track, "memory operations", 0);
}
