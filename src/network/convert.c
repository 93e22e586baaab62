// Walks over a network in the order in which it runs and gives every operator the elements of a
// conversion. Whether an operator takes them is asked of its own rules of inference, so that
// there is no second list of what operators take.

#include <stdlib.h>

#include "base/memory.h"
#include "casts.h"
#include "operators.h"
#include "weights.h"

enum { CAST_VERSION = 21 }; // of a cast, where no other operator says of which set it is

// What depends on constants alone is calculated now, up to this many elements.
#define CONSTANT_ELEMENTS_MOST (UINT64_C(1) << 28)

// A value of the network as it was may be there in its own element, in the new one, or in both;
// the other one is made when somebody asks for it. Arrays are by its id.
struct converting {
    struct network *network;
    const struct conversion *conversion;
    enum element *elements; // as they were
    uint32_t *homes;        // the graph that gives it
    uint32_t *converted;    // the value in the new element; NETWORK_NONE: not made yet
    uint32_t *originals;    // and in its own
    bool *changes;          // known, but an input that a constant stands for, or made of such
    bool *stays;            // an input or output of the main graph, which stays what it is
    bool *quantized;        // by node
    uint32_t version;       // of the network's operator set
    uint32_t before;        // how many values there were
    uint32_t *casts;        // nodes that were put in
    size_t cast_count;
    size_t cast_capacity;
};

static struct network_value *convert_value(const struct converting *converting, uint32_t id)
{
    return network_value(converting->network, id);
}

static enum element new_element(const struct converting *converting, uint32_t value)
{
    return conversion_of(converting->conversion, converting->elements[value]);
}

// Sequences and what may be empty have no cast.
static bool is_castable(const struct network_value *value)
{
    return value->type.kind == VALUE_TENSOR && !value->type.optional;
}

// Both forms of a value -----------------------------------------------------------------

// "name.bf16"
static uint32_t add_value_like(struct converting *converting, uint32_t like, enum element element)
{
    struct network *network = converting->network;
    const struct network_value *source = convert_value(converting, like);
    const struct view name = source->name.size > 0
                                 ? arena_print(&network->arena, "%.*s.%s",
                                               VIEW_ARGUMENTS(source->name), element_name(element))
                                 : source->name;
    const uint32_t id = network_value_add(network, name);
    struct network_value *value = convert_value(converting, id);
    value->type = source->type;
    value->type.element = element;
    value->declared = source->declared;
    value->symbols = source->symbols;
    return id;
}

static struct attributes cast_attributes(struct network *network, enum element to)
{
    if (network->dialect == NETWORK_TOSA)
        return (struct attributes){0};
    struct attribute *attribute = arena_allocate(&network->arena, sizeof *attribute);
    *attribute = (struct attribute){
        .name = VIEW_LITERAL("to"), .kind = ATTRIBUTE_INTEGER, .integer = to, .count = 1};
    return (struct attributes){attribute, 1};
}

// That of the new value; of an output, which keeps its name, with its element as well.
static struct view cast_name(const struct converting *converting, uint32_t to)
{
    const struct network_value *value = convert_value(converting, to);
    if (to >= converting->before)
        return value->name;
    return arena_print(&converting->network->arena, "%.*s.%s", VIEW_ARGUMENTS(value->name),
                       element_name(value->type.element));
}

// From one value to another in the graph of `home`.
static status convert_add_cast(struct converting *converting, uint32_t from, uint32_t to,
                               uint32_t home)
{
    struct network *network = converting->network;
    const bool tosa = network->dialect == NETWORK_TOSA;
    const struct view type = tosa ? VIEW_LITERAL("tosa.cast") : VIEW_LITERAL("Cast");
    const struct view domain = tosa ? VIEW_LITERAL("tosa") : VIEW_LITERAL("");
    const enum element element = convert_value(converting, to)->type.element;
    uint32_t *ports = arena_allocate(&network->arena, 2 * sizeof *ports);
    ports[0] = from;
    ports[1] = to;
    const uint32_t id = network_node_add(network, home);
    struct network_node *node = network_node(network, id);
    *node = (struct network_node){
        .definition = operator_find(domain, type),
        .version = converting->version,
        .graph = home,
        .index = network_graph(network, home)->node_count + (uint32_t)converting->cast_count,
        .name = cast_name(converting, to),
        .type = type,
        .domain = domain,
        .inputs = &ports[0],
        .outputs = &ports[1],
        .input_count = 1,
        .output_count = 1,
        .attributes = cast_attributes(network, element),
    };
    convert_value(converting, to)->producer = id;
    converting->casts = memory_grow(converting->casts, converting->cast_count,
                                    &converting->cast_capacity, sizeof *converting->casts);
    converting->casts[converting->cast_count++] = id;
    return network_fold_node(network, id, OPERATOR_FOLD_MOST);
}

static status convert_known(struct converting *converting, uint32_t id)
{
    struct network *network = converting->network;
    const uint32_t made = add_value_like(converting, id, new_element(converting, id));
    const struct network_value *source = convert_value(converting, id);
    const struct constant *constant;
    STATUS_TRY(conversion_constant(network, source->constant, source->name,
                                   new_element(converting, id), &constant));
    if (converting->changes[id])
        STATUS_TRY(convert_add_cast(converting, id, made, converting->homes[id]));
    struct network_value *value = convert_value(converting, made);
    value->constant = constant;
    value->type = value_type_tensor(constant->tensor.element, &constant->tensor.shape);
    value->declared = false;
    converting->converted[id] = made;
    return STATUS_OK;
}

// The value in the new element; in its own where it has no other.
static status as_converted(struct converting *converting, uint32_t id, uint32_t *out_id)
{
    *out_id = id;
    if (id == NETWORK_NONE || new_element(converting, id) == converting->elements[id])
        return STATUS_OK;
    const struct network_value *value = convert_value(converting, id);
    if (converting->converted[id] == NETWORK_NONE && value->constant != NULL)
        STATUS_TRY(convert_known(converting, id));
    if (converting->converted[id] == NETWORK_NONE && is_castable(value)) {
        converting->converted[id] = add_value_like(converting, id, new_element(converting, id));
        STATUS_TRY(
            convert_add_cast(converting, id, converting->converted[id], converting->homes[id]));
    }
    if (converting->converted[id] != NETWORK_NONE)
        *out_id = converting->converted[id];
    return STATUS_OK;
}

static status as_original(struct converting *converting, uint32_t id, uint32_t *out_id)
{
    *out_id = id;
    if (id == NETWORK_NONE)
        return STATUS_OK;
    if (converting->originals[id] == NETWORK_NONE && is_castable(convert_value(converting, id))) {
        converting->originals[id] = add_value_like(converting, id, converting->elements[id]);
        STATUS_TRY(
            convert_add_cast(converting, id, converting->originals[id], converting->homes[id]));
    }
    if (converting->originals[id] != NETWORK_NONE)
        *out_id = converting->originals[id];
    return STATUS_OK;
}

// The value itself is of the new element from now on.
static void convert_in_place(struct converting *converting, uint32_t id)
{
    convert_value(converting, id)->type.element = new_element(converting, id);
    converting->converted[id] = id;
    converting->originals[id] = NETWORK_NONE;
}

// One operator -----------------------------------------------------------------------------

// What of its inputs an operator is offered in the new element.
enum offer {
    OFFER_ALL,
    OFFER_REALS,
    OFFER_NOTHING,
};

static bool is_offered(const struct converting *converting, const struct network_node *node,
                       uint32_t index, enum offer offer)
{
    const enum element element = converting->elements[node->inputs[index]];
    // Inputs beyond the 32nd are all of one kind.
    const bool exact = index < 32 && (node->definition->exact >> index & 1) != 0;
    return !exact && (offer == OFFER_ALL || (offer == OFFER_REALS && element_is_float(element)));
}

// The inputs of a node under an offer, in the arena.
static status choose_inputs(struct converting *converting, const struct network_node *node,
                            enum offer offer, const uint32_t **out_inputs)
{
    uint32_t *inputs = arena_allocate(&converting->network->arena,
                                      ((size_t)node->input_count + 1) * sizeof *inputs);
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == NETWORK_NONE)
            inputs[i] = NETWORK_NONE;
        else if (is_offered(converting, node, i, offer))
            STATUS_TRY(as_converted(converting, node->inputs[i], &inputs[i]));
        else
            STATUS_TRY(as_original(converting, node->inputs[i], &inputs[i]));
    }
    *out_inputs = inputs;
    return STATUS_OK;
}

static bool names_element(const struct attribute *attribute)
{
    static const char *const NAMES[] = {"to", "dtype", "output_dtype", "output_datatype"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (attribute->kind == ATTRIBUTE_INTEGER && view_is(attribute->name, NAMES[i]))
            return true;
    }
    return false;
}

// What an operator that names an element names instead. Only casts make blocks of numbers.
static enum element named_instead(const struct converting *converting,
                                  const struct network_node *node, enum element element)
{
    const enum element new = conversion_of(converting->conversion, element);
    return element_is_block(new) && node->definition->function != COMPUTES_CAST ? element : new;
}

// Attributes that say of which element a result is. TOSA's stay: what they say is how sums
// are kept, and results are declared.
static struct attributes convert_attributes(const struct converting *converting,
                                            const struct network_node *node)
{
    struct arena *arena = &converting->network->arena;
    const struct attributes given = node->attributes;
    if (converting->network->dialect == NETWORK_TOSA)
        return given;
    struct attribute *items = arena_allocate(arena, ((size_t)given.count + 1) * sizeof *items);
    for (uint32_t i = 0; i < given.count; i++) {
        items[i] = given.items[i];
        if (names_element(&items[i]) && items[i].integer > 0 && items[i].integer < ELEMENT_COUNT)
            items[i].integer = named_instead(converting, node, (enum element)items[i].integer);
        if (items[i].kind != ATTRIBUTE_TYPE)
            continue;
        struct value_type *type = arena_allocate(arena, sizeof *type);
        *type = *items[i].type;
        type->element = conversion_of(converting->conversion, type->element);
        items[i].type = type;
    }
    return (struct attributes){items, given.count};
}

// Forgets of which element results are, where that follows from the inputs; TOSA's say it.
static void forget_results(const struct converting *converting, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] == NETWORK_NONE)
            continue;
        struct value_type *type = &convert_value(converting, node->outputs[i])->type;
        if (converting->network->dialect == NETWORK_ONNX)
            type->element = ELEMENT_NONE;
        else if (!node->definition->sums_in_result)
            type->element = new_element(converting, node->outputs[i]);
    }
}

// Results that the network gives and that cannot be cast back must be what they were.
static status check_results(const struct converting *converting, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const uint32_t id = node->outputs[i];
        if (id == NETWORK_NONE)
            continue;
        const struct network_value *value = convert_value(converting, id);
        const bool same = value->type.element == converting->elements[id];
        if (!same && value->type.element != new_element(converting, id) &&
            value->type.element != ELEMENT_NONE)
            return status_make(STATUS_UNSUPPORTED, "result %u is of %s", i,
                               element_name(value->type.element));
        if (!same && converting->stays[id] && !is_castable(value))
            return status_make(STATUS_UNSUPPORTED,
                               "output '%.*s' is no tensor: it cannot be cast back",
                               VIEW_ARGUMENTS(value->name));
    }
    return STATUS_OK;
}

// What to take back when an operator does not take what it is offered.
struct before {
    struct network_node node;
    struct network_value *results;
};

static struct before remember(const struct converting *converting, const struct network_node *node)
{
    struct before before = {
        *node, memory_allocate_zeroed((size_t)node->output_count + 1, sizeof *before.results)};
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE)
            before.results[i] = *convert_value(converting, node->outputs[i]);
    }
    return before;
}

static void take_back(const struct converting *converting, struct network_node *node,
                      const struct before *before)
{
    *node = before->node;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE)
            *convert_value(converting, node->outputs[i]) = before->results[i];
    }
}

// Why the operator does not take what it is offered, with everything as before, or nothing.
static status try_offer(struct converting *converting, uint32_t id, enum offer offer,
                        status *out_refusal)
{
    struct network_node *node = network_node(converting->network, id);
    const uint32_t *inputs;
    STATUS_TRY(choose_inputs(converting, node, offer, &inputs));
    struct before before = remember(converting, node);
    node->inputs = inputs;
    if (offer != OFFER_NOTHING) {
        node->attributes = convert_attributes(converting, node);
        forget_results(converting, node);
    }
    status failure = network_fold_node(converting->network, id, OPERATOR_FOLD_MOST);
    if (failure == STATUS_OK)
        failure = check_results(converting, node);
    if (failure != STATUS_OK)
        take_back(converting, node, &before);
    free(before.results);
    *out_refusal = failure;
    return STATUS_OK;
}

// An output of the network stays: the operator gives another value, which is cast to it.
static status give_apart(struct converting *converting, struct network_node *node, uint32_t index)
{
    const uint32_t id = node->outputs[index];
    struct network_value *value = convert_value(converting, id);
    const uint32_t apart = add_value_like(converting, id, value->type.element);
    struct network_value *made = convert_value(converting, apart);
    uint32_t *outputs =
        arena_allocate(&converting->network->arena, node->output_count * sizeof *outputs);
    memcpy(outputs, node->outputs, node->output_count * sizeof *outputs);
    outputs[index] = apart;
    node->outputs = outputs;
    made->producer = value->producer;
    made->constant = value->constant;
    value->constant = NULL;
    value->type.element = converting->elements[id];
    converting->converted[id] = apart;
    return convert_add_cast(converting, apart, id, converting->homes[id]);
}

static status note_results(struct converting *converting, uint32_t id)
{
    struct network_node *node = network_node(converting->network, id);
    for (uint32_t i = 0; i < node->output_count; i++) {
        const uint32_t value = node->outputs[i];
        if (value == NETWORK_NONE ||
            convert_value(converting, value)->type.element == converting->elements[value])
            continue;
        if (converting->stays[value]) {
            STATUS_TRY(give_apart(converting, node, i));
            continue;
        }
        converting->converted[value] = value;
        converting->originals[value] = NETWORK_NONE;
    }
    return STATUS_OK;
}

// Whether the conversion is about any of its inputs or results.
static bool is_concerned(const struct converting *converting, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        const bool in = i < node->input_count;
        const uint32_t id = in ? node->inputs[i] : node->outputs[i - node->input_count];
        if (id != NETWORK_NONE && new_element(converting, id) != converting->elements[id] &&
            !(in && i < 32 && (node->definition->exact >> i & 1) != 0))
            return true;
    }
    return false;
}

// Of the offers from the first on, the first that the operator takes.
static status take_offer(struct converting *converting, uint32_t id, enum offer first,
                         enum offer *out_taken)
{
    for (*out_taken = first;; (*out_taken)++) {
        status refusal;
        STATUS_TRY(try_offer(converting, id, *out_taken, &refusal));
        if (refusal == STATUS_OK || *out_taken == OFFER_NOTHING)
            return refusal;
        status_free(refusal);
    }
}

static status offer_operator(struct converting *converting, uint32_t id)
{
    struct conversion_record *record = &converting->network->conversion;
    const struct network_node *node = network_node(converting->network, id);
    const bool concerned = is_concerned(converting, node);
    const bool integers = converting->quantized[id] || node->definition->scaling != SCALES_NOTHING;
    enum offer taken;
    STATUS_TRY(take_offer(converting, id, integers ? OFFER_NOTHING : OFFER_ALL, &taken));
    record->operators += concerned && taken != OFFER_NOTHING;
    record->kept += concerned && taken == OFFER_NOTHING && !integers;
    return STATUS_OK;
}

// Graphs -------------------------------------------------------------------------------------

static status convert_graph(struct converting *converting, uint32_t graph);

// Inputs of an inner graph are what the last inputs of its node are.
static void convert_inner_inputs(struct converting *converting, const struct network_node *node,
                                 const struct network_graph *inner)
{
    const uint32_t first =
        node->input_count > inner->input_count ? node->input_count - inner->input_count : 0;
    for (uint32_t i = 0; i < inner->input_count && first + i < node->input_count; i++) {
        const uint32_t outer = node->inputs[first + i];
        const uint32_t id = inner->inputs[i];
        if (outer != NETWORK_NONE && converting->elements[id] != new_element(converting, id) &&
            convert_value(converting, outer)->type.element == new_element(converting, id))
            convert_in_place(converting, id);
    }
}

static status convert_inner(struct converting *converting, const struct network_node *node,
                            uint32_t graph)
{
    struct network_graph *inner = network_graph(converting->network, graph);
    convert_inner_inputs(converting, node, inner);
    STATUS_TRY(convert_graph(converting, graph));
    for (uint32_t i = 0; i < inner->output_count; i++)
        STATUS_TRY(as_converted(converting, inner->outputs[i], &inner->outputs[i]));
    return STATUS_OK;
}

static status convert_control(struct converting *converting, uint32_t id)
{
    struct network_node *node = network_node(converting->network, id);
    const uint32_t *inputs;
    STATUS_TRY(choose_inputs(converting, node, OFFER_ALL, &inputs));
    converting->network->conversion.operators += is_concerned(converting, node);
    node->inputs = inputs;
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const struct attribute *attribute = &node->attributes.items[i];
        if (attribute->kind == ATTRIBUTE_GRAPH)
            STATUS_TRY(convert_inner(converting, node, attribute->graph));
    }
    forget_results(converting, node);
    STATUS_TRY(network_fold_node(converting->network, id, OPERATOR_FOLD_MOST));
    return check_results(converting, node);
}

static bool knows_results(const struct converting *converting, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE &&
            convert_value(converting, node->outputs[i])->constant == NULL)
            return false;
    }
    return node->output_count > 0;
}

static bool knows_inputs(const struct converting *converting, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t id = node->inputs[i];
        if (id != NETWORK_NONE &&
            (convert_value(converting, id)->constant == NULL || converting->changes[id]))
            return false;
    }
    return node->input_count > 0;
}

// When an input is given that a constant stands for, what was made of it is calculated anew.
static void hand_on_changes(struct converting *converting, const struct network_node *node)
{
    bool changes = false;
    for (uint32_t i = 0; i < node->input_count; i++)
        changes =
            changes || (node->inputs[i] != NETWORK_NONE && converting->changes[node->inputs[i]]);
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE)
            converting->changes[node->outputs[i]] = changes;
    }
}

// Whether it depends on constants alone; then its results become known.
static status settle_constant(struct converting *converting, uint32_t id, bool *out_settled)
{
    const struct network_node *node = network_node(converting->network, id);
    if (!knows_results(converting, node) && knows_inputs(converting, node) &&
        node->definition->scaling == SCALES_NOTHING)
        STATUS_TRY(network_fold_node(converting->network, id, CONSTANT_ELEMENTS_MOST));
    *out_settled = knows_results(converting, node);
    if (*out_settled)
        hand_on_changes(converting, node);
    return STATUS_OK;
}

static status convert_node(struct converting *converting, uint32_t id)
{
    bool settled;
    STATUS_TRY(settle_constant(converting, id, &settled));
    if (settled)
        return STATUS_OK;
    if (network_node(converting->network, id)->definition->class == OPERATOR_CONTROL)
        STATUS_TRY(convert_control(converting, id));
    else
        STATUS_TRY(offer_operator(converting, id));
    return note_results(converting, id);
}

// Nodes inside a node have named themselves already.
static status convert_graph(struct converting *converting, uint32_t graph)
{
    const struct network_graph *own = network_graph(converting->network, graph);
    for (uint32_t i = 0; i < own->node_count; i++) {
        const uint32_t id = own->nodes[i];
        char text[200];
        STATUS_TRY(status_within(
            convert_node(converting, id), "%s",
            network_node_text(network_node(converting->network, id), text, sizeof text)));
    }
    return STATUS_OK;
}

// Beginning and end --------------------------------------------------------------------------

static void note_homes(struct converting *converting)
{
    const struct network *network = converting->network;
    for (uint32_t i = 0; i < network->graphs.count; i++) {
        const struct network_graph *graph = network_graph(network, i);
        for (uint32_t j = 0; j < graph->input_count; j++)
            converting->homes[graph->inputs[j]] = i;
        for (uint32_t j = 0; j < graph->node_count; j++) {
            const struct network_node *node = network_node(network, graph->nodes[j]);
            for (uint32_t k = 0; k < node->output_count; k++) {
                if (node->outputs[k] != NETWORK_NONE)
                    converting->homes[node->outputs[k]] = i;
            }
        }
    }
}

static status convert_ports(struct converting *converting)
{
    const struct network_graph *graph = network_graph(converting->network, 0);
    const bool ports = converting->conversion->ports;
    for (uint32_t i = 0; i < graph->output_count; i++)
        converting->stays[graph->outputs[i]] = !ports;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const uint32_t id = graph->inputs[i];
        struct network_value *value = convert_value(converting, id);
        converting->changes[id] = value->constant != NULL;
        converting->stays[id] = !ports;
        if (!ports || new_element(converting, id) == converting->elements[id])
            continue;
        if (value->constant != NULL)
            STATUS_TRY(conversion_constant(converting->network, value->constant, value->name,
                                           new_element(converting, id), &value->constant));
        convert_in_place(converting, id);
    }
    return STATUS_OK;
}

static struct converting converting_start(struct network *network,
                                          const struct conversion *conversion)
{
    const size_t count = (size_t)network->values.count + 1;
    struct converting converting = {
        .network = network,
        .conversion = conversion,
        .before = network->values.count,
        .elements = memory_allocate_zeroed(count, sizeof *converting.elements),
        .homes = memory_allocate_zeroed(count, sizeof *converting.homes),
        .converted = memory_allocate_zeroed(count, sizeof *converting.converted),
        .originals = memory_allocate_zeroed(count, sizeof *converting.originals),
        .changes = memory_allocate_zeroed(count, sizeof *converting.changes),
        .stays = memory_allocate_zeroed(count, sizeof *converting.stays),
        .quantized = conversion_quantized(network),
    };
    for (uint32_t i = 0; i < network->values.count; i++) {
        converting.elements[i] = network_value(network, i)->type.element;
        converting.converted[i] = NETWORK_NONE;
        converting.originals[i] = i;
    }
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        const struct network_node *node = network_node(network, i);
        if (node->domain.size == 0 && node->version > converting.version)
            converting.version = node->version;
    }
    if (converting.version == 0)
        converting.version = CAST_VERSION;
    note_homes(&converting);
    return converting;
}

static void converting_free(struct converting *converting)
{
    free(converting->elements);
    free(converting->homes);
    free(converting->converted);
    free(converting->originals);
    free(converting->changes);
    free(converting->stays);
    free(converting->quantized);
    free(converting->casts);
}

// Outputs of the network that are given in the new element.
static status convert_outputs(struct converting *converting)
{
    struct network_graph *graph = network_graph(converting->network, 0);
    for (uint32_t i = 0; converting->conversion->ports && i < graph->output_count; i++)
        STATUS_TRY(as_converted(converting, graph->outputs[i], &graph->outputs[i]));
    return STATUS_OK;
}

static status convert_all(struct converting *converting)
{
    struct network *network = converting->network;
    STATUS_TRY(convert_ports(converting));
    uint32_t *readers = casts_count_readers(network);
    status failure = convert_graph(converting, 0);
    if (failure == STATUS_OK)
        failure = convert_outputs(converting);
    if (failure == STATUS_OK)
        failure = casts_enter(network, converting->casts, converting->cast_count, readers,
                              converting->before);
    free(readers);
    return failure;
}

static struct view conversion_text(struct arena *arena, const struct conversion *conversion)
{
    struct view text = {0};
    for (uint32_t i = 0; i < conversion->count; i++)
        text = arena_print(arena, "%.*s%s%s=%s", VIEW_ARGUMENTS(text), i > 0 ? "," : "",
                           element_name(conversion->pairs[i].from),
                           element_name(conversion->pairs[i].to));
    if (conversion->weights)
        text = arena_print(arena, "%.*s%sweights=mxfp6", VIEW_ARGUMENTS(text),
                           text.size > 0 ? "," : "");
    return conversion->ports ? arena_print(arena, "%.*s,ports", VIEW_ARGUMENTS(text)) : text;
}

status network_convert(struct network *network, const struct conversion *conversion)
{
    network->conversion =
        (struct conversion_record){.text = conversion_text(&network->arena, conversion)};
    if (conversion->weights)
        network_round_weights(network, &network->conversion.weights);
    if (conversion->count == 0)
        return STATUS_OK;
    struct converting converting = converting_start(network, conversion);
    const status failure = convert_all(&converting);
    converting_free(&converting);
    return status_within(failure, "%s: --convert", network->source->path);
}
