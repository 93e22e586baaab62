#include "annotate_layout.h"

#include <stdlib.h>

#include "annotate_jobs.h"
#include "base/memory.h"
#include "layout_locations.h"
#include "overview_rows.h"
#include "program/location.h"

// In the order in which Torq's tool makes them. The breakdown of estimates has the name of the
// other one.
enum group { HOST, BREAKDOWN, MEASUREMENTS, ESTIMATES, LOCATIONS, TOTALS, OVERVIEW };

enum lane {
    HAL,
    PROGRAMS,
    HOST_PROGRAMS = 3,
    HOST_COPIES,
    SLICE_1 = 9,
    USED = 11, // and a place in ANNOTATE_ENGINE
    LANES = USED + ANNOTATE_ENGINES,
};

static const char *const GROUP_NAMES[] = {
    [HOST] = "Host",
    [BREAKDOWN] = "NPU Task Breakdown",
    [MEASUREMENTS] = "NPU Task Measurements",
    [ESTIMATES] = "NPU Task Breakdown",
};

// In the order in which Torq's tool makes them. The runtime stamps nothing inside of a program:
// lanes of the breakdown stay empty, as they do there, and which engines are busy is taken from
// what is used. Of estimates it is the other way round.
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
    {"CDMA", BREAKDOWN, &TORQ_CDMA, 0},
    {"NDMA In", BREAKDOWN, &TORQ_DMA_IN, 0},
    {"NDMA Out", BREAKDOWN, &TORQ_DMA_OUT, 0},
    {"Slice 0", BREAKDOWN, &TORQ_SLICE, 0},
    {"Slice 1", BREAKDOWN, &TORQ_SLICE, 1},
    {"CSS", BREAKDOWN, &TORQ_CSS, 0},
    {"Slice 0 Used", MEASUREMENTS, &TORQ_SLICE, 0},
    {"Slice 1 Used", MEASUREMENTS, &TORQ_SLICE, 1},
    {"DMA In Used", MEASUREMENTS, &TORQ_DMA_IN, 0},
    {"DMA Out Used", MEASUREMENTS, &TORQ_DMA_OUT, 0},
    {"CDMA Used", MEASUREMENTS, &TORQ_CDMA, 0},
    {"CSS Used", MEASUREMENTS, &TORQ_CSS, 0},
};

static const unsigned LANE_OF_WORK[WORK_KINDS] = {
    [WORK_CFG] = 2,
    [WORK_CDMA] = 5,
    [WORK_DMA_IN] = 6,
    [WORK_DMA_OUT] = 7,
    [WORK_SLICE] = 8,
    [WORK_CSS] = 10,
    [WORK_HOST_PROGRAM] = HOST_PROGRAMS,
    [WORK_HOST_COPY] = HOST_COPIES,
};

// Those of the breakdown that have estimates beside them, and the programs.
static const unsigned ESTIMATED[] = {PROGRAMS, 2, 5, 6, 7, 8, SLICE_1, 10};

// What was started and is not waited for yet.
struct begun {
    bool is;
    uint64_t start, action;
};

struct layout {
    struct annotation *annotation;
    struct profile *profile;
    const struct annotate_layout_options *options;
    uint32_t lanes[LANES];
    uint32_t estimated[LANES];  // the lanes of estimates, by those that they stand beside
    struct begun *jobs, *tasks; // by job, and by task of the host
    struct layout_locations *locations;
    // Where there are estimates:
    struct clock_domain cycles;
    struct work_units units;
    struct sim_times *programs; // by job: from its start to the end of the wait for it, in cycles
    uint32_t *places, *shorts;  // by group: locations, strings of the profile; 0: not asked for yet
    struct bytes name, values, text;
};

// Tracks -----------------------------------------------------------------------------

// Torq's order of what is used: transfers, slices, CSS.
static int32_t annotate_layout_rank_of(unsigned lane)
{
    static const uint8_t USED_RANKS[ANNOTATE_ENGINES] = {3, 4, 0, 1, 2, 5};
    return lane >= USED ? USED + USED_RANKS[lane - USED] : (int32_t)lane;
}

static uint32_t annotate_layout_add_group(struct layout *layout, enum group group)
{
    struct profile *profile = layout->profile;
    return profile_track_add(
        profile, &(struct track){.name = profile_string(profile, view_of(GROUP_NAMES[group])),
                                 .kind = TRACK_GROUP,
                                 .rank = (int32_t)group,
                                 .provenance = PROVENANCE_DERIVED});
}

// Whether a lane's engine is busy when it has events.
static bool tells_engines(const struct layout *layout, unsigned lane)
{
    return LANE[lane].group == HOST || (LANE[lane].group == BREAKDOWN) == layout->options->modelled;
}

static void annotate_layout_add_tracks(struct layout *layout)
{
    struct profile *profile = layout->profile;
    const bool modelled = layout->options->modelled;
    const uint32_t clock = modelled ? 0 : profile_clock_add(profile, "us", 1000000, 0, 0);
    uint32_t groups[MEASUREMENTS + 1];
    for (unsigned i = 0; i <= MEASUREMENTS; i++)
        groups[i] = annotate_layout_add_group(layout, i);
    for (unsigned i = 0; i < LANES; i++) {
        struct track lane = {.parent = groups[LANE[i].group],
                             .name = profile_string(profile, view_of(LANE[i].name)),
                             .kind = TRACK_LANE,
                             .clock = clock,
                             .rank = annotate_layout_rank_of(i),
                             .nests = true,
                             .provenance = modelled ? PROVENANCE_MODELLED : PROVENANCE_DERIVED};
        torq_engine_set(profile, &lane, tells_engines(layout, i) ? LANE[i].engine : NULL,
                        LANE[i].index);
        layout->lanes[i] = profile_track_add(profile, &lane);
    }
}

// Beside what a runtime measured. They count for no overview.
static void annotate_layout_add_estimate_tracks(struct layout *layout)
{
    struct profile *profile = layout->profile;
    const uint32_t group = annotate_layout_add_group(layout, ESTIMATES);
    for (size_t i = 0; i < sizeof ESTIMATED / sizeof ESTIMATED[0]; i++) {
        layout->text.size = 0;
        bytes_append_format(&layout->text, "%s (Compile)", LANE[ESTIMATED[i]].name);
        layout->estimated[ESTIMATED[i]] = profile_track_add(
            profile, &(struct track){.parent = group,
                                     .name = profile_string(profile, bytes_view(&layout->text)),
                                     .kind = TRACK_LANE,
                                     .rank = (int32_t)i,
                                     .nests = true,
                                     .provenance = PROVENANCE_MODELLED});
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

static uint32_t annotate_layout_add_to(struct layout *layout, uint32_t track, uint64_t start,
                                       uint64_t end)
{
    const struct event event = {.kind = EVENT_SPAN,
                                .start = start,
                                .end = end,
                                .track = track,
                                .name = profile_string(layout->profile, bytes_view(&layout->name))};
    profile_event_add(layout->profile, &event, bytes_view(&layout->values));
    return event.name;
}

static uint32_t annotate_layout_add_span(struct layout *layout, unsigned lane, uint64_t start,
                                         uint64_t end)
{
    return annotate_layout_add_to(layout, layout->lanes[lane], start, end);
}

// Of the rows' times; what is beyond the clock stays at its end.
static uint64_t annotate_layout_ns(const struct layout *layout, uint64_t ticks)
{
    const uint64_t each = layout->options->modelled ? 1 : 1000;
    return ticks <= UINT64_MAX / each ? ticks * each : UINT64_MAX;
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

// Estimates --------------------------------------------------------------------------

static uint64_t cycles_ns(const struct layout *layout, uint64_t cycles)
{
    return clock_duration(&layout->cycles, cycles);
}

// The location of a task's work, as it is or in short: a string of the profile.
static uint32_t annotate_layout_location_of(struct layout *layout, uint32_t task, bool in_short)
{
    const struct program *program = layout->annotation->program;
    const uint32_t group = program_task_group(program, task);
    const uint32_t at = group != PROGRAM_NONE ? group : program->group_count;
    struct bytes *text = &layout->text;
    if (layout->places[at] == 0) {
        text->size = 0;
        if (group != PROGRAM_NONE)
            program_group_location(program, group, text);
        else
            bytes_append_format(text, "loc(unknown)");
        layout->places[at] = profile_string(layout->profile, bytes_view(text));
        text->size = 0;
        annotate_source_place(profile_text(layout->profile, layout->places[at]), text);
        layout->shorts[at] = profile_string(layout->profile, bytes_view(text));
    }
    return in_short ? layout->shorts[at] : layout->places[at];
}

static void annotate_layout_name_unit(struct layout *layout, const struct work_unit *unit)
{
    start_name(layout, work_kind_name(unit->kind));
    if (unit->kind == WORK_CFG)
        bytes_append_format(&layout->name, "Task: %u | ", unit->number);
    const struct view text =
        unit->kind == WORK_SLICE
            ? annotate_task_name(layout->annotation, unit->task)
            : profile_text(layout->profile, annotate_layout_location_of(layout, unit->task, true));
    bytes_append(&layout->name, text.data, text.size);
}

// Cycles `start` to `ready` of work, then of waiting to `end`, from `base` on, in ns.
static uint32_t annotate_layout_add_estimate(struct layout *layout, unsigned lane, uint64_t base,
                                             uint64_t origin, const struct work_unit *unit)
{
    const uint32_t track =
        layout->options->modelled ? layout->lanes[lane] : layout->estimated[lane];
    const uint64_t zero = cycles_ns(layout, origin);
    const uint64_t ready = base + (cycles_ns(layout, unit->ready) - zero);
    const uint64_t end = base + (cycles_ns(layout, unit->end) - zero);
    layout->values.size = 0;
    const uint32_t name = annotate_layout_add_to(
        layout, track, base + (cycles_ns(layout, unit->start) - zero), ready);
    if (end > ready) {
        layout->name.size = 0;
        bytes_append_format(&layout->name, "WAITING");
        annotate_layout_add_to(layout, track, ready, end);
    }
    return name;
}

static void annotate_layout_add_unit(struct layout *layout, uint64_t base, uint64_t origin,
                                     const struct work_unit *unit)
{
    const bool modelled = layout->options->modelled;
    if (unit->start < origin || (unit->end == unit->start && !modelled))
        return;
    annotate_layout_name_unit(layout, unit);
    uint32_t name = profile_string(layout->profile, bytes_view(&layout->name));
    const unsigned lane = LANE_OF_WORK[unit->kind] + unit->index;
    if (unit->kind != WORK_SLICE || lane <= SLICE_1)
        name = annotate_layout_add_estimate(layout, lane, base, origin, unit);
    if (modelled) // from the clock's zero, as `base` is
        layout_locations_add(
            layout->locations,
            profile_text(layout->profile, annotate_layout_location_of(layout, unit->task, false)),
            unit->kind, unit->index, name, cycles_ns(layout, unit->start),
            cycles_ns(layout, unit->end));
}

// A job, whose event is named and begins at `base`, as it was expected to go.
static void annotate_layout_add_estimates(struct layout *layout, uint32_t job, uint64_t base)
{
    const struct sim_times *times = &layout->programs[job];
    const struct work_unit program = {
        .start = times->start, .ready = times->end, .end = times->end};
    if (base > UINT64_MAX / 2)
        return;
    if (!layout->options->modelled && times->end > times->start)
        annotate_layout_add_estimate(layout, PROGRAMS, base, times->start, &program);
    for (uint32_t i = layout->units.first[job]; i < layout->units.first[job + 1]; i++)
        annotate_layout_add_unit(layout, base, times->start, &layout->units.items[i]);
}

static void annotate_layout_take_estimates(struct layout *layout)
{
    const struct program *program = layout->annotation->program;
    const struct sim_result *times = layout->options->times;
    if (times == NULL)
        return;
    layout->cycles.frequency = layout->options->clock_hz;
    clock_prepare(&layout->cycles);
    layout->units = work_units_of(program, layout->annotation->target, times);
    layout->programs =
        memory_allocate_zeroed((size_t)program->job_count + 1, sizeof *layout->programs);
    layout->places =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *layout->places);
    layout->shorts =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *layout->shorts);
    for (uint32_t i = 0; i < program->action_count; i++) {
        const struct program_action *action = &program->actions[i];
        if (action->kind == PROGRAM_ACTION_JOB_START)
            layout->programs[action->subject].start = times->actions[i].start;
        else if (action->kind == PROGRAM_ACTION_JOB_WAIT)
            layout->programs[action->subject].end = times->actions[i].end;
    }
    if (!layout->options->modelled)
        annotate_layout_add_estimate_tracks(layout);
}

// Programs ---------------------------------------------------------------------------

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
    if (layout->units.items != NULL)
        annotate_layout_add_estimates(layout, row->job, annotate_layout_ns(layout, start));
}

static uint32_t add_of_host(struct layout *layout, const struct annotate_row *row, unsigned lane,
                            const char *kind, uint64_t start)
{
    start_name(layout, kind);
    append_location(layout, row);
    annotate_layout_add_values(layout, row);
    return annotate_layout_add_span(layout, lane, start, row->end);
}

static void add_work_of_host(struct layout *layout, const struct annotate_row *row,
                             enum work_kind kind, uint64_t start)
{
    const uint32_t name = add_of_host(layout, row, LANE_OF_WORK[kind], work_kind_name(kind), start);
    layout_locations_add(layout->locations,
                         profile_text(layout->annotation->profile, row->location), kind, 0, name,
                         annotate_layout_ns(layout, start), annotate_layout_ns(layout, row->end));
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
            add_work_of_host(layout, row, WORK_HOST_PROGRAM, row->start);
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        if (layout->tasks[action->subject].is && row->ended)
            add_work_of_host(layout, row, WORK_HOST_PROGRAM, layout->tasks[action->subject].start);
        layout->tasks[action->subject].is = false;
        break;
    case PROGRAM_ACTION_HOST_COPY:
        if (row->timed)
            add_work_of_host(layout, row, WORK_HOST_COPY, row->start);
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

static status annotate_layout_add_overview(const struct layout *layout, uint64_t *out_start)
{
    struct profile *profile = layout->profile;
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
        torq_overview_tracks_add(profile,
                                 layout->options->modelled ? "Compile Profile" : "Host Profile",
                                 &overview, OVERVIEW);
        profile_track(profile, first)->kind = TRACK_GROUP;
    }
    *out_start = overview.overall.start;
    overview_free(&overview);
    overview_collector_free(collector);
    return result;
}

static void annotate_layout_free(struct layout *layout)
{
    free(layout->jobs);
    free(layout->tasks);
    free(layout->programs);
    free(layout->places);
    free(layout->shorts);
    work_units_free(&layout->units);
    layout_locations_free(layout->locations);
    bytes_free(&layout->name);
    bytes_free(&layout->values);
    bytes_free(&layout->text);
}

static status annotate_layout_fill(struct layout *layout)
{
    const struct annotation *annotation = layout->annotation;
    uint64_t start = 0;
    annotate_layout_add_tracks(layout);
    annotate_layout_take_estimates(layout);
    for (size_t i = 0; i < annotation->count; i++)
        annotate_layout_add_row(layout, i);
    STATUS_TRY(profile_finish(layout->profile));
    STATUS_TRY(annotate_layout_add_overview(layout, &start));
    layout_locations_finish(layout->locations, LOCATIONS, TOTALS, start);
    return profile_finish(layout->profile);
}

status annotate_layout(struct annotation *annotation, const struct annotate_layout_options *options,
                       struct profile *profile)
{
    const struct program *program = annotation->program;
    struct layout layout = {
        .annotation = annotation,
        .profile = profile,
        .options = options,
        .jobs = memory_allocate_zeroed((size_t)program->job_count + 1, sizeof *layout.jobs),
        .tasks = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *layout.tasks),
        .locations = layout_locations_create(profile, annotation->source)};
    const status result = annotate_layout_fill(&layout);
    annotate_layout_free(&layout);
    return result;
}
