// Runs that are kept for later comparisons (`opscope gate --save`): what a comparison needs of
// their profiles, as JSON (docs/formats/runs.md).

#ifndef OPSCOPE_REPORTS_KEPT_RUNS_H
#define OPSCOPE_REPORTS_KEPT_RUNS_H

#include "analysis/work.h"

enum { KEPT_RUNS_VERSION = 1 };

struct kept_runs {
    struct work_run *items;
    size_t count, capacity;
};

// Whether text begins as such a file does.
bool kept_runs_is(struct view text);

// Adds the runs of a file; what does not fit together (a sample of a part that is none) is refused.
status kept_runs_read(struct view text, const char *path, struct kept_runs *runs);

status kept_runs_write(const struct kept_runs *runs, const char *path);

struct work_run *kept_runs_add(struct kept_runs *runs);
void kept_runs_free(struct kept_runs *runs);

#endif
