// Functions of the model, put in where they are called: their inputs and outputs
// are the caller's values, all other names get the caller's in front.

#include <inttypes.h>

#include "base/memory.h"
#include "importer.h"
#include "message.h"
#include "network/operators.h"
#include "type_proto.h"

enum function_field {
    FUNCTION_NAME = 1,
    FUNCTION_INPUT = 4,
    FUNCTION_OUTPUT = 5,
    FUNCTION_NODE = 7,
    FUNCTION_OPSET = 9,
    FUNCTION_DOMAIN = 10,
    FUNCTION_ATTRIBUTE_PROTO = 11,
    FUNCTION_VALUE_INFO = 12,
    FUNCTION_OVERLOAD = 13,
};

static uint32_t hash_name(struct view domain, struct view name, struct view overload)
{
    return hash_bytes(domain.data, domain.size) ^ hash_bytes(name.data, name.size) * 31 ^
           hash_bytes(overload.data, overload.size) * 37;
}

static struct function *import_function_by_name(const struct importer *importer, struct view domain,
                                                struct view name, struct view overload)
{
    const uint32_t hash = hash_name(domain, name, overload);
    uint32_t id;
    for (uint32_t at = hash_first(&importer->functions_by_name, hash);
         (id = hash_next(&importer->functions_by_name, hash, &at)) != HASH_NONE;) {
        struct function *function = &importer->functions[id];
        if (view_equal(function->domain, domain) && view_equal(function->name, name) &&
            view_equal(function->overload, overload))
            return function;
    }
    return NULL;
}

status import_function_add(struct importer *importer, struct view bytes)
{
    const struct view none = VIEW_LITERAL("");
    struct function function = {bytes, none, none, none, false};
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number == FUNCTION_NAME)
            function.name = message_bytes(&message);
        else if (message.field.number == FUNCTION_DOMAIN)
            function.domain = opsets_domain(message_bytes(&message));
        else if (message.field.number == FUNCTION_OVERLOAD)
            function.overload = message_bytes(&message);
    }
    STATUS_TRY(message_close(&message, "a function"));
    if (import_function_by_name(importer, function.domain, function.name, function.overload) !=
        NULL)
        return status_make(STATUS_DATA, "function '%.*s' is there twice",
                           VIEW_ARGUMENTS(function.name));
    importer->functions = memory_grow(importer->functions, importer->function_count,
                                      &importer->function_capacity, sizeof function);
    importer->functions[importer->function_count] = function;
    hash_add(&importer->functions_by_name,
             hash_name(function.domain, function.name, function.overload),
             (uint32_t)importer->function_count);
    importer->function_count++;
    return STATUS_OK;
}

struct function *import_function_find(struct importer *importer, const struct node_fields *node)
{
    if (importer->function_count == 0)
        return NULL;
    return import_function_by_name(importer, node->domain, node->type, node->overload);
}

// An output of a function that no node of it computes: an input handed through,
// or another output once more.
static void identity_add(struct importer *importer, struct frame *frame, uint32_t from, uint32_t to)
{
    struct network *network = importer->network;
    const uint32_t id = network_node_add(network, frame->graph);
    struct network_node *node = network_node(network, id);
    uint32_t *ends = arena_allocate(&network->arena, 2 * sizeof *ends);
    ends[0] = from;
    ends[1] = to;
    node->type = VIEW_LITERAL("Identity");
    node->definition = operator_find(VIEW_LITERAL(""), node->type);
    node->version = OPSETS_ONNX_MOST;
    node->index = frame->index;
    node->name = network_value(network, to)->name;
    node->domain = VIEW_LITERAL("");
    node->document = VIEW_LITERAL("");
    node->location = VIEW_LITERAL("");
    node->inputs = &ends[0];
    node->outputs = &ends[1];
    node->input_count = 1;
    node->output_count = 1;
    import_node_enter(importer, frame, id);
}

// The values that a function is called with.
struct call_values {
    const uint32_t *inputs;
    const uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;
};

static status input_bind(struct frame *frame, struct view name, const struct call_values *values,
                         uint32_t index)
{
    if (scope_own(&frame->scope, name) != NULL)
        return status_make(STATUS_DATA, "the function has input '%.*s' twice",
                           VIEW_ARGUMENTS(name));
    scope_bind(&frame->scope, name,
               index < values->input_count ? values->inputs[index] : NETWORK_NONE, BINDING_INPUT);
    return STATUS_OK;
}

static void import_function_output_bind(struct frame *frame, struct view name,
                                        const struct call_values *values, uint32_t index)
{
    if (index < values->output_count && values->outputs[index] != NETWORK_NONE &&
        scope_own(&frame->scope, name) == NULL)
        scope_bind(&frame->scope, name, values->outputs[index], BINDING_PROMISED);
}

// Inputs come first: an output may be one of them.
static status signature_read(struct frame *frame, struct view body,
                             const struct call_values *values)
{
    struct call *call = frame->call;
    uint32_t inputs = 0;
    uint32_t outputs = 0;
    struct message message = message_open(body);
    while (message_next(&message)) {
        if (message.field.number == FUNCTION_INPUT)
            STATUS_TRY(input_bind(frame, message_bytes(&message), values, inputs++));
        else if (message.field.number == FUNCTION_OPSET)
            STATUS_TRY(opsets_add(&call->opsets, message_bytes(&message)));
        else if (message.field.number == FUNCTION_ATTRIBUTE_PROTO) {
            if (call->default_count == ATTRIBUTES_MOST)
                return status_make(STATUS_LIMIT, "the function has more than %d attributes",
                                   ATTRIBUTES_MOST);
            call->defaults[call->default_count++] = message_bytes(&message);
        }
    }
    message = message_open(body);
    while (message_next(&message)) {
        if (message.field.number == FUNCTION_OUTPUT)
            import_function_output_bind(frame, message_bytes(&message), values, outputs++);
    }
    STATUS_TRY(message_close(&message, "the function"));
    if (values->input_count > inputs || values->output_count > outputs)
        return status_make(STATUS_DATA,
                           "the function has %" PRIu32 " inputs and %" PRIu32
                           " outputs, not %" PRIu32 " and %" PRIu32,
                           inputs, outputs, values->input_count, values->output_count);
    return STATUS_OK;
}

static status outputs_settle(struct importer *importer, struct frame *frame, struct view body,
                             const struct call_values *values)
{
    uint32_t index = 0;
    struct message message = message_open(body);
    while (message_next(&message) && index < values->output_count) {
        if (message.field.number != FUNCTION_OUTPUT)
            continue;
        const uint32_t wanted = values->outputs[index++];
        if (wanted == NETWORK_NONE)
            continue;
        const struct view name = message_bytes(&message);
        const struct binding *bound = scope_own(&frame->scope, name);
        if (bound == NULL || bound->kind == BINDING_PROMISED || bound->value == NETWORK_NONE)
            return status_make(STATUS_DATA, "output '%.*s' of the function is computed by no node",
                               VIEW_ARGUMENTS(name));
        if (bound->value != wanted)
            identity_add(importer, frame, bound->value, wanted);
    }
    return STATUS_OK;
}

static status body_read(struct importer *importer, struct frame *frame, struct view body)
{
    uint32_t index = 0;
    struct message message = message_open(body);
    while (message_next(&message)) {
        if (message.field.number == FUNCTION_NODE)
            STATUS_TRY(import_node_outputs(importer, frame, message_bytes(&message), index++));
    }
    index = 0;
    message = message_open(body);
    while (message_next(&message)) {
        if (message.field.number == FUNCTION_NODE)
            STATUS_TRY(import_node(importer, frame, message_bytes(&message), index++));
        else if (message.field.number == FUNCTION_VALUE_INFO)
            STATUS_TRY(import_value_info(importer, frame, message_bytes(&message)));
    }
    return message_close(&message, "the function");
}

static status put_in(struct importer *importer, struct frame *frame,
                     const struct call_values *values)
{
    const struct view body = frame->call->function->body;
    STATUS_TRY(signature_read(frame, body, values));
    STATUS_TRY(body_read(importer, frame, body));
    return outputs_settle(importer, frame, body, values);
}

static status import_function_path_of(struct importer *importer, const struct frame *frame,
                                      const struct node_fields *node, struct view *out_path)
{
    struct view name;
    STATUS_TRY(import_name(importer, frame, node->name.size > 0 ? node->name : node->type, &name));
    STATUS_TRY(import_charge(importer, name.size + 1));
    char *path = arena_allocate(&importer->network->arena, name.size + 1);
    memcpy(path, name.data, name.size);
    path[name.size] = '/';
    *out_path = (struct view){path, name.size + 1};
    return STATUS_OK;
}

status import_call(struct importer *importer, struct frame *frame, const struct node_fields *node,
                   uint32_t index, struct function *function)
{
    if (function->active)
        return status_make(STATUS_DATA, "function '%.*s' calls itself",
                           VIEW_ARGUMENTS(function->name));
    if (importer->depth == IMPORTER_DEPTH_MOST)
        return status_make(STATUS_LIMIT, "functions inside one another more than %d deep",
                           IMPORTER_DEPTH_MOST);
    STATUS_TRY(import_charge(importer, function->body.size));
    struct call call = {.function = function};
    struct call_values values = {NULL, NULL, node->input_count, node->output_count};
    STATUS_TRY(import_attributes(importer, frame, node, &call.given));
    STATUS_TRY(import_node_inputs(importer, frame, node, &values.inputs));
    values.outputs = import_node_results(importer, frame, node);
    struct frame inner = {.graph = frame->graph,
                          .nodes = frame->nodes,
                          .opsets = &call.opsets,
                          .call = &call,
                          .index = index};
    STATUS_TRY(import_function_path_of(importer, frame, node, &inner.path));
    importer->depth++;
    function->active = true;
    const status failure = put_in(importer, &inner, &values);
    function->active = false;
    importer->depth--;
    scope_free(&inner.scope);
    return failure;
}
