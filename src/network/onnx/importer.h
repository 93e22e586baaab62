// What the files of the ONNX importer share.

#ifndef OPSCOPE_NETWORK_ONNX_IMPORTER_H
#define OPSCOPE_NETWORK_ONNX_IMPORTER_H

#include "base/hash.h"
#include "network/network.h"
#include "tensor_proto.h"

// Operator sets that a model or a function imports.
struct opset {
    struct view domain; // "" for ONNX's own, however it is spelled
    uint64_t version;
};

enum { OPSETS_MOST = 32 };

// The last versions that are read.
enum { OPSETS_ONNX_MOST = 21, OPSETS_TRAINING_MOST = 1 };

struct opsets {
    struct opset items[OPSETS_MOST];
    uint32_t count;
};

// Reads an OperatorSetIdProto. Fails for versions that are not read here.
status opsets_add(struct opsets *opsets, struct view message);

// 0 when the domain is not imported.
uint64_t opsets_version(const struct opsets *opsets, struct view domain);

// Domains with one spelling: "ai.onnx" is "".
struct view opsets_domain(struct view domain);

// A function of the model, put in wherever it is called.
struct function {
    struct view body;
    struct view domain;
    struct view name;
    struct view overload;
    bool active; // being put in: calling it again would never end
};

struct importer {
    struct network *network;
    struct tensor_proto_reader tensors;
    struct external_files externals;
    struct opsets opsets; // the model's
    struct function *functions;
    size_t function_count;
    size_t function_capacity;
    struct hash_index functions_by_name;
    uint64_t expansion_left; // bytes that functions may still unfold to
    uint32_t depth;          // of graphs and functions inside one another
};

// How deep graphs and functions may lie inside one another.
enum { IMPORTER_DEPTH_MOST = 64 };

// Names -----------------------------------------------------------------------

enum binding_kind {
    BINDING_INPUT,
    BINDING_CONSTANT,
    BINDING_OUTPUT,   // of a node
    BINDING_PROMISED, // of a function: a node has yet to be found that gives it
};

struct binding {
    struct view name;
    uint32_t value;
    enum binding_kind kind;
};

// The names of a graph or a function. All zero is an empty one.
struct scope {
    const struct scope *outer; // whose names are seen as well; NULL: none
    struct binding *bindings;
    size_t count;
    size_t capacity;
    struct hash_index by_name;
};

// The binding of the scope itself; NULL when there is none. Valid until the next
// scope_bind.
struct binding *scope_own(const struct scope *scope, struct view name);

// The nearest binding, also of the scopes around.
const struct binding *scope_find(const struct scope *scope, struct view name);

// The name must not be bound in the scope.
void scope_bind(struct scope *scope, struct view name, uint32_t value, enum binding_kind kind);

void scope_free(struct scope *scope);

// Graphs, nodes, attributes, functions ----------------------------------------

// How many attributes a node or a function may have.
enum { ATTRIBUTES_MOST = 256 };

// The call of the function whose nodes are being read.
struct call {
    const struct function *function;
    struct opsets opsets;
    struct attributes given;
    bool graph_used[ATTRIBUTES_MOST];      // of those given: put in once, and no more
    struct view defaults[ATTRIBUTES_MOST]; // AttributeProto of those not given
    uint32_t default_count;
};

// Ids of a graph's nodes, inputs or outputs while they are collected.
struct id_list {
    uint32_t *ids;
    size_t count;
    size_t capacity;
};

void import_list_add(struct id_list *list, uint32_t id);

// Where nodes are being read: a graph, or a function that is put into one.
struct frame {
    struct scope scope;
    uint32_t graph;
    struct id_list *nodes;
    const struct opsets *opsets;
    struct call *call; // NULL outside functions
    struct view path;  // in front of names: "" or "caller/"
    uint32_t index;    // of the calling node, within functions
};

// A NodeProto, its inputs and attributes not looked at yet.
struct node_fields {
    struct view message;
    struct view name; // without the path
    struct view type;
    struct view domain;
    struct view overload;
    struct view document;
    struct view location;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t attribute_count;
};

// `outer` is NULL for the main graph.
status import_graph(struct importer *importer, const struct frame *outer, struct view message,
                    uint32_t *out_graph);

// Binds the outputs of a node. Failures name the node.
status import_node_outputs(struct importer *importer, struct frame *frame, struct view message,
                           uint32_t index);

// Adds a node whose outputs are bound, or all nodes of the function it calls.
status import_node(struct importer *importer, struct frame *frame, struct view message,
                   uint32_t index);

// Enters a new node in its graph, and as the producer of its outputs.
void import_node_enter(struct importer *importer, struct frame *frame, uint32_t node);

// Declares the type of a value that the frame itself computes.
status import_value_info(struct importer *importer, struct frame *frame, struct view message);

// Reads the attributes of a node. Within a function they may refer to those that
// it was called with.
status import_attributes(struct importer *importer, const struct frame *frame,
                         const struct node_fields *node, struct attributes *out_attributes);

// Reads one attribute; `*out_there` is false where it refers to one that was not
// given and has no default.
status import_attribute(struct importer *importer, const struct frame *frame, struct view message,
                        struct attribute *out_attribute, bool *out_there);

status import_function_add(struct importer *importer, struct view message);

// NULL when the model has none.
struct function *import_function_find(struct importer *importer, const struct node_fields *node);

// Puts in the nodes of a function.
status import_call(struct importer *importer, struct frame *frame, const struct node_fields *node,
                   uint32_t index, struct function *function);

// The ids of a node's inputs (outputs), from the network's arena.
status import_node_inputs(struct importer *importer, const struct frame *frame,
                          const struct node_fields *node, const uint32_t **out_inputs);
const uint32_t *import_node_results(struct importer *importer, const struct frame *frame,
                                    const struct node_fields *node);

// `name` after the frame's path. Charges what it copies.
status import_name(struct importer *importer, const struct frame *frame, struct view name,
                   struct view *out_name);

// Counts bytes that functions unfold to, so that a small file stays small.
status import_charge(struct importer *importer, uint64_t bytes);

#endif
