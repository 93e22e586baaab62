// Which groups of operators took the time of a run that was joined with its program.

#ifndef OPSCOPE_REPORTS_TORQ_ANNOTATE_GROUPS_H
#define OPSCOPE_REPORTS_TORQ_ANNOTATE_GROUPS_H

#include "annotate.h"
#include "reports/table.h"

// A group in all iterations. Times are ns.
struct annotate_group {
    uint32_t group; // of the program; PROGRAM_NONE: tasks of no group
    uint32_t tasks; // of an iteration
    uint64_t moved; // bytes of its transfers
    uint64_t iterations;
    uint64_t minimum, median, p90, maximum;
    uint64_t transfer_median;
};

struct annotate_groups {
    const struct annotation *annotation;
    struct annotate_group *items; // the slowest first
    size_t count;
    size_t capacity;
    uint64_t iterations;
    uint64_t sum; // of medians
};

// Of a run that was joined and not folded, which must outlive it.
struct annotate_groups annotate_groups_of(const struct annotation *annotation);
void annotate_groups_free(struct annotate_groups *groups);

// Bytes a second of its transfers; 0: none, or no time passed.
double annotate_group_bandwidth(const struct annotate_group *group);

// Percent of the sum of medians.
double annotate_group_share(const struct annotate_groups *groups,
                            const struct annotate_group *group);

// How it is called; cut to the size of `text`.
const char *annotate_group_name(const struct annotate_groups *groups,
                                const struct annotate_group *group, char *text, size_t size);
const char *annotate_group_engine(const struct annotate_groups *groups,
                                  const struct annotate_group *group);

// A row for each of them.
extern const struct table_form ANNOTATE_GROUPS_FORM;

#endif
