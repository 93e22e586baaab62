#include <inttypes.h>

#include "base/memory.h"
#include "importer.h"
#include "message.h"
#include "network/operators.h"

enum node_field {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOC_STRING = 6,
    NODE_DOMAIN = 7,
    NODE_OVERLOAD = 8,
    NODE_METADATA = 9,
};

void import_list_add(struct id_list *list, uint32_t id)
{
    list->ids = memory_grow(list->ids, list->count, &list->capacity, sizeof *list->ids);
    list->ids[list->count++] = id;
}

status import_charge(struct importer *importer, uint64_t bytes)
{
    if (bytes > importer->expansion_left)
        return status_make(STATUS_LIMIT, "the functions of the model unfold to too many nodes");
    importer->expansion_left -= bytes;
    return STATUS_OK;
}

status import_name(struct importer *importer, const struct frame *frame, struct view name,
                   struct view *out_name)
{
    *out_name = name;
    if (frame->path.size == 0)
        return STATUS_OK;
    STATUS_TRY(import_charge(importer, frame->path.size + name.size));
    char *joined = arena_allocate(&importer->network->arena, frame->path.size + name.size);
    memcpy(joined, frame->path.data, frame->path.size);
    if (name.size > 0)
        memcpy(joined + frame->path.size, name.data, name.size);
    *out_name = (struct view){joined, frame->path.size + name.size};
    return STATUS_OK;
}

// Exporters say where in the source a node comes from under keys of their own.
static status location_read(struct view bytes, struct view *location)
{
    static const char *const KEYS[] = {"source", "location", "namespace",
                                       "pkg.torch.onnx.stack_trace"};
    struct view key;
    struct view value;
    STATUS_TRY(message_entry(bytes, &key, &value));
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (view_is(key, KEYS[i]))
            *location = value;
    }
    return STATUS_OK;
}

// The doc string of PyTorch's exporter is a stack: "file.py(12): forward", one
// call a line, innermost first.
static struct view location_of_document(struct view document)
{
    const struct view line = view_slice(document, 0, view_find(document, '\n'));
    const size_t end = view_find_text(line, "): ");
    const size_t start = view_find(line, '(');
    if (end == line.size || start > end || start == 0)
        return VIEW_LITERAL("");
    uint64_t number;
    return view_to_u64(view_slice(line, start + 1, end), &number) ? line : VIEW_LITERAL("");
}

static status node_fields_read(struct view bytes, struct node_fields *out_fields)
{
    const struct view none = VIEW_LITERAL("");
    struct node_fields fields = {bytes, none, none, none, none, none, none, 0, 0, 0};
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        switch (message.field.number) {
        case NODE_INPUT:
            fields.input_count++;
            break;
        case NODE_OUTPUT:
            fields.output_count++;
            break;
        case NODE_NAME:
            fields.name = message_bytes(&message);
            break;
        case NODE_OP_TYPE:
            fields.type = message_bytes(&message);
            break;
        case NODE_ATTRIBUTE:
            fields.attribute_count++;
            break;
        case NODE_DOC_STRING:
            fields.document = message_bytes(&message);
            break;
        case NODE_DOMAIN:
            fields.domain = opsets_domain(message_bytes(&message));
            break;
        case NODE_OVERLOAD:
            fields.overload = message_bytes(&message);
            break;
        case NODE_METADATA:
            STATUS_TRY(location_read(message_bytes(&message), &fields.location));
            break;
        default:
            break;
        }
    }
    if (fields.location.size == 0)
        fields.location = location_of_document(fields.document);
    *out_fields = fields;
    return message_close(&message, "the node");
}

// "node 'name' (Type)" in front of a failure.
static status blame(status failure, const struct node_fields *fields, uint32_t index)
{
    if (failure == STATUS_OK)
        return STATUS_OK;
    const struct network_node node = {.name = fields->name, .type = fields->type, .index = index};
    char text[300];
    return status_within(failure, "%s", network_node_text(&node, text, sizeof text));
}

static status import_node_output_bind(struct importer *importer, struct frame *frame,
                                      struct view name)
{
    if (name.size == 0)
        return STATUS_OK;
    struct binding *bound = scope_own(&frame->scope, name);
    if (bound != NULL && bound->kind == BINDING_PROMISED) {
        bound->kind = BINDING_OUTPUT;
        return STATUS_OK;
    }
    if (bound != NULL)
        return status_make(STATUS_DATA, "value '%.*s' is defined twice", VIEW_ARGUMENTS(name));
    struct view full;
    STATUS_TRY(import_name(importer, frame, name, &full));
    scope_bind(&frame->scope, name, network_value_add(importer->network, full), BINDING_OUTPUT);
    return STATUS_OK;
}

static status outputs_bind(struct importer *importer, struct frame *frame,
                           const struct node_fields *fields)
{
    struct message message = message_open(fields->message);
    while (message_next(&message)) {
        if (message.field.number == NODE_OUTPUT)
            STATUS_TRY(import_node_output_bind(importer, frame, message_bytes(&message)));
    }
    return message_close(&message, "the node");
}

status import_node_outputs(struct importer *importer, struct frame *frame, struct view message,
                           uint32_t index)
{
    struct node_fields fields;
    STATUS_TRY(status_within(node_fields_read(message, &fields), "node %" PRIu32, index));
    return blame(outputs_bind(importer, frame, &fields), &fields, index);
}

status import_node_inputs(struct importer *importer, const struct frame *frame,
                          const struct node_fields *node, const uint32_t **out_inputs)
{
    uint32_t *ids = arena_allocate(&importer->network->arena, node->input_count * sizeof *ids + 1);
    uint32_t count = 0;
    struct message message = message_open(node->message);
    while (message_next(&message)) {
        if (message.field.number != NODE_INPUT)
            continue;
        const struct view name = message_bytes(&message);
        ids[count] = NETWORK_NONE;
        if (name.size > 0) {
            const struct binding *bound = scope_find(&frame->scope, name);
            if (bound == NULL)
                return status_make(STATUS_DATA, "input '%.*s' is defined nowhere",
                                   VIEW_ARGUMENTS(name));
            ids[count] = bound->value;
        }
        count++;
    }
    *out_inputs = ids;
    return STATUS_OK;
}

const uint32_t *import_node_results(struct importer *importer, const struct frame *frame,
                                    const struct node_fields *node)
{
    uint32_t *ids = arena_allocate(&importer->network->arena, node->output_count * sizeof *ids + 1);
    uint32_t count = 0;
    struct message message = message_open(node->message);
    while (message_next(&message)) {
        if (message.field.number != NODE_OUTPUT)
            continue;
        const struct binding *bound = scope_own(&frame->scope, message_bytes(&message));
        ids[count++] = bound != NULL ? bound->value : NETWORK_NONE;
    }
    return ids;
}

void import_node_enter(struct importer *importer, struct frame *frame, uint32_t id)
{
    const struct network_node *node = network_node(importer->network, id);
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE)
            network_value(importer->network, node->outputs[i])->producer = id;
    }
    import_list_add(frame->nodes, id);
}

// The version of the node's operator set: the function's, else the model's.
static uint64_t import_node_version_of(const struct importer *importer, const struct frame *frame,
                                       struct view domain)
{
    const uint64_t version = opsets_version(frame->opsets, domain);
    return version != 0 ? version : opsets_version(&importer->opsets, domain);
}

static status definition_find(const struct node_fields *fields, uint64_t version,
                              const struct operator_definition **out_definition)
{
    const struct view domain = fields->domain.size > 0 ? fields->domain : VIEW_LITERAL("ai.onnx");
    if (fields->type.size == 0)
        return status_make(STATUS_DATA, "the node has no operator");
    *out_definition = operator_imported(fields->domain, fields->type);
    if (*out_definition != NULL && version != 0)
        return STATUS_OK;
    if (version == 0)
        return status_make(STATUS_DATA,
                           "operator '%.*s' is of domain '%.*s', which the model does not import",
                           VIEW_ARGUMENTS(fields->type), VIEW_ARGUMENTS(domain));
    return status_make(STATUS_UNSUPPORTED,
                       "there is no operator '%.*s' in domain '%.*s', version %" PRIu64,
                       VIEW_ARGUMENTS(fields->type), VIEW_ARGUMENTS(domain), version);
}

// A node inside a function is called by the path that leads there, also when the
// file gives it no name.
static status import_node_name_of(struct importer *importer, const struct frame *frame,
                                  const struct node_fields *fields, struct view *out_name)
{
    const bool inside = frame->path.size > 0;
    return import_name(importer, frame,
                       inside && fields->name.size == 0 ? fields->type : fields->name, out_name);
}

static status node_add(struct importer *importer, struct frame *frame,
                       const struct node_fields *fields, uint32_t index)
{
    const uint64_t version = import_node_version_of(importer, frame, fields->domain);
    const struct operator_definition *definition = NULL;
    STATUS_TRY(definition_find(fields, version, &definition));
    const uint32_t id = network_node_add(importer->network, frame->graph);
    struct network_node *node = network_node(importer->network, id);
    node->definition = definition;
    node->version = (uint32_t)version;
    node->index = index;
    node->type = fields->type;
    node->domain = fields->domain;
    node->document = fields->document;
    node->location = fields->location;
    node->input_count = fields->input_count;
    node->output_count = fields->output_count;
    STATUS_TRY(import_node_name_of(importer, frame, fields, &node->name));
    STATUS_TRY(import_node_inputs(importer, frame, fields, &node->inputs));
    node->outputs = import_node_results(importer, frame, fields);
    import_node_enter(importer, frame, id);
    return import_attributes(importer, frame, fields, &node->attributes);
}

static status add_or_call(struct importer *importer, struct frame *frame,
                          const struct node_fields *fields, uint32_t index)
{
    struct function *function = import_function_find(importer, fields);
    if (function != NULL)
        return import_call(importer, frame, fields, index, function);
    return node_add(importer, frame, fields, index);
}

status import_node(struct importer *importer, struct frame *frame, struct view message,
                   uint32_t index)
{
    struct node_fields fields;
    STATUS_TRY(node_fields_read(message, &fields));
    return blame(add_or_call(importer, frame, &fields, frame->call != NULL ? frame->index : index),
                 &fields, index);
}

static status check_unique(const struct attribute *items, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (view_equal(items[i].name, items[count - 1].name))
            return status_make(STATUS_DATA, "attribute '%.*s' is there twice",
                               VIEW_ARGUMENTS(items[i].name));
    }
    return STATUS_OK;
}

status import_attributes(struct importer *importer, const struct frame *frame,
                         const struct node_fields *node, struct attributes *out_attributes)
{
    *out_attributes = (struct attributes){0};
    if (node->attribute_count > ATTRIBUTES_MOST)
        return status_make(STATUS_LIMIT, "%" PRIu32 " attributes; at most %d are read",
                           node->attribute_count, ATTRIBUTES_MOST);
    struct attribute *items =
        arena_allocate(&importer->network->arena, node->attribute_count * sizeof *items + 1);
    uint32_t count = 0;
    struct message message = message_open(node->message);
    while (message_next(&message)) {
        bool there;
        if (message.field.number != NODE_ATTRIBUTE)
            continue;
        STATUS_TRY(
            import_attribute(importer, frame, message_bytes(&message), &items[count], &there));
        if (!there)
            continue;
        count++;
        STATUS_TRY(check_unique(items, count));
    }
    *out_attributes = (struct attributes){items, count};
    return STATUS_OK;
}
