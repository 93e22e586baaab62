#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "describe.h"
#include "program/location.h"
#include "program/verify_ports.h"
#include "sim_counters.h"

struct modelled {
    struct describing describing;
    const struct program *program;
    const struct target *target;
    const struct sim_result *result;
    struct profile *profile;
    uint32_t clock;
    struct describing_tracks tracks;
    uint32_t *streams;    // by stream: lane of what it awaits; NULL: there is one stream
    uint32_t *turns;      // by stream: lane of its turns; 0: none yet. NULL: there are none
    uint32_t host_copies; // lane; 0: none yet
    struct describing_flows flows;
    uint64_t *rows;      // by engine and lane: how many have an identity
    uint32_t row_stride; // lanes of the engine that has most
    uint64_t copy_rows;
    struct bytes values;
    struct bytes text;
    struct {
        uint32_t id, bytes, task, program_task, tile, job, dispatch, group, operator, value, macs,
            stage, pieces, busy, awaited, waiting, count;
    } keys;
};

// Tracks --------------------------------------------------------------------------

static uint32_t sim_profile_add_track(void *context, const struct track *like)
{
    struct modelled *model = context;
    struct track track = *like;
    track.clock = model->clock;
    track.provenance = PROVENANCE_MODELLED;
    return profile_track_add(model->profile, &track);
}

// What a stream awaits is seen on a lane of its own. One stream awaits nothing.
static void add_streams(struct modelled *model)
{
    const struct program *program = model->program;
    if (program->stream_count < 2)
        return;
    model->streams =
        memory_allocate_zeroed((size_t)program->stream_count + 1, sizeof *model->streams);
    for (uint32_t i = 0; i < program->stream_count; i++) {
        const struct program_stream *stream = &program->streams[i];
        const struct target_queue *queue = &model->target->queues[stream->queue];
        model->text.size = 0;
        bytes_append_format(&model->text, "%s waits", queue->name);
        struct track lane = {.parent = describing_parent(&model->tracks, queue->per, stream->unit),
                             .name = profile_string(model->profile, bytes_view(&model->text)),
                             .kind = TRACK_LANE,
                             .role = ROLE_WAIT,
                             .queue = describing_key(&model->describing, queue->name),
                             .rank = RANK_STREAM + (int32_t)stream->queue};
        describing_place(model->target, queue->per, stream->unit, &lane.device, &lane.core);
        model->streams[i] = sim_profile_add_track(model, &lane);
    }
}

// The lane of a stream's turns, when it has the first one.
static uint32_t turn_lane(struct modelled *model, uint32_t stream)
{
    const struct program_stream *item = &model->program->streams[stream];
    const struct target_queue *queue = &model->target->queues[item->queue];
    if (model->turns == NULL)
        model->turns =
            memory_allocate_zeroed((size_t)model->program->stream_count + 1, sizeof *model->turns);
    if (model->turns[stream] != 0)
        return model->turns[stream];
    struct track lane = {.parent = describing_parent(&model->tracks, queue->per, item->unit),
                         .name = describing_key(&model->describing, queue->name),
                         .kind = TRACK_LANE,
                         .role = ROLE_CONTROL,
                         .engine = describing_key(&model->describing, queue->name),
                         .queue = describing_key(&model->describing, queue->name),
                         .rank = RANK_STREAM + (int32_t)item->queue};
    describing_place(model->target, queue->per, item->unit, &lane.device, &lane.core);
    model->turns[stream] = sim_profile_add_track(model, &lane);
    return model->turns[stream];
}

static uint32_t sim_profile_lanes_of(const struct target *target, uint32_t engine)
{
    return target->engines[engine].count * target_units(target, target->engines[engine].per);
}

static void sim_profile_add_tracks(struct modelled *model)
{
    const struct target *target = model->target;
    const struct track process = {.name = profile_string(model->profile, view_of(target->name)),
                                  .kind = TRACK_PROCESS};
    model->tracks.process = sim_profile_add_track(model, &process);
    describing_tracks_add(&model->describing, &model->tracks, sim_profile_add_track, model);
    add_streams(model);
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (sim_profile_lanes_of(target, i) > model->row_stride)
            model->row_stride = sim_profile_lanes_of(target, i);
    }
    model->rows = memory_allocate_zeroed((size_t)target->engine_count * model->row_stride + 1,
                                         sizeof *model->rows);
}

// Spans ---------------------------------------------------------------------------

static void sim_profile_add_flows(struct modelled *model, uint32_t id)
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

// Some engines share a counter. A row of lane n is numbered so that dividing by the number of
// lanes leaves n: that is how the files of those who have such identities are read.
static void add_id(struct modelled *model, uint32_t id)
{
    const struct program_task *task = &model->program->tasks[id];
    const struct target_engine *engine = &model->target->engines[task->engine];
    const uint32_t lane = task->unit * engine->count + task->lane;
    const uint32_t counter =
        engine->row_engine < model->target->engine_count ? engine->row_engine : task->engine;
    uint64_t *rows = &model->rows[(size_t)counter * model->row_stride + lane];
    model->text.size = 0;
    describing_row(&model->describing, id, task->engine, &model->text);
    bytes_append_format(&model->text, "%" PRIu64,
                        (*rows)++ * sim_profile_lanes_of(model->target, task->engine) + lane);
    value_add_text(&model->values, model->keys.id, bytes_view(&model->text));
}

// What is on the way.
static void sim_profile_add_transfer(struct modelled *model, const struct program_task *task)
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

static void sim_profile_add_group(struct modelled *model, uint32_t tile, uint32_t group)
{
    if (group == PROGRAM_NONE)
        return;
    const struct program_group *item = &model->program->groups[group];
    const uint32_t name = describing_text(&model->describing, item->name);
    if (name != 0)
        value_add_string(&model->values, model->keys.operator, name);
    value_add_string(&model->values, model->keys.group,
                     describing_text(&model->describing, item->type));
    value_add_uint(&model->values, model->keys.tile, tile);
}

static void sim_profile_add_span(struct modelled *model, uint32_t lane, const struct event *like)
{
    struct event event = *like;
    event.kind = EVENT_SPAN;
    event.track = lane;
    profile_track(model->profile, lane)->ledger.expected++;
    profile_event_add(model->profile, &event, bytes_view(&model->values));
}

// What an engine does of a task that several work on. The task's own lane has the whole.
static void sim_profile_add_stage(struct modelled *model, uint32_t id, uint32_t index,
                                  uint32_t group)
{
    const struct program_task *task = &model->program->tasks[id];
    const struct program_stage *stage = &model->program->stages[task->first_stage + index];
    const struct sim_stage *result = &model->result->stages[task->first_stage + index];
    if (stage->engine == task->engine)
        return;
    model->values.size = 0;
    value_add_uint(&model->values, model->keys.program_task, id);
    value_add_uint(&model->values, model->keys.stage, index);
    value_add_uint(&model->values, model->keys.pieces, stage->pieces);
    value_add_uint(&model->values, model->keys.busy, result->busy);
    value_add_uint(&model->values, model->keys.awaited, result->awaited);
    value_add_uint(&model->values, model->keys.waiting,
                   result->times.end - result->times.start - result->awaited - result->busy);
    if (stage->cost.bytes > 0)
        value_add_uint(&model->values, model->keys.bytes, stage->cost.bytes);
    sim_profile_add_group(model, task->tile, group);
    sim_profile_add_span(
        model, model->tracks.lanes[describing_stage_lane(model->target, task, stage->engine)],
        &(struct event){.start = result->times.start,
                        .end = result->times.end,
                        .name = describing_name(&model->describing, id, stage->engine, group),
                        .call = group != PROGRAM_NONE ? model->describing.calls[group] : 0});
}

// `number` is that of the controller's task or of the host's action.
static void sim_profile_add_task(struct modelled *model, uint32_t id, uint32_t number,
                                 uint32_t dispatch)
{
    const struct program_task *task = &model->program->tasks[id];
    const struct sim_times times = model->result->tasks[id];
    const enum target_role role = model->target->engines[task->engine].role;
    if (role == TARGET_ROLE_HOST && times.start == times.end)
        return; // the published rules do not count the host
    const uint32_t group = program_task_group(model->program, id);
    const uint32_t name = describing_name(&model->describing, id, task->engine, group);
    model->values.size = 0;
    add_id(model, id);
    value_add_uint(&model->values, model->keys.task, number);
    value_add_uint(&model->values, model->keys.program_task, id);
    if (task->kind == PROGRAM_TASK_TRANSFER)
        sim_profile_add_transfer(model, task);
    sim_profile_add_group(model, task->tile, group);
    if (task->cost.macs > 0)
        value_add_uint(&model->values, model->keys.macs, task->cost.macs);
    value_add_string(
        &model->values, model->keys.dispatch,
        describing_text(&model->describing, model->program->dispatches[dispatch].name));
    if (task->job != PROGRAM_NONE)
        value_add_uint(&model->values, model->keys.job, model->program->jobs[task->job].number);
    sim_profile_add_flows(model, id);
    sim_profile_add_span(
        model,
        model->tracks.lanes[target_lane(model->target, task->engine, task->unit, task->lane)],
        &(struct event){.start = times.start,
                        .end = times.end,
                        .name = name,
                        .call = group != PROGRAM_NONE ? model->describing.calls[group] : 0});
    for (uint32_t i = 0; i < task->stage_count; i++)
        sim_profile_add_stage(model, id, i, group);
}

static void add_host_copy(struct modelled *model, uint32_t action, uint32_t dispatch)
{
    const struct program_action *item = &model->program->actions[action];
    const struct sim_times times = model->result->actions[action];
    char id[64];
    if (times.start == times.end)
        return;
    if (model->host_copies == 0)
        model->host_copies = sim_profile_add_track(
            model, &(struct track){.parent = model->tracks.process,
                                   .name = describing_key(&model->describing, "HOST COPY"),
                                   .kind = TRACK_LANE,
                                   .role = ROLE_HOST_COPY,
                                   .engine = describing_key(&model->describing, "host copy"),
                                   .rank = RANK_HOST_COPY});
    snprintf(id, sizeof id, "HC%" PRIu64, model->copy_rows++);
    model->values.size = 0;
    value_add_text(&model->values, model->keys.id, view_of(id));
    value_add_uint(&model->values, model->keys.task, item->number);
    value_add_uint(&model->values, model->keys.bytes, item->bytes);
    const uint32_t group = program_action_group(model->program, item);
    sim_profile_add_group(model, 0, group);
    value_add_string(
        &model->values, model->keys.dispatch,
        describing_text(&model->describing, model->program->dispatches[dispatch].name));
    sim_profile_add_span(
        model, model->host_copies,
        &(struct event){.start = times.start,
                        .end = times.end,
                        .name = describing_key(&model->describing, "HOST_COPY"),
                        .call = group != PROGRAM_NONE ? model->describing.calls[group] : 0});
}

static void add_await(struct modelled *model, uint32_t index)
{
    const struct program_step *step = &model->program->steps[index];
    const struct sim_times times = model->result->steps[index];
    if (model->streams == NULL || times.start == times.end)
        return;
    const struct program_semaphore *semaphore = &model->program->semaphores[step->semaphore];
    model->values.size = 0;
    value_add_uint(&model->values, model->keys.count, step->count);
    sim_profile_add_span(
        model, model->streams[step->stream],
        &(struct event){.start = times.start,
                        .end = times.end,
                        .name = describing_text(&model->describing, semaphore->name)});
}

static void sim_profile_add_job(struct modelled *model, uint32_t id, uint32_t dispatch)
{
    const struct program_job *job = &model->program->jobs[id];
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &model->program->steps[job->first_step + i];
        if (step->kind == PROGRAM_STEP_START)
            sim_profile_add_task(model, step->task, step->number, dispatch);
        else if (step->kind == PROGRAM_STEP_AWAIT)
            add_await(model, job->first_step + i);
    }
}

// What streams have of each job, with what their queues take besides its steps.
static void add_turns(struct modelled *model)
{
    for (size_t i = 0; i < model->result->turn_count; i++) {
        const struct sim_turn *turn = &model->result->turns[i];
        const uint32_t group = turn->task != PROGRAM_NONE
                                   ? program_task_group(model->program, turn->task)
                                   : PROGRAM_NONE;
        const struct program_job *job = &model->program->jobs[turn->job];
        model->values.size = 0;
        value_add_uint(&model->values, model->keys.job, job->number);
        sim_profile_add_span(
            model, turn_lane(model, turn->stream),
            &(struct event){.start = turn->times.start,
                            .end = turn->times.end,
                            .name = describing_text(&model->describing, job->name),
                            .call = group != PROGRAM_NONE ? model->describing.calls[group] : 0});
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
                sim_profile_add_job(model, action->subject, d);
            else if (action->kind == PROGRAM_ACTION_HOST_START)
                sim_profile_add_task(model, action->subject, action->number, d);
            else if (action->kind == PROGRAM_ACTION_HOST_COPY)
                add_host_copy(model, index, d);
        }
    }
}

// Of what goes one way over the link, what comes next after one that began at `start`; `count`:
// nothing does.
static uint32_t next_on_link(const struct sim_times *times, uint32_t count, uint64_t start)
{
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        if (times[i].end > times[i].start && times[i].end > start && times[i].start >= start &&
            (best == count || times[i].start < times[best].start))
            best = i;
    }
    return best;
}

// What comes from the host or goes there, on a lane for each way.
static void add_link_way(struct modelled *model, const char *name, enum role role,
                         const struct sim_times *times, const uint32_t *values, uint32_t count)
{
    uint32_t lane = 0;
    for (uint32_t i = next_on_link(times, count, 0); i < count;
         i = next_on_link(times, count, times[i].end)) {
        const uint32_t buffer = program_port(model->program, values[i]);
        if (lane == 0)
            lane = sim_profile_add_track(
                model, &(struct track){.parent = model->tracks.process,
                                       .name = describing_key(&model->describing, name),
                                       .kind = TRACK_LANE,
                                       .role = role,
                                       .engine = describing_key(&model->describing, "host link"),
                                       .rank = RANK_HOST_COPY});
        model->values.size = 0;
        value_add_uint(&model->values, model->keys.bytes, model->program->buffers[buffer].size);
        value_add_string(&model->values, model->keys.value,
                         describing_text(&model->describing, model->program->buffers[buffer].name));
        sim_profile_add_span(model, lane,
                             &(struct event){.start = times[i].start,
                                             .end = times[i].end,
                                             .name = describing_key(&model->describing, name)});
    }
}

static void add_link(struct modelled *model)
{
    const struct program *program = model->program;
    if (!model->result->linked)
        return;
    add_link_way(model, "LINK IN", ROLE_TRANSFER_IN, model->result->inputs, program->inputs,
                 program->input_count);
    add_link_way(model, "LINK OUT", ROLE_TRANSFER_OUT, model->result->outputs, program->outputs,
                 program->output_count);
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
    if (model->program->stage_count > 0) {
        model->keys.stage = describing_key(&model->describing, "stage");
        model->keys.pieces = describing_key(&model->describing, "pieces");
        model->keys.busy = describing_key(&model->describing, "busy");
        model->keys.awaited = describing_key(&model->describing, "awaited");
        model->keys.waiting = describing_key(&model->describing, "waiting");
    }
    if (model->program->semaphore_count > 0)
        model->keys.count = describing_key(&model->describing, "count");
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
    sim_profile_add_tracks(model);
    describing_start(&model->describing);
    describing_calls(&model->describing, 0);
    model->flows = describing_flows(program);
    add_turns(model);
    add_spans(model);
    add_link(model);
    const struct sim_counters counters = {.program = program,
                                          .target = target,
                                          .result = result,
                                          .profile = profile,
                                          .tracks = &model->tracks,
                                          .clock = model->clock,
                                          .owners = model->describing.owners};
    sim_counters_memory(&counters);
    sim_counters_bandwidth(&counters);
    describing_free(&model->describing);
    describing_tracks_free(&model->tracks);
    free(model->streams);
    free(model->turns);
    free(model->rows);
    free(model->flows.first);
    free(model->flows.outs);
    bytes_free(&model->values);
    bytes_free(&model->text);
    free(model);
    return STATUS_OK;
}
