#include "perf_metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "collect.h"

enum {
    BLOCK = 32, // places, channels and products that the matrix unit takes at a time
    FIVE_DIGITS = 100000,
    LINE_WIDTH = 37, // of a line that says a size
    TEXT_ROOM = 40,
};

// Finding them -------------------------------------------------------------------------

static uint64_t padded_to_block(uint64_t number)
{
    return (number + BLOCK - 1) / BLOCK * BLOCK;
}

// MACs of the blocks that are filled all or in part: what the unit is busy with.
static uint64_t block_macs(const struct cost_request *cost)
{
    const uint64_t groups = cost->groups > 0 ? cost->groups : 1;
    const uint64_t places = (cost->outputs + groups - 1) / groups;
    const uint64_t inner = cost->inner > 0 ? cost->inner : 1;
    return cost->macs == 0 ? 0
                           : groups * padded_to_block(places) *
                                 padded_to_block(cost->channels > 0 ? cost->channels : 1) *
                                 padded_to_block(inner);
}

static const struct program_buffer *far_side(const struct program *program,
                                             const struct target *target,
                                             const struct program_task *task)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_buffer *buffer =
            &program->buffers[program->operands[task->first_operand + i].buffer];
        if (!target->memories[buffer->memory].local)
            return buffer;
    }
    return NULL;
}

static bool is_constant(const struct program *program, const struct program_buffer *buffer)
{
    return buffer != NULL && buffer->value != PROGRAM_NONE &&
           program->values[buffer->value].kind == PROGRAM_VALUE_CONSTANT;
}

static void add_transfer(struct qaic_perf_metrics *metrics, const struct program *program,
                         const struct target *target, const struct program_task *task,
                         uint32_t core)
{
    struct qaic_core_traffic *own = &metrics->cores[core];
    const struct program_operand *first = &program->operands[task->first_operand];
    const struct program_buffer *far = far_side(program, target, task);
    const uint64_t bytes = task->cost.bytes;
    if (target->engines[task->engine].role == TARGET_ROLE_COMMUNICATION) {
        own->cast += bytes;
        own->cast_constants += is_constant(program, &program->buffers[first->buffer]) ? bytes : 0;
    } else if (far == &program->buffers[first->buffer]) {
        own->read += bytes;
        own->read_constants += is_constant(program, far) ? bytes : 0;
    } else {
        own->written += bytes;
    }
}

static void add_tasks(struct qaic_perf_metrics *metrics, const struct program *program,
                      const struct target *target)
{
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const struct target_engine *engine = &target->engines[task->engine];
        uint32_t core;
        if (!qaic_collect_core(program, target, i, &core) || core >= metrics->core_count)
            continue;
        if (task->kind == PROGRAM_TASK_TRANSFER)
            add_transfer(metrics, program, target, task, core);
        else if (strcmp(engine->row, "HMX") == 0)
            metrics->hmx_macs += block_macs(&task->cost);
        else
            metrics->other_macs += task->cost.macs;
    }
}

static void add_buffers(struct qaic_perf_metrics *metrics, const struct program *program,
                        const struct target *target)
{
    uint64_t reach = 0, shared = UINT64_MAX;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        const struct target_memory *memory = &target->memories[buffer->memory];
        const uint64_t end = buffer->address + buffer->size;
        if (buffer->kind == PROGRAM_BUFFER_PIPELINE || buffer->kind == PROGRAM_BUFFER_DYNAMIC)
            continue;
        if (memory->local) {
            if (buffer->unit < metrics->core_count && end > metrics->cores[buffer->unit].vtcm)
                metrics->cores[buffer->unit].vtcm = end;
        } else if (buffer->kind == PROGRAM_BUFFER_CONSTANT) {
            metrics->constants = end > metrics->constants ? end : metrics->constants;
        } else if (buffer->kind != PROGRAM_BUFFER_CODE) {
            reach = end > reach ? end : reach;
            shared = buffer->address < shared ? buffer->address : shared;
        }
    }
    metrics->shared_ddr = reach > 0 ? reach - shared : 0;
}

static uint64_t value_bytes(const struct program_value *value)
{
    uint64_t elements = value->rank == PROGRAM_NONE ? 0 : 1;
    for (uint32_t d = 0; value->rank != PROGRAM_NONE && d < value->rank; d++)
        elements *= (uint64_t)(value->dims[d] > 0 ? value->dims[d] : 0);
    return elements * element_size((enum element)value->element);
}

static void add_values(struct qaic_perf_metrics *metrics, const struct program *program)
{
    for (uint32_t i = 0; i < program->value_count; i++) {
        if (program->values[i].kind == PROGRAM_VALUE_CONSTANT)
            metrics->network_constants += program->values[i].bytes;
    }
    for (uint32_t i = 0; i < program->input_count; i++)
        metrics->input_bytes += value_bytes(&program->values[program->inputs[i]]);
    for (uint32_t i = 0; i < program->output_count; i++)
        metrics->output_bytes += value_bytes(&program->values[program->outputs[i]]);
}

static int by_elements(const void *left, const void *right)
{
    const struct qaic_size_count *a = left, *b = right;
    return (a->elements > b->elements) - (a->elements < b->elements);
}

static void add_operators(struct qaic_perf_metrics *metrics, const struct program *program)
{
    struct qaic_size_count *all =
        memory_allocate_zeroed((size_t)program->operator_count + 1, sizeof *all);
    size_t count = 0;
    metrics->all_macs_known = true;
    for (uint32_t i = 0; i < program->operator_count; i++) {
        const struct program_operator *item = &program->operators[i];
        metrics->all_macs_known &= item->work.known != 0;
        metrics->macs += item->work.macs;
        if (item->work.known != 0)
            all[count++] = (struct qaic_size_count){item->work.elements, 1};
    }
    sort_items(all, count, sizeof *all, by_elements);
    for (size_t i = 0; i < count; i++) {
        struct qaic_size_count *last = &all[metrics->histogram_count];
        if (metrics->histogram_count > 0 && last[-1].elements == all[i].elements)
            last[-1].count++;
        else
            all[metrics->histogram_count++] = all[i];
    }
    metrics->histogram = all;
}

void qaic_perf_metrics_find(const struct program *program, const struct target *target,
                            uint32_t core_count, struct qaic_perf_metrics *out_metrics)
{
    *out_metrics = (struct qaic_perf_metrics){
        .core_count = core_count,
        .cores = memory_allocate_zeroed((size_t)core_count + 1, sizeof *out_metrics->cores),
    };
    for (uint32_t i = 0; i < core_count; i++)
        out_metrics->cores[i].barriers = program->job_count;
    add_operators(out_metrics, program);
    add_values(out_metrics, program);
    add_buffers(out_metrics, program, target);
    add_tasks(out_metrics, program, target);
}

void qaic_perf_metrics_free(struct qaic_perf_metrics *metrics)
{
    free(metrics->histogram);
    free(metrics->cores);
}

// Printing -----------------------------------------------------------------------------

// "6,640,631,808"
static const char *with_commas(uint64_t number, char text[TEXT_ROOM])
{
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = text;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

// In the smallest unit that needs no more than five digits.
static const char *with_unit(uint64_t bytes, char text[TEXT_ROOM])
{
    static const char *const UNITS[] = {"B", "KB", "MB"};
    size_t unit = 0;
    while (unit < 2 && bytes >= FIVE_DIGITS) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, TEXT_ROOM, "%" PRIu64 " %s", bytes, UNITS[unit]);
    return text;
}

// Right-justified, label and all.
static void print_size(const char *label, uint64_t bytes, struct bytes *to)
{
    char text[TEXT_ROOM];
    with_unit(bytes, text);
    bytes_append_format(to, "%s%*s\n", label, LINE_WIDTH - (int)strlen(label), text);
}

static uint64_t in_kb(uint64_t bytes)
{
    return bytes / 1024;
}

static void print_work(const struct qaic_perf_metrics *metrics, struct bytes *to)
{
    char text[TEXT_ROOM], other[TEXT_ROOM];
    uint64_t all = 0, below = 0;
    for (size_t i = 0; i < metrics->histogram_count; i++)
        all += metrics->histogram[i].count;
    if (!metrics->all_macs_known)
        bytes_append_format(to, "AIC WARNING: MAC estimate does not yet handle all operations\n");
    bytes_append_format(to, "Original MAC estimate: %s\n", with_commas(metrics->macs, text));
    bytes_append_format(to, "Original Graph operation size histogram:\n"
                            "     output elts      op count (cumulative)\n");
    for (size_t i = 0; i < metrics->histogram_count; i++) {
        below += metrics->histogram[i].count;
        bytes_append_format(to, "%16s%21s%5" PRIu64 "%%\n",
                            with_commas(metrics->histogram[i].elements, text),
                            with_commas(below, other), below * 100 / all);
    }
    bytes_append_format(to, "preD32 constants size: %s\n",
                        with_unit(metrics->network_constants, text));
    bytes_append_format(to, "AIC HMX MAC estimate: %s\n", with_commas(metrics->hmx_macs, text));
    bytes_append_format(to, "AIC non-HMX MAC estimate: %s\n",
                        with_commas(metrics->other_macs, text));
    bytes_append_format(to, "final constants size: %s\n", with_unit(metrics->constants, text));
}

static void print_memory(const struct qaic_perf_metrics *metrics, struct bytes *to)
{
    char text[TEXT_ROOM];
    uint64_t most = 0;
    for (uint32_t i = 0; i < metrics->core_count; i++) {
        const uint64_t own = metrics->cores[i].vtcm;
        bytes_append_format(to, "VTCM%uSize:\t%s\n", i, with_unit(own, text));
        most = own > most ? own : most;
    }
    bytes_append_format(to, "VTCMMaxSize:\t%s\n", with_unit(most, text));
    print_size("StaticSharedDDRSize:", metrics->shared_ddr, to);
    print_size("DynamicSharedDDRSize:", 0, to);
    print_size("StaticConstantsSize:", metrics->constants, to);
}

static void print_reading(const char *who, uint64_t bytes, uint64_t constants, struct bytes *to)
{
    bytes_append_format(to,
                        "%7s: DDR traffic  read: %10" PRIu64 " KB (first-inf %10" PRIu64 " KB)\n",
                        who, in_kb(bytes), in_kb(bytes));
    bytes_append_format(
        to, "             constant only: %10" PRIu64 " KB (first-inf %10" PRIu64 " KB)\n",
        in_kb(constants), in_kb(constants));
}

static void print_line(const char *who, const char *what, uint64_t bytes, struct bytes *to)
{
    bytes_append_format(to, "%7s: %s: %10" PRIu64 " KB\n", who, what, in_kb(bytes));
}

static void print_cores(const struct qaic_perf_metrics *metrics, struct bytes *to,
                        void (*print)(const char *who, const struct qaic_core_traffic *core,
                                      struct bytes *to))
{
    for (uint32_t i = 0; i < metrics->core_count; i++) {
        char who[16];
        snprintf(who, sizeof who, "c%02u", i);
        print(who, &metrics->cores[i], to);
    }
}

static void print_core_reading(const char *who, const struct qaic_core_traffic *core,
                               struct bytes *to)
{
    print_reading(who, core->read, core->read_constants, to);
}

static void print_core_writing(const char *who, const struct qaic_core_traffic *core,
                               struct bytes *to)
{
    print_line(who, "DDR traffic write", core->written, to);
}

static void print_core_listening(const char *who, const struct qaic_core_traffic *core,
                                 struct bytes *to)
{
    (void)core; // what is cast arrives by itself
    print_line(who, "MC  traffic  read", 0, to);
}

static void print_core_casting(const char *who, const struct qaic_core_traffic *core,
                               struct bytes *to)
{
    print_line(who, "MC  traffic write", core->cast, to);
    print_line(who, "    constant only", core->cast_constants, to);
}

static void print_barriers(const char *who, const struct qaic_core_traffic *core, struct bytes *to)
{
    bytes_append_format(to, "%5s barriers: %10" PRIu64 "\n", who, core->barriers);
}

static void print_traffic(const struct qaic_perf_metrics *metrics, struct bytes *to)
{
    struct qaic_core_traffic all = {0};
    for (uint32_t i = 0; i < metrics->core_count; i++) {
        const struct qaic_core_traffic *core = &metrics->cores[i];
        all.read += core->read;
        all.read_constants += core->read_constants;
        all.written += core->written;
        all.cast += core->cast;
        all.cast_constants += core->cast_constants;
    }
    print_reading("host", metrics->output_bytes, 0, to);
    print_line("port02", "DDR traffic  read", metrics->output_bytes, to);
    print_cores(metrics, to, print_core_reading);
    print_line("host", "DDR traffic write", metrics->input_bytes, to);
    print_line("port01", "DDR traffic write", metrics->input_bytes, to);
    print_cores(metrics, to, print_core_writing);
    print_line("host", "MC  traffic  read", 0, to);
    print_cores(metrics, to, print_core_listening);
    print_line("host", "MC  traffic write", 0, to);
    print_cores(metrics, to, print_core_casting);
    print_reading("total", all.read + metrics->output_bytes, all.read_constants, to);
    print_line("total", "DDR traffic write", all.written + metrics->input_bytes, to);
    print_line("total", "MC  traffic  read", 0, to);
    print_core_casting("total", &all, to);
    print_cores(metrics, to, print_barriers);
}

void qaic_perf_metrics_print(const struct qaic_perf_metrics *metrics, const char *network,
                             struct bytes *to)
{
    print_work(metrics, to);
    print_memory(metrics, to);
    bytes_append_format(to,
                        "%s\nCompiler estimated memory traffic:\nPort info:\n"
                        " port01: host input\n port02: host output\n",
                        network);
    print_traffic(metrics, to);
    print_size("DynamicConstantsSize:", 0, to);
    print_size("Constants size:", metrics->constants, to);
}
