// What the user says about the shapes of inputs: "--shape input=1x3x224x224" and
// "--define-symbol batch,1". A length that a shape gives to a named dimension
// holds wherever that name stands, as if it were defined.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "network.h"

// A named dimension whose length is known now.
struct definition {
    struct view name;
    int64_t length;
    bool asked; // by the user, who wants to know when nothing has this name
    bool used;
};

struct definitions {
    struct definition *items;
    size_t count;
    size_t capacity;
};

static struct definition *apply_find_definition(const struct definitions *definitions,
                                                struct view name)
{
    for (size_t i = 0; i < definitions->count; i++) {
        if (view_equal(definitions->items[i].name, name))
            return &definitions->items[i];
    }
    return NULL;
}

static status apply_define(struct definitions *definitions, struct view name, int64_t length,
                           bool asked)
{
    const struct definition *known = apply_find_definition(definitions, name);
    if (known != NULL && known->length != length)
        return status_make(STATUS_USAGE, "dimension '%.*s' is both %" PRId64 " and %" PRId64,
                           VIEW_ARGUMENTS(name), known->length, length);
    if (known != NULL)
        return STATUS_OK;
    definitions->items = memory_grow(definitions->items, definitions->count, &definitions->capacity,
                                     sizeof *definitions->items);
    definitions->items[definitions->count++] = (struct definition){name, length, asked, false};
    return STATUS_OK;
}

static bool length_parse(struct view text, int64_t *out_length)
{
    return view_to_i64(text, out_length) && *out_length >= 0;
}

// "batch,1"; a name may hold commas itself.
static status symbol_parse(const char *text, struct definitions *definitions)
{
    const struct view whole = view_of(text);
    const size_t comma = view_find_last(whole, ',');
    int64_t length;
    if (comma == 0 || comma == whole.size ||
        !length_parse(view_slice(whole, comma + 1, whole.size), &length))
        return status_make(STATUS_USAGE, "'%s' is not a name and a length, like batch,1", text);
    return apply_define(definitions, view_slice(whole, 0, comma), length, true);
}

// "1x3x224x224", "?" where a length stays unknown, "" for a scalar.
static status shape_parse(struct view text, struct shape *out_shape)
{
    const struct view whole = text;
    *out_shape = (struct shape){0};
    while (text.size > 0) {
        const size_t end = view_find(text, 'x');
        const struct view length = view_slice(text, 0, end);
        if (out_shape->rank == SHAPE_RANK_MOST)
            return status_make(STATUS_USAGE, "shape '%.*s' has more than %d dimensions",
                               VIEW_ARGUMENTS(whole), SHAPE_RANK_MOST);
        int64_t *to = &out_shape->dims[out_shape->rank++];
        *to = SHAPE_UNKNOWN;
        if ((!view_is(length, "?") && !length_parse(length, to)) || end + 1 == text.size)
            return status_make(STATUS_USAGE, "'%.*s' is not a shape such as 1x3x224x224",
                               VIEW_ARGUMENTS(whole));
        text = view_slice(text, end < text.size ? end + 1 : end, text.size);
    }
    return STATUS_OK;
}

static status unknown_input(const struct network *network, struct view name)
{
    enum { NAMED_MOST = 8, NAME_MOST = 60 };
    const struct network_graph *graph = network_graph(network, 0);
    char text[NAMED_MOST * (NAME_MOST + 4) + 1] = "none";
    size_t used = 0;
    for (uint32_t i = 0; i < graph->input_count && i < NAMED_MOST; i++) {
        const struct view known = network_value(network, graph->inputs[i])->name;
        const int size = (int)(known.size < NAME_MOST ? known.size : NAME_MOST);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s'%.*s'", i > 0 ? ", " : "",
                                 size, known.data);
    }
    return status_make(STATUS_USAGE, "%s: there is no input '%.*s'; there is %s%s",
                       network->source->path, VIEW_ARGUMENTS(name), text,
                       graph->input_count > NAMED_MOST ? " ..." : "");
}

// The number of inputs that no constant stands for; the last of them.
static uint32_t only_input(const struct network *network, uint32_t *out_value)
{
    const struct network_graph *graph = network_graph(network, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (network_value(network, graph->inputs[i])->constant != NULL)
            continue;
        *out_value = graph->inputs[i];
        count++;
    }
    return count;
}

static status input_find(const struct network *network, struct view name, uint32_t *out_value)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        *out_value = graph->inputs[i];
        if (view_equal(network_value(network, graph->inputs[i])->name, name))
            return STATUS_OK;
    }
    return unknown_input(network, name);
}

// Gives an input its shape, and the names of its dimensions their lengths.
static status shape_set(struct network_value *value, const struct shape *shape,
                        struct definitions *definitions)
{
    const struct value_type given = {
        .kind = VALUE_TENSOR, .ranked = true, .element = value->type.element, .shape = *shape};
    if (value->type.kind == VALUE_SEQUENCE)
        return status_make(STATUS_USAGE, "a sequence has no shape");
    STATUS_TRY(value_type_merge(&value->type, &given, &value->type));
    for (uint32_t i = 0; value->symbols != NULL && i < shape->rank; i++) {
        if (value->symbols[i].size > 0 && shape->dims[i] != SHAPE_UNKNOWN)
            STATUS_TRY(apply_define(definitions, value->symbols[i], shape->dims[i], false));
    }
    return STATUS_OK;
}

// "input=1x3x224x224"; a name may hold '=' itself.
static status shape_apply(struct network *network, const char *text,
                          struct definitions *definitions)
{
    const struct view whole = view_of(text);
    const size_t equals = view_find_last(whole, '=');
    struct shape shape;
    uint32_t value = NETWORK_NONE;
    if (equals == whole.size) {
        STATUS_TRY(shape_parse(whole, &shape));
        if (only_input(network, &value) != 1)
            return status_make(STATUS_USAGE,
                               "%s: shape '%s' for which input? Write --shape name=%s",
                               network->source->path, text, text);
    } else {
        STATUS_TRY(shape_parse(view_slice(whole, equals + 1, whole.size), &shape));
        STATUS_TRY(input_find(network, view_slice(whole, 0, equals), &value));
    }
    struct network_value *input = network_value(network, value);
    return status_within(shape_set(input, &shape, definitions), "%s: input '%.*s'",
                         network->source->path, VIEW_ARGUMENTS(input->name));
}

// Gives a length to every dimension that has a name with one.
static void definitions_apply(struct network_value *value, const struct definitions *definitions)
{
    for (uint32_t i = 0; value->symbols != NULL && i < value->type.shape.rank; i++) {
        struct definition *definition = apply_find_definition(definitions, value->symbols[i]);
        if (definition == NULL || value->symbols[i].size == 0)
            continue;
        definition->used = true;
        if (value->type.shape.dims[i] == SHAPE_UNKNOWN)
            value->type.shape.dims[i] = definition->length;
    }
}

// Inputs whose first dimension is open take the batch; one of them at least has it then.
static status batch_apply(struct network *network, const struct network_options *options,
                          struct definitions *definitions)
{
    const int64_t batch = options->batch;
    const struct network_graph *graph = network_graph(network, 0);
    const struct network_value *fixed = NULL;
    bool found = batch == 0 || options->batch_may_miss;
    for (uint32_t i = 0; i < graph->input_count && batch > 0; i++) {
        struct network_value *value = network_value(network, graph->inputs[i]);
        if (value->constant != NULL || !value->type.ranked || value->type.shape.rank == 0)
            continue;
        int64_t *length = &value->type.shape.dims[0];
        const bool named = value->symbols != NULL && value->symbols[0].size > 0;
        const struct definition *known =
            named ? apply_find_definition(definitions, value->symbols[0]) : NULL;
        if (*length == SHAPE_UNKNOWN && known != NULL) // the user's own word for it
            *length = known->length;
        if (*length == SHAPE_UNKNOWN && named)
            STATUS_TRY(apply_define(definitions, value->symbols[0], batch, false));
        if (*length == SHAPE_UNKNOWN)
            *length = batch;
        found |= *length == batch;
        fixed = *length != batch ? value : fixed;
    }
    if (found)
        return STATUS_OK;
    return fixed == NULL
               ? status_make(STATUS_USAGE, "%s: no input has a dimension for a batch",
                             network->source->path)
               : status_make(STATUS_USAGE,
                             "%s: a batch of %lld: the file fixes the first dimension of "
                             "input '%.*s' at %lld",
                             network->source->path, (long long)batch, VIEW_ARGUMENTS(fixed->name),
                             (long long)fixed->type.shape.dims[0]);
}

static status apply_definitions(struct network *network, const struct network_options *options,
                                struct definitions *definitions)
{
    for (size_t i = 0; i < options->symbol_count; i++)
        STATUS_TRY(symbol_parse(options->symbols[i], definitions));
    for (size_t i = 0; i < options->shape_count; i++)
        STATUS_TRY(shape_apply(network, options->shapes[i], definitions));
    STATUS_TRY(batch_apply(network, options, definitions));
    if (definitions->count == 0)
        return STATUS_OK;
    for (uint32_t i = 0; i < network->values.count; i++)
        definitions_apply(network_value(network, i), definitions);
    for (size_t i = 0; i < definitions->count; i++) {
        const struct definition *definition = &definitions->items[i];
        if (definition->asked && !definition->used)
            return status_make(STATUS_USAGE, "%s: no dimension is called '%.*s'",
                               network->source->path, VIEW_ARGUMENTS(definition->name));
    }
    return STATUS_OK;
}

status network_apply(struct network *network, const struct network_options *options)
{
    struct definitions definitions = {0};
    const status failure = apply_definitions(network, options, &definitions);
    free(definitions.items);
    return failure;
}
