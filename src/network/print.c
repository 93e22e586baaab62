#include "print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    VALUES_MOST = 8, // of a constant, and of lists in attributes 64
    LIST_MOST = 64,
    TEXT_MOST = 200,
    DEPTH_MOST = 100, // graphs inside one another
};

static void print_view(struct output *output, struct view text)
{
    output_write(output, text.data, text.size);
}

// Whether a text gives a number back: as a float where the number is one.
static bool gives_back(const char *text, double number)
{
    const float single = (float)number;
    const bool is_single = !((double)single < number) && !((double)single > number);
    const double back = is_single ? (double)strtof(text, NULL) : strtod(text, NULL);
    return !(back < number) && !(back > number);
}

// Numbers with as few digits as give them back.
static void print_real(struct output *output, double number)
{
    static const int DIGITS[] = {6, 9, 15, 17};
    char text[40];
    for (size_t i = 0; i < sizeof DIGITS / sizeof *DIGITS; i++) {
        snprintf(text, sizeof text, "%.*g", DIGITS[i], number);
        if (gives_back(text, number))
            break;
    }
    output_text(output, isnan(number) ? "nan" : text);
}

static void network_print_quoted(struct output *output, struct view text)
{
    output_text(output, "\"");
    for (size_t i = 0; i < text.size && i < TEXT_MOST; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        if (byte == '"' || byte == '\\')
            output_format(output, "\\%c", byte);
        else if (byte < ' ' || byte == 127)
            output_format(output, "\\%02X", byte);
        else
            output_write(output, &text.data[i], 1);
    }
    output_text(output, text.size > TEXT_MOST ? "\"..." : "\"");
}

static void print_shape(struct output *output, const struct shape *shape,
                        const struct view *symbols)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] != SHAPE_UNKNOWN) {
            output_format(output, "%" PRId64 "x", shape->dims[i]);
            continue;
        }
        output_text(output, "?");
        if (symbols != NULL)
            print_view(output, symbols[i]);
        output_text(output, "x");
    }
}

static void print_tensor_type(const struct value_type *type, const struct view *symbols,
                              struct output *output)
{
    if (type->ranked)
        print_shape(output, &type->shape, symbols);
    else
        output_text(output, "*x");
    output_text(output, type->element == ELEMENT_NONE ? "?" : element_name(type->element));
}

void network_print_type(const struct value_type *type, const struct view *symbols,
                        struct output *output)
{
    if (type->optional)
        output_text(output, "optional<");
    if (type->kind == VALUE_UNKNOWN) {
        output_text(output, "unknown");
    } else if (type->kind == VALUE_TENSOR) {
        print_tensor_type(type, symbols, output);
    } else {
        output_text(output, "sequence<");
        print_tensor_type(type, NULL, output);
        output_text(output, ">");
    }
    if (type->optional)
        output_text(output, ">");
}

// FNV-1a, the same on every machine.
static uint64_t hash_more(uint64_t hash, const void *data, uint64_t size)
{
    const unsigned char *bytes = data;
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_constant(const struct constant *constant)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const struct tensor *tensor = &constant->tensor;
    if (tensor->element != ELEMENT_TEXT)
        return hash_more(hash, tensor->data,
                         constant->packed ? constant->bytes : tensor_bytes(tensor));
    const struct view *texts = tensor->data;
    for (uint64_t i = 0; i < tensor_count(tensor); i++) {
        hash = hash_more(hash, texts[i].data, texts[i].size);
        hash = hash_more(hash, "", 1);
    }
    return hash;
}

static void print_element(struct output *output, const struct constant *constant, uint64_t index)
{
    const struct tensor *tensor = &constant->tensor;
    if (tensor->element == ELEMENT_TEXT) {
        network_print_quoted(output, ((const struct view *)tensor->data)[index]);
    } else if (element_is_float(tensor->element)) {
        print_real(output, constant_real(constant, index));
    } else {
        output_format(output, "%" PRId64, constant_integer(constant, index));
    }
}

static bool is_complex(enum element element)
{
    return element == ELEMENT_C64 || element == ELEMENT_C128;
}

static void print_constant(struct output *output, const struct constant *constant)
{
    const struct tensor *tensor = &constant->tensor;
    const uint64_t count = tensor_count(tensor);
    print_shape(output, &tensor->shape, NULL);
    output_text(output, element_name(tensor->element));
    if (count > VALUES_MOST || is_complex(tensor->element)) {
        output_format(output, "=<%" PRIu64 " values, %016" PRIx64 ">", count,
                      hash_constant(constant));
        return;
    }
    output_text(output, "=[");
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            output_text(output, ", ");
        print_element(output, constant, i);
    }
    output_text(output, "]");
}

static void print_name(const struct network *network, uint32_t id, struct output *output)
{
    const struct view name = network_value(network, id)->name;
    output_text(output, "%");
    if (name.size > 0)
        print_view(output, name);
    else
        output_format(output, "#%" PRIu32, id);
}

// Constants of TOSA have names that only their file knows.
static void network_print_operand(const struct network *network, uint32_t id, struct output *output)
{
    if (id == NETWORK_NONE) {
        output_text(output, "_");
        return;
    }
    const struct network_value *value = network_value(network, id);
    const bool inlined = value->constant != NULL && value->producer == NETWORK_NONE;
    if (!inlined || network->dialect == NETWORK_ONNX)
        print_name(network, id, output);
    if (inlined && network->dialect == NETWORK_ONNX)
        output_text(output, ": ");
    if (inlined)
        print_constant(output, value->constant);
}

static void print_typed(const struct network *network, uint32_t id, struct output *output)
{
    if (id == NETWORK_NONE) {
        output_text(output, "_");
        return;
    }
    const struct network_value *value = network_value(network, id);
    print_name(network, id, output);
    output_text(output, ": ");
    network_print_type(&value->type, value->symbols, output);
}

static void print_list(struct output *output, const struct attribute *attribute)
{
    output_text(output, "[");
    for (uint32_t i = 0; i < attribute->count; i++) {
        if (i > 0)
            output_text(output, ", ");
        if (i == LIST_MOST) {
            output_format(output, "... %" PRIu32 " more", attribute->count - i);
            break;
        }
        switch (attribute->kind) {
        case ATTRIBUTE_INTEGERS:
            output_format(output, "%" PRId64, attribute->integers[i]);
            break;
        case ATTRIBUTE_REALS:
            print_real(output, attribute->reals[i]);
            break;
        case ATTRIBUTE_TEXTS:
            network_print_quoted(output, attribute->texts[i]);
            break;
        case ATTRIBUTE_TENSORS:
            print_constant(output, &attribute->tensors[i]);
            break;
        default:
            output_format(output, "graph %" PRIu32, attribute->graphs[i]);
        }
    }
    output_text(output, "]");
}

static void print_attribute(struct output *output, const struct attribute *attribute)
{
    print_view(output, attribute->name);
    output_text(output, " = ");
    switch (attribute->kind) {
    case ATTRIBUTE_INTEGER:
        output_format(output, "%" PRId64, attribute->integer);
        return;
    case ATTRIBUTE_REAL:
        print_real(output, attribute->real);
        return;
    case ATTRIBUTE_TEXT:
        network_print_quoted(output, attribute->text);
        return;
    case ATTRIBUTE_TENSOR:
        print_constant(output, attribute->tensor);
        return;
    case ATTRIBUTE_GRAPH:
        output_format(output, "graph %" PRIu32, attribute->graph);
        return;
    case ATTRIBUTE_TYPE:
        network_print_type(attribute->type, NULL, output);
        return;
    default:
        print_list(output, attribute);
    }
}

static void print_indent(struct output *output, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        output_text(output, "  ");
}

static void network_print_node(const struct network *network, const struct network_node *node,
                               struct output *output)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        output_text(output, i > 0 ? ", " : "");
        print_typed(network, node->outputs[i], output);
    }
    output_text(output, node->output_count > 0 ? " = " : "");
    if (node->domain.size > 0 && network->dialect == NETWORK_ONNX) {
        print_view(output, node->domain);
        output_text(output, ".");
    }
    print_view(output, node->type);
    output_text(output, "(");
    for (uint32_t i = 0; i < node->input_count; i++) {
        output_text(output, i > 0 ? ", " : "");
        network_print_operand(network, node->inputs[i], output);
    }
    output_text(output, ")");
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        output_text(output, i > 0 ? ", " : " {");
        print_attribute(output, &node->attributes.items[i]);
    }
    output_text(output, node->attributes.count > 0 ? "}" : "");
    if (node->name.size > 0) {
        output_text(output, " ");
        network_print_quoted(output, node->name);
    }
    if (node->line > 0)
        output_format(output, " line %" PRIu64, node->line);
    if (node->location.size > 0) {
        output_text(output, " at ");
        print_view(output, node->location);
    }
    output_text(output, "\n");
}

static void print_graph(const struct network *network, uint32_t id, unsigned depth,
                        struct output *output);

static void print_inner(const struct network *network, const struct network_node *node,
                        unsigned depth, struct output *output)
{
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const struct attribute *attribute = &node->attributes.items[i];
        if (attribute->kind == ATTRIBUTE_GRAPH)
            print_graph(network, attribute->graph, depth, output);
        for (uint32_t k = 0; attribute->kind == ATTRIBUTE_GRAPHS && k < attribute->count; k++)
            print_graph(network, attribute->graphs[k], depth, output);
    }
}

static void print_graph(const struct network *network, uint32_t id, unsigned depth,
                        struct output *output)
{
    if (depth > DEPTH_MOST)
        return;
    const struct network_graph *graph = network_graph(network, id);
    print_indent(output, depth);
    if (id > 0)
        output_format(output, "graph %" PRIu32 " ", id);
    else
        output_text(output, "graph ");
    print_view(output, graph->name);
    output_text(output, "(");
    for (uint32_t i = 0; i < graph->input_count; i++) {
        output_text(output, i > 0 ? ", " : "");
        print_typed(network, graph->inputs[i], output);
    }
    output_text(output, ") -> (");
    for (uint32_t i = 0; i < graph->output_count; i++) {
        output_text(output, i > 0 ? ", " : "");
        network_print_operand(network, graph->outputs[i], output);
    }
    output_text(output, ")\n");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        print_indent(output, depth + 1);
        network_print_node(network, node, output);
        print_inner(network, node, depth + 2, output);
    }
}

void network_print(const struct network *network, struct output *output)
{
    print_graph(network, 0, 0, output);
}
