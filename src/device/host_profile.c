#include "host_profile.h"

#include <opscope/record.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/recovery.h"
#include "describe.h"
#include "program/location.h"
#include "program/print.h"

enum {
    PLAIN_MOST = 8, // values of a span besides its flows
    FLOWS_MOST = OPSCOPE_VALUES_MOST - PLAIN_MOST,
};

// What is said about every span of a task or an action, ready to be recorded: values, then
// flows.
struct prepared {
    uint32_t lane;
    uint32_t name;
    uint32_t group; // PROGRAM_NONE: none
    uint32_t first; // in `values`
    uint16_t value_count;
    uint16_t flow_count;
};

// How many events an iteration has on a lane.
struct expected {
    uint32_t lane;
    uint32_t count;
};

struct host_profile {
    struct recorder *recorder;
    struct describing describing;
    struct expected *expected;
    size_t expected_count;
    size_t expected_capacity;
    struct prepared *tasks;
    struct prepared *actions;
    struct opscope_value *values;
    size_t value_count;
    size_t value_capacity;
    uint32_t *numbers; // by task: of the controller's task, or of the host's action
    uint32_t iterations;
    uint32_t iteration_key;
};

static void host_profile_add_value(struct host_profile *profile, struct opscope_value value)
{
    profile->values = memory_grow(profile->values, profile->value_count, &profile->value_capacity,
                                  sizeof *profile->values);
    profile->values[profile->value_count++] = value;
}

static void host_profile_add_number(struct host_profile *profile, struct prepared *to,
                                    const char *key, uint64_t number)
{
    host_profile_add_value(
        profile, (struct opscope_value){
                     describing_key(&profile->describing, key), OPSCOPE_UINT, {.number = number}});
    to->value_count++;
}

static void host_profile_add_text(struct host_profile *profile, struct prepared *to,
                                  const char *key, uint32_t text)
{
    if (text == 0)
        return;
    host_profile_add_value(
        profile, (struct opscope_value){
                     describing_key(&profile->describing, key), OPSCOPE_TEXT, {.number = text}});
    to->value_count++;
}

static void host_profile_add_flow(struct host_profile *profile, struct prepared *to,
                                  enum opscope_value_kind kind, uint32_t number)
{
    host_profile_add_value(profile, (struct opscope_value){.kind = kind, .as.number = number});
    to->flow_count++;
}

static void expect(struct host_profile *profile, uint32_t lane, uint32_t count)
{
    profile->expected = memory_grow(profile->expected, profile->expected_count,
                                    &profile->expected_capacity, sizeof *profile->expected);
    profile->expected[profile->expected_count++] = (struct expected){lane, count};
}

// Tasks --------------------------------------------------------------------------------

// By dependency: whether it is shown as a flow. An event has room for so many of them; a
// flow has both ends or none.
static bool *choose_flows(const struct program *program, uint32_t *out_left_out)
{
    bool *shown = memory_allocate_zeroed((size_t)program->dependency_count + 1, sizeof *shown);
    uint32_t *used = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *used);
    *out_left_out = 0;
    for (uint32_t t = 0; t < program->task_count; t++) {
        for (uint32_t i = 0; i < program->tasks[t].dependency_count; i++) {
            const uint32_t id = program->tasks[t].first_dependency + i;
            const struct program_dependency *on = &program->dependencies[id];
            if (on->is_true == 0)
                continue;
            shown[id] = used[t] < FLOWS_MOST && used[on->task] < FLOWS_MOST;
            used[t] += shown[id];
            used[on->task] += shown[id];
            *out_left_out += !shown[id];
        }
    }
    free(used);
    return shown;
}

static void prepare_flows(struct host_profile *profile, uint32_t id, const bool *shown,
                          const struct describing_flows *flows)
{
    const struct program_task *task = &profile->describing.program->tasks[id];
    for (uint32_t i = 0; i < task->dependency_count; i++) {
        if (shown[task->first_dependency + i])
            host_profile_add_flow(profile, &profile->tasks[id], OPSCOPE_FLOW_IN,
                                  task->first_dependency + i + 1);
    }
    for (uint32_t i = flows->first[id]; i < flows->first[id + 1]; i++) {
        if (shown[flows->outs[i] - 1])
            host_profile_add_flow(profile, &profile->tasks[id], OPSCOPE_FLOW_OUT, flows->outs[i]);
    }
}

static void prepare_task(struct host_profile *profile, uint32_t id, uint32_t lane)
{
    const struct describing *describing = &profile->describing;
    const struct program *program = describing->program;
    const struct program_task *task = &program->tasks[id];
    struct prepared *to = &profile->tasks[id];
    to->lane = lane;
    to->group = program_task_group(program, id);
    to->name = describing_name(describing, id, task->engine, to->group);
    to->first = (uint32_t)profile->value_count;
    host_profile_add_number(profile, to, "task", profile->numbers[id]);
    host_profile_add_number(profile, to, "program_task", id);
    if (task->kind == PROGRAM_TASK_TRANSFER)
        host_profile_add_number(profile, to, "bytes", task->cost.bytes);
    if (to->group == PROGRAM_NONE)
        return;
    const struct program_group *group = &program->groups[to->group];
    host_profile_add_text(profile, to, "operator", describing_text(describing, group->name));
    host_profile_add_text(profile, to, "group", describing_text(describing, group->type));
    host_profile_add_number(profile, to, "tile", task->tile);
}

static uint32_t *number_tasks(const struct program *program)
{
    uint32_t *numbers = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *numbers);
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct program_step *step = &program->steps[i];
        if (step->kind == PROGRAM_STEP_START || step->kind == PROGRAM_STEP_WAIT)
            numbers[step->task] = step->number;
    }
    for (uint32_t i = 0; i < program->action_count; i++) {
        if (program->actions[i].kind == PROGRAM_ACTION_HOST_START)
            numbers[program->actions[i].subject] = program->actions[i].number;
    }
    return numbers;
}

static uint32_t host_profile_add_track(void *context, const struct track *track)
{
    (void)context;
    return record_add_lane(track);
}

static uint32_t host_profile_lane_of(const struct host_profile *profile,
                                     const struct program_task *task)
{
    return target_lane(profile->describing.target, task->engine, task->unit, task->lane);
}

static void expect_tasks(struct host_profile *profile, const struct describing_tracks *tracks)
{
    const struct program *program = profile->describing.program;
    const uint32_t lanes = profile->describing.target->lane_count;
    uint32_t *tasks = memory_allocate_zeroed((size_t)lanes + 1, sizeof *tasks);
    for (uint32_t i = 0; i < program->task_count; i++)
        tasks[host_profile_lane_of(profile, &program->tasks[i])]++;
    for (uint32_t i = 0; i < lanes; i++)
        expect(profile, tracks->lanes[i], tasks[i]);
    free(tasks);
}

static void prepare_tasks(struct host_profile *profile)
{
    const struct program *program = profile->describing.program;
    struct describing_tracks tracks = {0}; // below the recorder's process
    describing_tracks_add(&profile->describing, &tracks, host_profile_add_track, NULL);
    expect_tasks(profile, &tracks);
    uint32_t left_out;
    bool *shown = choose_flows(program, &left_out);
    const struct describing_flows flows = describing_flows(program);
    profile->numbers = number_tasks(program);
    for (uint32_t i = 0; i < program->task_count; i++) {
        prepare_task(profile, i, tracks.lanes[host_profile_lane_of(profile, &program->tasks[i])]);
        prepare_flows(profile, i, shown, &flows);
    }
    if (left_out > 0)
        profile_note(profile->describing.profile, 0, LEDGER_REMARK, left_out,
                     "flows of tasks that depend on more others, or have more dependents, than an "
                     "event has room for (%d) are left out",
                     FLOWS_MOST);
    describing_tracks_free(&tracks);
    free(shown);
    free(flows.first);
    free(flows.outs);
}

// Actions ------------------------------------------------------------------------------

static void prepare_action(struct host_profile *profile, uint32_t id, uint32_t lane,
                           uint32_t dispatch)
{
    const struct describing *describing = &profile->describing;
    const struct program_action *action = &describing->program->actions[id];
    struct prepared *to = &profile->actions[id];
    to->lane = lane;
    to->group = PROGRAM_NONE;
    to->name = describing_key(describing, program_action_kind_name(action->kind));
    to->first = (uint32_t)profile->value_count;
    host_profile_add_number(profile, to, "action", action->number);
    if (action->bytes > 0)
        host_profile_add_number(profile, to, "bytes", action->bytes);
    host_profile_add_text(profile, to, "dispatch", dispatch);
}

static void prepare_actions(struct host_profile *profile)
{
    const struct program *program = profile->describing.program;
    const uint32_t lane =
        record_add_lane(&(struct track){.name = describing_key(&profile->describing, "ACTIONS"),
                                        .kind = TRACK_LANE,
                                        .rank = RANK_ACTIONS});
    expect(profile, lane, program->action_count);
    for (uint32_t d = 0; d < program->dispatch_count; d++) {
        const struct program_dispatch *dispatch = &program->dispatches[d];
        const uint32_t name = describing_text(&profile->describing, dispatch->name);
        for (uint32_t i = 0; i < dispatch->action_count; i++)
            prepare_action(profile, dispatch->first_action + i, lane, name);
    }
}

// Recording ----------------------------------------------------------------------------

// What was taken while the recorder was locked is not the recording's.
static void host_profile_keep(const struct host_profile *profile)
{
    describing_keep(&profile->describing);
    recovery_keep_block(profile->tasks);
    recovery_keep_block(profile->actions);
    recovery_keep_block(profile->values);
    recovery_keep_block(profile->numbers);
    recovery_keep_block(profile->expected);
    recovery_keep_block(profile);
}

struct host_profile *host_profile_create(const struct program *program, const struct target *target,
                                         struct recorder *recorder)
{
    const status failure = describing_check(program, target);
    struct profile *recorded = failure == STATUS_OK ? recorder_lock(recorder) : NULL;
    status_free(failure);
    if (recorded == NULL)
        return NULL;
    struct host_profile *profile = memory_allocate_zeroed(1, sizeof *profile);
    profile->recorder = recorder;
    profile->describing =
        (struct describing){.program = program, .target = target, .profile = recorded};
    profile->tasks =
        memory_allocate_zeroed((size_t)program->task_count + 1, sizeof(struct prepared));
    profile->actions =
        memory_allocate_zeroed((size_t)program->action_count + 1, sizeof(struct prepared));
    profile->iteration_key = describing_key(&profile->describing, "iteration");
    profile_fact_add(recorded, "target", view_of(target->name));
    profile_fact_add(recorded, "network", program->source);
    profile_fact_add(recorded, "device", VIEW_LITERAL("host: times are this machine's"));
    describing_start(&profile->describing);
    prepare_tasks(profile);
    prepare_actions(profile);
    host_profile_keep(profile);
    recorder_unlock(recorder);
    return profile;
}

void host_profile_free(struct host_profile *profile)
{
    if (profile == NULL)
        return;
    describing_free(&profile->describing);
    free(profile->tasks);
    free(profile->actions);
    free(profile->values);
    free(profile->numbers);
    free(profile->expected);
    free(profile);
}

void host_profile_iteration(struct host_profile *profile)
{
    const struct profile *recorded = recorder_lock(profile->recorder);
    if (recorded == profile->describing.profile) {
        describing_calls(&profile->describing, profile->iterations++);
        describing_keep(&profile->describing);
        for (size_t i = 0; i < profile->expected_count; i++)
            record_expect(profile->expected[i].lane, profile->expected[i].count);
    }
    if (recorded != NULL)
        recorder_unlock(profile->recorder);
}

static void record(const struct host_profile *profile, const struct prepared *item, uint64_t begun)
{
    const uint64_t end = opscope_now();
    const uint32_t iteration = profile->iterations - 1;
    // Flows of another iteration are others.
    const uint64_t flows = (uint64_t)iteration * profile->describing.program->dependency_count;
    const uint16_t count = (uint16_t)(item->value_count + item->flow_count);
    struct opscope_value values[OPSCOPE_VALUES_MOST];
    memcpy(values, &profile->values[item->first], count * sizeof *values);
    for (uint16_t i = item->value_count; i < count; i++)
        values[i].as.number += flows;
    values[count] =
        (struct opscope_value){profile->iteration_key, OPSCOPE_UINT, {.number = iteration}};
    opscope_span(item->lane, item->name,
                 item->group != PROGRAM_NONE ? profile->describing.calls[item->group] : 0, begun,
                 end, values, (uint16_t)(count + 1));
}

void host_profile_task(const struct host_profile *profile, uint32_t task, uint64_t begun)
{
    record(profile, &profile->tasks[task], begun);
}

void host_profile_action(const struct host_profile *profile, uint32_t action, uint64_t begun)
{
    record(profile, &profile->actions[action], begun);
}
