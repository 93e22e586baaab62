// Any text as runs that were kept, and these compared with themselves.

#include <stdlib.h>

#include "reports/diff.h"
#include "reports/gate.h"
#include "reports/kept_runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void compare(struct kept_runs *a, struct kept_runs *b)
{
    struct comparison comparison;
    struct gate_report report;
    struct bytes text = {0};
    comparison_make(a->items, a->count, b->items, b->count,
                    &(struct comparison_options){COMPARE_LOW, 0.95}, &comparison);
    for (size_t i = 0; i < comparison.count; i++) {
        const struct comparison_row *row = &comparison.rows[i];
        check(row->relation == MATCH_SAME || row->a.parts != 1 || row->b.parts != 1);
        check(row->a.ns == row->b.ns);
    }
    gate_report_make(&comparison, 0.03, true, &report);
    check(report.count > 0 && report.outcome != GATE_FAILED);
    gate_append_markdown(&report, &text);
    gate_append_junit(&report, &text);
    bytes_free(&text);
    gate_report_free(&report);
    comparison_free(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view text = {(const char *)data, size};
    struct kept_runs runs[2] = {{0}};
    status failure = STATUS_OK;
    for (unsigned i = 0; i < 2 && failure == STATUS_OK; i++)
        failure = kept_runs_read(text, "fuzz", &runs[i]);
    if (failure == STATUS_OK) {
        check(runs[0].count > 0 && runs[0].count == runs[1].count);
        compare(&runs[0], &runs[1]);
    } else {
        kept_runs_free(&runs[0]);
        kept_runs_free(&runs[1]);
    }
    status_free(failure);
    return 0;
}
