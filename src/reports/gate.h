// What `opscope gate` decided, for people and machines: Markdown for a pull request, JUnit's XML.

#ifndef OPSCOPE_REPORTS_GATE_H
#define OPSCOPE_REPORTS_GATE_H

#include "analysis/gate.h"
#include "base/bytes.h"

// A judged row: the whole, or an operator.
struct gate_row {
    const struct comparison_row *row; // NULL part: an iteration as a whole
    struct gate_decision decision;
};

struct gate_report {
    const struct comparison *comparison;
    double limit;
    struct gate_row *rows; // the whole first
    size_t count;
    enum gate_outcome outcome;
};

// Judges the whole and, if asked for, every operator of both sides that took at least a hundredth
// of it, with a confidence that holds for all of them together.
void gate_report_make(struct comparison *comparison, double limit, bool operators,
                      struct gate_report *out_report);
void gate_report_free(struct gate_report *report);

struct view gate_row_name(const struct gate_row *row);

// "+3.1 % (+1.2 % to +5.0 %), allowed 3 %"; where nobody can tell, what it takes.
void gate_row_append(const struct gate_report *report, const struct gate_row *row,
                     struct bytes *to);

void gate_append_markdown(const struct gate_report *report, struct bytes *to);
void gate_append_junit(const struct gate_report *report, struct bytes *to);

#endif
