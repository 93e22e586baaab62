#include "dumps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/output.h"
#include "collect.h"

struct dump {
    const struct program *program;
    const struct target *target;
    const struct sim_result *times;
    const struct qaic_collected *collected;
    struct output *output;
};

static uint64_t cycles_of(const struct dump *dump, uint32_t task)
{
    return dump->times->tasks[task].end - dump->times->tasks[task].start;
}

// Operations ---------------------------------------------------------------------------

static const struct qaic_operation *operation_at(const struct dump *dump, uint32_t task)
{
    const struct qaic_place *place = &dump->collected->places[task];
    if (place->core == UINT32_MAX)
        return NULL;
    return &qaic_network_operations(dump->collected->network, place->core, place->group)
                ->items[place->ordinal];
}

static void put_operation(const struct dump *dump, uint32_t task,
                          const struct qaic_operation *operation)
{
    const struct qaic_place *place = &dump->collected->places[task];
    output_format(dump->output,
                  "c%02u t%u %12" PRIu64 " pcycles %12" PRIu64 " B [%.*s] %.*s %.*s\n", place->core,
                  place->thread, cycles_of(dump, task), operation->output_size,
                  VIEW_ARGUMENTS(operation->memory), VIEW_ARGUMENTS(operation->kind),
                  VIEW_ARGUMENTS(operation->name));
}

static void put_operations(const struct dump *dump)
{
    for (uint32_t i = 0; i < dump->program->task_count; i++) {
        const struct qaic_operation *operation = operation_at(dump, i);
        if (operation != NULL)
            put_operation(dump, i, operation);
    }
}

static bool touches_far(const struct dump *dump, const struct program_task *task)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &dump->program->operands[task->first_operand + i];
        if (!dump->target->memories[dump->program->buffers[operand->buffer].memory].local)
            return true;
    }
    return false;
}

static void put_far_operations(const struct dump *dump)
{
    uint64_t bytes = 0, count = 0;
    for (uint32_t i = 0; i < dump->program->task_count; i++) {
        const struct program_task *task = &dump->program->tasks[i];
        const struct qaic_operation *operation = operation_at(dump, i);
        if (operation == NULL || !touches_far(dump, task))
            continue;
        put_operation(dump, i, operation);
        bytes += task->cost.bytes;
        count++;
    }
    output_format(dump->output, "total %" PRIu64 " operations %" PRIu64 " B\n", count, bytes);
}

// Memory -------------------------------------------------------------------------------

static const char *tag_of(const struct dump *dump, const struct program_buffer *buffer)
{
    if (dump->target->memories[buffer->memory].local)
        return "[VTCM]";
    switch (buffer->kind) {
    case PROGRAM_BUFFER_INPUT:
        return "[DDR] [shared-alloc Input]";
    case PROGRAM_BUFFER_OUTPUT:
        return "[DDR] [shared-alloc Output]";
    case PROGRAM_BUFFER_INNER:
        return "[DDR] [shared-alloc]";
    default:
        return "[DDR] [no-alloc]"; // constants, which are there before it runs
    }
}

// Taken at its first moment, and given back after its last one.
struct change {
    uint32_t moment;
    uint32_t core;
    int64_t bytes;
};

static int by_moment(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    if (a->moment != b->moment)
        return a->moment < b->moment ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes); // what is given back comes first
}

static bool takes_memory(const struct program_buffer *buffer)
{
    return buffer->kind != PROGRAM_BUFFER_PIPELINE && buffer->kind != PROGRAM_BUFFER_DYNAMIC &&
           buffer->alias == PROGRAM_NONE;
}

static size_t list_changes(const struct dump *dump, struct change *changes, uint64_t *tops)
{
    size_t count = 0;
    for (uint32_t i = 0; i < dump->program->buffer_count; i++) {
        const struct program_buffer *buffer = &dump->program->buffers[i];
        if (!takes_memory(buffer) || !dump->target->memories[buffer->memory].local ||
            buffer->unit >= dump->target->core_count)
            continue;
        changes[count++] = (struct change){buffer->from, buffer->unit, (int64_t)buffer->size};
        changes[count++] = (struct change){buffer->to + 1, buffer->unit, -(int64_t)buffer->size};
        if (buffer->address + buffer->size > tops[buffer->unit])
            tops[buffer->unit] = buffer->address + buffer->size;
    }
    sort_items(changes, count, sizeof *changes, by_moment);
    return count;
}

static void put_cores(const struct dump *dump)
{
    const uint32_t cores = dump->target->core_count;
    struct change *changes =
        memory_allocate_zeroed(2 * (size_t)dump->program->buffer_count + 1, sizeof *changes);
    uint64_t *tops = memory_allocate_zeroed((size_t)cores + 1, sizeof *tops);
    int64_t *used = memory_allocate_zeroed((size_t)cores + 1, sizeof *used);
    int64_t *most = memory_allocate_zeroed((size_t)cores + 1, sizeof *most);
    const size_t count = list_changes(dump, changes, tops);
    for (size_t i = 0; i < count; i++) {
        const uint32_t core = changes[i].core;
        used[core] += changes[i].bytes;
        most[core] = used[core] > most[core] ? used[core] : most[core];
    }
    for (uint32_t i = 0; i < cores; i++)
        output_format(dump->output, "VTCM%u usage %.3f MB highwatermark %.3f MB\n", i,
                      (double)most[i] / (1 << 20), (double)tops[i] / (1 << 20));
    free(changes);
    free(tops);
    free(used);
    free(most);
}

static void put_memory(const struct dump *dump)
{
    for (uint32_t i = 0; i < dump->program->buffer_count; i++) {
        const struct program_buffer *buffer = &dump->program->buffers[i];
        if (!takes_memory(buffer))
            continue;
        output_format(dump->output, "%12" PRIu64 " B at 0x%" PRIx64 " moments %u-%u ", buffer->size,
                      buffer->address, buffer->from, buffer->to);
        if (dump->target->memories[buffer->memory].local)
            output_format(dump->output, "c%02u ", buffer->unit);
        output_format(dump->output, "%s %s\n", tag_of(dump, buffer),
                      buffer->value != PROGRAM_NONE
                          ? program_text(dump->program, dump->program->values[buffer->value].name)
                          : program_text(dump->program, buffer->name));
    }
    put_cores(dump);
}

// Splits -------------------------------------------------------------------------------

static void put_splits(const struct dump *dump)
{
    const struct program *program = dump->program;
    struct split {
        uint32_t tiles, cores, first;
        uint64_t used; // of the first 64 cores
    } *splits = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *splits);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        uint32_t core;
        if (task->kind != PROGRAM_TASK_COMPUTE || task->group == PROGRAM_NONE ||
            !qaic_collect_core(program, dump->target, i, &core))
            continue;
        struct split *split = &splits[task->group];
        split->first = split->tiles++ == 0 ? i : split->first;
        split->cores += core < 64 && (split->used >> core & 1) == 0;
        split->used |= core < 64 ? UINT64_C(1) << core : 0;
    }
    for (uint32_t i = 0; i < program->group_count; i++) {
        const struct qaic_operation *first =
            splits[i].tiles > 0 ? operation_at(dump, splits[i].first) : NULL;
        if (first != NULL)
            output_format(dump->output, "%s %s: %u tiles on %u cores, the first gives %.*s %.*s\n",
                          program_text(program, program->groups[i].name),
                          program_text(program, program->groups[i].type), splits[i].tiles,
                          splits[i].cores, VIEW_ARGUMENTS(first->type),
                          VIEW_ARGUMENTS(first->shape));
    }
    free(splits);
}

// Files --------------------------------------------------------------------------------

static const struct {
    const char *ending;
    void (*put)(const struct dump *dump);
} FILES[] = {
    {"__op_summary_final.log", put_operations},
    {"__ddr_op_summary.log", put_far_operations},
    {"__memuse_estimate_final.log", put_memory},
    {"__splitPlan_SplitPlan_IntraCoreSize_final.log", put_splits},
};

status qaic_dumps_write(const char *folder, const char *network, const struct program *program,
                        const struct target *target, const struct sim_result *times)
{
    struct qaic_collected collected;
    status result = folder_make(folder);
    if (result != STATUS_OK)
        return result;
    STATUS_TRY(qaic_collect(program, target, NULL, 0, &collected));
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0] && result == STATUS_OK; i++) {
        struct dump dump = {program, target, times, &collected, NULL};
        char path[4096];
        const int size = snprintf(path, sizeof path, "%s/%s%s", folder, network, FILES[i].ending);
        if (size < 0 || (size_t)size >= sizeof path)
            result = status_make(STATUS_USAGE, "the path '%.60s...' is too long", folder);
        else
            result = output_open(path, &dump.output);
        if (result != STATUS_OK)
            break;
        FILES[i].put(&dump);
        result = output_close(dump.output);
    }
    qaic_collected_free(&collected);
    return result;
}
