#include "annotate_layout.h"

#include <stdlib.h>

#include "base/memory.h"
#include "overview_rows.h"

enum group { HOST, BREAKDOWN, MEASUREMENTS, GROUPS };

enum lane {
    HAL,
    PROGRAMS,
    HOST_PROGRAMS = 3,
    HOST_COPIES,
    USED = 11, // and a place in ANNOTATE_ENGINE
    LANES = USED + ANNOTATE_ENGINES,
};

static const char *const GROUP_NAMES[GROUPS] = {"Host", "NPU Task Breakdown",
                                                "NPU Task Measurements"};

// In the order in which Torq's tool makes them. The runtime stamps nothing inside of a program:
// lanes of the breakdown stay empty, as they do there. Which are busy is taken from what is used.
static const struct {
    const char *name;
    enum group group;
    const struct torq_engine *engine;
    uint32_t index;
} LANE[LANES] = {
    {"HAL", HOST, &TORQ_HAL, 0},
    {"NSS Programs", HOST, &TORQ_NPU, 0},
    {"NSS CFG Tasks", BREAKDOWN, NULL, 0},
    {"Host Programs", HOST, &TORQ_HOST, 0},
    {"Host Copy", HOST, &TORQ_HOST_COPY, 0},
    {"CDMA", BREAKDOWN, NULL, 0},
    {"NDMA In", BREAKDOWN, NULL, 0},
    {"NDMA Out", BREAKDOWN, NULL, 0},
    {"Slice 0", BREAKDOWN, NULL, 0},
    {"Slice 1", BREAKDOWN, NULL, 0},
    {"CSS", BREAKDOWN, NULL, 0},
    {"Slice 0 Used", MEASUREMENTS, &TORQ_SLICE, 0},
    {"Slice 1 Used", MEASUREMENTS, &TORQ_SLICE, 1},
    {"DMA In Used", MEASUREMENTS, &TORQ_DMA_IN, 0},
    {"DMA Out Used", MEASUREMENTS, &TORQ_DMA_OUT, 0},
    {"CDMA Used", MEASUREMENTS, &TORQ_CDMA, 0},
    {"CSS Used", MEASUREMENTS, &TORQ_CSS, 0},
};

// What was started and is not waited for yet.
struct begun {
    bool is;
    uint64_t start, action;
};

struct layout {
    struct annotation *annotation;
    struct profile *profile;
    uint32_t lanes[LANES];
    struct begun *jobs, *tasks; // by job, and by task of the host
    struct bytes name, values;
};

// Tracks -----------------------------------------------------------------------------

// Torq's order of what is used: transfers, slices, CSS.
static int32_t annotate_layout_rank_of(unsigned lane)
{
    static const uint8_t USED_RANKS[ANNOTATE_ENGINES] = {3, 4, 0, 1, 2, 5};
    return lane >= USED ? USED + USED_RANKS[lane - USED] : (int32_t)lane;
}

static void annotate_layout_add_tracks(struct layout *layout)
{
    struct profile *profile = layout->profile;
    const uint32_t clock = profile_clock_add(profile, "us", 1000000, 0, 0);
    uint32_t groups[GROUPS];
    for (int i = 0; i < GROUPS; i++)
        groups[i] = profile_track_add(
            profile, &(struct track){.name = profile_string(profile, view_of(GROUP_NAMES[i])),
                                     .kind = TRACK_GROUP,
                                     .rank = i,
                                     .provenance = PROVENANCE_DERIVED});
    for (unsigned i = 0; i < LANES; i++) {
        struct track lane = {.parent = groups[LANE[i].group],
                             .name = profile_string(profile, view_of(LANE[i].name)),
                             .kind = TRACK_LANE,
                             .clock = clock,
                             .rank = annotate_layout_rank_of(i),
                             .nests = true,
                             .provenance = PROVENANCE_DERIVED};
        torq_engine_set(profile, &lane, LANE[i].engine, LANE[i].index);
        layout->lanes[i] = profile_track_add(profile, &lane);
    }
}

// Events -----------------------------------------------------------------------------

static void annotate_layout_add_values(struct layout *layout, const struct annotate_row *row)
{
    const struct annotation *annotation = layout->annotation;
    layout->values.size = 0;
    for (size_t i = 0; i < annotate_column_count(annotation); i++) {
        const struct annotate_cell cell = annotate_cell(annotation, row, i);
        const uint32_t key =
            profile_string(layout->profile, view_of(annotate_column_name(annotation, i)));
        if (cell.kind == ANNOTATE_TEXT)
            value_add_text(&layout->values, key, cell.text);
        else if (cell.kind == ANNOTATE_NUMBER)
            value_add_uint(&layout->values, key, cell.number);
        else if (cell.kind == ANNOTATE_FLAG)
            value_add(&layout->values, &(struct value){.key = key,
                                                       .kind = VALUE_BOOL,
                                                       .provenance = PROVENANCE_DERIVED,
                                                       .number = cell.number});
    }
}

static void annotate_layout_add_span(struct layout *layout, unsigned lane, uint64_t start,
                                     uint64_t end)
{
    const struct event event = {.kind = EVENT_SPAN,
                                .start = start,
                                .end = end,
                                .track = layout->lanes[lane],
                                .name = profile_string(layout->profile, bytes_view(&layout->name))};
    profile_event_add(layout->profile, &event, bytes_view(&layout->values));
}

static void start_name(struct layout *layout, const char *kind)
{
    layout->name.size = 0;
    bytes_append_format(&layout->name, "%s | ", kind);
}

static void append_location(struct layout *layout, const struct annotate_row *row)
{
    annotate_source_place(profile_text(layout->annotation->profile, row->location), &layout->name);
}

// "add_0,mul_1" as "| Torq Kernels: [add_0, mul_1]"
static void append_kernels(struct bytes *to, struct view names)
{
    if (names.size == 0)
        return;
    bytes_append_format(to, "| Torq Kernels: [");
    for (size_t i = 0; i < names.size; i++)
        bytes_append_format(to, names.data[i] == ',' ? ", " : "%c", names.data[i]);
    bytes_append_format(to, "]");
}

static void annotate_layout_append_action(struct bytes *to, const char *which, bool known,
                                          uint64_t action)
{
    if (known)
        bytes_append_format(to, " | %s Action: %llu", which, (unsigned long long)action);
    else
        bytes_append_format(to, " | %s Action: N/A", which);
}

// The same span on the lane of each engine that the job uses.
static void annotate_layout_add_program(struct layout *layout, const struct annotate_row *row,
                                        uint64_t start, const struct begun *begun)
{
    const struct annotation *annotation = layout->annotation;
    const struct program *program = annotation->program;
    const struct annotate_job *job = &annotation->jobs[row->job];
    struct bytes *name = &layout->name;
    start_name(layout, "Nss Program");
    bytes_append_format(name, "%s | ", program_text(program, program->jobs[row->job].name));
    append_location(layout, row);
    append_kernels(name, profile_text(annotation->profile, job->names));
    bytes_append_format(name, " | Job: %u", program->jobs[row->job].number);
    annotate_layout_append_action(name, "Start", begun != NULL, begun != NULL ? begun->action : 0);
    annotate_layout_append_action(name, "Wait", begun != NULL, row->id);
    annotate_layout_add_values(layout, row);
    annotate_layout_add_span(layout, PROGRAMS, start, row->end);
    for (unsigned i = 0; i < ANNOTATE_ENGINES; i++) {
        if (job->used[i])
            annotate_layout_add_span(layout, USED + i, start, row->end);
    }
}

static void add_of_host(struct layout *layout, const struct annotate_row *row, unsigned lane,
                        const char *kind, uint64_t start)
{
    start_name(layout, kind);
    append_location(layout, row);
    annotate_layout_add_values(layout, row);
    annotate_layout_add_span(layout, lane, start, row->end);
}

// Rows -------------------------------------------------------------------------------

static void annotate_layout_add_action(struct layout *layout, const struct annotate_row *row)
{
    const struct program_action *action = &layout->annotation->program->actions[row->action];
    const struct begun begun = {row->begun, row->start, row->id};
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
        layout->jobs[action->subject] = begun;
        break;
    case PROGRAM_ACTION_JOB_WAIT:
        if (layout->jobs[action->subject].is && row->ended)
            annotate_layout_add_program(layout, row, layout->jobs[action->subject].start,
                                        &layout->jobs[action->subject]);
        layout->jobs[action->subject].is = false;
        break;
    case PROGRAM_ACTION_HOST_START:
        layout->tasks[action->subject] = begun;
        // R2 and R3 have the whole program in one event.
        if (layout->annotation->form != TORQ_R4 && row->timed)
            add_of_host(layout, row, HOST_PROGRAMS, "Host Program", row->start);
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        if (layout->tasks[action->subject].is && row->ended)
            add_of_host(layout, row, HOST_PROGRAMS, "Host Program",
                        layout->tasks[action->subject].start);
        layout->tasks[action->subject].is = false;
        break;
    case PROGRAM_ACTION_HOST_COPY:
        if (row->timed)
            add_of_host(layout, row, HOST_COPIES, "Host Copy", row->start);
        break;
    default: // allocations are not shown
        break;
    }
}

// Rows of one job follow one another; the first stands for it.
static bool is_first_of_job(const struct annotation *annotation, size_t index)
{
    const struct annotate_row *row = &annotation->rows[index];
    return index == 0 || row->job != row[-1].job || row->invocation != row[-1].invocation;
}

static void annotate_layout_add_row(struct layout *layout, size_t index)
{
    const struct annotation *annotation = layout->annotation;
    const struct annotate_row *row = &annotation->rows[index];
    if (row->action != PROGRAM_NONE) {
        annotate_layout_add_action(layout, row);
    } else if (row->job != PROGRAM_NONE) { // R1
        if (row->timed && is_first_of_job(annotation, index))
            annotate_layout_add_program(layout, row, row->start, NULL);
    } else if (row->timed &&
               view_starts_with(profile_text(annotation->profile, row->dispatch_name), "__HAL")) {
        add_of_host(layout, row, HAL, "Hal", row->start);
    }
}

// The overview -----------------------------------------------------------------------

static status annotate_layout_add_overview(struct profile *profile)
{
    struct overview_collector *collector = overview_collector_create(profile, false);
    struct overview overview = {0};
    status result = profile_replay(profile, overview_collector_sink(collector));
    for (size_t i = 0; i < overview_count(collector) && result == STATUS_OK; i++) {
        if (overview_scope(collector, i) == 0)
            result = overview_compute(collector, i, TORQ_OVERVIEW_PARTS, TORQ_OVERVIEW_PART_COUNT,
                                      &overview);
    }
    if (result == STATUS_OK) {
        const uint32_t first = (uint32_t)profile->tracks.count;
        overview.profile = profile;
        torq_overview_tracks_add(profile, "Host Profile", &overview, GROUPS);
        profile_track(profile, first)->kind = TRACK_GROUP;
    }
    overview_free(&overview);
    overview_collector_free(collector);
    return result;
}

status annotate_layout(struct annotation *annotation, struct profile *profile)
{
    const struct program *program = annotation->program;
    struct layout layout = {
        .annotation = annotation,
        .profile = profile,
        .jobs = memory_allocate_zeroed((size_t)program->job_count + 1, sizeof *layout.jobs),
        .tasks = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *layout.tasks)};
    annotate_layout_add_tracks(&layout);
    for (size_t i = 0; i < annotation->count; i++)
        annotate_layout_add_row(&layout, i);
    free(layout.jobs);
    free(layout.tasks);
    bytes_free(&layout.name);
    bytes_free(&layout.values);
    STATUS_TRY(profile_finish(profile));
    STATUS_TRY(annotate_layout_add_overview(profile));
    return profile_finish(profile);
}
