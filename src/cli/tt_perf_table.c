#include "tt_perf_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "tt_perf_cells.h"

enum text_column {
    TEXT_ID,
    TEXT_TOTAL,
    TEXT_BOUND,
    TEXT_OP_CODE,
    TEXT_DEVICE,
    TEXT_TIME,
    TEXT_GAP,
    TEXT_CORES,
    TEXT_DRAM,
    TEXT_DRAM_PERCENT,
    TEXT_FLOPS,
    TEXT_FLOPS_PERCENT,
    TEXT_FIDELITY,
    TEXT_CONST_EVAL, // these two only where the reports have them
    TEXT_LOC,
    TEXT_COLUMNS,
};

struct text_table {
    const struct perf *perf;
    const struct table_column *columns[TEXT_COLUMNS];
    size_t count; // of columns
    const struct tt_perf_style *style;
    size_t widths[TEXT_COLUMNS];
    struct bytes line;
    struct bytes sign; // a signpost as it is printed
};

static void text_table_free(struct text_table *table)
{
    bytes_free(&table->line);
    bytes_free(&table->sign);
}

// Colours --------------------------------------------------------------------

enum colour tt_perf_code_colour(struct view code)
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

static void colour_bound(const struct perf_op *op, struct cell cells[TEXT_COLUMNS])
{
    const bool dram = op->bound == PERF_BOUND_DRAM || op->bound == PERF_BOUND_BOTH;
    const bool flop = op->bound == PERF_BOUND_FLOP || op->bound == PERF_BOUND_BOTH;
    if (op->bound == PERF_BOUND_HOST)
        cells[TEXT_BOUND].colour = COLOUR_RED;
    if (dram || flop)
        cells[TEXT_BOUND].colour = COLOUR_GREEN;
    if (dram)
        cells[TEXT_DRAM].colour = cells[TEXT_DRAM_PERCENT].colour = COLOUR_GREEN;
    if (flop)
        cells[TEXT_FLOPS].colour = cells[TEXT_FLOPS_PERCENT].colour = COLOUR_GREEN;
    if (op->bound != PERF_BOUND_SLOW)
        return;
    // The side that is nearer to its peak.
    cells[TEXT_BOUND].colour = COLOUR_YELLOW;
    if (op->dram_percent.value > op->flops_percent.value)
        cells[TEXT_DRAM].colour = cells[TEXT_DRAM_PERCENT].colour = COLOUR_YELLOW;
    else
        cells[TEXT_FLOPS].colour = cells[TEXT_FLOPS_PERCENT].colour = COLOUR_YELLOW;
}

static enum colour cores_colour(const struct perf_op *op)
{
    if (!op->cores.known)
        return COLOUR_GREY;
    if (op->cores.value == (double)op->worker_cores || op->cores.value == 64)
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
                         struct cell cells[TEXT_COLUMNS])
{
    for (size_t i = 0; i < TEXT_COLUMNS; i++)
        cells[i].colour = is_muted(op, style) ? COLOUR_GREY : COLOUR_NONE;
    if (is_muted(op, style))
        return;
    cells[TEXT_OP_CODE].colour = tt_perf_code_colour(op->code);
    cells[TEXT_CORES].colour = cores_colour(op);
    cells[TEXT_FIDELITY].colour = fidelity_colour(op);
    colour_bound(op, cells);
    if (perf_gap_is_high(op))
        cells[TEXT_GAP].colour = COLOUR_RED;
}

// Rows -----------------------------------------------------------------------

static void set_whole(struct cell *cell, uint64_t number)
{
    const int size = snprintf(cell->room, sizeof cell->room, "%llu", (unsigned long long)number);
    cell->text = (struct view){cell->room, (size_t)size};
    cell->unit = NULL;
}

static const char *tt_perf_table_unit_of(const struct table_column *column)
{
    return column->type == TABLE_PERCENT ? "%" : column->unit;
}

static void tt_perf_table_fill_cells(const struct text_table *table, const struct perf_op *op,
                                     struct cell cells[TEXT_COLUMNS])
{
    const struct perf_report report = {(struct perf *)table->perf};
    const size_t row = (size_t)(op - table->perf->ops);
    for (size_t i = 0; i < table->count; i++) {
        const struct table_column *column = table->columns[i];
        const struct table_cell value =
            column->cell(&(struct table_query){column, &report, row, NULL});
        if (value.kind == TABLE_CELL_WHOLE)
            set_whole(&cells[i], value.whole);
        else if (value.kind == TABLE_CELL_REAL)
            cell_set_number(&cells[i], perf_known(value.real), column->digits,
                            tt_perf_table_unit_of(column));
        else
            cell_set_text(&cells[i], value.kind == TABLE_CELL_TEXT ? value.text : VIEW_LITERAL(""));
    }
}

static void tt_perf_table_print_cells(struct text_table *table,
                                      const struct cell cells[TEXT_COLUMNS])
{
    for (size_t i = 0; i < table->count; i++) {
        if (i > 0)
            bytes_append(&table->line, "  ", 2);
        cell_append(&table->line, &cells[i], table->widths[i], i == TEXT_OP_CODE || i == TEXT_LOC,
                    table->style->colours);
    }
    line_print(&table->line);
}

static void print_op(struct text_table *table, const struct perf_op *op)
{
    struct cell cells[TEXT_COLUMNS];
    tt_perf_table_fill_cells(table, op, cells);
    colour_cells(op, table->style, cells);
    if (op->kind == PERF_SIGNPOST) {
        table->sign.size = 0;
        bytes_append_format(&table->sign, "🪧 %.*s", VIEW_ARGUMENTS(op->code));
        cells[TEXT_OP_CODE].text = bytes_view(&table->sign);
    }
    tt_perf_table_print_cells(table, cells);
}

// Ids are printed without commas and have the room for them.
static size_t id_width(const struct perf *perf)
{
    struct cell cell = {0};
    uint64_t most = 0;
    for (size_t row = 0; row < perf->count; row++)
        most = perf->ops[row].id > most ? perf->ops[row].id : most;
    cell_set_number(&cell, perf_known((double)most), 0, NULL);
    return cell_width(&cell);
}

static void tt_perf_table_measure(struct text_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        table->widths[i] = strlen(table_column_heading(table->columns[i]));
    table->widths[TEXT_DEVICE] = 7;
    if (id_width(table->perf) > table->widths[TEXT_ID])
        table->widths[TEXT_ID] = id_width(table->perf);
    for (size_t row = 0; row < table->perf->count; row++) {
        struct cell cells[TEXT_COLUMNS];
        tt_perf_table_fill_cells(table, &table->perf->ops[row], cells);
        for (size_t i = 0; i < table->count; i++) {
            if (cell_width(&cells[i]) > table->widths[i])
                table->widths[i] = cell_width(&cells[i]);
        }
    }
}

// Whether a row names a place in the model.
static bool says_where(const struct perf *perf)
{
    for (size_t i = 0; i < perf->count; i++) {
        const struct perf_op *op = &perf->ops[i];
        const struct view place = report_text(op->report, op->row, COLUMN_LOC);
        if (place.size > 0 && !view_is(place, "loc(unknown)"))
            return true;
    }
    return false;
}

static struct text_table text_table_of(const struct perf *perf, const struct tt_perf_style *style)
{
    struct text_table table = {.perf = perf, .style = style};
    struct view rest = view_of(PERF_TABLE_COLUMNS PERF_PLACE_COLUMNS);
    table.count = says_where(perf) ? TEXT_COLUMNS : TEXT_CONST_EVAL;
    for (size_t i = 0; i < table.count; i++) {
        const size_t end = view_find(rest, ',');
        table.columns[i] = table_form_find(&PERF_FORM, view_slice(rest, 0, end));
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    tt_perf_table_measure(&table);
    return table;
}

static void tt_perf_table_print_rule(const size_t *widths, size_t count)
{
    size_t width = 2 * (count - 1);
    for (size_t i = 0; i < count; i++)
        width += widths[i];
    for (size_t i = 0; i < width; i++)
        putchar('-');
    putchar('\n');
}

static void tt_perf_table_print_headers(struct text_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct cell cell = {.text = view_of(table_column_heading(table->columns[i]))};
        if (i > 0)
            bytes_append(&table->line, "  ", 2);
        cell_append(&table->line, &cell, table->widths[i], true, false);
    }
    line_print(&table->line);
    tt_perf_table_print_rule(table->widths, table->count);
}

// A sum of a report that was made, of which nothing is known, is not known either.
static void add_to_sum(const struct perf_op *op, struct perf_value number, struct perf_value *sum)
{
    sum->known = sum->known || number.known || !report_is_made(op->report);
    sum->value += number.value;
}

static void print_totals(struct text_table *table)
{
    const struct perf *perf = table->perf;
    struct perf_value time = {0};
    struct perf_value gap = {0};
    for (size_t i = 0; i < perf->count; i++) {
        add_to_sum(&perf->ops[i], perf->ops[i].time, &time);
        add_to_sum(&perf->ops[i], perf->ops[i].gap, &gap);
    }
    char summary[128];
    snprintf(summary, sizeof summary, "%llu device ops, %llu host ops, %llu signposts",
             (unsigned long long)perf->device_ops, (unsigned long long)perf->host_ops,
             (unsigned long long)perf->signposts);
    struct cell cells[TEXT_COLUMNS] = {0};
    for (size_t i = 0; i < TEXT_COLUMNS; i++)
        cells[i].colour = COLOUR_GREY;
    cell_set_number(&cells[TEXT_TOTAL], (struct perf_value){time.known || gap.known, 100}, 1, "%");
    cell_set_text(&cells[TEXT_OP_CODE], view_of(summary));
    cell_set_number(&cells[TEXT_TIME], time, 0, "μs");
    cell_set_number(&cells[TEXT_GAP], gap, 0, "μs");
    tt_perf_table_print_cells(table, cells);
}

void tt_perf_print_table(const struct perf *perf, const struct table *shown,
                         const struct tt_perf_style *style)
{
    struct text_table table = text_table_of(perf, style);
    printf("\n🚀 Performance Report 🚀\n========================\n\n");
    tt_perf_table_print_headers(&table);
    for (size_t i = 0; i < table_count(shown); i++)
        print_op(&table, &perf->ops[table_row(shown, i)]);
    tt_perf_table_print_rule(table.widths, table.count);
    print_totals(&table);
    text_table_free(&table);
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

static void advise_fallback(struct text_table *table)
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

static void advise_gaps(struct text_table *table)
{
    const struct perf_gap_gain gain = perf_gap_gain(table->perf);
    if (gain.count == 0)
        return;
    printf("High Op-to-Op Gap\n----------------\n");
    for (size_t i = 0; i < table->perf->count; i++) {
        if (perf_gap_is_high(&table->perf->ops[i]))
            print_op(table, &table->perf->ops[i]);
    }
    printf("\nThese ops have a >6 μs gap since the previous operation. Running with tracing could "
           "save %.0f μs (%.1f%% of overall time)\n"
           "Alternatively ensure device is not waiting for the host and use "
           "device.enable_async(True). Experts can try moving runtime args in the kernels to "
           "compile-time args.\n\n",
           gain.saved, gain.percent);
    if (gain.host > 0)
        printf(
            "Operations on the host fill %.0f μs of these gaps, which a trace does not shorten: of "
            "the rest it could save %.0f μs (%.1f%% of overall time)\n\n",
            gain.host, gain.open, gain.open_percent);
}

static void advise_matmul(struct text_table *table, struct perf *perf, const struct perf_op *op)
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
        const char *verdict = op->time.known ? "✅ Optimized" : "- It has no time to go by";
        text_append_coloured(&table->line, view_of(verdict), colour, table->style->colours);
        line_print(&table->line);
    }
    putchar('\n');
}

void tt_perf_print_advice(struct perf *perf, const struct tt_perf_style *style)
{
    struct text_table table = text_table_of(perf, style);
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
    text_table_free(&table);
}
