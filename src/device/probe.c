#include "probe.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "program/node_cost.h"

enum { VERSION = 17, RUNS_MOST = 64, NODES_BEFORE = 4, WEIGHTS_BEFORE = 6, CACHE_LINE = 64 };

void probe_start(struct probe *probe, const char *operator)
{
    *probe = (struct probe){.low = -1, .high = 1};
    probe->network = network_create(NETWORK_ONNX, input_over(operator,(struct view){0}));
    const uint32_t graph = network_graph_add(probe->network, VIEW_LITERAL("main"));
    probe->node = network_node_add(probe->network, graph);
    struct network_node *node = network_node(probe->network, probe->node);
    node->type = view_of(operator);
    node->domain = VIEW_LITERAL("");
    node->version = VERSION;
    node->definition = operator_find(node->domain, node->type);
    probe->output_count = 1;
}

void probe_free(struct probe *probe)
{
    network_free(probe->network);
}

// Inputs -----------------------------------------------------------------------------

static double probe_next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

// The first elements again and again: kernels take as long for them, and copying is quick.
static void probe_repeat_pattern(const struct tensor *tensor, uint64_t first)
{
    char *data = tensor->data;
    const uint64_t bytes = tensor_bytes(tensor);
    for (uint64_t done = first * element_size(tensor->element); done < bytes; done *= 2)
        memcpy(data + done, data, done < bytes - done ? done : bytes - done);
}

static void probe_fill_tensor(const struct probe *probe, const struct tensor *tensor)
{
    enum { FIRST = 10007 };
    const uint64_t all = tensor_count(tensor);
    const uint64_t count = all < FIRST ? all : FIRST;
    uint64_t state = 1;
    for (uint64_t i = 0; i < count; i++) {
        const double number = probe->low + (probe->high - probe->low) * probe_next_random(&state);
        switch (tensor->element) {
        case ELEMENT_F32:
            ((float *)tensor->data)[i] = (float)number;
            break;
        case ELEMENT_I8:
        case ELEMENT_U8:
            ((uint8_t *)tensor->data)[i] = (uint8_t)(state >> 40);
            break;
        case ELEMENT_BOOL:
            ((uint8_t *)tensor->data)[i] = (uint8_t)(state >> 40) & 1;
            break;
        case ELEMENT_I32:
            ((int32_t *)tensor->data)[i] = (int32_t)(state >> 61);
            break;
        case ELEMENT_I64:
            ((int64_t *)tensor->data)[i] = (int64_t)(state >> 61);
            break;
        default:
            return;
        }
    }
    if (count < all)
        probe_repeat_pattern(tensor, count);
}

static struct shape probe_shape_of(uint32_t rank, const uint64_t *dims)
{
    struct shape shape = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        shape.dims[i] = (int64_t)dims[i];
    return shape;
}

static struct network_value *probe_add_value(struct probe *probe, enum element element,
                                             const struct shape *shape)
{
    const uint32_t id = network_value_add(probe->network, (struct view){0});
    probe->inputs[probe->input_count++] = id;
    struct network_value *value = network_value(probe->network, id);
    value->type = value_type_tensor(element, shape);
    value->producer = NETWORK_NONE;
    return value;
}

void probe_input(struct probe *probe, enum element element, uint32_t rank, const uint64_t *dims)
{
    const struct shape shape = probe_shape_of(rank, dims);
    probe_add_value(probe, element, &shape);
    probe->given[probe->given_count++] = probe->inputs[probe->input_count - 1];
}

static void *aligned_bytes(struct probe *probe, uint64_t size)
{
    char *data = arena_allocate(&probe->network->arena, size + TENSOR_ALIGNMENT);
    return data + (TENSOR_ALIGNMENT - (uintptr_t)data % TENSOR_ALIGNMENT) % TENSOR_ALIGNMENT;
}

static struct tensor *probe_add_constant(struct probe *probe, enum element element,
                                         const struct shape *shape)
{
    struct network_value *value = probe_add_value(probe, element, shape);
    struct constant *constant = arena_allocate(&probe->network->arena, sizeof *constant);
    const uint64_t bytes = shape_count(shape) * element_size(element);
    *constant =
        (struct constant){.tensor = {element, *shape, aligned_bytes(probe, bytes)}, .bytes = bytes};
    value->constant = constant;
    return &constant->tensor;
}

void probe_constant(struct probe *probe, enum element element, uint32_t rank, const uint64_t *dims)
{
    const struct shape shape = probe_shape_of(rank, dims);
    probe_fill_tensor(probe, probe_add_constant(probe, element, &shape));
}

void probe_integers(struct probe *probe, uint32_t count, const int64_t *items)
{
    const struct shape shape = probe_shape_of(1, &(uint64_t){count});
    memcpy(probe_add_constant(probe, ELEMENT_I64, &shape)->data, items, count * sizeof *items);
}

void probe_absent(struct probe *probe)
{
    probe->inputs[probe->input_count++] = NETWORK_NONE;
}

// Attributes ---------------------------------------------------------------------------

static struct attribute *probe_add_attribute(struct probe *probe, const char *name,
                                             enum attribute_kind kind)
{
    struct attribute *attribute = &probe->attributes[probe->attribute_count++];
    *attribute = (struct attribute){.name = view_of(name), .kind = kind};
    return attribute;
}

void probe_set_integer(struct probe *probe, const char *name, int64_t number)
{
    probe_add_attribute(probe, name, ATTRIBUTE_INTEGER)->integer = number;
}

void probe_set_integers(struct probe *probe, const char *name, uint32_t count, const int64_t *items)
{
    int64_t *kept = arena_allocate(&probe->network->arena, count * sizeof *kept);
    memcpy(kept, items, count * sizeof *kept);
    struct attribute *attribute = probe_add_attribute(probe, name, ATTRIBUTE_INTEGERS);
    attribute->integers = kept;
    attribute->count = count;
}

void probe_set_text(struct probe *probe, const char *name, const char *text)
{
    probe_add_attribute(probe, name, ATTRIBUTE_TEXT)->text = view_of(text);
}

// Running --------------------------------------------------------------------------------

static status probe_infer_types(struct probe *probe)
{
    struct network *network = probe->network;
    for (uint32_t i = 0; i < probe->output_count; i++) {
        probe->outputs[i] = network_value_add(network, (struct view){0});
        network_value(network, probe->outputs[i])->producer = probe->node;
    }
    struct network_node *node = network_node(network, probe->node);
    node->inputs = probe->inputs;
    node->input_count = probe->input_count;
    node->outputs = probe->outputs;
    node->output_count = probe->output_count;
    node->attributes = (struct attributes){probe->attributes, probe->attribute_count};
    struct network_graph *graph = network_graph(network, 0);
    graph->nodes = &probe->node;
    graph->node_count = 1;
    graph->inputs = probe->given;
    graph->input_count = probe->given_count;
    graph->outputs = probe->outputs;
    graph->output_count = 1;
    return network_infer(network);
}

static status make_inputs(const struct probe *probe, struct datum **inputs)
{
    for (uint32_t i = 0; i < probe->given_count; i++) {
        const struct value_type *type = &network_value(probe->network, probe->given[i])->type;
        STATUS_TRY(datum_tensor(type->element, &type->shape, &inputs[i]));
        probe_fill_tensor(probe, &inputs[i]->tensor);
    }
    return STATUS_OK;
}

// What a network leaves in the caches when it comes to a node: the node's inputs, as
// they were just made; the memory of its outputs, last used a few nodes before, which
// worked on about as much; and the weights as long ago as the whole network takes.
static void prepare_caches(const struct probe_budget *budget, const struct work *work,
                           struct datum *const *inputs, uint32_t count)
{
    uint64_t before = NODES_BEFORE * (work->bytes_read + work->bytes_written) +
                      WEIGHTS_BEFORE * work->weight_bytes;
    before = before > budget->scrub_least ? before : budget->scrub_least;
    before = before < budget->scrub_most ? before : budget->scrub_most;
    for (size_t i = 0; i < before; i += CACHE_LINE)
        budget->scrub[i]++;
    volatile uint8_t sink = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bytes = inputs[i]->tensor.data;
        const uint64_t size = tensor_bytes(&inputs[i]->tensor);
        for (uint64_t j = 0; j < size; j += CACHE_LINE)
            sink = (uint8_t)(sink + bytes[j]);
    }
}

static int probe_compare_times(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static status probe_run_once(const struct probe *probe, const struct probe_engine *engine,
                             void *context, struct datum *const *inputs, uint64_t *out_ns)
{
    struct datum *output;
    STATUS_TRY(engine->run(context, inputs, probe->given_count, &output, out_ns));
    datum_release(output);
    return STATUS_OK;
}

static status run_often(const struct probe *probe, const struct probe_budget *budget, void *context,
                        struct datum *const *inputs, struct probe_result *result)
{
    uint64_t times[RUNS_MOST];
    uint64_t least = UINT64_MAX; // what it takes when nothing disturbs the machine
    unsigned runs = 0;
    STATUS_TRY(probe_run_once(probe, budget->engine, context, inputs, &times[0]));
    while (runs < budget->runs_most && runs < RUNS_MOST &&
           (runs < budget->runs_least || runs * least < budget->ns)) {
        prepare_caches(budget, &network_node(probe->network, probe->node)->work, inputs,
                       probe->given_count);
        STATUS_TRY(probe_run_once(probe, budget->engine, context, inputs, &times[runs]));
        least = times[runs] < least ? times[runs] : least;
        runs++;
    }
    sort_items(times, runs, sizeof *times, probe_compare_times);
    result->least = times[0] > 0 ? times[0] : 1;
    result->spread = (double)times[runs / 2] / (double)result->least - 1;
    return STATUS_OK;
}

status probe_run(struct probe *probe, const struct probe_budget *budget,
                 struct probe_result *out_result)
{
    *out_result = (struct probe_result){0};
    STATUS_TRY(probe_infer_types(probe));
    const struct network_node *node = network_node(probe->network, probe->node);
    out_result->request = node_cost(probe->network, node,
                                    &network_value(probe->network, probe->outputs[0])->type.shape);
    out_result->left_out = node->work.macs > budget->macs_most ||
                           node->work.bytes_read + node->work.bytes_written > budget->bytes_most;
    if (out_result->left_out)
        return STATUS_OK;
    void *context;
    STATUS_TRY(budget->engine->open(probe->network, budget->threads, &context));
    struct datum *inputs[PROBE_INPUTS_MOST] = {0};
    status failure = make_inputs(probe, inputs);
    if (failure == STATUS_OK)
        failure = run_often(probe, budget, context, inputs, out_result);
    for (uint32_t i = 0; i < probe->given_count; i++)
        datum_release(inputs[i]);
    budget->engine->close(context);
    return failure;
}
