#include "row_order.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

static bool row_order_split_row(enum torq_form form, struct view line, struct split_action *out_row)
{
    struct split_problem problem;
    return form == TORQ_R4 ? split_r4(line, out_row, &problem) : split_r2(line, out_row, &problem);
}

static bool is_in_order(const struct rows *rows)
{
    struct csv_lines lines = rows->lines;
    struct csv_line line;
    struct split_action row;
    uint64_t before = 0;
    while (csv_line_next(&lines, &line)) {
        if (!row_order_split_row(rows->form, line.text, &row))
            continue;
        if (row.timestamp < before)
            return false;
        before = row.timestamp;
    }
    return true;
}

// At the same time ends come first, so that what follows them begins after them; of two ends, or
// two begins, that of the earlier action.
static int row_order_by_time(const void *left, const void *right)
{
    const struct ordered_row *a = left, *b = right;
    if (a->timestamp != b->timestamp)
        return sort_compare(a->timestamp, b->timestamp);
    if (a->begins != b->begins)
        return a->begins ? 1 : -1;
    return a->action != b->action ? sort_compare(a->action, b->action)
                                  : sort_compare(a->line.number, b->line.number);
}

struct row_order row_order_find(struct rows *rows)
{
    struct row_order order = {0};
    if (is_in_order(rows))
        return order;
    while (rows_next(rows)) {
        struct split_action row;
        struct ordered_row item = {.line = rows->line};
        if (row_order_split_row(rows->form, rows->line.text, &row)) {
            item.timestamp = row.timestamp;
            item.action = row.has_action ? row.action : 0;
            item.begins = !view_ends_with(row.event, "_END");
        }
        order.rows = memory_grow(order.rows, order.count, &order.capacity, sizeof *order.rows);
        order.rows[order.count++] = item;
    }
    sort_items(order.rows, order.count, sizeof *order.rows, row_order_by_time);
    return order;
}

void row_order_free(struct row_order *order)
{
    free(order->rows);
    *order = (struct row_order){0};
}
