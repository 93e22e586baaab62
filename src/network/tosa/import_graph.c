#include "import_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"

uint64_t tosa_line(struct tosa_importer *importer, const char *at)
{
    if (at < importer->line_at) {
        importer->line_at = importer->document->text.data;
        importer->line = 1;
    }
    const char *next;
    while (importer->line_at < at &&
           (next = memchr(importer->line_at, '\n', (size_t)(at - importer->line_at))) != NULL) {
        importer->line_at = next + 1;
        importer->line++;
    }
    importer->line_at = at;
    return importer->line;
}

// Where the operation's name begins, or, if that is on a later line, the operation.
static uint64_t tosa_import_graph_column_of(const struct tosa_importer *importer,
                                            const struct mlir_operation *operation)
{
    const char *at = operation->generic ? operation->name.data - 1 : operation->name.data;
    if (at < operation->text.data ||
        memchr(operation->text.data, '\n', (size_t)(at - operation->text.data)) != NULL)
        at = operation->text.data;
    const char *text = importer->document->text.data;
    const char *before = memrchr(text, '\n', (size_t)(at - text));
    return (uint64_t)(at - (before != NULL ? before + 1 : text)) + 1;
}

// Values ----------------------------------------------------------------------

uint32_t tosa_value_add(struct tosa_importer *importer, struct view name,
                        const struct value_type *type)
{
    const uint32_t id = network_value_add(importer->network, name);
    network_value(importer->network, id)->type = *type;
    return id;
}

uint32_t tosa_constant_add(struct tosa_importer *importer, const struct constant *constant)
{
    const struct value_type type =
        value_type_tensor(constant->tensor.element, &constant->tensor.shape);
    const uint32_t id = tosa_value_add(importer, (struct view){"", 0}, &type);
    network_value(importer->network, id)->constant = constant;
    return id;
}

uint32_t tosa_integers_add(struct tosa_importer *importer, enum element element,
                           const struct shape *shape, const int64_t *items)
{
    static const int64_t ZERO[1] = {0};
    struct arena *arena = &importer->network->arena;
    // The bits of zero are those of 0.0.
    const enum element stored = element_is_float(element) ? ELEMENT_I64 : element;
    const struct constant *constant =
        tosa_literal_of_integers(arena, stored, shape, items != NULL ? items : ZERO);
    if (stored != element) {
        struct constant *zero = arena_allocate(arena, sizeof *zero);
        *zero = *constant;
        zero->tensor.element = element;
        zero->bytes = tensor_bytes(&zero->tensor);
        constant = zero;
    }
    return tosa_constant_add(importer, constant);
}

// The type that an operation declares for its result.
static status tosa_import_graph_result_type(struct tosa_importer *importer,
                                            const struct mlir_operation *operation, uint32_t index,
                                            struct value_type *out_type)
{
    const struct mlir_types *types = operation->has_arrow || operation->generic
                                         ? &operation->result_types
                                         : &operation->operand_types;
    if (index >= types->count)
        return mlir_failure(importer->document, operation->text.data,
                            "'%.*s' has more results than types", VIEW_ARGUMENTS(operation->name));
    return tosa_value_type(importer, types->items[index], out_type);
}

static uint32_t result_count(const struct mlir_operation *operation)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < operation->result_count; i++)
        count += operation->results[i].count;
    return count;
}

static struct view result_name(struct tosa_importer *importer, const struct mlir_result *result,
                               uint32_t number)
{
    if (result->count == 1)
        return result->name;
    char text[16];
    const int size = snprintf(text, sizeof text, "#%" PRIu32, number);
    char *name = arena_allocate(&importer->network->arena, result->name.size + (size_t)size);
    memcpy(name, result->name.data, result->name.size);
    memcpy(name + result->name.size, text, (size_t)size);
    return (struct view){name, result->name.size + (size_t)size};
}

// One result, which is a value that exists already.
static status name_result(struct tosa_importer *importer, const struct mlir_operation *operation,
                          uint32_t value)
{
    if (result_count(operation) != 1)
        return mlir_failure(importer->document, operation->text.data, "'%.*s' has one result",
                            VIEW_ARGUMENTS(operation->name));
    return tosa_name_define(importer, operation->results[0].name, value, 1);
}

// Operations without a node ---------------------------------------------------

// `arith.constant true` declares no type.
static status constant_type(struct tosa_importer *importer, const struct mlir_operation *operation,
                            const struct mlir_attribute *literal, struct value_type *out_type)
{
    if (operation->has_arrow)
        return tosa_import_graph_result_type(importer, operation, 0, out_type);
    if (literal->type != NULL)
        return tosa_value_type(importer, literal->type, out_type);
    if (literal->kind != MLIR_BOOL)
        return tosa_import_graph_result_type(importer, operation, 0, out_type);
    const struct shape scalar = {0};
    *out_type = value_type_tensor(ELEMENT_BOOL, &scalar);
    return STATUS_OK;
}

static status read_constant(struct tosa_importer *importer, const struct mlir_operation *operation)
{
    const struct mlir_attribute *literal = mlir_find(operation, "values");
    if (literal == NULL)
        literal = mlir_find(operation, "value");
    if (literal == NULL && operation->literal_count == 1)
        literal = &operation->literals[0];
    if (literal == NULL)
        return mlir_failure(importer->document, operation->text.data, "'%.*s' has no value",
                            VIEW_ARGUMENTS(operation->name));
    STATUS_TRY(mlir_attribute_resolve(importer->document, literal, &literal));
    struct value_type type;
    STATUS_TRY(constant_type(importer, operation, literal, &type));
    if (!value_type_static(&type))
        return mlir_failure(importer->document, literal->text.data,
                            "the shape of a constant must be known");
    const struct constant *constant;
    STATUS_TRY(
        tosa_literal_read(&importer->literals, literal, type.element, &type.shape, &constant));
    const uint32_t value = tosa_constant_add(importer, constant);
    if (operation->result_count == 1)
        network_value(importer->network, value)->name = operation->results[0].name;
    return name_result(importer, operation, value);
}

static struct tosa_variable *find_variable(struct tosa_importer *importer,
                                           const struct mlir_operation *operation)
{
    const struct mlir_attribute *name = mlir_find(operation, "name");
    return tosa_variable_find(importer, name != NULL ? name->text : operation->symbol);
}

static status read_variable(struct tosa_importer *importer, const struct mlir_operation *operation)
{
    const struct tosa_variable *variable = find_variable(importer, operation);
    if (variable == NULL || variable->value == NETWORK_NONE)
        return mlir_failure(importer->document, operation->text.data,
                            "the variable is not defined, or has no value");
    return name_result(importer, operation, variable->value);
}

static status write_variable(struct tosa_importer *importer, const struct mlir_operation *operation)
{
    struct tosa_variable *variable = find_variable(importer, operation);
    if (variable == NULL || operation->operand_count != 1)
        return mlir_failure(importer->document, operation->text.data,
                            "expected a variable and its new value");
    if (importer->depth > 1)
        return mlir_failure(importer->document, operation->text.data,
                            "writing variables inside of loops and branches is not supported");
    uint32_t value;
    STATUS_TRY(tosa_name_find(importer, &operation->operands[0], &value));
    struct value_type merged;
    const status failure =
        value_type_merge(&network_value(importer->network, value)->type, &variable->type, &merged);
    if (failure != STATUS_OK) {
        status_free(failure);
        return mlir_failure(importer->document, operation->text.data,
                            "the value has another type than the variable");
    }
    variable->value = value;
    return STATUS_OK;
}

// Nodes -----------------------------------------------------------------------

static status tosa_import_graph_read_operands(struct tosa_draft *draft)
{
    const struct mlir_operation *operation = draft->operation;
    struct tosa_importer *importer = draft->importer;
    draft->inputs =
        arena_allocate(&importer->network->arena,
                       ((size_t)operation->operand_count + TOSA_DRAFT_EXTRA) * sizeof(uint32_t));
    draft->input_count = operation->operand_count;
    if (operation->has_arrow && operation->operand_types.count != operation->operand_count &&
        operation->operand_types.count != 0)
        return mlir_failure(importer->document, operation->text.data,
                            "'%.*s' has %u operands and %u types", VIEW_ARGUMENTS(operation->name),
                            operation->operand_count, operation->operand_types.count);
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        STATUS_TRY(tosa_name_find(importer, &operation->operands[i], &draft->inputs[i]));
        if (operation->operand_types.count != operation->operand_count)
            continue;
        struct value_type declared, merged;
        STATUS_TRY(tosa_value_type(importer, operation->operand_types.items[i], &declared));
        const status failure = value_type_merge(&declared, &tosa_input(draft, i)->type, &merged);
        if (failure == STATUS_OK)
            continue;
        status_free(failure);
        return mlir_failure(importer->document, operation->operands[i].name.data,
                            "'%%%.*s' has another type where it is defined",
                            VIEW_ARGUMENTS(operation->operands[i].name));
    }
    return STATUS_OK;
}

static status make_results(struct tosa_draft *draft)
{
    const struct mlir_operation *operation = draft->operation;
    struct tosa_importer *importer = draft->importer;
    draft->output_count = result_count(operation);
    draft->outputs =
        arena_allocate(&importer->network->arena, (size_t)draft->output_count * sizeof(uint32_t));
    const uint32_t types =
        operation->has_arrow ? operation->result_types.count : operation->operand_types.count;
    if (draft->output_count != types && (operation->has_arrow || draft->output_count > types))
        return mlir_failure(importer->document, operation->text.data,
                            "'%.*s' has %u results and %u types of results",
                            VIEW_ARGUMENTS(operation->name), draft->output_count, types);
    uint32_t made = 0;
    for (uint32_t i = 0; i < operation->result_count; i++) {
        for (uint32_t k = 0; k < operation->results[i].count; k++) {
            struct value_type type;
            STATUS_TRY(tosa_import_graph_result_type(importer, operation, made, &type));
            draft->outputs[made++] =
                tosa_value_add(importer, result_name(importer, &operation->results[i], k), &type);
        }
    }
    return STATUS_OK;
}

static status name_results(struct tosa_draft *draft)
{
    const struct mlir_operation *operation = draft->operation;
    uint32_t named = 0;
    for (uint32_t i = 0; i < operation->result_count; i++) {
        STATUS_TRY(tosa_name_define(draft->importer, operation->results[i].name,
                                    draft->outputs[named], operation->results[i].count));
        named += operation->results[i].count;
    }
    return STATUS_OK;
}

static status tosa_import_graph_add_attributes(struct tosa_draft *draft,
                                               const struct mlir_attribute *dictionary)
{
    for (uint32_t i = 0; dictionary != NULL && i < dictionary->count; i++) {
        struct attribute *attribute = &draft->attributes[draft->attribute_count++];
        STATUS_TRY(tosa_attribute(draft->importer, &dictionary->items[i], attribute));
    }
    return STATUS_OK;
}

static status tosa_import_graph_read_attributes(struct tosa_draft *draft)
{
    const struct mlir_operation *operation = draft->operation;
    const size_t room = TOSA_DRAFT_EXTRA +
                        (operation->properties != NULL ? operation->properties->count : 0) +
                        (size_t)(operation->attributes != NULL ? operation->attributes->count : 0);
    draft->attributes =
        arena_allocate(&draft->importer->network->arena, room * sizeof *draft->attributes);
    STATUS_TRY(tosa_import_graph_add_attributes(draft, operation->properties));
    return tosa_import_graph_add_attributes(draft, operation->attributes);
}

static int tosa_import_graph_compare_names(const void *left, const void *right)
{
    const struct view a = ((const struct attribute *)left)->name;
    const struct view b = ((const struct attribute *)right)->name;
    const int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// Inner graphs ----------------------------------------------------------------

static status read_inner(struct tosa_draft *draft, uint32_t index, uint32_t first_input,
                         const char *name)
{
    const struct mlir_operation *operation = draft->operation;
    struct tosa_importer *importer = draft->importer;
    const struct mlir_region *region = &operation->regions[index];
    if (region->count != 1)
        return mlir_failure(importer->document, operation->text.data,
                            "'%.*s' must have one block in each region",
                            VIEW_ARGUMENTS(operation->name));
    struct tosa_block block = {&region->blocks[0], region->blocks[0].arguments,
                               region->blocks[0].argument_count, NULL};
    // A block without a label takes what the operation names: (%inner = %outer).
    if (block.argument_count == 0 && region->blocks[0].label.size == 0 &&
        operation->argument_count > 0 &&
        operation->argument_count == draft->input_count - first_input) {
        block.arguments = operation->arguments;
        block.argument_count = operation->argument_count;
        block.values = draft->inputs + first_input;
    }
    const uint32_t graph = network_graph_add(importer->network, view_of(name));
    struct attribute *attribute = &draft->attributes[draft->attribute_count++];
    *attribute = (struct attribute){.name = view_of(name), .kind = ATTRIBUTE_GRAPH};
    attribute->graph = graph;
    return tosa_graph_read(importer, &block, graph);
}

struct inner_graphs {
    const char *operation;
    uint32_t first_input; // that the blocks take
    const char *names[2];
};

static const struct inner_graphs INNER_GRAPHS[] = {
    {"tosa.cond_if", 1, {"then_graph", "else_graph"}},
    {"tosa.while_loop", 0, {"cond_graph", "body_graph"}},
};

static status tosa_import_graph_read_regions(struct tosa_draft *draft)
{
    const struct mlir_operation *operation = draft->operation;
    for (size_t i = 0; i < sizeof INNER_GRAPHS / sizeof *INNER_GRAPHS; i++) {
        const struct inner_graphs *inner = &INNER_GRAPHS[i];
        if (!view_is(operation->name, inner->operation))
            continue;
        if (operation->region_count != 2 || draft->input_count < inner->first_input)
            return mlir_failure(draft->importer->document, operation->text.data,
                                "'%s' must have two regions", inner->operation);
        STATUS_TRY(read_inner(draft, 0, inner->first_input, inner->names[0]));
        return read_inner(draft, 1, inner->first_input, inner->names[1]);
    }
    if (operation->region_count > 0)
        return mlir_failure(draft->importer->document, operation->text.data, "'%.*s' has regions",
                            VIEW_ARGUMENTS(operation->name));
    return STATUS_OK;
}

static void fill_node(const struct tosa_draft *draft, uint32_t id, uint32_t index)
{
    struct tosa_importer *importer = draft->importer;
    struct network_node *node = network_node(importer->network, id);
    node->version = 1;
    node->index = index;
    node->type = draft->type;
    node->domain = VIEW_LITERAL("tosa");
    tosa_place(importer, draft->operation->location, &node->name, &node->location);
    node->inputs = draft->inputs;
    node->outputs = draft->outputs;
    node->input_count = draft->input_count;
    node->output_count = draft->output_count;
    node->attributes = (struct attributes){draft->attributes, draft->attribute_count};
    for (uint32_t i = 0; i < draft->output_count; i++)
        network_value(importer->network, draft->outputs[i])->producer = id;
}

// The line is asked for before the regions are read, so that places only go on.
static status read_node(struct tosa_importer *importer, const struct mlir_operation *operation,
                        uint32_t graph, uint32_t index, uint32_t *out_node)
{
    struct tosa_draft draft = {
        .importer = importer, .operation = operation, .type = operation->name, .graph = graph};
    const uint64_t line = tosa_line(importer, operation->text.data);
    STATUS_TRY(tosa_import_graph_read_operands(&draft));
    STATUS_TRY(make_results(&draft));
    STATUS_TRY(tosa_import_graph_read_attributes(&draft));
    STATUS_TRY(tosa_normalize(&draft));
    const struct operator_definition *definition =
        operator_imported(VIEW_LITERAL("tosa"), draft.type);
    if (definition == NULL || view_find(draft.type, '.') == draft.type.size)
        return status_at(STATUS_UNSUPPORTED, importer->document->name, line,
                         "there is no operation '%.*s'", VIEW_ARGUMENTS(operation->name));
    STATUS_TRY(tosa_import_graph_read_regions(&draft));
    sort_items(draft.attributes, draft.attribute_count, sizeof *draft.attributes,
               tosa_import_graph_compare_names);
    *out_node = network_node_add(importer->network, graph);
    network_node(importer->network, *out_node)->definition = definition;
    fill_node(&draft, *out_node, index);
    network_node(importer->network, *out_node)->line = line;
    network_node(importer->network, *out_node)->column =
        tosa_import_graph_column_of(importer, operation);
    return name_results(&draft);
}

// Graphs ----------------------------------------------------------------------

struct node_list {
    uint32_t *items;
    size_t count;
    size_t capacity;
};

static bool tosa_import_graph_is_terminator(struct view name)
{
    return view_is(name, "return") || view_is(name, "func.return") || view_is(name, "std.return") ||
           view_is(name, "util.return") || view_is(name, "tosa.yield");
}

static bool tosa_import_graph_is_constant(struct view name)
{
    return view_is(name, "tosa.const") || view_is(name, "tosa.const_shape") ||
           view_is(name, "arith.constant") || view_is(name, "std.constant");
}

static status tosa_import_graph_read_arguments(struct tosa_importer *importer,
                                               const struct tosa_block *block, uint32_t graph)
{
    uint32_t *inputs =
        arena_allocate(&importer->network->arena, (size_t)block->argument_count * sizeof *inputs);
    for (uint32_t i = 0; i < block->argument_count; i++) {
        const struct mlir_argument *argument = &block->arguments[i];
        struct value_type type;
        if (argument->type != NULL)
            STATUS_TRY(tosa_value_type(importer, argument->type, &type));
        else
            type = network_value(importer->network, block->values[i])->type;
        inputs[i] = tosa_value_add(importer, argument->name, &type);
        if (argument->name.size > 0)
            STATUS_TRY(tosa_name_define(importer, argument->name, inputs[i], 1));
    }
    struct network_graph *target = network_graph(importer->network, graph);
    target->inputs = inputs;
    target->input_count = block->argument_count;
    return STATUS_OK;
}

static status read_outputs(struct tosa_importer *importer, const struct mlir_operation *operation,
                           uint32_t graph)
{
    uint32_t *outputs = arena_allocate(&importer->network->arena,
                                       (size_t)operation->operand_count * sizeof *outputs);
    for (uint32_t i = 0; i < operation->operand_count; i++)
        STATUS_TRY(tosa_name_find(importer, &operation->operands[i], &outputs[i]));
    struct network_graph *target = network_graph(importer->network, graph);
    target->outputs = outputs;
    target->output_count = operation->operand_count;
    return STATUS_OK;
}

static status tosa_import_graph_read_operation(struct tosa_importer *importer,
                                               const struct mlir_operation *operation,
                                               uint32_t graph, struct node_list *nodes)
{
    if (tosa_import_graph_is_constant(operation->name))
        return read_constant(importer, operation);
    if (view_is(operation->name, "tosa.variable"))
        return tosa_variable_define(importer, operation);
    if (view_is(operation->name, "tosa.variable_read") ||
        view_is(operation->name, "tosa.variable.read"))
        return read_variable(importer, operation);
    if (view_is(operation->name, "tosa.variable_write") ||
        view_is(operation->name, "tosa.variable.write"))
        return write_variable(importer, operation);
    uint32_t node;
    STATUS_TRY(read_node(importer, operation, graph, (uint32_t)nodes->count, &node));
    nodes->items = memory_grow(nodes->items, nodes->count, &nodes->capacity, sizeof *nodes->items);
    nodes->items[nodes->count++] = node;
    return STATUS_OK;
}

static status read_operations(struct tosa_importer *importer, const struct mlir_block *block,
                              uint32_t graph, struct node_list *nodes)
{
    for (uint32_t i = 0; i < block->operation_count; i++) {
        const struct mlir_operation *operation = &block->operations[i];
        if (!tosa_import_graph_is_terminator(operation->name)) {
            STATUS_TRY(tosa_import_graph_read_operation(importer, operation, graph, nodes));
            continue;
        }
        if (i + 1 < block->operation_count)
            return mlir_failure(importer->document, block->operations[i + 1].text.data,
                                "an operation after '%.*s'", VIEW_ARGUMENTS(operation->name));
        return read_outputs(importer, operation, graph);
    }
    return status_at(STATUS_DATA, importer->document->name, importer->line,
                     "the block does not end with a return or a yield");
}

status tosa_graph_read(struct tosa_importer *importer, const struct tosa_block *block,
                       uint32_t graph)
{
    struct node_list nodes = {0};
    const size_t mark = importer->scope_count;
    importer->depth++;
    status failure = tosa_import_graph_read_arguments(importer, block, graph);
    if (failure == STATUS_OK)
        failure = read_operations(importer, block->block, graph, &nodes);
    importer->depth--;
    tosa_names_forget(importer, mark);
    if (failure == STATUS_OK) {
        struct network_graph *target = network_graph(importer->network, graph);
        target->node_count = (uint32_t)nodes.count;
        target->nodes =
            arena_allocate(&importer->network->arena, nodes.count * sizeof *target->nodes);
        if (nodes.count > 0)
            memcpy(target->nodes, nodes.items, nodes.count * sizeof *target->nodes);
    }
    free(nodes.items);
    return failure;
}
