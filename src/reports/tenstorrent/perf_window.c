// Which rows of the reports are looked at: the window between signposts, and
// one row for the devices that run the same operation.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "perf.h"

// Signposts ------------------------------------------------------------------

static bool is_signpost(const struct perf_op *op, struct view name)
{
    return op->kind == PERF_SIGNPOST && view_equal(op->code, name);
}

// The id of the n-th signpost of this name (0 is the first), in the order of the rows; 0 when
// there are fewer.
static uint64_t signpost_id(const struct perf *perf, struct view name, size_t which)
{
    for (size_t i = 0; i < perf->count; i++) {
        if (is_signpost(&perf->ops[i], name) && which-- == 0)
            return perf->ops[i].id;
    }
    return 0;
}

static const struct perf_op *last_signpost(const struct perf *perf)
{
    for (size_t i = perf->count; i > 0; i--) {
        if (perf->ops[i - 1].kind == PERF_SIGNPOST)
            return &perf->ops[i - 1];
    }
    return NULL;
}

// A window as ids: rows between the two, both left out. 0 and UINT64_MAX: open.
struct window {
    uint64_t after;
    uint64_t before;
};

static bool find_start(struct perf *perf, const char *name, struct window *window)
{
    if (name == NULL || name[0] == '\0')
        return false;
    const uint64_t id = signpost_id(perf, view_of(name), 0);
    if (id == 0) {
        perf_message_add(perf, true, "Specified starting signpost '%s' not found.", name);
        return false;
    }
    perf_message_add(perf, false, "Using operations after '%s'.", name);
    window->after = id;
    return true;
}

// The same name for both: from the first to the second of them.
static bool perf_window_find_end(struct perf *perf, const char *name, const char *start,
                                 struct window *window)
{
    if (name == NULL || name[0] == '\0')
        return false;
    const bool same = start != NULL && strcmp(start, name) == 0;
    if (signpost_id(perf, view_of(name), 0) == 0) {
        perf_message_add(perf, true, "Specified ending signpost '%s' not found.", name);
        return false;
    }
    perf_message_add(perf, false, "Using operations until '%s'.", name);
    if (same && signpost_id(perf, view_of(name), 2) != 0)
        perf_message_add(perf, true,
                         "Multiple occurrences of signpost '%s' found. Using the second occurrence "
                         "for the end filter.",
                         name);
    const uint64_t id = signpost_id(perf, view_of(name), same);
    if (id == 0) {
        perf_message_add(perf, true,
                         "Not enough occurrences of signpost '%s' to apply to both start and end "
                         "filters.",
                         name);
        return false;
    }
    window->before = id;
    return true;
}

static void keep_window(struct perf *perf, const struct window *window, bool signposts)
{
    size_t kept = 0;
    for (size_t i = 0; i < perf->count; i++) {
        const struct perf_op *op = &perf->ops[i];
        if (op->id > window->after && op->id < window->before &&
            (signposts || op->kind != PERF_SIGNPOST))
            perf->ops[kept++] = *op;
    }
    perf->count = kept;
}

static void list_signposts(struct perf *perf)
{
    struct bytes names = {0};
    const char *between = "Detected signposts: ";
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_SIGNPOST)
            continue;
        bytes_append(&names, between, strlen(between));
        bytes_append(&names, perf->ops[i].code.data, perf->ops[i].code.size);
        between = ", ";
    }
    perf_message_add_text(perf, false, arena_copy(&perf->arena, bytes_view(&names)));
    bytes_free(&names);
}

// What stands after the first row that is called as the last signpost is.
static void keep_behind_last(struct perf *perf, const struct perf_op *last, bool signposts)
{
    const struct view name = last->code;
    size_t from = 0;
    list_signposts(perf);
    perf_message_add(perf, false, "Using last signpost: %.*s for analysis.", VIEW_ARGUMENTS(name));
    while (!view_equal(perf->ops[from].code, name))
        from++;
    size_t kept = 0;
    for (size_t i = from + 1; i < perf->count; i++) {
        if (signposts || perf->ops[i].kind != PERF_SIGNPOST)
            perf->ops[kept++] = perf->ops[i];
    }
    if (kept == 0)
        perf_message_add(perf, true,
                         "Nothing stands after it: choose a window with --start-signpost or "
                         "--ignore-signposts.");
    perf->count = kept;
}

void perf_window_cut(struct perf *perf, const struct perf_options *options)
{
    struct window window = {0, UINT64_MAX};
    const struct perf_op *last = last_signpost(perf);
    if (options->ignore_signposts) {
        perf_message_add(perf, false,
                         "Ignoring all signposts. Using the entire file for analysis.");
        return;
    }
    if (last == NULL) {
        perf_message_add(perf, true,
                         "No signposts found in the file. Using the entire file for analysis.");
        return;
    }
    const bool has_start = find_start(perf, options->start_signpost, &window);
    const bool has_end =
        perf_window_find_end(perf, options->end_signpost, options->start_signpost, &window);
    if (has_start || has_end)
        keep_window(perf, &window, options->print_signposts);
    else
        keep_behind_last(perf, last, options->print_signposts);
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

static int perf_window_compare_devices(const void *left, const void *right)
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
        sort_items(lists->items, lists->count, sizeof *lists->items, perf_window_compare_devices);
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

static double perf_window_time_of(const struct perf_op *op)
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
        if (perf_window_time_of(op) > perf_window_time_of(&slowest))
            slowest = *op;
        if (op->kernel_ns.known) {
            sum += op->kernel_ns.value;
            timed++;
        }
    }
    if (!is_collective(code))
        return slowest;
    if (timed > 0) {
        first.kernel_ns = perf_known(sum / (double)timed);
        first.time = perf_known(first.kernel_ns.value / 1000);
    }
    return first;
}

static void perf_window_note_missing(struct perf *perf, const struct perf_op *op, size_t step,
                                     size_t missing)
{
    profile_track(perf->account, 0)->ledger.expected += missing;
    profile_note(perf->account, 0, LEDGER_LOST, missing,
                 "%.*s (id %llu, step %zu) is missing on %zu devices: do not trust the data of "
                 "this operation and of those of the same name after it",
                 VIEW_ARGUMENTS(op->code), (unsigned long long)op->id, step, missing);
}

static int perf_window_compare_ids(const void *left, const void *right)
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
            perf_window_note_missing(perf, &merged[count], step, missing);
        count++;
    }
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_DEVICE)
            merged[count++] = perf->ops[i];
    }
    if (count > 0)
        sort_items(merged, count, sizeof *merged, perf_window_compare_ids);
    free(perf->ops);
    perf->ops = merged;
    perf->count = count;
    for (size_t i = 0; i < lists.count; i++)
        free(lists.items[i].ops);
    free(lists.items);
}
