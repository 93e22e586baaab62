// How well modelled times foretell measured ones, as a table.

#ifndef OPSCOPE_REPORTS_SCORE_H
#define OPSCOPE_REPORTS_SCORE_H

#include "analysis/score.h"
#include "table.h"

struct score_report {
    const char *path; // of the network
    const struct score *score;
};

// A row for each pair of the score.
extern const struct table_form SCORE_FORM;

#endif
