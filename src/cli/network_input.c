#include "network_input.h"

#include <string.h>

#include "base/bytes.h"
#include "network/tensor_file.h"
#include "network/tensor_random.h"
#include "network/tensor_text.h"
#include "paths.h"

status network_input_open(const struct arguments *arguments, const char *command,
                          const char *conversion, struct network **out_network)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "%s: give one network: opscope %s model.onnx", command,
                           command);
    struct network_options options = {0};
    options.shapes = arguments_values(arguments, "shape", &options.shape_count);
    options.symbols = arguments_values(arguments, "define-symbol", &options.symbol_count);
    options.conversion = arguments_value(arguments, "convert");
    if (conversion != NULL && options.conversion != NULL)
        return status_make(STATUS_USAGE,
                           "%s: --convert and the option that stands for '%s': "
                           "choose one",
                           command, conversion);
    if (conversion != NULL)
        options.conversion = conversion;
    return network_open(words[0], &options, out_network);
}

status network_input_check_output(const struct network *network, const char *command,
                                  const char *path)
{
    const char *source = network->source->path;
    STATUS_TRY(paths_check(command, path, &source, 1));
    for (size_t i = 0; i < network->external_count; i++) {
        const char *external = network->externals[i]->path;
        STATUS_TRY(paths_check(command, path, &external, 1));
    }
    return STATUS_OK;
}

static status of_input(const struct network_value *value, uint32_t index, status failure)
{
    return status_within(failure, "input %u '%.*s'", index, VIEW_ARGUMENTS(value->name));
}

static bool dimension_fits(int64_t wanted, int64_t given)
{
    return wanted == SHAPE_UNKNOWN || wanted == given;
}

static bool tensor_fits(const struct value_type *type, const struct tensor *tensor)
{
    if (type->element != ELEMENT_NONE && type->element != tensor->element)
        return false;
    if (!type->ranked)
        return true;
    bool fits = type->shape.rank == tensor->shape.rank;
    for (uint32_t i = 0; fits && i < type->shape.rank; i++)
        fits = dimension_fits(type->shape.dims[i], tensor->shape.dims[i]);
    return fits;
}

static bool datum_fits(const struct value_type *type, const struct datum *datum)
{
    if (datum->kind == DATUM_NOTHING)
        return type->optional;
    if (type->kind == VALUE_UNKNOWN)
        return true;
    if (type->kind == VALUE_SEQUENCE || datum->kind == DATUM_SEQUENCE)
        return type->kind == VALUE_SEQUENCE && datum->kind == DATUM_SEQUENCE;
    return tensor_fits(type, &datum->tensor);
}

static status check_fits(const struct value_type *type, const struct datum *datum)
{
    if (datum_fits(type, datum))
        return STATUS_OK;
    struct bytes wanted = {0};
    struct bytes given = {0};
    tensor_text_append_value_type(&wanted, type);
    if (datum->kind == DATUM_TENSOR)
        tensor_text_append_type(&given, datum->tensor.element, &datum->tensor.shape);
    else
        bytes_append_format(&given, datum->kind == DATUM_NOTHING ? "nothing" : "a sequence");
    const status failure =
        status_make(STATUS_USAGE, "is %.*s, but %.*s was given",
                    VIEW_ARGUMENTS(bytes_view(&wanted)), VIEW_ARGUMENTS(bytes_view(&given)));
    bytes_free(&wanted);
    bytes_free(&given);
    return failure;
}

// The input that "NAME=..." names; `input_count` when it names none.
static uint32_t network_input_find_named(const struct network *network, struct view text,
                                         size_t *out_name_size)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct view name = network_value(network, graph->inputs[i])->name;
        if (name.size > 0 && name.size < text.size && text.data[name.size] == '=' &&
            view_equal(name, view_slice(text, 0, name.size))) {
            *out_name_size = name.size;
            return i;
        }
    }
    return graph->input_count;
}

// The next input that nothing was given for and that no initializer stands for.
static uint32_t next_open(const struct network *network, struct datum *const *inputs, uint32_t from)
{
    const struct network_graph *graph = network_graph(network, 0);
    uint32_t i = from;
    while (i < graph->input_count &&
           (inputs[i] != NULL || network_value(network, graph->inputs[i])->constant != NULL))
        i++;
    return i;
}

// "y=1x4xi8=1" or "y=@x.npy" where the network has no y.
static status network_input_refuse_name(const struct network *network, struct view text)
{
    const struct view word = view_slice(text, 0, view_find(text, '='));
    const struct view rest = view_slice(text, word.size, text.size);
    enum element element;
    struct shape shape;
    const status no_type = tensor_text_type(word, &element, &shape);
    const bool named = no_type != STATUS_OK && rest.size > 1 && word.size > 0 &&
                       strchr("@&", word.data[0]) == NULL;
    status_free(no_type);
    if (!named)
        return STATUS_OK;
    struct bytes names = {0};
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++)
        bytes_append_format(&names, "%s%.*s", i > 0 ? ", " : "",
                            VIEW_ARGUMENTS(network_value(network, graph->inputs[i])->name));
    const status failure =
        status_make(STATUS_USAGE,
                    "--input %.*s: '%.*s' is neither an input of the network (%.*s) nor a type "
                    "like 1x3xf32",
                    VIEW_ARGUMENTS(text), VIEW_ARGUMENTS(word), VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

static status network_input_read_one(const struct network *network, uint32_t index,
                                     struct view text, struct datum **inputs)
{
    const struct network_graph *graph = network_graph(network, 0);
    const struct network_value *value = network_value(network, graph->inputs[index]);
    if (inputs[index] != NULL)
        return status_make(STATUS_USAGE, "input '%.*s' is given twice",
                           VIEW_ARGUMENTS(value->name));
    STATUS_TRY(of_input(value, index, tensor_file_read_input(text, &value->type, &inputs[index])));
    return of_input(value, index, check_fits(&value->type, inputs[index]));
}

// Those with a name first, so that the others fill what is left, in order.
static status read_given(const struct network *network, const char *const *given, size_t count,
                         struct datum **inputs)
{
    const uint32_t input_count = network_graph(network, 0)->input_count;
    for (size_t i = 0; i < count; i++) {
        const struct view text = view_of(given[i]);
        size_t name_size = 0;
        const uint32_t index = network_input_find_named(network, text, &name_size);
        if (index < input_count)
            STATUS_TRY(network_input_read_one(network, index,
                                              view_slice(text, name_size + 1, text.size), inputs));
    }
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct view text = view_of(given[i]);
        size_t name_size;
        if (network_input_find_named(network, text, &name_size) < input_count)
            continue;
        STATUS_TRY(network_input_refuse_name(network, text));
        at = next_open(network, inputs, at);
        if (at == input_count)
            return status_make(STATUS_USAGE, "--input %s: the network has only %u inputs", given[i],
                               input_count);
        STATUS_TRY(network_input_read_one(network, at, text, inputs));
    }
    return STATUS_OK;
}

// `also` is what else gives it: " or --input".
static status explain_unknown(const struct network_value *value, const char *also)
{
    const struct value_type *type = &value->type;
    for (uint32_t i = 0; type->ranked && i < type->shape.rank; i++) {
        if (type->shape.dims[i] >= 0)
            continue;
        if (value->symbols != NULL && value->symbols[i].size > 0)
            return status_make(STATUS_USAGE,
                               "dimension %u, '%.*s', is not known: use --define-symbol %.*s,N%s "
                               "--shape%s",
                               i, VIEW_ARGUMENTS(value->symbols[i]),
                               VIEW_ARGUMENTS(value->symbols[i]), also[0] != '\0' ? "," : " or",
                               also);
        return status_make(STATUS_USAGE, "dimension %u is not known: use --shape%s", i, also);
    }
    return status_make(STATUS_USAGE, "type or shape are not known: use --shape%s", also);
}

static status make_random(const struct network_value *value, uint32_t index, uint64_t seed,
                          struct datum **out_datum)
{
    if (value->type.kind == VALUE_SEQUENCE)
        return status_make(STATUS_USAGE, "a sequence cannot be random: use --input x.pb");
    if (!value_type_static(&value->type))
        return explain_unknown(value, " or --input");
    STATUS_TRY(datum_tensor(value->type.element, &value->type.shape, out_datum));
    tensor_random_fill(&(*out_datum)->tensor, seed, index);
    return STATUS_OK;
}

static status network_input_read_all(const struct network *network, const char *const *given,
                                     size_t count, uint64_t seed, struct datum **inputs)
{
    const struct network_graph *graph = network_graph(network, 0);
    STATUS_TRY(read_given(network, given, count, inputs));
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        if (inputs[i] == NULL && value->constant == NULL)
            STATUS_TRY(of_input(value, i, make_random(value, i, seed, &inputs[i])));
    }
    return STATUS_OK;
}

status network_input_read(const struct network *network, const char *const *given, size_t count,
                          uint64_t seed, struct datum **out_inputs)
{
    const uint32_t input_count = network_graph(network, 0)->input_count;
    for (uint32_t i = 0; i < input_count; i++)
        out_inputs[i] = NULL;
    const status result = network_input_read_all(network, given, count, seed, out_inputs);
    for (uint32_t i = 0; result != STATUS_OK && i < input_count; i++)
        datum_release(out_inputs[i]);
    return result;
}

// The first input of the main graph that has no shape yet; NULL: all have.
static const struct network_value *without_shape(const struct network *network, uint32_t *out_index)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        *out_index = i;
        if (value->type.kind == VALUE_TENSOR && !value->type.optional && value->constant == NULL &&
            !value_type_static(&value->type))
            return value;
    }
    return NULL;
}

status network_input_check_shapes(const struct network *network)
{
    uint32_t index;
    const struct network_value *value = without_shape(network, &index);
    return value == NULL ? STATUS_OK : of_input(value, index, explain_unknown(value, ""));
}

status network_input_check_symbols(const struct network *network, const char *option)
{
    uint32_t index;
    const struct network_value *value = without_shape(network, &index);
    if (value == NULL)
        return STATUS_OK;
    const struct value_type *type = &value->type;
    for (uint32_t i = 0; type->ranked && value->symbols != NULL && i < type->shape.rank; i++) {
        if (type->shape.dims[i] < 0 && value->symbols[i].size > 0)
            return of_input(value, index,
                            status_make(STATUS_USAGE,
                                        "dimension %u, '%.*s', is not known: use %s=%.*s,N", i,
                                        VIEW_ARGUMENTS(value->symbols[i]), option,
                                        VIEW_ARGUMENTS(value->symbols[i])));
    }
    return of_input(value, index,
                    status_make(STATUS_USAGE, "its shape is not known, and what is open has no "
                                              "name: give it one in the file"));
}
