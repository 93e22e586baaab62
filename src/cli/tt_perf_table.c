#include "tt_perf_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "tt_perf_cells.h"

enum table_column {
    TABLE_ID,
    TABLE_TOTAL,
    TABLE_BOUND,
    TABLE_OP_CODE,
    TABLE_DEVICE,
    TABLE_TIME,
    TABLE_GAP,
    TABLE_CORES,
    TABLE_DRAM,
    TABLE_DRAM_PERCENT,
    TABLE_FLOPS,
    TABLE_FLOPS_PERCENT,
    TABLE_FIDELITY,
    TABLE_COLUMNS,
};

static const char *const HEADERS[TABLE_COLUMNS] = {
    "ID",    "Total %", "Bound",  "OP Code", "Device",  "Device Time",   "Op-to-Op Gap",
    "Cores", "DRAM",    "DRAM %", "FLOPs",   "FLOPs %", "Math Fidelity",
};

struct table {
    const struct perf *perf;
    const struct tt_perf_style *style;
    size_t widths[TABLE_COLUMNS];
    struct bytes line;
};

// Colours --------------------------------------------------------------------

static enum colour code_colour(struct view code)
{
    static const struct {
        const char *part;
        enum colour colour;
    } colours[] = {
        {"(torch)", COLOUR_RED},
        {"Matmul", COLOUR_MAGENTA},
        {"OptimizedConvNew", COLOUR_ORANGE},
        {"Conv2d", COLOUR_ORANGE},
        {"LayerNorm", COLOUR_CYAN},
        {"AllGather", COLOUR_CYAN},
        {"AllReduce", COLOUR_CYAN},
        {"ScaledDotProductAttentionDecode", COLOUR_BLUE},
        {"ScaledDotProductAttentionGQADecode", COLOUR_BLUE},
        {"NlpCreateHeadsDeviceOperation", COLOUR_BLUE},
        {"NLPConcatHeadsDecodeDeviceOperation", COLOUR_BLUE},
        {"UpdateCache", COLOUR_BLUE},
    };
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++) {
        if (view_find_text(code, colours[i].part) < code.size)
            return colours[i].colour;
    }
    return COLOUR_WHITE;
}

static void colour_bound(const struct perf_op *op, struct cell cells[TABLE_COLUMNS])
{
    const bool dram = op->bound == PERF_BOUND_DRAM || op->bound == PERF_BOUND_BOTH;
    const bool flop = op->bound == PERF_BOUND_FLOP || op->bound == PERF_BOUND_BOTH;
    if (op->bound == PERF_BOUND_HOST)
        cells[TABLE_BOUND].colour = COLOUR_RED;
    if (dram || flop)
        cells[TABLE_BOUND].colour = COLOUR_GREEN;
    if (dram)
        cells[TABLE_DRAM].colour = cells[TABLE_DRAM_PERCENT].colour = COLOUR_GREEN;
    if (flop)
        cells[TABLE_FLOPS].colour = cells[TABLE_FLOPS_PERCENT].colour = COLOUR_GREEN;
    if (op->bound != PERF_BOUND_SLOW)
        return;
    // The side that is nearer to its peak.
    cells[TABLE_BOUND].colour = COLOUR_YELLOW;
    if (op->dram_percent.value > op->flops_percent.value)
        cells[TABLE_DRAM].colour = cells[TABLE_DRAM_PERCENT].colour = COLOUR_YELLOW;
    else
        cells[TABLE_FLOPS].colour = cells[TABLE_FLOPS_PERCENT].colour = COLOUR_YELLOW;
}

static enum colour cores_colour(const struct perf_op *op)
{
    if (!op->cores.known)
        return COLOUR_GREY;
    if (op->cores.value == (double)op->worker_cores)
        return COLOUR_GREEN;
    return op->cores.value < 10 ? COLOUR_RED : COLOUR_NONE;
}

static enum colour fidelity_colour(const struct perf_op *op)
{
    const char *advice;
    if (!perf_is_matmul(op) && !perf_is_convolution(op))
        return COLOUR_NONE;
    switch (perf_fidelity_judge(op, &advice)) {
    case PERF_SUFFICIENT:
        return COLOUR_GREEN;
    case PERF_TOO_HIGH:
        return COLOUR_RED;
    case PERF_TOO_LOW:
        return COLOUR_CYAN;
    default:
        return COLOUR_WHITE;
    }
}

static bool is_muted(const struct perf_op *op, const struct tt_perf_style *style)
{
    return op->total_percent.known && op->total_percent.value < style->min_percentage;
}

static void colour_cells(const struct perf_op *op, const struct tt_perf_style *style,
                         struct cell cells[TABLE_COLUMNS])
{
    for (size_t i = 0; i < TABLE_COLUMNS; i++)
        cells[i].colour = is_muted(op, style) ? COLOUR_GREY : COLOUR_NONE;
    if (is_muted(op, style))
        return;
    cells[TABLE_OP_CODE].colour = code_colour(op->code);
    cells[TABLE_CORES].colour = cores_colour(op);
    cells[TABLE_FIDELITY].colour = fidelity_colour(op);
    colour_bound(op, cells);
    if (perf_gap_is_high(op))
        cells[TABLE_GAP].colour = COLOUR_RED;
}

// Rows -----------------------------------------------------------------------

static void set_id(struct cell *cell, uint64_t id)
{
    const int size = snprintf(cell->room, sizeof cell->room, "%llu", (unsigned long long)id);
    cell->text = (struct view){cell->room, (size_t)size};
    cell->unit = NULL;
}

static struct perf_value shown_time(const struct perf_op *op)
{
    return op->kind == PERF_HOST ? perf_known(0) : op->time;
}

static void fill_cells(const struct perf_op *op, struct cell cells[TABLE_COLUMNS])
{
    const struct perf_value device = {op->has_device, (double)op->device};
    set_id(&cells[TABLE_ID], op->id);
    cell_set_number(&cells[TABLE_TOTAL], op->total_percent, 1, "%");
    cell_set_text(&cells[TABLE_BOUND], view_of(perf_bound_name(op->bound)));
    cell_set_text(&cells[TABLE_OP_CODE], op->label);
    cell_set_number(&cells[TABLE_DEVICE], device, 0, NULL);
    cell_set_number(&cells[TABLE_TIME], shown_time(op), 0, "μs");
    cell_set_number(&cells[TABLE_GAP], op->gap, 0, "μs");
    cell_set_number(&cells[TABLE_CORES], op->cores, 0, NULL);
    cell_set_number(&cells[TABLE_DRAM], op->dram_speed, 0, "GB/s");
    cell_set_number(&cells[TABLE_DRAM_PERCENT], op->dram_percent, 1, "%");
    cell_set_number(&cells[TABLE_FLOPS], op->flops, 1, "TFLOPs");
    cell_set_number(&cells[TABLE_FLOPS_PERCENT], op->flops_percent, 1, "%");
    cell_set_text(&cells[TABLE_FIDELITY], op->fidelity_text);
}

static void print_cells(struct table *table, const struct cell cells[TABLE_COLUMNS])
{
    for (size_t i = 0; i < TABLE_COLUMNS; i++) {
        if (i > 0)
            bytes_append(&table->line, "  ", 2);
        cell_append(&table->line, &cells[i], table->widths[i], i == TABLE_OP_CODE,
                    table->style->colours);
    }
    line_print(&table->line);
}

static void print_op(struct table *table, const struct perf_op *op)
{
    struct cell cells[TABLE_COLUMNS];
    fill_cells(op, cells);
    colour_cells(op, table->style, cells);
    print_cells(table, cells);
}

static void tt_perf_table_measure(struct table *table)
{
    for (size_t i = 0; i < TABLE_COLUMNS; i++)
        table->widths[i] = strlen(HEADERS[i]);
    table->widths[TABLE_DEVICE] = 7;
    for (size_t row = 0; row < table->perf->count; row++) {
        struct cell cells[TABLE_COLUMNS];
        fill_cells(&table->perf->ops[row], cells);
        for (size_t i = 0; i < TABLE_COLUMNS; i++) {
            if (cell_width(&cells[i]) > table->widths[i])
                table->widths[i] = cell_width(&cells[i]);
        }
    }
}

static struct table table_of(const struct perf *perf, const struct tt_perf_style *style)
{
    struct table table = {.perf = perf, .style = style};
    tt_perf_table_measure(&table);
    return table;
}

static void print_rule(const size_t *widths, size_t count)
{
    size_t width = 2 * (count - 1);
    for (size_t i = 0; i < count; i++)
        width += widths[i];
    for (size_t i = 0; i < width; i++)
        putchar('-');
    putchar('\n');
}

static void print_headers(struct table *table)
{
    for (size_t i = 0; i < TABLE_COLUMNS; i++) {
        struct cell cell = {.text = view_of(HEADERS[i])};
        if (i > 0)
            bytes_append(&table->line, "  ", 2);
        cell_append(&table->line, &cell, table->widths[i], true, false);
    }
    line_print(&table->line);
    print_rule(table->widths, TABLE_COLUMNS);
}

static void print_totals(struct table *table)
{
    const struct perf *perf = table->perf;
    double time = 0;
    double gap = 0;
    for (size_t i = 0; i < perf->count; i++) {
        time += perf->ops[i].time.value;
        gap += perf->ops[i].gap.value;
    }
    char summary[128];
    snprintf(summary, sizeof summary, "%llu device ops, %llu host ops, %llu signposts",
             (unsigned long long)perf->device_ops, (unsigned long long)perf->host_ops,
             (unsigned long long)perf->signposts);
    struct cell cells[TABLE_COLUMNS] = {0};
    for (size_t i = 0; i < TABLE_COLUMNS; i++)
        cells[i].colour = COLOUR_GREY;
    cell_set_number(&cells[TABLE_TOTAL], perf_known(100), 1, "%");
    cell_set_text(&cells[TABLE_OP_CODE], view_of(summary));
    cell_set_number(&cells[TABLE_TIME], perf_known(time), 0, "μs");
    cell_set_number(&cells[TABLE_GAP], perf_known(gap), 0, "μs");
    print_cells(table, cells);
}

void tt_perf_print_table(const struct perf *perf, const struct tt_perf_style *style)
{
    struct table table = table_of(perf, style);
    printf("\n🚀 Performance Report 🚀\n========================\n\n");
    print_headers(&table);
    for (size_t i = 0; i < perf->count; i++)
        print_op(&table, &perf->ops[i]);
    print_rule(table.widths, TABLE_COLUMNS);
    print_totals(&table);
    bytes_free(&table.line);
}

void tt_perf_print_messages(const struct perf *perf, const struct tt_perf_style *style)
{
    struct bytes line = {0};
    for (size_t i = 0; i < perf->message_count; i++) {
        const struct perf_message *message = &perf->messages[i];
        text_append_coloured(&line, message->text, message->warning ? COLOUR_YELLOW : COLOUR_CYAN,
                             style->colours);
        line_print(&line);
    }
    bytes_free(&line);
}

// Advice ---------------------------------------------------------------------

static void advise_fallback(struct table *table)
{
    bool any = false;
    for (size_t i = 0; i < table->perf->count; i++) {
        if (table->perf->ops[i].kind != PERF_HOST)
            continue;
        if (!any)
            printf("Fallback\n--------\n");
        any = true;
        print_op(table, &table->perf->ops[i]);
    }
    if (any)
        printf("\nThese ops should be moved to run on device.\n\n");
}

static void advise_gaps(struct table *table)
{
    const struct perf_gap_gain gain = perf_gap_gain(table->perf);
    if (gain.count == 0)
        return;
    printf("High Op-to-Op Gap\n-----------------\n");
    for (size_t i = 0; i < table->perf->count; i++) {
        if (perf_gap_is_high(&table->perf->ops[i]))
            print_op(table, &table->perf->ops[i]);
    }
    printf("\nThese ops have a >6 μs gap since the previous operation. Running with tracing could "
           "save %.0f μs (%.1f%% of overall time)\n"
           "Or see to it that the device does not wait for the host; runtime arguments of kernels "
           "can become compile-time arguments.\n\n",
           gain.saved, gain.percent);
}

static void advise_matmul(struct table *table, struct perf *perf, const struct perf_op *op)
{
    struct perf_advice advice;
    const enum colour colour = is_muted(op, table->style) ? COLOUR_GREY : COLOUR_WHITE;
    print_op(table, op);
    perf_matmul_advise(perf, op, &advice);
    for (size_t i = 0; i < advice.count; i++) {
        struct bytes item = {0};
        bytes_append_format(&item, "- %.*s", VIEW_ARGUMENTS(advice.lines[i]));
        text_append_coloured(&table->line, bytes_view(&item), colour, table->style->colours);
        line_print(&table->line);
        bytes_free(&item);
    }
    if (advice.count == 0) {
        text_append_coloured(&table->line, view_of("✅ Optimized"), colour, table->style->colours);
        line_print(&table->line);
    }
    putchar('\n');
}

void tt_perf_print_advice(struct perf *perf, const struct tt_perf_style *style)
{
    struct table table = table_of(perf, style);
    bool any = false;
    printf("\n💡 Advice 💡\n============\n\n");
    advise_fallback(&table);
    advise_gaps(&table);
    for (size_t i = 0; i < perf->count; i++) {
        if (!perf_is_matmul(&perf->ops[i]))
            continue;
        if (!any)
            printf("Matmul Optimization\n-------------------\n");
        any = true;
        advise_matmul(&table, perf, &perf->ops[i]);
    }
    bytes_free(&table.line);
}
