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

static int annotate_groups_by_time(const void *left, const void *right)
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
static size_t annotate_groups_collect(const struct annotation *annotation, struct piece *pieces)
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
    sort_items(pieces, count, sizeof *pieces, by_group);
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
    sort_items(pieces, count, sizeof *pieces, by_transfer_time);
    part.transfer_median =
        statistics_halfway(pieces[middle.low].transfer_time, pieces[middle.high].transfer_time);
    sort_items(pieces, count, sizeof *pieces, annotate_groups_by_time);
    part.minimum = pieces[0].time;
    part.median = statistics_halfway(pieces[middle.low].time, pieces[middle.high].time);
    part.p90 = pieces[statistics_rank(count, 90)].time;
    part.maximum = pieces[count - 1].time;
    groups->items =
        memory_grow(groups->items, groups->count, &groups->capacity, sizeof *groups->items);
    groups->items[groups->count++] = part;
    groups->sum += part.median;
}

static void annotate_groups_add_up(struct annotate_groups *groups)
{
    const struct annotation *annotation = groups->annotation;
    struct piece *pieces = memory_allocate_zeroed(annotation->count + 1, sizeof *pieces);
    const size_t count = annotate_groups_collect(annotation, pieces);
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
        sort_items(groups->items, groups->count, sizeof *groups->items, slowest_first);
}

struct annotate_groups annotate_groups_of(const struct annotation *annotation)
{
    struct annotate_groups groups = {.annotation = annotation};
    annotate_groups_add_up(&groups);
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

// Rows -------------------------------------------------------------------------------

static const struct annotate_group *annotate_groups_group_of(const struct table_query *query)
{
    return &((const struct annotate_groups *)query->report)->items[query->row];
}

static struct table_cell annotate_groups_operators_cell(const struct table_query *query)
{
    enum { ROOM = 512 };
    char *text = (char *)bytes_reserve(query->scratch, ROOM);
    return table_text(
        view_of(annotate_group_name(query->report, annotate_groups_group_of(query), text, ROOM)));
}

static struct table_cell annotate_groups_type_cell(const struct table_query *query)
{
    const struct program *program =
        ((const struct annotate_groups *)query->report)->annotation->program;
    const uint32_t group = annotate_groups_group_of(query)->group;
    return table_text(
        view_of(group != PROGRAM_NONE ? program_text(program, program->groups[group].type) : ""));
}

static struct table_cell annotate_groups_engine_cell(const struct table_query *query)
{
    return table_text(
        view_of(annotate_group_engine(query->report, annotate_groups_group_of(query))));
}

static struct table_cell annotate_groups_tasks_cell(const struct table_query *query)
{
    return table_whole(annotate_groups_group_of(query)->tasks);
}

static struct table_cell annotate_groups_share_cell(const struct table_query *query)
{
    return table_real(annotate_group_share(query->report, annotate_groups_group_of(query)) / 100);
}

// `argument` is where the group has the number.
static struct table_cell annotate_groups_number_cell(const struct table_query *query)
{
    uint64_t number;
    memcpy(&number, (const char *)annotate_groups_group_of(query) + query->column->argument,
           sizeof number);
    return table_whole(number);
}

static struct table_cell moved_cell(const struct table_query *query)
{
    return table_whole_if(annotate_groups_group_of(query)->moved > 0,
                          annotate_groups_group_of(query)->moved);
}

static struct table_cell annotate_groups_bandwidth_cell(const struct table_query *query)
{
    const double bandwidth = annotate_group_bandwidth(annotate_groups_group_of(query));
    return table_real_if(bandwidth > 0, bandwidth / 1e9);
}

// clang-format off
#define NUMBER(member, words)                                                                      \
    .meaning = (words), .argument = offsetof(struct annotate_group, member), .cell = annotate_groups_number_cell
#define TIME(member, words) NUMBER(member, words), .type = TABLE_NS, .look = TABLE_SCALED

static const struct table_column COLUMNS[] = {
    {.key = "operators", .meaning = "of the group", .most = 33, .cut = LETTERS_CUT_START, .gap = 1,
     .place = 8, .cell = annotate_groups_operators_cell},
    {.key = "group", .meaning = "its kind", .cell = annotate_groups_type_cell},
    {.key = "engine", .meaning = "that works for it", .width = 8, .gap = 2, .place = 7, .loss = 3,
     .cell = annotate_groups_engine_cell},
    {.key = "tasks", .meaning = "of an iteration", .type = TABLE_COUNT, .width = 6, .place = 4,
     .loss = 4, .cell = annotate_groups_tasks_cell},
    {.key = "iterations", NUMBER(iterations, "that have it"), .type = TABLE_COUNT},
    {.key = "min_ns", TIME(minimum, "the shortest iteration")},
    {.key = "median_ns", .title = "median", TIME(median, "of the iterations"), .width = 9,
     .place = 1},
    {.key = "p90_ns", .title = "p90", TIME(p90, "that 90 % of the iterations keep to"), .width = 9,
     .place = 2, .loss = 2},
    {.key = "max_ns", TIME(maximum, "the longest iteration")},
    {.key = "transfer_median_ns", TIME(transfer_median, "of its transfers alone")},
    {.key = "transfer_bytes", NUMBER(moved, "that its transfers move"), .type = TABLE_BYTES,
     .look = TABLE_SCALED},
    {.key = "share", .meaning = "of the sum of medians", .type = TABLE_RATIO, .digits = 1,
     .flags = TABLE_WITH_UNIT | TABLE_NOT_JSON, .width = 7, .place = 3, .cell = annotate_groups_share_cell},
    {.key = "moved", .meaning = "by its transfers, for people", .type = TABLE_BYTES,
     .look = TABLE_SCALED, .flags = TABLE_NOT_CSV | TABLE_NOT_JSON, .width = 9, .place = 5,
     .loss = 6, .cell = moved_cell},
    {.key = "bandwidth", .meaning = "of its transfers", .type = TABLE_REAL, .unit = "GB/s",
     .digits = 2, .flags = TABLE_WITH_UNIT | TABLE_NOT_JSON, .width = 11, .place = 6, .loss = 5,
     .cell = annotate_groups_bandwidth_cell},
};
// clang-format on

const struct table_form ANNOTATE_GROUPS_FORM = {
    .name = "groups",
    .about = "a row for each group of operators, the slowest first (without OUT)",
    .absent = "-",
    .gap = 1,
    TABLE_COLUMNS(COLUMNS),
};
