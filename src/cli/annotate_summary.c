#include "annotate_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/modelled.h"
#include "analysis/statistics.h"
#include "base/figures.h"
#include "base/memory.h"
#include "base/sort.h"
#include "plain_text.h"
#include "program/location.h"
#include "program/print.h"
#include "wire/json.h"

enum { TOP = 20, NAME_MOST = 33, NAME_ROOM = 512 };

// The tasks of a group in one iteration. Times are ns.
struct piece {
    uint32_t group;
    uint32_t tasks;
    uint64_t iteration;
    uint64_t time;
    uint64_t transfer_time;
    uint64_t moved; // bytes of its transfers
};

// A group in all iterations.
struct part {
    uint32_t group;
    uint32_t tasks; // of an iteration
    uint64_t moved;
    uint64_t iterations;
    uint64_t minimum, median, p90, maximum;
    uint64_t transfer_median;
};

struct summary {
    const struct annotation *annotation;
    struct part *parts; // the slowest first
    size_t count;
    size_t capacity;
    uint64_t iterations;
    uint64_t sum; // of medians
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
    const struct part *a = left, *b = right;
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

static void add_part(struct summary *summary, struct piece *pieces, size_t count)
{
    struct part part = {.group = pieces[0].group,
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
    summary->parts =
        memory_grow(summary->parts, summary->count, &summary->capacity, sizeof *summary->parts);
    summary->parts[summary->count++] = part;
    summary->sum += part.median;
}

static void add_up(struct summary *summary)
{
    const struct annotation *annotation = summary->annotation;
    struct piece *pieces = memory_allocate_zeroed(annotation->count + 1, sizeof *pieces);
    const size_t count = collect(annotation, pieces);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && pieces[to].group == pieces[from].group;)
            to++;
        add_part(summary, pieces + from, to - from);
    }
    free(pieces);
    for (size_t i = 0; i < annotation->count; i++)
        summary->iterations +=
            i == 0 || annotation->rows[i].invocation != annotation->rows[i - 1].invocation;
    if (summary->count > 1)
        qsort(summary->parts, summary->count, sizeof *summary->parts, slowest_first);
}

// Showing ----------------------------------------------------------------------------

static const char *name_of(const struct summary *summary, const struct part *part, char *text,
                           size_t size)
{
    if (part->group == PROGRAM_NONE)
        snprintf(text, size, "(of no group)");
    else
        modelled_group_text(summary->annotation->program, part->group, text, size);
    return text;
}

static const char *engine_of(const struct summary *summary, const struct part *part)
{
    const struct annotation *annotation = summary->annotation;
    return part->group != PROGRAM_NONE
               ? program_engine_name(annotation->target,
                                     annotation->program->groups[part->group].engine)
               : "";
}

// Bytes a second of its transfers; 0: none, or no time passed.
static double bandwidth_of(const struct part *part)
{
    return part->transfer_median > 0 ? (double)part->moved * 1e9 / (double)part->transfer_median
                                     : 0;
}

static double share_of(const struct summary *summary, const struct part *part)
{
    return summary->sum > 0 ? 100.0 * (double)part->median / (double)summary->sum : 0;
}

static void print_part(const struct summary *summary, const struct part *part)
{
    char median[FIGURES_ROOM], p90[FIGURES_ROOM], moved[FIGURES_ROOM], rate[FIGURES_ROOM];
    char name[NAME_ROOM];
    const double bandwidth = bandwidth_of(part);
    snprintf(rate, sizeof rate, bandwidth > 0 ? "%.2f GB/s" : "-", bandwidth / 1e9);
    printf("%9s %9s %5.1f %% %6" PRIu32 " %9s %11s  %-8s ",
           figures_time(part->median, 1000000000, median), figures_time(part->p90, 1000000000, p90),
           share_of(summary, part), part->tasks,
           part->moved > 0 ? figures_bytes(part->moved, moved) : "-", rate,
           engine_of(summary, part));
    const size_t size = strlen(name_of(summary, part, name, sizeof name));
    plain_text_print_name(view_of(name), (int)(size < NAME_MOST ? size : NAME_MOST));
    printf("\n");
}

static void print_text(const struct summary *summary, size_t shown)
{
    const struct annotation *annotation = summary->annotation;
    const struct view device = profile_fact(annotation->profile, "device");
    const bool measured = view_starts_with(device, "host");
    char time[FIGURES_ROOM];
    printf("%.*s for %s: ", VIEW_ARGUMENTS(annotation->program->source), annotation->target->name);
    if (summary->iterations == 0) {
        printf("no task ran\n");
        return;
    }
    printf("%" PRIu64 " iteration%s, %s of tasks each (median)\n", summary->iterations,
           summary->iterations == 1 ? "" : "s", figures_time(summary->sum, 1000000000, time));
    printf("%.*s", VIEW_ARGUMENTS(device.size > 0 ? device : VIEW_LITERAL("device: not said")));
    if (measured && strcmp(annotation->target->name, "host") != 0)
        printf("; they say nothing about %s", annotation->target->name);
    printf("\n%9s %9s %7s %6s %9s %11s  %-8s %s\n", "median", "p90", "share", "tasks", "moved",
           "bandwidth", "engine", "operators");
    for (size_t i = 0; i < shown; i++)
        print_part(summary, &summary->parts[i]);
    if (shown < summary->count)
        printf("and %zu more (--top %zu)\n", summary->count - shown, summary->count);
}

static void write_part(struct json_writer *json, const struct summary *summary,
                       const struct part *part)
{
    const struct program *program = summary->annotation->program;
    char name[NAME_ROOM];
    json_open_object(json, NULL);
    json_text(json, "operators", view_of(name_of(summary, part, name, sizeof name)));
    json_text(json, "group",
              view_of(part->group != PROGRAM_NONE
                          ? program_text(program, program->groups[part->group].type)
                          : ""));
    json_text(json, "engine", view_of(engine_of(summary, part)));
    json_uint(json, "tasks", part->tasks);
    json_uint(json, "iterations", part->iterations);
    json_uint(json, "min_ns", part->minimum);
    json_uint(json, "median_ns", part->median);
    json_uint(json, "p90_ns", part->p90);
    json_uint(json, "max_ns", part->maximum);
    json_uint(json, "transfer_median_ns", part->transfer_median);
    json_uint(json, "transfer_bytes", part->moved);
    json_close(json);
}

static status write_json(const struct summary *summary, size_t shown)
{
    const struct annotation *annotation = summary->annotation;
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "network", annotation->program->source);
    json_text(&json, "target", view_of(annotation->target->name));
    json_text(&json, "device", profile_fact(annotation->profile, "device"));
    json_uint(&json, "iterations", summary->iterations);
    json_uint(&json, "unmatched", annotation->unmatched);
    json_uint(&json, "missing", annotation->missing);
    json_open_array(&json, "groups");
    for (size_t i = 0; i < shown; i++)
        write_part(&json, summary, &summary->parts[i]);
    json_close(&json);
    json_close(&json);
    output_text(output, "\n");
    return output_close(output);
}

status annotate_summary(const struct arguments *arguments, const struct annotation *annotation)
{
    struct summary summary = {.annotation = annotation};
    unsigned top;
    STATUS_TRY(arguments_number(arguments, "top", TOP, &top));
    add_up(&summary);
    const size_t shown = summary.count < top ? summary.count : top;
    status result = STATUS_OK;
    if (arguments_flag(arguments, "json"))
        result = write_json(&summary, shown);
    else
        print_text(&summary, shown);
    free(summary.parts);
    return result;
}
