// What limits the operations: sums, and the figures behind each.

#include <stdio.h>
#include <stdlib.h>

#include "tt_perf_cells.h"
#include "tt_perf_table.h"

enum { SLOWEST = 10 };

enum limit_column {
    LIMIT_ID,
    LIMIT_BY,
    LIMIT_OP_CODE,
    LIMIT_TIME,
    LIMIT_COMPUTE,
    LIMIT_DRAM,
    LIMIT_MOVED,
    LIMIT_GAP,
    LIMIT_INTERVAL,
    LIMIT_HOST,
    LIMIT_REMARK,
    LIMIT_COLUMNS,
};

static const char *const HEADERS[LIMIT_COLUMNS] = {
    "ID",         "Limited by", "OP Code",       "Device Time", "Compute at peak", "DRAM at peak",
    "DRAM moved", "Gap",        "Between calls", "Host Time",   "Remark"};

struct limit_table {
    const struct tt_perf_style *style;
    bool empty[LIMIT_COLUMNS]; // not shown: no operation has it
    size_t widths[LIMIT_COLUMNS];
    struct bytes line;
};

static enum colour limit_colour(enum perf_limit limit)
{
    static const enum colour colours[PERF_LIMITS] = {
        [PERF_LIMIT_UNKNOWN] = COLOUR_GREY, [PERF_LIMIT_COMPUTE] = COLOUR_GREEN,
        [PERF_LIMIT_MEMORY] = COLOUR_GREEN, [PERF_LIMIT_DISPATCH] = COLOUR_RED,
        [PERF_LIMIT_HOST] = COLOUR_RED,     [PERF_LIMIT_NEITHER] = COLOUR_YELLOW,
    };
    return colours[limit];
}

// Sums -----------------------------------------------------------------------

static void tt_perf_limits_print_sum(struct bytes *line, enum perf_limit limit,
                                     const struct perf_limit_sum *sum, double whole, bool colours)
{
    static const size_t widths[] = {12, 7, 9, 18, 16};
    struct cell cells[5] = {0};
    const bool known = whole > 0 && (sum->time.known || sum->gap.known);
    const double share = known ? (sum->time.value + sum->gap.value) / whole * 100 : 0;
    cell_set_text(&cells[0], view_of(perf_limit_name(limit)));
    cells[0].colour = limit_colour(limit);
    cell_set_number(&cells[1], perf_known((double)sum->count), 0, NULL);
    cell_set_number(&cells[2], (struct perf_value){known, share}, 1, "%");
    cell_set_number(&cells[3], sum->time, 1, "μs");
    cell_set_number(&cells[4], sum->gap, 1, "μs");
    for (size_t i = 0; i < 5; i++)
        cell_append(line, &cells[i], widths[i], i == 0, colours);
    line_print(line);
}

static void print_sums(const struct perf *perf, struct bytes *line, bool colours)
{
    struct perf_limit_sum sums[PERF_LIMITS];
    double whole = 0;
    perf_limits_sum(perf, sums);
    for (size_t i = 0; i < PERF_LIMITS; i++)
        whole += sums[i].time.value + sums[i].gap.value;
    printf("Limited by      Ops    Share       Time in ops      Gap before\n"
           "--------------------------------------------------------------\n");
    for (size_t i = 0; i < PERF_LIMITS; i++) {
        if (sums[i].count > 0)
            tt_perf_limits_print_sum(line, (enum perf_limit)i, &sums[i], whole, colours);
    }
}

// Operations -----------------------------------------------------------------

// On the host of a device's operation is its call.
static struct perf_value time_on_host(const struct perf_op *op)
{
    return op->kind == PERF_HOST ? op->host_time : (struct perf_value){0};
}

static void tt_perf_limits_fill_cells(const struct perf *perf, const struct perf_op *op,
                                      struct cell cells[LIMIT_COLUMNS])
{
    const struct perf_value gap = {op->gap.known, perf_gap_open(perf, op)};
    struct perf_value moved = op->work.dram_bytes;
    moved.value /= 1024;
    cell_set_number(&cells[LIMIT_ID], perf_known((double)op->id), 0, NULL);
    cell_set_text(&cells[LIMIT_BY], view_of(perf_limit_name(op->limit)));
    cell_set_text(&cells[LIMIT_OP_CODE], op->label);
    cell_set_number(&cells[LIMIT_TIME], op->time, 1, "μs");
    cell_set_number(&cells[LIMIT_COMPUTE], op->compute_time, 1, "μs");
    cell_set_number(&cells[LIMIT_DRAM], op->memory_time, 1, "μs");
    cell_set_number(&cells[LIMIT_MOVED], moved, 0, "KiB");
    cell_set_number(&cells[LIMIT_GAP], gap, 1, "μs");
    cell_set_number(&cells[LIMIT_INTERVAL], op->host_interval, 1, "μs");
    cell_set_number(&cells[LIMIT_HOST], time_on_host(op), 1, "μs");
    cell_set_text(&cells[LIMIT_REMARK], view_of(perf_doubt_name(op->doubt)));
    for (size_t i = 0; i < LIMIT_COLUMNS; i++)
        cells[i].colour = COLOUR_NONE;
    cells[LIMIT_BY].colour = limit_colour(op->limit);
    cells[LIMIT_REMARK].colour = COLOUR_YELLOW;
}

static void tt_perf_limits_measure(struct limit_table *table, const struct perf *perf,
                                   const struct perf_op **ops, size_t count)
{
    table->empty[LIMIT_HOST] = table->empty[LIMIT_REMARK] = true;
    for (size_t i = 0; i < LIMIT_COLUMNS; i++)
        table->widths[i] = strlen(HEADERS[i]);
    for (size_t row = 0; row < count; row++) {
        struct cell cells[LIMIT_COLUMNS];
        tt_perf_limits_fill_cells(perf, ops[row], cells);
        for (size_t i = 0; i < LIMIT_COLUMNS; i++) {
            table->empty[i] = table->empty[i] && cells[i].text.size == 0;
            if (cell_width(&cells[i]) > table->widths[i])
                table->widths[i] = cell_width(&cells[i]);
        }
    }
}

static void tt_perf_limits_print_cells(struct limit_table *table,
                                       const struct cell cells[LIMIT_COLUMNS])
{
    for (size_t i = 0; i < LIMIT_COLUMNS; i++) {
        if (table->empty[i])
            continue;
        const bool left = i == LIMIT_OP_CODE || i == LIMIT_BY || i == LIMIT_REMARK;
        if (i > 0)
            bytes_append(&table->line, "  ", 2);
        cell_append(&table->line, &cells[i], table->widths[i], left, table->style->colours);
    }
    line_print(&table->line);
}

void tt_perf_print_limits(const struct perf *perf, bool all, const struct tt_perf_style *style)
{
    struct limit_table table = {.style = style};
    struct cell headers[LIMIT_COLUMNS] = {0};
    size_t count;
    const struct perf_op **ops = perf_costliest(perf, all ? SIZE_MAX : SLOWEST, &count);
    printf("\n🔎 What limits the operations 🔎\n================================\n\n");
    print_sums(perf, &table.line, style->colours);
    printf("\n%s:\n", all ? "Every operation" : "The costliest (--limits shows all)");
    tt_perf_limits_measure(&table, perf, ops, count);
    for (size_t i = 0; i < LIMIT_COLUMNS; i++)
        cell_set_text(&headers[i], view_of(HEADERS[i]));
    tt_perf_limits_print_cells(&table, headers);
    for (size_t i = 0; i < count; i++) {
        struct cell cells[LIMIT_COLUMNS];
        tt_perf_limits_fill_cells(perf, ops[i], cells);
        tt_perf_limits_print_cells(&table, cells);
    }
    free(ops);
    bytes_free(&table.line);
}
