// The rows of several invocations as one each: least, median, p90 and most of their
// times (analysis/statistics.h).

#include <stdlib.h>

#include "analysis/statistics.h"
#include "annotate.h"
#include "base/memory.h"
#include "base/sort.h"

// What rows have in common that are about the same.
static int compare_subjects(const struct annotate_row *a, const struct annotate_row *b)
{
    const uint64_t keys[][2] = {
        {a->dispatch, b->dispatch},
        {a->dispatch_name, b->dispatch_name},
        {a->id, b->id},
        {a->action, b->action},
        {a->job, b->job},
        {a->order, b->order},
        {a->task, b->task},
        {a->task_number, b->task_number},
        {a->action == PROGRAM_NONE ? a->event : 0, b->action == PROGRAM_NONE ? b->event : 0},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] != keys[i][1])
            return sort_compare(keys[i][0], keys[i][1]);
    }
    return 0;
}

// Those with times first, by their times.
static int by_subject(const void *left, const void *right)
{
    const struct annotate_row *a = left, *b = right;
    const int subjects = compare_subjects(a, b);
    if (subjects != 0)
        return subjects;
    if (a->timed != b->timed)
        return a->timed ? -1 : 1;
    return sort_compare(a->end - a->start, b->end - b->start);
}

static uint64_t annotate_fold_time_of(const struct annotate_row *row)
{
    return row->end - row->start;
}

static struct annotate_row fold_rows(const struct annotate_row *rows, size_t count)
{
    struct annotate_row row = rows[0];
    row.runs = 0;
    while (row.runs < count && rows[row.runs].timed)
        row.runs++;
    if (row.runs == 0)
        return row;
    const size_t runs = row.runs;
    const struct statistics_middle middle = statistics_middle(runs);
    row.times = (struct annotate_times){
        .minimum = annotate_fold_time_of(&rows[0]),
        .median_doubled =
            annotate_fold_time_of(&rows[middle.low]) + annotate_fold_time_of(&rows[middle.high]),
        .p90 = annotate_fold_time_of(&rows[statistics_rank(runs, 90)]),
        .maximum = annotate_fold_time_of(&rows[runs - 1]),
    };
    return row;
}

void annotate_fold(struct annotation *annotation)
{
    struct annotate_row *rows = annotation->rows;
    size_t folded = 0;
    if (annotation->count > 1)
        sort_items(rows, annotation->count, sizeof *rows, by_subject);
    for (size_t from = 0, to; from < annotation->count; from = to) {
        for (to = from + 1;
             to < annotation->count && compare_subjects(&rows[from], &rows[to]) == 0;)
            to++;
        rows[folded++] = fold_rows(rows + from, to - from);
    }
    annotation->count = folded;
    annotation->folded = true;
}
