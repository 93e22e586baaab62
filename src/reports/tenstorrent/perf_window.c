// Which rows of the reports are looked at: the window between signposts, and
// one row for the devices that run the same operation.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "perf.h"

// Signposts ------------------------------------------------------------------

// Position of the first signpost of this name from `from` on, or perf->count.
static size_t find_signpost(const struct perf *perf, struct view name, size_t from)
{
    for (size_t i = from; i < perf->count; i++) {
        if (perf->ops[i].kind == PERF_SIGNPOST && view_equal(perf->ops[i].code, name))
            return i;
    }
    return perf->count;
}

static size_t last_signpost(const struct perf *perf)
{
    for (size_t i = perf->count; i > 0; i--) {
        if (perf->ops[i - 1].kind == PERF_SIGNPOST)
            return i - 1;
    }
    return perf->count;
}

static void keep_between(struct perf *perf, size_t from, size_t to, bool signposts)
{
    size_t kept = 0;
    for (size_t i = from; i < to; i++) {
        if (signposts || perf->ops[i].kind != PERF_SIGNPOST)
            perf->ops[kept++] = perf->ops[i];
    }
    perf->count = kept;
}

static bool find_start(struct perf *perf, const char *name, size_t *out_from)
{
    if (name == NULL)
        return false;
    const size_t at = find_signpost(perf, view_of(name), 0);
    if (at == perf->count) {
        perf_message_add(perf, true, "Specified starting signpost '%s' not found.", name);
        return false;
    }
    perf_message_add(perf, false, "Using operations after '%s'.", name);
    *out_from = at + 1;
    return true;
}

static bool find_end(struct perf *perf, const char *name, size_t from, size_t *out_to)
{
    if (name == NULL)
        return false;
    const size_t at = find_signpost(perf, view_of(name), from);
    if (at == perf->count) {
        perf_message_add(perf, true, "Specified ending signpost '%s' not found%s.", name,
                         from > 0 ? " behind the start" : "");
        return false;
    }
    perf_message_add(perf, false, "Using operations until '%s'.", name);
    *out_to = at;
    return true;
}

void perf_window_cut(struct perf *perf, const struct perf_options *options)
{
    if (options->ignore_signposts) {
        perf_message_add(perf, false,
                         "Ignoring all signposts. Using the entire file for analysis.");
        return;
    }
    const size_t last = last_signpost(perf);
    if (last == perf->count) {
        perf_message_add(perf, true,
                         "No signposts found in the file. Using the entire file for analysis.");
        return;
    }
    size_t from = 0;
    size_t to = perf->count;
    const bool has_start = find_start(perf, options->start_signpost, &from);
    const bool has_end = find_end(perf, options->end_signpost, from, &to);
    if (!has_start && !has_end) {
        from = last + 1;
        const struct view name = perf->ops[last].code;
        perf_message_add(perf, from == to,
                         from == to ? "Nothing stands behind the last signpost, %.*s: choose a "
                                      "window with --start-signpost or --ignore-signposts."
                                    : "Using last signpost: %.*s for analysis.",
                         VIEW_ARGUMENTS(name));
    }
    keep_between(perf, from, to, options->print_signposts);
}

// Devices --------------------------------------------------------------------

// The operations of one device, in order, and how far they are merged.
struct device_list {
    uint64_t device;
    size_t *ops;
    size_t count;
    size_t capacity;
    size_t at;
};

struct device_lists {
    struct device_list *items;
    size_t count;
    size_t capacity;
};

static struct device_list *list_of(struct device_lists *lists, uint64_t device)
{
    for (size_t i = 0; i < lists->count; i++) {
        if (lists->items[i].device == device)
            return &lists->items[i];
    }
    lists->items = memory_grow(lists->items, lists->count, &lists->capacity, sizeof *lists->items);
    lists->items[lists->count] = (struct device_list){.device = device};
    return &lists->items[lists->count++];
}

static int compare_devices(const void *left, const void *right)
{
    const uint64_t a = ((const struct device_list *)left)->device;
    const uint64_t b = ((const struct device_list *)right)->device;
    return sort_compare(a, b);
}

static void collect_devices(const struct perf *perf, struct device_lists *lists)
{
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_DEVICE)
            continue;
        struct device_list *list = list_of(lists, perf->ops[i].device);
        list->ops = memory_grow(list->ops, list->count, &list->capacity, sizeof *list->ops);
        list->ops[list->count++] = i;
    }
    if (lists->count > 0)
        qsort(lists->items, lists->count, sizeof *lists->items, compare_devices);
}

static bool perf_window_contains(struct view text, const char *part)
{
    return view_find_text(text, part) < text.size;
}

static bool is_collective(struct view code)
{
    return perf_window_contains(code, "AllGather") || perf_window_contains(code, "ReduceScatter") ||
           perf_window_contains(code, "AllReduce");
}

// The code that stands first in the first list that has one; false at the end.
static bool next_code(const struct perf *perf, const struct device_lists *lists,
                      struct view *out_code)
{
    for (size_t i = 0; i < lists->count; i++) {
        const struct device_list *list = &lists->items[i];
        if (list->at < list->count) {
            *out_code = perf->ops[list->ops[list->at]].code;
            return true;
        }
    }
    return false;
}

static double time_of(const struct perf_op *op)
{
    return op->time.known ? op->time.value : -1;
}

// Takes the operation `code` from every list that has it next.
static struct perf_op take_step(struct perf *perf, struct device_lists *lists, struct view code,
                                size_t *out_missing)
{
    struct perf_op first = {0};
    struct perf_op slowest = {0};
    size_t taken = 0;
    size_t timed = 0;
    double sum = 0;
    *out_missing = 0;
    for (size_t i = 0; i < lists->count; i++) {
        struct device_list *list = &lists->items[i];
        if (list->at == list->count || !view_equal(perf->ops[list->ops[list->at]].code, code)) {
            *out_missing += 1;
            continue;
        }
        const struct perf_op *op = &perf->ops[list->ops[list->at++]];
        if (taken++ == 0)
            first = slowest = *op;
        if (time_of(op) > time_of(&slowest))
            slowest = *op;
        if (op->time.known) {
            sum += op->time.value;
            timed++;
        }
    }
    if (!is_collective(code))
        return slowest;
    if (timed > 0)
        first.time = perf_known(sum / (double)timed);
    return first;
}

static void note_missing(struct perf *perf, const struct perf_op *op, size_t step, size_t missing)
{
    profile_track(perf->account, 0)->ledger.expected += missing;
    profile_note(perf->account, 0, LEDGER_LOST, missing,
                 "%.*s (id %llu, step %zu) is missing on %zu devices: do not trust the data of "
                 "this operation and of those of the same name behind it",
                 VIEW_ARGUMENTS(op->code), (unsigned long long)op->id, step, missing);
}

static int compare_ids(const void *left, const void *right)
{
    const uint64_t a = ((const struct perf_op *)left)->id;
    const uint64_t b = ((const struct perf_op *)right)->id;
    return sort_compare(a, b);
}

void perf_devices_merge(struct perf *perf)
{
    struct device_lists lists = {0};
    collect_devices(perf, &lists);
    struct perf_op *merged = memory_allocate_zeroed(perf->count + 1, sizeof *merged);
    size_t count = 0;
    struct view code;
    for (size_t step = 0; next_code(perf, &lists, &code); step++) {
        size_t missing;
        merged[count] = take_step(perf, &lists, code, &missing);
        if (missing > 0)
            note_missing(perf, &merged[count], step, missing);
        count++;
    }
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_DEVICE)
            merged[count++] = perf->ops[i];
    }
    if (count > 0)
        qsort(merged, count, sizeof *merged, compare_ids);
    free(perf->ops);
    perf->ops = merged;
    perf->count = count;
    for (size_t i = 0; i < lists.count; i++)
        free(lists.items[i].ops);
    free(lists.items);
}
