#include "qaic_feeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/path.h"
#include "device/choice.h"
#include "formats/qaic/batch.h"
#include "formats/qaic/specializations.h"
#include "network_input.h"

struct feeding {
    const struct arguments *arguments;
    const struct device *device;
    const struct qaic_program *program;
    struct qaic_feeds *feeds;
};

static struct qaic_feed *add_feed(struct feeding *feeding, size_t part)
{
    struct qaic_feed *feed = &feeding->feeds->items[feeding->feeds->count++];
    feed->part = part;
    feed->inputs =
        memory_allocate_zeroed((size_t)feeding->feeds->input_count + 1, sizeof *feed->inputs);
    return feed;
}

static void drop_inputs(struct qaic_feed *feed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        datum_release(feed->inputs[i]);
        feed->inputs[i] = NULL;
    }
}

// What stays on the device is not the host's to give.
static status drop_kept(const struct feeding *feeding, struct qaic_feed *feed)
{
    struct device_pair *pairs;
    size_t count;
    if (!feeding->program->retained)
        return STATUS_OK;
    STATUS_TRY(qaic_retained_find(feeding->program->parts[feed->part].program, &pairs, &count));
    for (size_t i = 0; i < count; i++) {
        datum_release(feed->inputs[pairs[i].input]);
        feed->inputs[pairs[i].input] = NULL;
    }
    free(pairs);
    return STATUS_OK;
}

// The command line -----------------------------------------------------------------------

// Files fit one of the specializations; without files each gets random numbers.
static status feed_given(struct feeding *feeding, const char *const *given, size_t count)
{
    struct qaic_feeds *feeds = feeding->feeds;
    const size_t parts = feeding->program->part_count;
    if (count == 0)
        printf("Using bounded random inputs\n");
    for (size_t i = 0; i < parts; i++) {
        struct qaic_feed *feed = add_feed(feeding, i);
        const struct network *network = choice_device_network(feeding->device, i);
        const status failure = network_input_read(network, given, count, 0, feed->inputs);
        if (failure == STATUS_OK) {
            STATUS_TRY(drop_kept(feeding, feed));
            if (count > 0)
                return STATUS_OK;
            continue;
        }
        free(feed->inputs);
        feeds->count--;
        if (count == 0 || i + 1 == parts)
            return failure;
        status_free(failure);
    }
    return STATUS_OK;
}

static status feed_files(struct feeding *feeding)
{
    size_t count;
    const char *const *files = arguments_values(feeding->arguments, "input-file", &count);
    struct arena arena = {0};
    const char **given = memory_allocate_zeroed(count + 1, sizeof *given);
    feeding->feeds->items =
        memory_allocate_zeroed(feeding->program->part_count + 1, sizeof *feeding->feeds->items);
    for (size_t i = 0; i < count; i++)
        given[i] = arena_print(&arena, "@%s", files[i]).data;
    const status result = feed_given(feeding, given, count);
    arena_free(&arena);
    free(given);
    return result;
}

// Lists ----------------------------------------------------------------------------------

static uint32_t input_called(const struct network *network, struct view name)
{
    const struct network_graph *graph = network_graph(network, 0);
    uint32_t i = 0;
    while (i < graph->input_count &&
           !view_equal(network_value(network, graph->inputs[i])->name, name))
        i++;
    return i;
}

// The elements of a file as an input of the specialization; NULL where they are none.
static status take_file(const struct feeding *feeding, size_t part,
                        const struct qaic_batch_file *file, struct view bytes,
                        struct datum **out_datum)
{
    const struct network *network = choice_device_network(feeding->device, part);
    const struct network_graph *graph = network_graph(network, 0);
    const uint32_t index = input_called(network, file->name);
    *out_datum = NULL;
    if (index == graph->input_count)
        return status_make(STATUS_DATA, "%s: there is no input '%.*s'", file->path,
                           VIEW_ARGUMENTS(file->name));
    const struct value_type *type = &network_value(network, graph->inputs[index])->type;
    if (!value_type_static(type) || (file->shaped && !shape_equal(&file->shape, &type->shape)) ||
        shape_count(&type->shape) * element_size(type->element) != bytes.size)
        return STATUS_OK;
    STATUS_TRY(datum_tensor(type->element, &type->shape, out_datum));
    memcpy((*out_datum)->tensor.data, bytes.data, bytes.size);
    tensor_tidy_bools(&(*out_datum)->tensor);
    return STATUS_OK;
}

static status open_file(const char *list, const char *path, struct input **out_input)
{
    struct arena arena = {0};
    const size_t folder = strlen(list) - strlen(path_base_name(list));
    const struct view whole = path[0] == '/'
                                  ? arena_print(&arena, "%s", path)
                                  : arena_print(&arena, "%.*s%s", (int)folder, list, path);
    const status result = input_map(whole.data, out_input);
    arena_free(&arena);
    return result;
}

// Whether every file is an input of this specialization.
static status take_files(const struct feeding *feeding, const char *list,
                         const struct qaic_batch_inference *inference, struct qaic_feed *feed,
                         bool *out_all)
{
    *out_all = true;
    for (size_t i = 0; i < inference->file_count && *out_all; i++) {
        const struct qaic_batch_file *file = &inference->files[i];
        struct input *input;
        struct datum *datum;
        if (file->output)
            continue;
        STATUS_TRY(open_file(list, file->path, &input));
        const status failure = take_file(feeding, feed->part, file, input->bytes, &datum);
        input_close(input);
        STATUS_TRY(failure);
        *out_all = datum != NULL;
        const uint32_t index =
            input_called(choice_device_network(feeding->device, feed->part), file->name);
        datum_release(feed->inputs[index]);
        feed->inputs[index] = datum;
    }
    return drop_kept(feeding, feed);
}

static status feed_inference(struct feeding *feeding, const char *list,
                             const struct qaic_batch *batch, size_t index)
{
    struct qaic_feed *feed = add_feed(feeding, 0);
    for (; feed->part < feeding->program->part_count; feed->part++) {
        bool all;
        size_t found;
        STATUS_TRY(take_files(feeding, list, &batch->items[index], feed, &all));
        if (all)
            return status_within(choice_device_find(feeding->device, feed->inputs,
                                                    feeding->feeds->input_count, &found),
                                 "%s: inference %zu", list, index);
        drop_inputs(feed, feeding->feeds->input_count);
    }
    return status_make(STATUS_DATA,
                       "%s: inference %zu: its files fit none of the specializations by their "
                       "sizes and dims",
                       list, index);
}

static status feed_list(struct feeding *feeding, const char *path)
{
    struct input *input;
    struct qaic_batch batch;
    STATUS_TRY(input_open(path, &input));
    status result = qaic_batch_read(path, input->bytes, &batch);
    if (result != STATUS_OK) {
        input_close(input);
        return result;
    }
    feeding->feeds->listed = true;
    feeding->feeds->items = memory_allocate_zeroed(batch.count + 1, sizeof *feeding->feeds->items);
    for (size_t i = 0; i < batch.count && result == STATUS_OK; i++)
        result = feed_inference(feeding, path, &batch, i);
    qaic_batch_free(&batch);
    input_close(input);
    return result;
}

// Both -----------------------------------------------------------------------------------

status qaic_feeds_read(const struct arguments *arguments, const struct device *device,
                       const struct qaic_program *program, struct qaic_feeds *out_feeds)
{
    struct feeding feeding = {arguments, device, program, out_feeds};
    const char *list = arguments_value(arguments, "aic-batch-json-input");
    *out_feeds = (struct qaic_feeds){
        .input_count = network_graph(choice_device_network(device, 0), 0)->input_count};
    const status failure = list != NULL ? feed_list(&feeding, list) : feed_files(&feeding);
    if (failure != STATUS_OK)
        qaic_feeds_free(out_feeds);
    return failure;
}

void qaic_feeds_free(struct qaic_feeds *feeds)
{
    for (size_t i = 0; i < feeds->count; i++) {
        drop_inputs(&feeds->items[i], feeds->input_count);
        free(feeds->items[i].inputs);
    }
    free(feeds->items);
    *feeds = (struct qaic_feeds){0};
}

const struct qaic_feed *qaic_feeds_at(const struct qaic_feeds *feeds, unsigned index)
{
    const size_t last = feeds->count - 1;
    if (feeds->listed)
        return &feeds->items[index % feeds->count];
    return &feeds->items[index < last ? index : last];
}
