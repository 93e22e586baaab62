#include "annotate_groups.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/modelled.h"
#include "analysis/statistics.h"
#include "base/memory.h"
#include "base/sort.h"
#include "program/location.h"
#include "program/print.h"

// The tasks of a group in one iteration. Times are ns.
struct piece {
    uint32_t group;
    uint32_t tasks;
    uint64_t iteration;
    uint64_t time;
    uint64_t transfer_time;
    uint64_t moved; // bytes of its transfers
};

// Adding up --------------------------------------------------------------------------

static int by_group(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    return a->group != b->group ? sort_compare(a->group, b->group)
                                : sort_compare(a->iteration, b->iteration);
}

static int by_time(const void *left, const void *right)
{
    return sort_compare(((const struct piece *)left)->time, ((const struct piece *)right)->time);
}

static int by_transfer_time(const void *left, const void *right)
{
    return sort_compare(((const struct piece *)left)->transfer_time,
                        ((const struct piece *)right)->transfer_time);
}

static int slowest_first(const void *left, const void *right)
{
    const struct annotate_group *a = left, *b = right;
    return a->median != b->median ? sort_compare(b->median, a->median)
                                  : sort_compare(a->group, b->group);
}

// One for each timed task, then one for each group and iteration.
static size_t collect(const struct annotation *annotation, struct piece *pieces)
{
    const struct program *program = annotation->program;
    size_t count = 0;
    for (size_t i = 0; i < annotation->count; i++) {
        const struct annotate_row *row = &annotation->rows[i];
        if (row->task == PROGRAM_NONE || !row->timed)
            continue;
        const bool moves = program->tasks[row->task].kind == PROGRAM_TASK_TRANSFER;
        const uint64_t time = row->end - row->start;
        pieces[count++] = (struct piece){.group = program_task_group(program, row->task),
                                         .tasks = 1,
                                         .iteration = row->invocation,
                                         .time = time,
                                         .transfer_time = moves ? time : 0,
                                         .moved = moves ? row->bytes : 0};
    }
    qsort(pieces, count, sizeof *pieces, by_group);
    size_t merged = 0;
    for (size_t i = 0; i < count; i++) {
        if (merged == 0 || by_group(&pieces[merged - 1], &pieces[i]) != 0) {
            pieces[merged++] = pieces[i];
            continue;
        }
        struct piece *to = &pieces[merged - 1];
        to->tasks += pieces[i].tasks;
        to->time += pieces[i].time;
        to->transfer_time += pieces[i].transfer_time;
        to->moved += pieces[i].moved;
    }
    return merged;
}

static void add_part(struct annotate_groups *groups, struct piece *pieces, size_t count)
{
    struct annotate_group part = {.group = pieces[0].group,
                                  .tasks = pieces[0].tasks,
                                  .moved = pieces[0].moved,
                                  .iterations = count};
    const struct statistics_middle middle = statistics_middle(count);
    qsort(pieces, count, sizeof *pieces, by_transfer_time);
    part.transfer_median =
        statistics_halfway(pieces[middle.low].transfer_time, pieces[middle.high].transfer_time);
    qsort(pieces, count, sizeof *pieces, by_time);
    part.minimum = pieces[0].time;
    part.median = statistics_halfway(pieces[middle.low].time, pieces[middle.high].time);
    part.p90 = pieces[statistics_rank(count, 90)].time;
    part.maximum = pieces[count - 1].time;
    groups->items =
        memory_grow(groups->items, groups->count, &groups->capacity, sizeof *groups->items);
    groups->items[groups->count++] = part;
    groups->sum += part.median;
}

static void add_up(struct annotate_groups *groups)
{
    const struct annotation *annotation = groups->annotation;
    struct piece *pieces = memory_allocate_zeroed(annotation->count + 1, sizeof *pieces);
    const size_t count = collect(annotation, pieces);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && pieces[to].group == pieces[from].group;)
            to++;
        add_part(groups, pieces + from, to - from);
    }
    free(pieces);
    for (size_t i = 0; i < annotation->count; i++)
        groups->iterations +=
            i == 0 || annotation->rows[i].invocation != annotation->rows[i - 1].invocation;
    if (groups->count > 1)
        qsort(groups->items, groups->count, sizeof *groups->items, slowest_first);
}

struct annotate_groups annotate_groups_of(const struct annotation *annotation)
{
    struct annotate_groups groups = {.annotation = annotation};
    add_up(&groups);
    return groups;
}

void annotate_groups_free(struct annotate_groups *groups)
{
    free(groups->items);
    *groups = (struct annotate_groups){0};
}

const char *annotate_group_name(const struct annotate_groups *groups,
                                const struct annotate_group *group, char *text, size_t size)
{
    if (group->group == PROGRAM_NONE)
        snprintf(text, size, "(of no group)");
    else
        modelled_group_text(groups->annotation->program, group->group, text, size);
    return text;
}

const char *annotate_group_engine(const struct annotate_groups *groups,
                                  const struct annotate_group *group)
{
    const struct annotation *annotation = groups->annotation;
    return group->group != PROGRAM_NONE
               ? program_engine_name(annotation->target,
                                     annotation->program->groups[group->group].engine)
               : "";
}

double annotate_group_bandwidth(const struct annotate_group *group)
{
    return group->transfer_median > 0 ? (double)group->moved * 1e9 / (double)group->transfer_median
                                      : 0;
}

double annotate_group_share(const struct annotate_groups *groups,
                            const struct annotate_group *group)
{
    return groups->sum > 0 ? 100.0 * (double)group->median / (double)groups->sum : 0;
}
