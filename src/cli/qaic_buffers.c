#include "qaic_buffers.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/memory.h"

static const char PREFIX[] = "aic-profiling-program-";
static const char MARK[] = "-aiccyclecounts";

// Names ------------------------------------------------------------------------------------

static bool take_number(struct view *rest, uint64_t *out_number)
{
    size_t end = 0;
    while (end < rest->size && rest->data[end] >= '0' && rest->data[end] <= '9')
        end++;
    if (!view_to_u64(view_slice(*rest, 0, end), out_number))
        return false;
    *rest = view_slice(*rest, end, rest->size);
    return true;
}

static bool take_word(struct view *rest, const char *word)
{
    if (!view_starts_with(*rest, word))
        return false;
    *rest = view_slice(*rest, strlen(word), rest->size);
    return true;
}

// "QAicGraph" of "QAicGraph_slice03", and the device.
static void take_device(struct qaic_buffer *buffer)
{
    const struct view name = buffer->network;
    const size_t at = view_find_text(name, "_slice");
    struct view rest = view_slice(name, at, name.size);
    uint64_t device;
    if (!take_word(&rest, "_slice") || !take_number(&rest, &device) || rest.size > 0 ||
        device >= UINT32_MAX)
        return;
    buffer->device = (uint32_t)device + 1;
    buffer->network = view_slice(name, 0, at);
}

static void parse(struct qaic_buffer *buffer)
{
    struct view rest = view_of(buffer->name);
    take_word(&rest, PREFIX);
    if (!take_number(&rest, &buffer->program))
        return;
    buffer->activation = buffer->program; // where it is not named, each is a program of its own
    if (take_word(&rest, "-activation-") && !take_number(&rest, &buffer->activation))
        return;
    if (!take_word(&rest, "-inf-") || !take_number(&rest, &buffer->inference) ||
        !take_word(&rest, "-"))
        return;
    buffer->network = view_slice(rest, 0, view_find_text(rest, MARK));
    take_device(buffer);
}

static int compare_views(struct view a, struct view b)
{
    const int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// But for the inference and the device.
static int compare_series(const struct qaic_buffer *a, const struct qaic_buffer *b)
{
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    if (a->activation != b->activation)
        return a->activation < b->activation ? -1 : 1;
    return compare_views(a->network, b->network);
}

static int qaic_buffers_compare(const void *left, const void *right)
{
    const struct qaic_buffer *a = left, *b = right;
    const int series = compare_series(a, b);
    if (series != 0)
        return series;
    if (a->inference != b->inference)
        return a->inference < b->inference ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return strcmp(a->name, b->name);
}

// Folders ----------------------------------------------------------------------------------

status qaic_buffers_list(const char *folder, struct qaic_buffers *out_buffers)
{
    *out_buffers = (struct qaic_buffers){0};
    DIR *opened = opendir(folder);
    if (opened == NULL)
        return status_make(STATUS_IO, "%s: cannot be read: %s", folder, strerror(errno));
    size_t capacity = 0;
    const struct dirent *entry;
    while ((entry = readdir(opened)) != NULL) {
        const struct view name = view_of(entry->d_name);
        if (!view_starts_with(name, PREFIX) || !view_ends_with(name, ".bin") ||
            view_find_text(name, MARK) == name.size)
            continue;
        out_buffers->items = memory_grow(out_buffers->items, out_buffers->count, &capacity,
                                         sizeof *out_buffers->items);
        struct qaic_buffer *buffer = &out_buffers->items[out_buffers->count++];
        *buffer = (struct qaic_buffer){.name = view_copy(name), .network = VIEW_LITERAL("")};
        parse(buffer);
    }
    closedir(opened);
    if (out_buffers->count == 0)
        return status_make(STATUS_NOT_FOUND,
                           "%s: holds no statistics buffer (%s*%s.bin): run qaic-runner with "
                           "--aic-profiling-type=raw_device_stats",
                           folder, PREFIX, MARK);
    sort_items(out_buffers->items, out_buffers->count, sizeof *out_buffers->items,
               qaic_buffers_compare);
    return STATUS_OK;
}

void qaic_buffers_free(struct qaic_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        free(buffers->items[i].name);
    free(buffers->items);
    *buffers = (struct qaic_buffers){0};
}

size_t qaic_buffers_together(const struct qaic_buffers *buffers, size_t at)
{
    const struct qaic_buffer *first = &buffers->items[at];
    size_t count = 1;
    while (first->device > 0 && at + count < buffers->count &&
           compare_series(first, &buffers->items[at + count]) == 0 &&
           first->inference == buffers->items[at + count].inference)
        count++;
    return count;
}

// Missing ones -----------------------------------------------------------------------------

// Samples are as far apart as the nearest two are. A step over more than there are is the start of
// another run.
static size_t say_missing_inferences(const struct qaic_buffers *buffers, size_t from, size_t to)
{
    const struct qaic_buffer *items = buffers->items;
    uint64_t stride = UINT64_MAX;
    size_t missing = 0;
    for (size_t i = from + 1; i < to; i++) {
        const uint64_t step = items[i].inference - items[i - 1].inference;
        stride = step > 0 && step < stride ? step : stride;
    }
    for (size_t i = from + 1; i < to; i++) {
        const uint64_t step = items[i].inference - items[i - 1].inference;
        if (step <= stride || step / stride > to - from)
            continue;
        for (uint64_t at = items[i - 1].inference + stride; at < items[i].inference; at += stride) {
            fprintf(stderr,
                    "qaic-opstats: %s: the sample before it, of inference %" PRIu64
                    ", is missing: the others are processed; run qaic-runner again for it\n",
                    items[i].name, at);
            missing++;
        }
    }
    return missing;
}

static size_t say_missing_devices(const struct qaic_buffers *buffers, size_t from, size_t to)
{
    size_t missing = 0;
    for (size_t i = from; i < to; i++) {
        const size_t count = qaic_buffers_together(buffers, i);
        for (size_t k = from; k < to; k++) {
            const uint32_t device = buffers->items[k].device;
            bool known = device == 0, there = false;
            for (size_t before = from; before < k; before++)
                known |= buffers->items[before].device == device;
            for (size_t own = i; own < i + count; own++)
                there |= buffers->items[own].device == device;
            if (known || there)
                continue;
            fprintf(stderr,
                    "qaic-opstats: inference %" PRIu64 ": device %" PRIu32
                    " has no buffer: the others are processed; run qaic-runner again for it\n",
                    buffers->items[i].inference, device - 1);
            missing++;
        }
        i += count - 1;
    }
    return missing;
}

size_t qaic_buffers_say_missing(const struct qaic_buffers *buffers)
{
    size_t missing = 0;
    for (size_t from = 0, to; from < buffers->count; from = to) {
        bool devices = false;
        for (to = from;
             to < buffers->count && compare_series(&buffers->items[from], &buffers->items[to]) == 0;
             to++)
            devices |= buffers->items[to].device > 0;
        if (buffers->items[from].network.size == 0)
            continue;
        missing += say_missing_inferences(buffers, from, to);
        if (devices)
            missing += say_missing_devices(buffers, from, to);
    }
    return missing;
}

void qaic_buffer_output(const struct qaic_buffer *buffer, const char *folder, const char *ending,
                        bool merged, struct bytes *out_path)
{
    const struct view name = view_of(buffer->name);
    const size_t mark = merged ? (size_t)(buffer->network.data - name.data) + buffer->network.size
                               : view_find_text(name, MARK);
    out_path->size = 0;
    bytes_append_format(out_path, "%s/%.*s%s.qaic-opstats.%s", folder, (int)mark, buffer->name,
                        merged ? "-merged" : "", ending);
    bytes_append(out_path, "", 1);
}
