#include "estimate_rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "formats/torq/kind.h"
#include "program/location.h"
#include "wire/csv.h"

// Which part of the file an engine's rows are in; 0: none.
static int estimate_rows_part_of(enum torq_kind kind)
{
    switch (kind) {
    case TORQ_KIND_DMA_IN:
    case TORQ_KIND_DMA_OUT:
    case TORQ_KIND_CDMA:
        return 1;
    case TORQ_KIND_SLICE:
        return 2;
    case TORQ_KIND_CSS:
        return 3;
    default:
        return 0;
    }
}

static enum torq_kind estimate_rows_kind_of(const struct program *program,
                                            const struct target *target, uint32_t task)
{
    return torq_kind_of(target, program->tasks[task].engine);
}

static const char *estimate_rows_memory_name(const struct program *program,
                                             const struct target *target, uint32_t operand)
{
    const uint32_t memory = program->buffers[program->operands[operand].buffer].memory;
    return memory < target->memory_count ? target->memories[memory].name : "?";
}

// "CDMA LRAM to DTCM"
static void name_copy(const struct program *program, const struct target *target,
                      const struct program_task *task, struct estimate_row *row)
{
    const char *from = estimate_rows_memory_name(program, target, task->first_operand);
    const char *to = estimate_rows_memory_name(program, target, task->first_operand + 1);
    const int size = snprintf(row->event, sizeof row->event, "CDMA %.12s", from);
    for (int i = 0; i < size; i++)
        row->event[i] = (char)toupper((unsigned char)row->event[i]);
    snprintf(row->event + size, sizeof row->event - (size_t)size, " to %.12s", to);
    for (char *at = row->event + size + 4; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
}

static struct estimate_row estimate_rows_row_of(const struct program *program,
                                                const struct target *target,
                                                const struct sim_result *times,
                                                enum cost_rules rules,
                                                const struct program_step *step)
{
    const struct program_task *task = &program->tasks[step->task];
    struct estimate_row row = {.task = step->task,
                               .number = step->number,
                               .start = times->tasks[step->task].start,
                               .end = times->tasks[step->task].end,
                               .bytes = task->cost.bytes};
    switch (estimate_rows_kind_of(program, target, step->task)) {
    case TORQ_KIND_DMA_IN:
        snprintf(row.event, sizeof row.event, "DMA In");
        break;
    case TORQ_KIND_DMA_OUT:
        snprintf(row.event, sizeof row.event, "DMA Out");
        break;
    case TORQ_KIND_CDMA:
        name_copy(program, target, task, &row);
        if (rules == COST_RULES_PUBLIC && task->cost.outputs > 0)
            row.bytes = task->cost.outputs;
        break;
    case TORQ_KIND_SLICE:
        snprintf(row.event, sizeof row.event, "Slice %u", task->lane);
        break;
    default:
        snprintf(row.event, sizeof row.event, "CSS");
        break;
    }
    row.has_bytes = estimate_rows_part_of(estimate_rows_kind_of(program, target, step->task)) == 1;
    return row;
}

struct estimate_row *estimate_rows(const struct program *program, const struct target *target,
                                   const struct sim_result *times, enum cost_rules rules,
                                   size_t *out_count)
{
    struct estimate_row *rows =
        memory_allocate_zeroed((size_t)program->step_count + 1, sizeof *rows);
    size_t count = 0;
    for (int part = 1; part <= 3; part++) {
        for (uint32_t i = 0; i < program->step_count; i++) {
            const struct program_step *step = &program->steps[i];
            if (step->kind == PROGRAM_STEP_START &&
                estimate_rows_part_of(estimate_rows_kind_of(program, target, step->task)) == part)
                rows[count++] = estimate_rows_row_of(program, target, times, rules, step);
        }
    }
    *out_count = count;
    return rows;
}

void estimate_row_location(const struct program *program, const struct estimate_row *row,
                           struct bytes *out_text)
{
    const uint32_t group = program->tasks[row->task].group;
    if (group != PROGRAM_NONE)
        program_group_location(program, group, out_text);
    else
        bytes_append_format(out_text, "loc(unknown)");
}

void estimate_rows_write(const struct program *program, const struct estimate_row *rows,
                         size_t count, struct output *output)
{
    struct bytes line = {0};
    struct bytes location = {0};
    output_text(output, "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n");
    for (size_t i = 0; i < count; i++) {
        line.size = 0;
        location.size = 0;
        bytes_append_format(&line, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%s,", rows[i].number,
                            rows[i].end - rows[i].start, rows[i].start, rows[i].event);
        estimate_row_location(program, &rows[i], &location);
        csv_field_append(&line, bytes_view(&location), ',');
        bytes_append(&line, ",", 1);
        if (rows[i].has_bytes)
            bytes_append_format(&line, "%" PRIu64, rows[i].bytes);
        bytes_append(&line, "\n", 1);
        output_write(output, line.data, line.size);
    }
    bytes_free(&line);
    bytes_free(&location);
}
