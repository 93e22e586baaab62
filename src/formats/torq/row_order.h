// Rows of R2 to R4 in order of time, where a file has them in another: what an invocation does
// can be followed only in the order in which it happened.
//
// Memory: nothing for a file that is in order; else 56 bytes for each row.

#ifndef OPSCOPE_FORMATS_TORQ_ROW_ORDER_H
#define OPSCOPE_FORMATS_TORQ_ROW_ORDER_H

#include "rows.h"

struct ordered_row {
    struct csv_line line;
    uint64_t timestamp; // 0 for a row that cannot be read
    uint64_t action;    // 0 for none
    bool begins;
};

struct row_order {
    struct ordered_row *rows; // NULL: the file is in order
    size_t count, capacity;
};

// `rows` has given no row yet; where the order is another, they are read from it.
struct row_order row_order_find(struct rows *rows);
void row_order_free(struct row_order *order);

#endif
