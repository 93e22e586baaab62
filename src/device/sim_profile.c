#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "program/location.h"
#include "sim_counters.h"

enum { LANES_MOST = 256 };

// Order of the lanes of a process, as the readers of Torq's files have it.
enum {
    RANK_DMA_IN,
    RANK_DMA_OUT,
    RANK_SLICE,
    RANK_CDMA = 1 << 20,
    RANK_CSS,
    RANK_HOST,
    RANK_HOST_COPY,
    RANK_CPU = 1 << 21,
};

static const struct {
    const char *name; // of a lane; of engines that there may be several of, numbered
    enum engine engine;
    int32_t rank;
    bool numbered;
    const char *id; // first letters of the rows in a compile profile
} KINDS[TARGET_ENGINE_KINDS] = {
    [TARGET_DMA_IN] = {"DMA IN", ENGINE_DMA_IN, RANK_DMA_IN, false, "DI"},
    [TARGET_DMA_OUT] = {"DMA OUT", ENGINE_DMA_OUT, RANK_DMA_OUT, false, "DO"},
    [TARGET_CDMA] = {"CDMA", ENGINE_CDMA, RANK_CDMA, false, "CDMA_"},
    [TARGET_SLICE] = {"SLICE", ENGINE_SLICE, RANK_SLICE, true, "S"},
    [TARGET_CSS] = {"CSS", ENGINE_CSS, RANK_CSS, false, "CSS"},
    [TARGET_CPU] = {"CPU", ENGINE_HOST, RANK_CPU, true, "H"},
    [TARGET_HOST] = {"HOST", ENGINE_HOST, RANK_HOST, false, "H"},
};

struct modelled {
    const struct program *program;
    const struct target *target;
    const struct sim_result *result;
    struct profile *profile;
    uint32_t process;
    uint32_t clock;
    uint32_t lanes[TARGET_ENGINES_MOST][LANES_MOST];
    uint32_t host_copies; // lane; 0: none yet
    uint32_t *operators;  // by operator of the program: id in the profile
    uint32_t *owners;     // by group: the operator that stands for it
    uint32_t *calls;      // by group
    // Flows that go out from each task: `outs[out_first[t]]` and on, dependency + 1.
    uint32_t *out_first;
    uint32_t *outs;
    uint64_t rows[TARGET_ENGINE_KINDS];
    uint64_t slice_rows[LANES_MOST];
    uint64_t copy_rows;
    struct bytes values;
    struct bytes text;
    struct {
        uint32_t id, bytes, task, tile, job, dispatch, group, operator, value, macs;
    } keys;
};

static uint32_t text_of(const struct modelled *model, uint32_t text)
{
    return profile_string(model->profile, view_of(program_text(model->program, text)));
}

static uint32_t key(const struct modelled *model, const char *name)
{
    return profile_string(model->profile, view_of(name));
}

static void add_text(struct modelled *model, const char *name, struct view text)
{
    if (text.size > 0)
        value_add_string(&model->values, key(model, name), profile_string(model->profile, text));
}

// Operators and calls -----------------------------------------------------------

// "1x56x56x24xi8"
static void append_type(struct bytes *to, const struct program_value *value)
{
    if (value->rank == PROGRAM_NONE)
        bytes_append_format(to, "?");
    for (uint32_t i = 0; value->rank != PROGRAM_NONE && i < value->rank; i++) {
        if (value->dims[i] < 0)
            bytes_append_format(to, "?x");
        else
            bytes_append_format(to, "%" PRId64 "x", value->dims[i]);
    }
    bytes_append_format(to, "%s", element_name((enum element)value->element));
}

static void add_types(struct modelled *model, const char *name, uint32_t first, uint32_t count)
{
    model->text.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = model->program->operator_values[first + i];
        if (i > 0)
            bytes_append_format(&model->text, ", ");
        if (value != PROGRAM_NONE)
            append_type(&model->text, &model->program->values[value]);
        else
            bytes_append_format(&model->text, "none");
    }
    add_text(model, name, bytes_view(&model->text));
}

static void add_work(struct modelled *model, const struct program_work *work)
{
    if (work->known == 0)
        return;
    value_add_uint(&model->values, key(model, "macs"), work->macs);
    value_add_uint(&model->values, key(model, "flops"), work->flops);
    value_add_uint(&model->values, key(model, "bytes_read"), work->bytes_read);
    value_add_uint(&model->values, key(model, "bytes_written"), work->bytes_written);
    value_add_uint(&model->values, key(model, "weight_bytes"), work->weight_bytes);
}

static void add_placement(struct modelled *model, uint32_t id)
{
    if (id == PROGRAM_NONE) {
        add_text(model, "engine", VIEW_LITERAL("none: calculated while compiling"));
        return;
    }
    const struct program_group *group = &model->program->groups[id];
    if (group->engine < model->target->engine_count)
        add_text(model, "engine", view_of(model->target->engines[group->engine].name));
    add_text(model, "group", view_of(program_text(model->program, group->type)));
    add_text(model, "reason", view_of(program_text(model->program, group->reason)));
}

static bool is_mlir(struct view location)
{
    return location.size == 0 || view_starts_with(location, "loc(");
}

static uint32_t location_of(struct modelled *model, const uint32_t *operators, uint32_t count)
{
    model->text.size = 0;
    program_location(model->program, operators, count, &model->text);
    return profile_string(model->profile, bytes_view(&model->text));
}

static void add_operators(struct modelled *model)
{
    const struct program *program = model->program;
    model->operators =
        memory_allocate_zeroed((size_t)program->operator_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < program->operator_count; i++) {
        const struct program_operator *op = &program->operators[i];
        model->values.size = 0;
        add_types(model, "inputs", op->first_input, op->input_count);
        add_types(model, "outputs", op->first_input + op->input_count, op->output_count);
        add_work(model, &op->work);
        add_placement(model, op->group);
        const struct view source = view_of(program_text(program, op->location));
        if (!is_mlir(source))
            add_text(model, "source", source);
        const struct operator_description description = {.name = text_of(model, op->name),
                                                         .type = text_of(model, op->type),
                                                         .location = location_of(model, &i, 1),
                                                         .values = bytes_view(&model->values)};
        model->operators[i] = profile_operator_add(model->profile, &description);
    }
}

// The operators of each group: those of its nodes, or, in a program without
// nodes, those that name it. `first` has one item more than there are groups.
struct members {
    uint32_t *first;
    uint32_t *operators;
};

static struct members members_of(const struct program *program)
{
    const size_t most = (size_t)program->node_count + program->operator_count + 1;
    struct members members = {
        .first = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof(uint32_t)),
        .operators = memory_allocate_zeroed(most, sizeof(uint32_t))};
    // How many operators name each group, then where theirs begin.
    uint32_t *named = memory_allocate_zeroed((size_t)program->group_count + 2, sizeof *named);
    uint32_t *by_group =
        memory_allocate_zeroed((size_t)program->operator_count + 1, sizeof *by_group);
    for (uint32_t i = 0; i < program->operator_count; i++) {
        if (program->operators[i].group != PROGRAM_NONE)
            named[program->operators[i].group + 2]++;
    }
    for (uint32_t i = 2; i <= program->group_count + 1; i++)
        named[i] += named[i - 1];
    for (uint32_t i = 0; i < program->operator_count; i++) {
        if (program->operators[i].group != PROGRAM_NONE)
            by_group[named[program->operators[i].group + 1]++] = i;
    }
    uint32_t count = 0;
    for (uint32_t g = 0; g < program->group_count; g++) {
        members.first[g] = count;
        if (program->groups[g].node_count > 0) {
            count += program_group_operators(program, g, &members.operators[count]);
            continue;
        }
        const uint32_t size = named[g + 1] - named[g];
        memcpy(&members.operators[count], &by_group[named[g]], size * sizeof *by_group);
        count += size;
    }
    members.first[program->group_count] = count;
    free(named);
    free(by_group);
    return members;
}

// What was fused is an operator of its own; its calls have one for each of the
// original operators inside.
static uint32_t add_fused(struct modelled *model, uint32_t group, const uint32_t *operators,
                          uint32_t count)
{
    const struct program_group *item = &model->program->groups[group];
    const uint32_t location = location_of(model, operators, count);
    model->values.size = 0;
    model->text.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct program_operator *op = &model->program->operators[operators[i]];
        const char *name = program_text(model->program, op->name);
        bytes_append_format(&model->text, "%s%s", i > 0 ? ", " : "",
                            name[0] != '\0' ? name : program_text(model->program, op->type));
    }
    add_text(model, "fused", bytes_view(&model->text));
    add_placement(model, group);
    const struct operator_description description = {.name = text_of(model, item->name),
                                                     .type = text_of(model, item->type),
                                                     .location = location,
                                                     .values = bytes_view(&model->values)};
    return profile_operator_add(model->profile, &description);
}

static void add_calls(struct modelled *model)
{
    const struct program *program = model->program;
    struct members members = members_of(program);
    model->owners = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof(uint32_t));
    model->calls = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof(uint32_t));
    for (uint32_t g = 0; g < program->group_count; g++) {
        const uint32_t *operators = &members.operators[members.first[g]];
        const uint32_t count = members.first[g + 1] - members.first[g];
        model->owners[g] =
            count == 1 ? model->operators[operators[0]] : add_fused(model, g, operators, count);
        const struct call call = {.operator_id = model->owners[g]};
        model->calls[g] = profile_call_add(model->profile, &call);
        for (uint32_t i = 0; i < count && count > 1; i++) {
            const struct call inner = {.operator_id = model->operators[operators[i]],
                                       .parent = model->calls[g]};
            profile_call_add(model->profile, &inner);
        }
    }
    free(members.first);
    free(members.operators);
}

// Tracks --------------------------------------------------------------------------

static uint32_t add_lane(struct modelled *model, struct view name, enum engine engine,
                         uint32_t index, int32_t rank)
{
    const struct track track = {.parent = model->process,
                                .name = profile_string(model->profile, name),
                                .clock = model->clock,
                                .kind = TRACK_LANE,
                                .engine = engine,
                                .index = index,
                                .provenance = PROVENANCE_MODELLED,
                                .rank = rank};
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
        const enum target_engine_kind kind = target->engines[e].kind;
        for (uint32_t i = 0; i < target->engines[e].count && i < LANES_MOST; i++) {
            char name[64];
            snprintf(name, sizeof name, KINDS[kind].numbered ? "%s %u" : "%s", KINDS[kind].name, i);
            model->lanes[e][i] = add_lane(model, view_of(name), KINDS[kind].engine, i,
                                          KINDS[kind].rank + (int32_t)i);
        }
    }
}

// Spans ---------------------------------------------------------------------------

// Counts the flows out of each task, and where its own begin.
static void find_flows(struct modelled *model)
{
    const struct program *program = model->program;
    uint32_t *first = memory_allocate_zeroed((size_t)program->task_count + 2, sizeof *first);
    model->outs = memory_allocate_zeroed((size_t)program->dependency_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < program->dependency_count; i++) {
        if (program->dependencies[i].is_true != 0)
            first[program->dependencies[i].task + 2]++;
    }
    for (uint32_t i = 2; i <= program->task_count + 1; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < program->dependency_count; i++) {
        if (program->dependencies[i].is_true != 0)
            model->outs[first[program->dependencies[i].task + 1]++] = i + 1;
    }
    model->out_first = first;
}

static void add_flows(struct modelled *model, uint32_t id)
{
    const struct program_task *task = &model->program->tasks[id];
    for (uint32_t i = 0; i < task->dependency_count; i++) {
        const uint32_t dependency = task->first_dependency + i;
        if (model->program->dependencies[dependency].is_true != 0)
            value_add_flow(&model->values, VALUE_FLOW_IN, (uint64_t)dependency + 1);
    }
    for (uint32_t i = model->out_first[id]; i < model->out_first[id + 1]; i++)
        value_add_flow(&model->values, VALUE_FLOW_OUT, model->outs[i]);
}

// "CDMA_LRAM_TO_DTCM"
static uint32_t name_of_copy(const struct modelled *model, const struct program_task *task)
{
    char name[128] = "CDMA";
    if (task->operand_count >= 2) {
        const struct program_operand *operands = &model->program->operands[task->first_operand];
        const uint8_t from = model->program->buffers[operands[0].buffer].memory;
        const uint8_t to = model->program->buffers[operands[1].buffer].memory;
        if (from < model->target->memory_count && to < model->target->memory_count)
            snprintf(name, sizeof name, "CDMA_%s_TO_%s", model->target->memories[from].name,
                     model->target->memories[to].name);
    }
    for (char *at = name; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    return key(model, name);
}

static uint32_t name_of(const struct modelled *model, uint32_t id, uint32_t group)
{
    const struct program_task *task = &model->program->tasks[id];
    switch (model->target->engines[task->engine].kind) {
    case TARGET_DMA_IN:
        return key(model, "DMA_IN");
    case TARGET_DMA_OUT:
        return key(model, "DMA_OUT");
    case TARGET_CDMA:
        return name_of_copy(model, task);
    default:
        break;
    }
    const struct view type = view_of(
        group != PROGRAM_NONE ? program_text(model->program, model->program->groups[group].type)
                              : "");
    return profile_string(model->profile, type.size > 0 ? type : VIEW_LITERAL("unknown"));
}

// DI, DO and CDMA share a counter. A row of slice n is numbered so that dividing
// by the number of slices leaves n: that is how these files are read.
static void add_id(struct modelled *model, const struct program_task *task, uint32_t name)
{
    const struct target_engine *engine = &model->target->engines[task->engine];
    uint64_t *rows = &model->rows[engine->kind];
    uint64_t number;
    char id[64];
    const char *prefix = KINDS[engine->kind].id;
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
    const uint32_t name = text_of(model, program->buffers[buffer].name);
    if (name != 0)
        value_add_string(&model->values, model->keys.value, name);
}

static void add_group(struct modelled *model, const struct program_task *task, uint32_t group)
{
    if (group == PROGRAM_NONE)
        return;
    const struct program_group *item = &model->program->groups[group];
    const uint32_t name = text_of(model, item->name);
    if (name != 0)
        value_add_string(&model->values, model->keys.operator, name);
    value_add_string(&model->values, model->keys.group, text_of(model, item->type));
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
    const uint32_t name = name_of(model, id, group);
    model->values.size = 0;
    add_id(model, task, name);
    value_add_uint(&model->values, model->keys.task, number);
    if (task->kind == PROGRAM_TASK_TRANSFER)
        add_transfer(model, task);
    add_group(model, task, group);
    if (task->cost.macs > 0)
        value_add_uint(&model->values, model->keys.macs, task->cost.macs);
    value_add_string(&model->values, model->keys.dispatch,
                     text_of(model, model->program->dispatches[dispatch].name));
    if (task->job != PROGRAM_NONE)
        value_add_uint(&model->values, model->keys.job, model->program->jobs[task->job].number);
    add_flows(model, id);
    add_span(model, model->lanes[task->engine][task->lane],
             &(struct event){.start = times.start,
                             .end = times.end,
                             .name = name,
                             .call = group != PROGRAM_NONE ? model->calls[group] : 0});
}

static void add_host_copy(struct modelled *model, uint32_t action, uint32_t dispatch)
{
    const struct program_action *item = &model->program->actions[action];
    const struct sim_times times = model->result->actions[action];
    char id[64];
    if (times.start == times.end)
        return;
    if (model->host_copies == 0)
        model->host_copies =
            add_lane(model, VIEW_LITERAL("HOST COPY"), ENGINE_HOST_COPY, 0, RANK_HOST_COPY);
    snprintf(id, sizeof id, "HC%" PRIu64, model->copy_rows++);
    model->values.size = 0;
    value_add_text(&model->values, model->keys.id, view_of(id));
    value_add_uint(&model->values, model->keys.task, item->number);
    value_add_uint(&model->values, model->keys.bytes, item->bytes);
    value_add_string(&model->values, model->keys.dispatch,
                     text_of(model, model->program->dispatches[dispatch].name));
    add_span(
        model, model->host_copies,
        &(struct event){.start = times.start, .end = times.end, .name = key(model, "HOST_COPY")});
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
    model->keys.id = key(model, "ID");
    model->keys.bytes = key(model, "bytes");
    model->keys.task = key(model, "task");
    model->keys.tile = key(model, "tile");
    model->keys.job = key(model, "job");
    model->keys.dispatch = key(model, "dispatch");
    model->keys.group = key(model, "group");
    model->keys.operator= key(model, "operator");
    model->keys.value = key(model, "value");
    model->keys.macs = key(model, "macs");
}

static status check_lanes(const struct program *program, const struct target *target)
{
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (task->engine >= target->engine_count ||
            task->lane >= target->engines[task->engine].count)
            return status_make(STATUS_DATA, "task %u uses an engine that %s does not have", i,
                               target->name);
    }
    return STATUS_OK;
}

status sim_profile(const struct program *program, const struct target *target,
                   const struct sim_result *result, struct profile *profile)
{
    STATUS_TRY(check_lanes(program, target));
    struct modelled *model = memory_allocate_zeroed(1, sizeof *model);
    model->program = program;
    model->target = target;
    model->result = result;
    model->profile = profile;
    model->clock = profile_clock_find(profile, "cycles", target->clock);
    set_keys(model);
    profile_fact_add(profile, "target", view_of(target->name));
    profile_fact_add(profile, "network", program->source);
    add_tracks(model);
    add_operators(model);
    add_calls(model);
    find_flows(model);
    add_spans(model);
    const struct sim_counters counters = {.program = program,
                                          .target = target,
                                          .result = result,
                                          .profile = profile,
                                          .process = model->process,
                                          .clock = model->clock,
                                          .owners = model->owners};
    sim_counters_memory(&counters);
    sim_counters_bandwidth(&counters);
    free(model->operators);
    free(model->owners);
    free(model->calls);
    free(model->out_first);
    free(model->outs);
    bytes_free(&model->values);
    bytes_free(&model->text);
    free(model);
    return STATUS_OK;
}
