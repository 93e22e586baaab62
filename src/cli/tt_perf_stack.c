// The stacked report as text.

#include <stdio.h>
#include <stdlib.h>

#include "tt_perf_cells.h"
#include "tt_perf_table.h"

enum stack_column {
    STACK_TOTAL,
    STACK_OP_CODE,
    STACK_DEVICE,
    STACK_TIME,
    STACK_COUNT,
    STACK_CATEGORY,
    STACK_LEAST,
    STACK_MOST,
    STACK_MEAN,
    STACK_DEVIATION,
    STACK_WEIGHTED,
    STACK_COLUMNS,
};

static const char *const HEADERS[STACK_COLUMNS] = {
    "Total %",   "Op Code",   "Device",     "Device Time Sum", "Op Count",           "Op Category",
    "Min FLOPs", "Max FLOPs", "Mean FLOPs", "Std FLOPs",       "Weighted Mean FLOPs"};

struct stack_table {
    const struct tt_perf_style *style;
    bool shown[STACK_COLUMNS];
    size_t widths[STACK_COLUMNS];
    struct bytes line;
};

static enum colour category_colour(enum perf_category category)
{
    static const enum colour colours[PERF_CATEGORIES] = {COLOUR_MAGENTA, COLOUR_ORANGE,
                                                         COLOUR_GREEN, COLOUR_WHITE, COLOUR_RED};
    return colours[category];
}

static void fill_cells(const struct perf_group *group, struct cell cells[STACK_COLUMNS])
{
    const struct perf_value device = {group->has_device, (double)group->device};
    cell_set_number(&cells[STACK_TOTAL], perf_known(group->percent), 2, "%");
    cell_set_text(&cells[STACK_OP_CODE], group->name);
    cell_set_number(&cells[STACK_DEVICE], device, 0, NULL);
    cell_set_number(&cells[STACK_TIME], perf_known(group->time), 2, "μs");
    cell_set_number(&cells[STACK_COUNT], perf_known((double)group->count), 0, NULL);
    cell_set_text(&cells[STACK_CATEGORY], view_of(perf_category_name(group->category)));
    cell_set_number(&cells[STACK_LEAST], group->flops_least, 2, "%");
    cell_set_number(&cells[STACK_MOST], group->flops_most, 2, "%");
    cell_set_number(&cells[STACK_MEAN], group->flops_mean, 2, "%");
    cell_set_number(&cells[STACK_DEVIATION], group->flops_deviation, 2, "%");
    cell_set_number(&cells[STACK_WEIGHTED], group->flops_weighted, 2, "%");
    for (size_t i = 0; i < STACK_COLUMNS; i++)
        cells[i].colour = COLOUR_NONE;
    cells[STACK_OP_CODE].colour = category_colour(group->category);
}

static void tt_perf_stack_measure(struct stack_table *table, const struct perf_group *groups,
                                  size_t count)
{
    for (size_t i = 0; i < STACK_COLUMNS; i++)
        table->widths[i] = table->shown[i] ? strlen(HEADERS[i]) : 0;
    for (size_t row = 0; row < count; row++) {
        struct cell cells[STACK_COLUMNS];
        fill_cells(&groups[row], cells);
        for (size_t i = 0; i < STACK_COLUMNS; i++) {
            if (table->shown[i] && cell_width(&cells[i]) > table->widths[i])
                table->widths[i] = cell_width(&cells[i]);
        }
    }
}

static void print_cells(struct stack_table *table, const struct cell cells[STACK_COLUMNS])
{
    for (size_t i = 0; i < STACK_COLUMNS; i++) {
        if (!table->shown[i])
            continue;
        if (i > 0)
            bytes_append(&table->line, "  ", 2);
        cell_append(&table->line, &cells[i], table->widths[i], i == STACK_OP_CODE,
                    table->style->colours);
    }
    line_print(&table->line);
}

static void print_rule(const struct stack_table *table)
{
    for (size_t i = 0; i < STACK_COLUMNS; i++) {
        for (size_t k = 0; table->shown[i] && k < table->widths[i] + (i > 0 ? 2 : 0); k++)
            putchar('-');
    }
    putchar('\n');
}

static void choose_columns(struct stack_table *table, enum perf_grouping grouping, bool by_device)
{
    for (size_t i = 0; i < STACK_COLUMNS; i++)
        table->shown[i] = grouping != PERF_BY_CATEGORY || i < STACK_CATEGORY;
    table->shown[STACK_DEVICE] = by_device;
}

void tt_perf_print_stack(struct perf *perf, enum perf_grouping grouping, bool by_device,
                         const struct tt_perf_style *style)
{
    struct perf_group *groups;
    size_t count;
    struct stack_table table = {.style = style};
    perf_stack(perf, grouping, by_device, &groups, &count);
    choose_columns(&table, grouping, by_device);
    tt_perf_stack_measure(&table, groups, count);
    printf("\n📊 Stacked report 📊\n====================\n\n");
    struct cell headers[STACK_COLUMNS] = {0};
    for (size_t i = 0; i < STACK_COLUMNS; i++)
        cell_set_text(&headers[i], view_of(HEADERS[i]));
    print_cells(&table, headers);
    print_rule(&table);
    for (size_t i = 0; i < count; i++) {
        struct cell cells[STACK_COLUMNS];
        fill_cells(&groups[i], cells);
        print_cells(&table, cells);
    }
    print_rule(&table);
    free(groups);
    bytes_free(&table.line);
}
