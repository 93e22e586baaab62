#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "describe.h"
#include "program/location.h"
#include "sim_counters.h"

enum { LANES_MOST = DESCRIBING_LANES_MOST };

// First letters of the rows in a compile profile.
static const char *const ROW_LETTERS[TARGET_ENGINE_KINDS] = {
    [TARGET_DMA_IN] = "DI", [TARGET_DMA_OUT] = "DO", [TARGET_CDMA] = "CDMA_", [TARGET_SLICE] = "S",
    [TARGET_CSS] = "CSS",   [TARGET_CPU] = "H",      [TARGET_HOST] = "H",
};

struct modelled {
    struct describing describing;
    const struct program *program;
    const struct target *target;
    const struct sim_result *result;
    struct profile *profile;
    uint32_t process;
    uint32_t clock;
    uint32_t lanes[TARGET_ENGINES_MOST][LANES_MOST];
    uint32_t host_copies; // lane; 0: none yet
    struct describing_flows flows;
    uint64_t rows[TARGET_ENGINE_KINDS];
    uint64_t slice_rows[LANES_MOST];
    uint64_t copy_rows;
    struct bytes values;
    struct {
        uint32_t id, bytes, task, program_task, tile, job, dispatch, group, operator, value, macs;
    } keys;
};

// Tracks --------------------------------------------------------------------------

static uint32_t add_lane(struct modelled *model, const struct track *like)
{
    struct track track = *like;
    track.parent = model->process;
    track.clock = model->clock;
    track.provenance = PROVENANCE_MODELLED;
    return profile_track_add(model->profile, &track);
}

static void add_tracks(struct modelled *model)
{
    const struct target *target = model->target;
    const struct track process = {.name = profile_string(model->profile, view_of(target->name)),
                                  .clock = model->clock,
                                  .kind = TRACK_PROCESS,
                                  .provenance = PROVENANCE_MODELLED};
    model->process = profile_track_add(model->profile, &process);
    for (uint32_t e = 0; e < target->engine_count; e++) {
        for (uint32_t i = 0; i < target->engines[e].count && i < LANES_MOST; i++) {
            const struct track lane = describing_lane(&model->describing, e, i);
            model->lanes[e][i] = add_lane(model, &lane);
        }
    }
}

// Spans ---------------------------------------------------------------------------

static void add_flows(struct modelled *model, uint32_t id)
{
    const struct program_task *task = &model->program->tasks[id];
    for (uint32_t i = 0; i < task->dependency_count; i++) {
        const uint32_t dependency = task->first_dependency + i;
        if (model->program->dependencies[dependency].is_true != 0)
            value_add_flow(&model->values, VALUE_FLOW_IN, (uint64_t)dependency + 1);
    }
    for (uint32_t i = model->flows.first[id]; i < model->flows.first[id + 1]; i++)
        value_add_flow(&model->values, VALUE_FLOW_OUT, model->flows.outs[i]);
}

// DI, DO and CDMA share a counter. A row of slice n is numbered so that dividing
// by the number of slices leaves n: that is how these files are read.
static void add_id(struct modelled *model, const struct program_task *task, uint32_t name)
{
    const struct target_engine *engine = &model->target->engines[task->engine];
    uint64_t *rows = &model->rows[engine->kind];
    uint64_t number;
    char id[64];
    const char *prefix = ROW_LETTERS[engine->kind];
    if (engine->kind == TARGET_SLICE || engine->kind == TARGET_CPU) {
        number = model->slice_rows[task->lane]++ * engine->count + task->lane;
    } else {
        if (engine->kind == TARGET_DMA_OUT || engine->kind == TARGET_CDMA)
            rows = &model->rows[TARGET_DMA_IN];
        number = (*rows)++;
    }
    const struct view type = profile_text(model->profile, name);
    if (view_is(type, "CDMA_LRAM_TO_DTCM"))
        prefix = "CDMA_L2D";
    else if (view_is(type, "CDMA_LRAM_TO_ITCM"))
        prefix = "CDMA_L2I";
    else if (view_is(type, "CDMA_DTCM_TO_LRAM"))
        prefix = "CDMA_D2L";
    snprintf(id, sizeof id, "%s%" PRIu64, prefix, number);
    value_add_text(&model->values, model->keys.id, view_of(id));
}

// What is on the way.
static void add_transfer(struct modelled *model, const struct program_task *task)
{
    const struct program *program = model->program;
    value_add_uint(&model->values, model->keys.bytes, task->cost.bytes);
    if (task->operand_count == 0)
        return;
    const uint32_t buffer = program->operands[task->first_operand].buffer;
    const uint32_t name = describing_text(&model->describing, program->buffers[buffer].name);
    if (name != 0)
        value_add_string(&model->values, model->keys.value, name);
}

static void add_group(struct modelled *model, const struct program_task *task, uint32_t group)
{
    if (group == PROGRAM_NONE)
        return;
    const struct program_group *item = &model->program->groups[group];
    const uint32_t name = describing_text(&model->describing, item->name);
    if (name != 0)
        value_add_string(&model->values, model->keys.operator, name);
    value_add_string(&model->values, model->keys.group,
                     describing_text(&model->describing, item->type));
    value_add_uint(&model->values, model->keys.tile, task->tile);
}

static void add_span(struct modelled *model, uint32_t lane, const struct event *like)
{
    struct event event = *like;
    event.kind = EVENT_SPAN;
    event.track = lane;
    profile_track(model->profile, lane)->ledger.expected++;
    profile_event_add(model->profile, &event, bytes_view(&model->values));
}

// `number` is that of the controller's task or of the host's action.
static void add_task(struct modelled *model, uint32_t id, uint32_t number, uint32_t dispatch)
{
    const struct program_task *task = &model->program->tasks[id];
    const struct sim_times times = model->result->tasks[id];
    const enum target_engine_kind kind = model->target->engines[task->engine].kind;
    if (kind == TARGET_HOST && times.start == times.end)
        return; // the published rules do not count the host
    const uint32_t group = program_task_group(model->program, id);
    const uint32_t name = describing_name(&model->describing, id, group);
    model->values.size = 0;
    add_id(model, task, name);
    value_add_uint(&model->values, model->keys.task, number);
    value_add_uint(&model->values, model->keys.program_task, id);
    if (task->kind == PROGRAM_TASK_TRANSFER)
        add_transfer(model, task);
    add_group(model, task, group);
    if (task->cost.macs > 0)
        value_add_uint(&model->values, model->keys.macs, task->cost.macs);
    value_add_string(
        &model->values, model->keys.dispatch,
        describing_text(&model->describing, model->program->dispatches[dispatch].name));
    if (task->job != PROGRAM_NONE)
        value_add_uint(&model->values, model->keys.job, model->program->jobs[task->job].number);
    add_flows(model, id);
    add_span(model, model->lanes[task->engine][task->lane],
             &(struct event){.start = times.start,
                             .end = times.end,
                             .name = name,
                             .call = group != PROGRAM_NONE ? model->describing.calls[group] : 0});
}

static void add_host_copy(struct modelled *model, uint32_t action, uint32_t dispatch)
{
    const struct program_action *item = &model->program->actions[action];
    const struct sim_times times = model->result->actions[action];
    char id[64];
    if (times.start == times.end)
        return;
    if (model->host_copies == 0)
        model->host_copies = add_lane(
            model, &(struct track){.name = describing_key(&model->describing, "HOST COPY"),
                                   .kind = TRACK_LANE,
                                   .role = ROLE_HOST_COPY,
                                   .engine = describing_key(&model->describing, "host copy"),
                                   .rank = RANK_HOST_COPY});
    snprintf(id, sizeof id, "HC%" PRIu64, model->copy_rows++);
    model->values.size = 0;
    value_add_text(&model->values, model->keys.id, view_of(id));
    value_add_uint(&model->values, model->keys.task, item->number);
    value_add_uint(&model->values, model->keys.bytes, item->bytes);
    value_add_string(
        &model->values, model->keys.dispatch,
        describing_text(&model->describing, model->program->dispatches[dispatch].name));
    add_span(model, model->host_copies,
             &(struct event){.start = times.start,
                             .end = times.end,
                             .name = describing_key(&model->describing, "HOST_COPY")});
}

static void add_job(struct modelled *model, uint32_t id, uint32_t dispatch)
{
    const struct program_job *job = &model->program->jobs[id];
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &model->program->steps[job->first_step + i];
        if (step->kind == PROGRAM_STEP_START)
            add_task(model, step->task, step->number, dispatch);
    }
}

// In the order in which they are started: that is the order of time on a lane.
static void add_spans(struct modelled *model)
{
    const struct program *program = model->program;
    for (uint32_t d = 0; d < program->dispatch_count; d++) {
        for (uint32_t i = 0; i < program->dispatches[d].action_count; i++) {
            const uint32_t index = program->dispatches[d].first_action + i;
            const struct program_action *action = &program->actions[index];
            if (action->kind == PROGRAM_ACTION_JOB_START)
                add_job(model, action->subject, d);
            else if (action->kind == PROGRAM_ACTION_HOST_START)
                add_task(model, action->subject, action->number, d);
            else if (action->kind == PROGRAM_ACTION_HOST_COPY)
                add_host_copy(model, index, d);
        }
    }
}

static void set_keys(struct modelled *model)
{
    model->keys.id = describing_key(&model->describing, "ID");
    model->keys.bytes = describing_key(&model->describing, "bytes");
    model->keys.task = describing_key(&model->describing, "task");
    model->keys.program_task = describing_key(&model->describing, "program_task");
    model->keys.tile = describing_key(&model->describing, "tile");
    model->keys.job = describing_key(&model->describing, "job");
    model->keys.dispatch = describing_key(&model->describing, "dispatch");
    model->keys.group = describing_key(&model->describing, "group");
    model->keys.operator= describing_key(&model->describing, "operator");
    model->keys.value = describing_key(&model->describing, "value");
    model->keys.macs = describing_key(&model->describing, "macs");
}

status sim_profile(const struct program *program, const struct target *target,
                   const struct sim_result *result, struct profile *profile)
{
    STATUS_TRY(describing_check(program, target));
    struct modelled *model = memory_allocate_zeroed(1, sizeof *model);
    model->program = program;
    model->target = target;
    model->result = result;
    model->profile = profile;
    model->describing =
        (struct describing){.program = program, .target = target, .profile = profile};
    model->clock = profile_clock_find(profile, "cycles", target->clock);
    set_keys(model);
    profile_fact_add(profile, "target", view_of(target->name));
    profile_fact_add(profile, "network", program->source);
    add_tracks(model);
    describing_start(&model->describing);
    describing_calls(&model->describing, 0);
    model->flows = describing_flows(program);
    add_spans(model);
    const struct sim_counters counters = {.program = program,
                                          .target = target,
                                          .result = result,
                                          .profile = profile,
                                          .process = model->process,
                                          .clock = model->clock,
                                          .owners = model->describing.owners};
    sim_counters_memory(&counters);
    sim_counters_bandwidth(&counters);
    describing_free(&model->describing);
    free(model->flows.first);
    free(model->flows.outs);
    bytes_free(&model->values);
    free(model);
    return STATUS_OK;
}
