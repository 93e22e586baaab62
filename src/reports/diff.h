// What changed between two sides, as rows: the table of `opscope diff`.

#ifndef OPSCOPE_REPORTS_DIFF_H
#define OPSCOPE_REPORTS_DIFF_H

#include "analysis/comparison.h"
#include "table.h"

// Rows of a struct comparison.
extern const struct table_form DIFF_FORM;

// Why a row took another time, as far as the profiles tell: "more bytes, other kernel (a -> b)".
void diff_append_reason(const struct comparison_row *row, struct bytes *to);

// By how many percent, with a sign: "+3.1 %".
void diff_append_percent(double factor, struct bytes *to);

// "5.19 ms -> 5.35 ms, +3.1 % (+1.2 % to +5.0 %)"
void diff_append_change(const struct comparison_row *row, struct bytes *to);

#endif
