#include "modelled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/memory.h"
#include "intervals.h"

enum modelled_kind modelled_kind_of(const struct target *target, uint32_t engine)
{
    switch (target->engines[engine].role) {
    case TARGET_ROLE_TRANSFER:
    case TARGET_ROLE_COMMUNICATION:
        return MODELLED_DMA;
    case TARGET_ROLE_HOST:
        return MODELLED_HOST;
    default:
        return MODELLED_COMPUTE;
    }
}

const char *modelled_kind_name(enum modelled_kind kind)
{
    static const char *const NAMES[MODELLED_KINDS] = {
        [MODELLED_COMPUTE] = "compute", [MODELLED_DMA] = "dma", [MODELLED_HOST] = "host"};
    return NAMES[kind];
}

const char *modelled_group_text(const struct program *program, uint32_t group, char *text,
                                size_t size)
{
    const struct program_group *item = &program->groups[group];
    const char *name = program_text(program, item->name);
    const char *location = "";
    for (uint32_t i = 0; i < item->node_count && location[0] == '\0'; i++) {
        const uint32_t id = program->nodes[item->first_node + i].operator_id;
        location = id != PROGRAM_NONE ? program_text(program, program->operators[id].location) : "";
    }
    if (name[0] >= '0' && name[0] <= '9') // an MLIR result: "%4" alone says little
        snprintf(text, size, "%%%s %s", name, program_text(program, item->type));
    else if (name[0] != '\0')
        snprintf(text, size, "%s", name);
    else if (location[0] != '\0')
        snprintf(text, size, "%s %s", program_text(program, item->type), location);
    else
        snprintf(text, size, "%s (group %u)", program_text(program, item->type), group);
    return text;
}

// Time ------------------------------------------------------------------------

// When something of one kind was at work, for a group or the whole.
struct work_list {
    struct interval *items;
    size_t count;
    size_t capacity;
};

static void modelled_add_work(struct work_list *list, struct sim_times times)
{
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = (struct interval){times.start, times.end};
}

static uint64_t modelled_total_of(struct work_list *list)
{
    size_t impossible;
    return intervals_total(intervals_normalize(list->items, list->count, &impossible));
}

// What comes over the link to the host or goes there; zeros do not.
static void add_carried(struct work_list *link, struct work_list *any,
                        const struct sim_times *times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (times[i].end <= times[i].start)
            continue;
        modelled_add_work(link, times[i]);
        modelled_add_work(any, times[i]);
    }
}

static void sum_whole(struct modelled *modelled, const struct program *program,
                      const struct target *target, const struct sim_result *result)
{
    struct work_list lists[MODELLED_KINDS + 1] = {0}; // the last: any of them
    for (uint32_t i = 0; i < program->task_count; i++) {
        modelled_add_work(&lists[modelled_kind_of(target, program->tasks[i].engine)],
                          result->tasks[i]);
        modelled_add_work(&lists[MODELLED_KINDS], result->tasks[i]);
    }
    for (uint32_t i = 0; i < program->action_count; i++) {
        if (program->actions[i].kind != PROGRAM_ACTION_HOST_COPY)
            continue;
        modelled_add_work(&lists[MODELLED_HOST], result->actions[i]);
        modelled_add_work(&lists[MODELLED_KINDS], result->actions[i]);
    }
    struct work_list link = {0};
    if (result->linked) {
        add_carried(&link, &lists[MODELLED_KINDS], result->inputs, program->input_count);
        add_carried(&link, &lists[MODELLED_KINDS], result->outputs, program->output_count);
    }
    modelled->link = modelled_total_of(&link);
    free(link.items);
    modelled->cycles = result->end;
    for (int i = 0; i < MODELLED_KINDS; i++)
        modelled->busy[i] = modelled_total_of(&lists[i]);
    modelled->idle = result->end - modelled_total_of(&lists[MODELLED_KINDS]);
    for (int i = 0; i <= MODELLED_KINDS; i++)
        free(lists[i].items);
}

// The least ------------------------------------------------------------------

// What goes between a buffer of the far memory and local ones.
struct passage {
    uint64_t in, out; // bytes
    uint32_t in_engine, out_engine;
    bool made, used; // where it lies, by what computes there
};

static bool is_far(const struct target *target, const struct program_buffer *buffer)
{
    return !target->memories[buffer->memory].local;
}

static void note_passage(struct passage *passages, const struct program *program,
                         const struct target *target, const struct program_task *task)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        const struct program_buffer *buffer = &program->buffers[operand->buffer];
        const uint32_t root = buffer->alias != PROGRAM_NONE ? buffer->alias : operand->buffer;
        struct passage *passage = &passages[root];
        if (!is_far(target, buffer))
            continue;
        if (task->kind == PROGRAM_TASK_COMPUTE) {
            *(operand->writes != 0 ? &passage->made : &passage->used) = true;
        } else if (operand->writes != 0) {
            passage->out += task->cost.bytes;
            passage->out_engine = task->engine;
        } else {
            passage->in += task->cost.bytes;
            passage->in_engine = task->engine;
        }
    }
}

// The largest local memory: what fits none has to lie outside.
static uint64_t local_room(const struct target *target)
{
    uint64_t room = 0;
    for (uint32_t i = 0; i < target->memory_count; i++) {
        const struct target_memory *memory = &target->memories[i];
        if (memory->local && memory->size > room)
            room = memory->size;
    }
    return room;
}

static uint64_t carrying_least(const struct target *target, uint32_t engine, uint64_t bytes)
{
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes, .outputs = bytes};
    return bytes > 0 ? cost_bound(target, engine, &request) : 0;
}

// Of what goes to and from the far memory only what cannot be avoided counts, and once: what
// comes from outside or goes there, and values that no local memory can hold. How much code
// there is depends on how the work was cut.
static void add_passages(const struct program *program, const struct target *target, uint64_t *sums)
{
    struct passage *passages =
        memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *passages);
    uint64_t *in = memory_allocate_zeroed(2 * (size_t)target->engine_count + 1, sizeof *in);
    uint64_t *out = in + target->engine_count;
    const uint64_t room = local_room(target);
    for (uint32_t i = 0; i < program->task_count; i++)
        note_passage(passages, program, target, &program->tasks[i]);
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        const struct passage *passage = &passages[i];
        const bool large = buffer->size > room;
        const bool between =
            buffer->kind == PROGRAM_BUFFER_INNER || buffer->kind == PROGRAM_BUFFER_OUTPUT;
        if (passage->in > 0 && buffer->kind != PROGRAM_BUFFER_CODE &&
            (!between || passage->made || large))
            in[passage->in_engine] += passage->in < buffer->size ? passage->in : buffer->size;
        if (passage->out > 0 && (buffer->kind == PROGRAM_BUFFER_OUTPUT || passage->used || large))
            out[passage->out_engine] += passage->out < buffer->size ? passage->out : buffer->size;
    }
    for (uint32_t i = 0; i < target->engine_count; i++)
        sums[i] += carrying_least(target, i, in[i]) + carrying_least(target, i, out[i]);
    free(passages);
    free(in);
}

static bool passes_far(const struct program *program, const struct target *target,
                       const struct program_task *task)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const uint32_t buffer = program->operands[task->first_operand + i].buffer;
        if (is_far(target, &program->buffers[buffer]))
            return task->kind == PROGRAM_TASK_TRANSFER;
    }
    return false;
}

static void find_least(struct modelled *modelled, const struct program *program,
                       const struct target *target)
{
    uint64_t *sums = memory_allocate_zeroed((size_t)target->engine_count + 1, sizeof *sums);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const uint64_t least = cost_bound(target, task->engine, &task->cost);
        if (!passes_far(program, target, task))
            sums[task->engine] += least;
        if (task->group != PROGRAM_NONE)
            modelled->groups[task->group].least += least;
    }
    add_passages(program, target, sums);
    modelled->least_engine = TARGET_NONE;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        const uint64_t least =
            sums[i] / ((uint64_t)engine->count * target_units(target, engine->per));
        if (least > modelled->least) {
            modelled->least = least;
            modelled->least_engine = i;
        }
    }
    free(sums);
}

// Groups -----------------------------------------------------------------------

// What was loaded in an earlier job does not make the group's own time longer.
static void modelled_add_task(struct modelled_group *group, const struct program_task *task,
                              struct sim_times times, bool own)
{
    if (own && (group->end == 0 || times.start < group->start))
        group->start = times.start;
    if (own && times.end > group->end)
        group->end = times.end;
    if (task->tile >= group->tiles)
        group->tiles = task->tile + 1;
    group->tasks++;
}

// By group: the job in which it is computed.
static uint32_t *find_jobs(const struct program *program)
{
    uint32_t *jobs = memory_allocate(((size_t)program->group_count + 1) * sizeof *jobs);
    memset(jobs, 0xff, ((size_t)program->group_count + 1) * sizeof *jobs);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (task->group != PROGRAM_NONE && task->kind == PROGRAM_TASK_COMPUTE)
            jobs[task->group] = task->job;
    }
    return jobs;
}

// Whether a task works on something whose size is known only when it runs.
static bool is_unknown(const struct program *program, const struct program_task *task)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        if (program->buffers[operand->buffer].kind == PROGRAM_BUFFER_DYNAMIC)
            return true;
    }
    return false;
}

static void sum_groups(struct modelled *modelled, const struct program *program,
                       const struct target *target, const struct sim_result *result)
{
    const size_t slots = (size_t)program->group_count * MODELLED_KINDS;
    struct work_list *lists = memory_allocate_zeroed(slots + 1, sizeof *lists);
    uint32_t *jobs = find_jobs(program);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (task->group == PROGRAM_NONE)
            continue;
        const enum modelled_kind kind = modelled_kind_of(target, task->engine);
        modelled_add_task(&modelled->groups[task->group], task, result->tasks[i],
                          jobs[task->group] == PROGRAM_NONE || task->job == jobs[task->group]);
        modelled->groups[task->group].unknown |= is_unknown(program, task);
        modelled_add_work(&lists[(size_t)task->group * MODELLED_KINDS + kind], result->tasks[i]);
    }
    for (size_t i = 0; i < slots; i++) {
        struct modelled_group *group = &modelled->groups[i / MODELLED_KINDS];
        const size_t kind = i % MODELLED_KINDS;
        group->busy[kind] = modelled_total_of(&lists[i]);
        if (group->busy[kind] > group->busy[group->bound])
            group->bound = (enum modelled_kind)kind;
        free(lists[i].items);
    }
    free(jobs);
    free(lists);
}

static int modelled_by_time(const void *left, const void *right)
{
    const struct modelled_group *a = left;
    const struct modelled_group *b = right;
    const uint64_t first = a->end - a->start;
    const uint64_t second = b->end - b->start;
    if (first != second)
        return first < second ? 1 : -1;
    return (a->group > b->group) - (a->group < b->group);
}

// Memory ----------------------------------------------------------------------

struct change {
    uint32_t unit;
    uint32_t moment;
    uint32_t is_start; // at the same moment ends come first
    uint64_t size;
};

static int by_moment(const void *left, const void *right)
{
    const struct change *a = left;
    const struct change *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->moment != b->moment)
        return a->moment < b->moment ? -1 : 1;
    return (int)a->is_start - (int)b->is_start;
}

// Of the unit with the highest one.
static uint64_t peak_of(struct change *changes, size_t count)
{
    sort_items(changes, count, sizeof *changes, by_moment);
    uint64_t used = 0;
    uint64_t peak = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && changes[i].unit != changes[i - 1].unit)
            used = 0;
        used += changes[i].is_start ? changes[i].size : -changes[i].size;
        peak = used > peak ? used : peak;
    }
    return peak;
}

static void sum_memory(struct modelled_memory *memory, const struct program *program,
                       uint32_t index, struct change *changes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        if (buffer->memory != index || buffer->alias != PROGRAM_NONE ||
            buffer->kind == PROGRAM_BUFFER_PIPELINE)
            continue;
        if (buffer->kind == PROGRAM_BUFFER_DYNAMIC) {
            memory->unknown++;
            continue;
        }
        if (buffer->kind == PROGRAM_BUFFER_CONSTANT)
            memory->constants += buffer->size;
        if (buffer->address + buffer->size > memory->reach)
            memory->reach = buffer->address + buffer->size;
        changes[count++] = (struct change){buffer->unit, buffer->from, 1, buffer->size};
        if (buffer->to < UINT32_MAX)
            changes[count++] = (struct change){buffer->unit, buffer->to + 1, 0, buffer->size};
    }
    memory->peak = peak_of(changes, count);
}

// The published rules give the host no time: what it needs at least is no bound of what they say.
static void find_unpriced(struct modelled *modelled, const struct program *program,
                          const struct target *target, const struct sim_result *result)
{
    bool bounds = false;
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (result->tasks[i].start != result->tasks[i].end ||
            cost_bound(target, task->engine, &task->cost) == 0)
            continue;
        if (modelled->unpriced++ == 0)
            modelled->unpriced_engine = task->engine;
        bounds = bounds || task->engine == modelled->least_engine;
    }
    if (bounds) {
        modelled->least = 0;
        modelled->least_engine = TARGET_NONE;
    }
}

// -----------------------------------------------------------------------------

struct modelled *modelled_create(const struct program *program, const struct target *target,
                                 const struct sim_result *result)
{
    struct modelled *modelled = memory_allocate_zeroed(1, sizeof *modelled);
    modelled->group_count = program->group_count;
    modelled->groups =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *modelled->groups);
    for (uint32_t i = 0; i < program->group_count; i++) {
        modelled->groups[i].group = i;
        const uint32_t engine = program->groups[i].engine;
        if (engine < target->engine_count && target->engines[engine].role == TARGET_ROLE_HOST)
            modelled->host_groups++;
    }
    sum_whole(modelled, program, target, result);
    find_least(modelled, program, target);
    find_unpriced(modelled, program, target, result);
    sum_groups(modelled, program, target, result);
    for (uint32_t i = 0; i < modelled->group_count; i++)
        modelled->unknown_groups += modelled->groups[i].unknown;
    sort_items(modelled->groups, modelled->group_count, sizeof *modelled->groups, modelled_by_time);

    struct change *changes =
        memory_allocate(((size_t)program->buffer_count * 2 + 1) * sizeof *changes);
    modelled->memories =
        memory_allocate_zeroed((size_t)target->memory_count + 1, sizeof *modelled->memories);
    for (uint32_t i = 0; i < target->memory_count; i++) {
        sum_memory(&modelled->memories[i], program, i, changes);
        modelled->constants += modelled->memories[i].constants;
    }
    free(changes);
    return modelled;
}

void modelled_free(struct modelled *modelled)
{
    if (modelled == NULL)
        return;
    free(modelled->groups);
    free(modelled->memories);
    free(modelled);
}
