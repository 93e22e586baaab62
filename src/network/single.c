#include "single.h"

#include <stdlib.h>

#include "operators.h"

enum { VERSION = 21, INPUTS_MOST = 64, RANK_TOSA = 3 };

#define CONSTANT_BYTES_MOST (UINT64_C(1) << 32)
#define ELEMENTS_MOST (UINT64_C(1) << 48)

struct making {
    struct network *network;
    uint32_t node;
    enum operator_class class;
    bool real; // narrow inputs are f32: what they are scaled back to
    uint32_t *inputs;
    uint32_t input_count;
    uint32_t *given; // inputs that are no constants
    uint32_t given_count;
    struct attribute *attributes;
    uint32_t attribute_count;
};

// Inputs --------------------------------------------------------------------------------

// What stands between two commas that are in no brackets.
static struct view single_next_part(struct view *rest)
{
    size_t end = 0;
    for (int depth = 0; end < rest->size && (depth > 0 || rest->data[end] != ','); end++)
        depth += rest->data[end] == '[' ? 1 : rest->data[end] == ']' ? -1 : 0;
    const struct view part = view_trim(view_slice(*rest, 0, end));
    *rest = view_slice(*rest, end < rest->size ? end + 1 : end, rest->size);
    return part;
}

static status wrong_input(struct view text)
{
    return status_make(
        STATUS_USAGE,
        "'%.*s' is no input: give dimensions and an element, like 1x3x224x224xi8, or "
        "numbers, like [1,64]",
        VIEW_ARGUMENTS(text));
}

static bool parse_type(struct view text, enum element *out_element, struct shape *out_shape)
{
    *out_shape = (struct shape){0};
    *out_element = ELEMENT_F32;
    while (text.size > 0) {
        const size_t end = view_find(text, 'x');
        const struct view word = view_slice(text, 0, end);
        uint64_t number;
        text = view_slice(text, end < text.size ? end + 1 : end, text.size);
        if (view_to_u64(word, &number) && number < INT32_MAX && out_shape->rank < SHAPE_RANK_MOST) {
            out_shape->dims[out_shape->rank++] = (int64_t)number;
            continue;
        }
        *out_element = element_named(word);
        return *out_element != ELEMENT_NONE && text.size == 0;
    }
    return out_shape->rank > 0;
}

static bool single_is_narrow(enum element element)
{
    return element == ELEMENT_I8 || element == ELEMENT_U8 || element == ELEMENT_I16 ||
           element == ELEMENT_U16 || element == ELEMENT_I4;
}

static struct network_value *single_add_input(struct making *making, enum element element,
                                              const struct shape *shape)
{
    const uint32_t id = network_value_add(making->network, (struct view){0});
    making->inputs[making->input_count++] = id;
    struct network_value *value = network_value(making->network, id);
    value->type = value_type_tensor(element, shape);
    value->producer = NETWORK_NONE;
    return value;
}

// Numbers do not matter for what work costs: they are zero.
static status single_add_constant(struct making *making, enum element element,
                                  const struct shape *shape, struct tensor **out_tensor)
{
    uint64_t count;
    STATUS_TRY(shape_elements(shape, &count));
    const uint64_t bytes = count * element_size(element);
    if (bytes > CONSTANT_BYTES_MOST)
        return status_make(STATUS_LIMIT, "weights of more than 4 GiB");
    struct network_value *value = single_add_input(making, element, shape);
    struct constant *constant = arena_allocate(&making->network->arena, sizeof *constant);
    char *data = arena_allocate(&making->network->arena, bytes + TENSOR_ALIGNMENT);
    data += (TENSOR_ALIGNMENT - (uintptr_t)data % TENSOR_ALIGNMENT) % TENSOR_ALIGNMENT;
    memset(data, 0, bytes);
    *constant = (struct constant){.tensor = {element, *shape, data}, .bytes = bytes};
    value->constant = constant;
    *out_tensor = &constant->tensor;
    return STATUS_OK;
}

static status single_add_numbers(struct making *making, struct view text)
{
    struct view inside = view_slice(text, 1, text.size - 1);
    struct shape shape = {.rank = 1};
    struct tensor *tensor;
    for (struct view rest = inside; rest.size > 0; shape.dims[0]++)
        single_next_part(&rest);
    STATUS_TRY(single_add_constant(making, ELEMENT_I64, &shape, &tensor));
    for (int64_t *item = tensor->data; inside.size > 0; item++) {
        if (!view_to_i64(single_next_part(&inside), item))
            return wrong_input(text);
    }
    return STATUS_OK;
}

static bool single_has_weights(enum operator_class class)
{
    return class == OPERATOR_CONVOLUTION || class == OPERATOR_MATMUL ||
           class == OPERATOR_NORMALIZATION || class == OPERATOR_RECURRENT;
}

static status add_one(struct making *making, struct view text)
{
    enum element element;
    struct shape shape;
    struct tensor *tensor;
    if (making->input_count == INPUTS_MOST)
        return status_make(STATUS_LIMIT, "more than %d inputs", INPUTS_MOST);
    if (text.size == 0) {
        making->inputs[making->input_count++] = NETWORK_NONE;
        return STATUS_OK;
    }
    if (text.data[0] == '[' && text.data[text.size - 1] == ']')
        return single_add_numbers(making, text);
    if (!parse_type(text, &element, &shape))
        return wrong_input(text);
    uint64_t count;
    STATUS_TRY(shape_elements(&shape, &count));
    if (count > ELEMENTS_MOST)
        return status_make(STATUS_LIMIT, "'%.*s' has more than 2^48 elements",
                           VIEW_ARGUMENTS(text));
    if (making->real && single_is_narrow(element))
        element = ELEMENT_F32;
    if (making->input_count > 0 && single_has_weights(making->class))
        return single_add_constant(making, element, &shape, &tensor);
    single_add_input(making, element, &shape);
    making->given[making->given_count++] = making->inputs[making->input_count - 1];
    return STATUS_OK;
}

static status single_add_inputs(struct making *making, const char *text)
{
    struct arena *arena = &making->network->arena;
    making->inputs = arena_allocate(arena, INPUTS_MOST * sizeof *making->inputs);
    making->given = arena_allocate(arena, INPUTS_MOST * sizeof *making->given);
    for (struct view rest = view_of(text); rest.size > 0;)
        STATUS_TRY(add_one(making, single_next_part(&rest)));
    return STATUS_OK;
}

// Attributes ----------------------------------------------------------------------------

static struct attribute *single_add_attribute(struct making *making, struct view name,
                                              enum attribute_kind kind)
{
    struct attribute *attribute = &making->attributes[making->attribute_count++];
    *attribute = (struct attribute){.name = name, .kind = kind};
    return attribute;
}

static bool read_integers(struct making *making, struct view name, struct view text)
{
    const bool brackets = text.size > 1 && text.data[0] == '[' && text.data[text.size - 1] == ']';
    if (!brackets && view_find(text, ',') == text.size)
        return false;
    if (brackets)
        text = view_slice(text, 1, text.size - 1);
    int64_t *items = arena_allocate(&making->network->arena, (text.size / 2 + 1) * sizeof *items);
    uint32_t count = 0;
    while (text.size > 0) {
        if (!view_to_i64(single_next_part(&text), &items[count++]))
            return false;
    }
    struct attribute *attribute = single_add_attribute(making, name, ATTRIBUTE_INTEGERS);
    attribute->integers = items;
    attribute->count = count;
    return true;
}

static status single_read_attribute(struct making *making, const char *text)
{
    const struct view whole = view_of(text);
    const size_t equal = view_find(whole, '=');
    const struct view name = view_trim(view_slice(whole, 0, equal));
    if (equal == whole.size || name.size == 0)
        return status_make(STATUS_USAGE, "'%s' is no attribute: give NAME=VALUE, like strides=2,2",
                           text);
    const struct view value = view_trim(view_slice(whole, equal + 1, whole.size));
    int64_t integer;
    double real;
    if (read_integers(making, name, value))
        return STATUS_OK;
    if (view_to_i64(value, &integer))
        single_add_attribute(making, name, ATTRIBUTE_INTEGER)->integer = integer;
    else if (view_to_double(value, &real))
        single_add_attribute(making, name, ATTRIBUTE_REAL)->real = real;
    else
        single_add_attribute(making, name, ATTRIBUTE_TEXT)->text = value;
    return STATUS_OK;
}

static uint64_t single_channels_of(const struct making *making)
{
    const struct shape *weights = &network_value(making->network, making->inputs[1])->type.shape;
    const struct view type = network_node(making->network, making->node)->type;
    if (weights->rank < 4)
        return 1;
    return view_is(type, "tosa.depthwise_conv2d") ? (uint64_t)(weights->dims[2] * weights->dims[3])
                                                  : (uint64_t)weights->dims[0];
}

// A convolution of TOSA has a bias and zero points; here they need not be given.
static status add_usual_inputs(struct making *making)
{
    struct tensor *tensor;
    if (making->input_count < 2 || making->inputs[0] == NETWORK_NONE ||
        making->inputs[1] == NETWORK_NONE)
        return STATUS_OK;
    const enum element input = network_value(making->network, making->inputs[0])->type.element;
    const enum element weights = network_value(making->network, making->inputs[1])->type.element;
    const struct shape channels = {.rank = 1, .dims = {(int64_t)single_channels_of(making)}};
    const struct shape one = {.rank = 1, .dims = {1}};
    const enum element sum = element_is_float(input) ? input
                             : input == ELEMENT_I16  ? ELEMENT_I48
                                                     : ELEMENT_I32;
    if (making->input_count == 2)
        STATUS_TRY(single_add_constant(making, sum, &channels, &tensor));
    if (making->input_count == 3)
        STATUS_TRY(single_add_constant(making, input, &one, &tensor));
    if (making->input_count == 4)
        STATUS_TRY(single_add_constant(making, weights, &one, &tensor));
    return STATUS_OK;
}

// Neither need its attributes.
static void add_usual(struct making *making, const struct shape *input)
{
    static const int64_t ONES[] = {1, 1, 1};
    static const int64_t ZEROS[2 * RANK_TOSA] = {0};
    const uint32_t places = input->rank > 2 ? input->rank - 2 : 0;
    const struct {
        const char *name;
        const int64_t *items;
        uint32_t count;
    } USUAL[] = {{"pad", ZEROS, 2 * places}, {"stride", ONES, places}, {"dilation", ONES, places}};
    if (places > RANK_TOSA)
        return;
    for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL; i++) {
        const struct attributes known = {making->attributes, making->attribute_count};
        if (attribute_given(known, USUAL[i].name))
            continue;
        struct attribute *attribute =
            single_add_attribute(making, view_of(USUAL[i].name), ATTRIBUTE_INTEGERS);
        attribute->integers = USUAL[i].items;
        attribute->count = USUAL[i].count;
    }
}

// The network ---------------------------------------------------------------------------

static status single_find_operator(const char *name, bool tosa,
                                   const struct operator_definition **out_definition)
{
    const struct view type = view_of(name);
    *out_definition = operator_find(view_of(tosa ? "tosa" : ""), type);
    if (*out_definition != NULL && (*out_definition)->infer != NULL)
        return STATUS_OK;
    return status_make(STATUS_USAGE,
                       "there is no operator '%s': give one of ONNX, like Conv, or of TOSA, like "
                       "tosa.conv2d",
                       name);
}

static void connect(struct making *making)
{
    struct network *network = making->network;
    const uint32_t least = network_node(network, making->node)->definition->outputs.least;
    const uint32_t count = least > 0 ? least : 1;
    uint32_t *outputs = arena_allocate(&network->arena, count * sizeof *outputs);
    uint32_t *nodes = arena_allocate(&network->arena, sizeof *nodes);
    for (uint32_t i = 0; i < count; i++) {
        outputs[i] = network_value_add(network, (struct view){0});
        network_value(network, outputs[i])->producer = making->node;
    }
    *nodes = making->node;
    struct network_node *node = network_node(network, making->node);
    node->inputs = making->inputs;
    node->input_count = making->input_count;
    node->outputs = outputs;
    node->output_count = count;
    node->attributes = (struct attributes){making->attributes, making->attribute_count};
    *network_graph(network, 0) = (struct network_graph){
        .name = network_graph(network, 0)->name,
        .nodes = nodes,
        .node_count = 1,
        .inputs = making->given,
        .input_count = making->given_count,
        .outputs = outputs,
        .output_count = count,
    };
}

static status single_check_inputs(const struct making *making, const char *name)
{
    const struct operator_definition *definition =
        network_node(making->network, making->node)->definition;
    if (making->input_count >= definition->inputs.least &&
        making->input_count <= definition->inputs.most)
        return STATUS_OK;
    if (definition->inputs.most == UINT16_MAX)
        return status_make(STATUS_USAGE, "%s takes at least %u inputs, not %u", name,
                           definition->inputs.least, making->input_count);
    if (definition->inputs.most == definition->inputs.least)
        return status_make(STATUS_USAGE, "%s takes %u inputs, not %u: commas lie between them",
                           name, definition->inputs.least, making->input_count);
    return status_make(STATUS_USAGE, "%s takes %u to %u inputs, not %u: commas lie between them",
                       name, definition->inputs.least, definition->inputs.most,
                       making->input_count);
}

static status single_make_network(struct making *making, const struct network_single *single,
                                  bool tosa)
{
    making->attributes = arena_allocate(&making->network->arena,
                                        (single->attribute_count + 4) * sizeof *making->attributes);
    STATUS_TRY(single_add_inputs(making, single->inputs));
    if (tosa && making->class == OPERATOR_CONVOLUTION)
        STATUS_TRY(add_usual_inputs(making));
    STATUS_TRY(single_check_inputs(making, single->operator));
    for (size_t i = 0; i < single->attribute_count; i++)
        STATUS_TRY(single_read_attribute(making, single->attributes[i]));
    if (tosa && making->class == OPERATOR_CONVOLUTION && making->input_count > 0 &&
        making->inputs[0] != NETWORK_NONE)
        add_usual(making, &network_value(making->network, making->inputs[0])->type.shape);
    connect(making);
    STATUS_TRY(network_infer(making->network));
    const struct network_node *node = network_node(making->network, making->node);
    if (value_type_static(&network_value(making->network, node->outputs[0])->type))
        return STATUS_OK;
    return status_make(STATUS_USAGE,
                       "%s: what it gives depends on numbers: give them like [1,64] among the "
                       "inputs",
                       single->operator);
}

static status make_network(const struct network_single *single,
                           const struct operator_definition *definition, bool real,
                           struct making *making)
{
    const bool tosa = view_starts_with(view_of(single->operator), "tosa.");
    *making = (struct making){.class = definition->class, .real = real};
    making->network = network_create(tosa ? NETWORK_TOSA : NETWORK_ONNX,
                                     input_over(single->operator,(struct view){0}));
    const uint32_t graph = network_graph_add(making->network, VIEW_LITERAL("main"));
    making->node = network_node_add(making->network, graph);
    struct network_node *node = network_node(making->network, making->node);
    node->type = arena_copy(&making->network->arena, view_of(single->operator));
    node->domain = view_of(tosa ? "tosa" : "");
    node->version = VERSION;
    node->definition = definition;
    const status failure = single_make_network(making, single, tosa);
    if (failure != STATUS_OK)
        network_free(making->network);
    return failure;
}

static uint64_t set_element(const struct network *network, uint32_t id, enum element element)
{
    uint64_t count;
    struct network_value *value = network_value(network, id);
    value->type.element = element;
    status_free(shape_elements(&value->type.shape, &count));
    return count * element_size(element);
}

// The operator as engines see it whose integers are scaled back for it: those of the text, and
// results like the first of them.
static void single_narrow(struct making *making, const char *inputs)
{
    struct network_node *node = network_node(making->network, making->node);
    struct view rest = view_of(inputs);
    enum element first = ELEMENT_NONE;
    node->work.bytes_read = node->work.bytes_written = 0;
    for (uint32_t i = 0; rest.size > 0; i++) {
        enum element element;
        struct shape shape;
        const struct view text = single_next_part(&rest);
        if (making->inputs[i] == NETWORK_NONE || !parse_type(text, &element, &shape))
            continue;
        first = first == ELEMENT_NONE && single_is_narrow(element) ? element : first;
        node->work.bytes_read += set_element(making->network, making->inputs[i], element);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        const enum element own = network_value(making->network, node->outputs[i])->type.element;
        const bool scaled = own == ELEMENT_F32 && first != ELEMENT_NONE;
        node->work.bytes_written +=
            set_element(making->network, node->outputs[i], scaled ? first : own);
    }
}

status network_make_single(const struct network_single *single, struct network **out_network)
{
    const bool tosa = view_starts_with(view_of(single->operator), "tosa.");
    const struct operator_definition *definition;
    struct making making;
    STATUS_TRY(single_find_operator(single->operator, tosa, &definition));
    status failure = make_network(single, definition, false, &making);
    // ONNX has no products of integers: networks scale them back in front, and engines take
    // them as they are.
    if (failure != STATUS_OK && !tosa) {
        status_free(failure);
        failure = make_network(single, definition, true, &making);
        if (failure == STATUS_OK)
            single_narrow(&making, single->inputs);
    }
    if (failure == STATUS_OK)
        *out_network = making.network;
    return failure;
}
