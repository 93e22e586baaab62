#include "run_actions.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "engines.h"
#include "program/location.h"
#include "runs.h"

// Reading -------------------------------------------------------------------------------

struct collecting {
    struct event_sink sink;
    struct profile *profile;
    struct run_actions *actions;
    uint32_t *dispatch_names; // by dispatch: text of the profile
    uint32_t action_key, dispatch_key, iteration_key, lane, init;
};

static uint32_t run_actions_dispatch_named(const struct collecting *collecting, uint64_t name,
                                           uint32_t like)
{
    const uint32_t count = collecting->actions->program->dispatch_count;
    for (uint32_t i = 0; i < count; i++) { // most often that of the action before
        const uint32_t at = (like + i) % count;
        if (collecting->dispatch_names[at] == name)
            return at;
    }
    return PROGRAM_NONE;
}

static uint32_t action_numbered(const struct program *program, uint32_t dispatch, uint64_t number)
{
    const struct program_dispatch *item = &program->dispatches[dispatch];
    if (number < item->action_count &&
        program->actions[item->first_action + number].number == number)
        return item->first_action + (uint32_t)number;
    for (uint32_t i = 0; i < item->action_count; i++) {
        if (program->actions[item->first_action + i].number == number)
            return item->first_action + i;
    }
    return PROGRAM_NONE;
}

static void take_action(struct collecting *collecting, const struct event *event,
                        struct view values)
{
    struct run_actions *actions = collecting->actions;
    struct run_action item = {.start = event->start,
                              .end = event->end,
                              .finish = event->end,
                              .action = PROGRAM_NONE,
                              .dispatch = PROGRAM_NONE};
    const uint32_t like = actions->count > 0 ? actions->items[actions->count - 1].dispatch : 0;
    uint64_t number = UINT64_MAX;
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == collecting->action_key)
            number = value.number;
        else if (value.key == collecting->dispatch_key)
            item.dispatch = run_actions_dispatch_named(collecting, value.number, like);
        else if (value.key == collecting->iteration_key)
            item.iteration = value.number;
    }
    if (item.dispatch != PROGRAM_NONE)
        item.action = action_numbered(actions->program, item.dispatch, number);
    if (item.action == PROGRAM_NONE) {
        actions->unknown++;
        return;
    }
    actions->clock = *profile_clock(collecting->profile,
                                    profile_track(collecting->profile, event->track)->clock);
    actions->items =
        memory_grow(actions->items, actions->count, &actions->capacity, sizeof *actions->items);
    actions->items[actions->count++] = item;
}

static status run_actions_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct collecting *collecting = (struct collecting *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->kind != EVENT_SPAN)
            continue;
        const uint32_t lane = profile_track(collecting->profile, event->track)->name;
        if (lane == collecting->lane) {
            take_action(collecting, event, event_values(batch, event));
        } else if (lane == collecting->init && event->name == collecting->init) {
            collecting->actions->init_start = event->start;
            collecting->actions->init_end = event->end;
        }
    }
    return STATUS_OK;
}

static int run_actions_by_start(const void *left, const void *right)
{
    const struct run_action *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->iteration != b->iteration)
        return a->iteration < b->iteration ? -1 : 1;
    return (a->action > b->action) - (a->action < b->action);
}

static bool is_start(const struct program_action *action)
{
    return action->kind == PROGRAM_ACTION_JOB_START || action->kind == PROGRAM_ACTION_HOST_START;
}

static bool is_wait(const struct program_action *action)
{
    return action->kind == PROGRAM_ACTION_JOB_WAIT || action->kind == PROGRAM_ACTION_HOST_WAIT;
}

// A wait is for the last start before it of its job or of its task.
static void find_finishes(struct run_actions *actions)
{
    const struct program *program = actions->program;
    size_t *jobs = memory_allocate_zeroed((size_t)program->job_count + 1, sizeof *jobs);
    size_t *tasks = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *tasks);
    for (size_t i = 0; i < actions->count; i++) {
        const struct program_action *action = &program->actions[actions->items[i].action];
        const bool job =
            action->kind == PROGRAM_ACTION_JOB_START || action->kind == PROGRAM_ACTION_JOB_WAIT;
        size_t *started =
            is_start(action) || is_wait(action) ? &(job ? jobs : tasks)[action->subject] : NULL;
        if (is_start(action)) {
            *started = i + 1;
        } else if (started != NULL && *started != 0) {
            actions->items[*started - 1].finish = actions->items[i].end;
            *started = 0;
        }
    }
    free(jobs);
    free(tasks);
}

status run_actions_read(const struct program *program, struct profile *recorded,
                        struct run_actions *out_actions)
{
    *out_actions = (struct run_actions){.program = program};
    struct collecting collecting = {
        .sink.take = run_actions_take_batch,
        .profile = recorded,
        .actions = out_actions,
        .dispatch_names =
            memory_allocate_zeroed((size_t)program->dispatch_count + 1, sizeof(uint32_t)),
        .action_key = profile_string(recorded, VIEW_LITERAL("action")),
        .dispatch_key = profile_string(recorded, VIEW_LITERAL("dispatch")),
        .iteration_key = profile_string(recorded, VIEW_LITERAL("iteration")),
        .lane = profile_string(recorded, VIEW_LITERAL(RUN_ACTIONS_LANE)),
        .init = profile_string(recorded, VIEW_LITERAL(RUN_ACTIONS_INIT))};
    for (uint32_t i = 0; i < program->dispatch_count; i++)
        collecting.dispatch_names[i] =
            profile_string(recorded, view_of(program_text(program, program->dispatches[i].name)));
    const status result = profile_replay(recorded, &collecting.sink);
    free(collecting.dispatch_names);
    if (result != STATUS_OK) {
        run_actions_free(out_actions);
        return result;
    }
    if (out_actions->count > 1)
        sort_items(out_actions->items, out_actions->count, sizeof *out_actions->items,
                   run_actions_by_start);
    find_finishes(out_actions);
    return STATUS_OK;
}

void run_actions_free(struct run_actions *actions)
{
    free(actions->items);
    *actions = (struct run_actions){0};
}

// Writing -------------------------------------------------------------------------------

struct describing_run {
    const struct run_actions *actions;
    enum torq_form form;
    struct profile *profile;
    struct runs runs;
    struct bytes text;
    struct bytes values;
    uint32_t *calls; // by action: that says where it comes from; 0: not known yet
    uint32_t lane, scopes;
    uint32_t action_key, job_key, dispatch_key, invocation_key;
};

static uint32_t run_actions_call_of(struct describing_run *run, uint32_t id)
{
    const struct program *program = run->actions->program;
    const struct program_action *action = &program->actions[id];
    if (run->calls[id] != 0)
        return run->calls[id];
    run->text.size = 0;
    program_action_location(program, action, &run->text);
    if (run->text.size > 0)
        run->calls[id] = runs_call(&run->runs, run->profile, 0,
                                   profile_string(run->profile, bytes_view(&run->text)));
    return run->calls[id];
}

static const char *event_of(enum torq_form form, uint32_t kind)
{
    switch ((enum program_action_kind)kind) {
    case PROGRAM_ACTION_ALLOC:
        return "ALLOC";
    case PROGRAM_ACTION_DEALLOC:
        return "DEALLOC";
    case PROGRAM_ACTION_HOST_COPY:
        return "HOST_COPY";
    case PROGRAM_ACTION_JOB_START:
        return "NSS_START";
    case PROGRAM_ACTION_JOB_WAIT:
        return "NSS_WAIT";
    case PROGRAM_ACTION_HOST_START:
        return form == TORQ_R4 ? "HOST_START" : "HOST_PROGRAM";
    case PROGRAM_ACTION_HOST_WAIT:
        return form == TORQ_R4 ? "HOST_WAIT" : NULL; // R2 has one event for the two
    }
    return NULL;
}

static void run_actions_add_span(struct describing_run *run, uint32_t lane, const char *name,
                                 uint64_t start, uint64_t end, uint32_t call)
{
    const struct event event = {.kind = EVENT_SPAN,
                                .track = lane,
                                .name = profile_string(run->profile, view_of(name)),
                                .start = start,
                                .end = end,
                                .call = call};
    profile_event_add(run->profile, &event, bytes_view(&run->values));
}

static void set_invocation(struct describing_run *run, uint32_t dispatch, uint64_t invocation)
{
    const struct program *program = run->actions->program;
    const char *name = program_text(program, program->dispatches[dispatch].name);
    run->values.size = 0;
    value_add_uint(&run->values, run->invocation_key, invocation);
    value_add_string(&run->values, run->dispatch_key, profile_string(run->profile, view_of(name)));
}

static void run_actions_add_action(struct describing_run *run, const struct run_action *item)
{
    const struct program_action *action = &run->actions->program->actions[item->action];
    const char *event = event_of(run->form, action->kind);
    if (event == NULL)
        return;
    const bool whole = run->form == TORQ_R2 && action->kind == PROGRAM_ACTION_HOST_START;
    value_add_uint(&run->values, run->action_key, action->number);
    run_actions_add_span(run, run->lane, event, item->start, whole ? item->finish : item->end,
                         run->form == TORQ_R2 ? run_actions_call_of(run, item->action) : 0);
}

static void add_host_actions(struct describing_run *run)
{
    for (size_t i = 0; i < run->actions->count; i++) {
        run->values.size = 0;
        run_actions_add_action(run, &run->actions->items[i]);
    }
}

// An execution of a dispatch is a scope, from its first action to its last.
static void add_scopes(struct describing_run *run)
{
    const struct run_action *items = run->actions->items;
    uint64_t invocation = 0;
    if (run->actions->init_end != 0 && run->actions->program->dispatch_count > 0) {
        set_invocation(run, 0, invocation);
        run_actions_add_span(run, run->scopes, "INIT", run->actions->init_start,
                             run->actions->init_end, 0);
    }
    for (size_t from = 0, to; from < run->actions->count; from = to) {
        uint64_t end = 0;
        for (to = from; to < run->actions->count && items[to].iteration == items[from].iteration &&
                        items[to].dispatch == items[from].dispatch;
             to++)
            end = items[to].end > end ? items[to].end : end;
        set_invocation(run, items[from].dispatch, ++invocation);
        run_actions_add_span(run, run->scopes, "DISPATCH", items[from].start, end, 0);
        for (size_t i = from; i < to; i++) {
            set_invocation(run, items[i].dispatch, invocation);
            run_actions_add_action(run, &items[i]);
        }
    }
}

static void add_jobs(struct describing_run *run)
{
    const struct program *program = run->actions->program;
    for (size_t i = 0; i < run->actions->count; i++) {
        const struct run_action *item = &run->actions->items[i];
        const struct program_action *action = &program->actions[item->action];
        if (action->kind != PROGRAM_ACTION_JOB_START)
            continue;
        run->values.size = 0;
        value_add_uint(&run->values, run->job_key, program->jobs[action->subject].number);
        run_actions_add_span(run, run->lane, "NSS", item->start, item->finish,
                             run_actions_call_of(run, item->action));
    }
}

static uint32_t run_actions_add_lane(struct describing_run *run, const char *name, uint32_t clock,
                                     const struct torq_engine *engine)
{
    struct track lane = {.name = profile_string(run->profile, view_of(name)),
                         .kind = TRACK_LANE,
                         .clock = clock,
                         .provenance = PROVENANCE_MEASURED};
    torq_engine_set(run->profile, &lane, engine, 0);
    return profile_track_add(run->profile, &lane);
}

// R1's times are since the program was opened.
static uint32_t run_actions_add_clock(const struct describing_run *run)
{
    const struct run_actions *actions = run->actions;
    const uint64_t frequency = actions->clock.frequency != 0 ? actions->clock.frequency : 1;
    if (run->form != TORQ_R1)
        return profile_clock_add(run->profile, "run", frequency, actions->clock.base_ticks,
                                 actions->clock.base_ns);
    const uint64_t first = actions->count > 0 ? actions->items[0].start : 0;
    return profile_clock_add(run->profile, "since open", frequency,
                             actions->init_end != 0 ? actions->init_end : first, 0);
}

static void run_actions_describe(struct describing_run *run)
{
    const uint32_t clock = run_actions_add_clock(run);
    run->action_key = profile_string(run->profile, VIEW_LITERAL("action"));
    run->job_key = profile_string(run->profile, VIEW_LITERAL("job"));
    run->dispatch_key = profile_string(run->profile, VIEW_LITERAL("dispatch"));
    run->invocation_key = profile_string(run->profile, VIEW_LITERAL("invocation"));
    if (run->form == TORQ_R1) {
        run->lane = run_actions_add_lane(run, "NSS", clock, &TORQ_NPU);
        add_jobs(run);
        return;
    }
    // Scopes begin before what is in them: their lane comes first.
    run->scopes = run_actions_add_lane(run, "SCOPES", clock, NULL);
    run->lane = run_actions_add_lane(run, RUN_ACTIONS_LANE, clock, NULL);
    if (run->form == TORQ_R4)
        add_scopes(run);
    else
        add_host_actions(run);
}

status run_actions_write(const struct run_actions *actions, enum torq_form form,
                         enum torq_elapsed elapsed, const char *path)
{
    struct describing_run run = {
        .actions = actions,
        .form = form,
        .profile = profile_create(),
        .runs = RUNS_EMPTY,
        .calls =
            memory_allocate_zeroed((size_t)actions->program->action_count + 1, sizeof *run.calls)};
    run_actions_describe(&run);
    status result = profile_finish(run.profile);
    if (result == STATUS_OK)
        result = torq_runtime_write(run.profile, form, elapsed, path);
    runs_free(&run.runs);
    bytes_free(&run.text);
    bytes_free(&run.values);
    free(run.calls);
    profile_free(run.profile);
    return result;
}
