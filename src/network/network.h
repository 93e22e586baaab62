// A network: a graph of operators with values between them, read from ONNX or
// TOSA.
//
// All values, of the main graph and of the graphs inside it (branches of If,
// bodies of Loop), have one numbering, so that an inner graph names an outer
// value by its id. The nodes of a graph stand in an order in which they can
// run. Texts and constants are views into the mapped file; the rest lives in
// the network's arena. Memory is bounded by a small multiple of the file
// without its raw constants.

#ifndef OPSCOPE_NETWORK_NETWORK_H
#define OPSCOPE_NETWORK_NETWORK_H

#include "attribute.h"
#include "base/input.h"
#include "base/segments.h"
#include "conversion.h"
#include "work.h"

#define NETWORK_NONE UINT32_MAX

enum network_dialect {
    NETWORK_ONNX,
    NETWORK_TOSA,
};

struct operator_definition;

struct network_value {
    struct view name;
    struct value_type type;
    // The file declares the shape, or that of something it is computed from, and
    // nothing else tells it: what comes when it runs may have another one.
    bool declared;
    const struct constant *constant; // NULL unless its value is known
    uint32_t producer;               // node id; NETWORK_NONE: a graph's input or a constant
    // Names of unknown dimensions, as the file gives them; NULL when it names none.
    const struct view *symbols; // SHAPE_RANK_MOST of them, empty where unnamed
};

struct network_node {
    const struct operator_definition *definition;
    uint32_t version; // of its operator set
    uint32_t graph;
    uint32_t index;         // place among the nodes of its graph in the file
    struct view name;       // with the path of the functions it came through; may be ""
    struct view type;       // "Conv", "tosa.conv2d"
    struct view domain;     // "" is ONNX's own
    struct view document;   // doc string
    struct view location;   // in the source, where the file says
    uint64_t line;          // of text files; 0: unknown
    uint64_t column;        // where the operator's name begins in it
    const uint32_t *inputs; // value ids; NETWORK_NONE where an optional one is left out
    const uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;
    struct attributes attributes;
    struct work work; // filled by network_infer
};

struct network_graph {
    struct view name;
    uint32_t *nodes; // node ids, in an order in which they can run
    uint32_t *inputs;
    uint32_t *outputs;
    uint32_t node_count;
    uint32_t input_count;
    uint32_t output_count;
};

// Memory that holds an element again and again: constants that are all alike lie in it, together.
struct network_fill {
    char element[16];
    size_t size; // of the element
    void *data;
    uint64_t bytes;
};

struct network {
    struct view name;
    struct view producer; // who wrote the file
    enum network_dialect dialect;
    struct segments values; // struct network_value
    struct segments nodes;  // struct network_node
    struct segments graphs; // struct network_graph; 0 is the main one
    struct arena arena;
    struct input *source;
    struct input **externals; // files of external constants
    size_t external_count;
    struct network_fill *fills;
    size_t fill_count;
    size_t fill_capacity;
    struct conversion_record conversion;
};

// What the user says about the shapes of inputs, and what elements become.
struct network_options {
    const char *const *shapes;  // "input=1x3x224x224"; "1x3x224x224" for the only input
    const char *const *symbols; // "batch,1"
    size_t shape_count;
    size_t symbol_count;
    int64_t batch; // length of the first dimension of inputs, where the file leaves it open; 0
    bool batch_may_miss;    // no input need have it
    const char *conversion; // as conversion_parse takes it; NULL: the network stays as it is
};

// Reads a file of either kind, told apart by its content, infers all types
// and shapes, and converts it. Failures name the file, the node and the reason.
// `options` may be NULL.
status network_open(const char *path, const struct network_options *options,
                    struct network **out_network);

// The same over an input, which the network owns from now on, also on failure.
status network_read(struct input *input, const struct network_options *options,
                    struct network **out_network);

// Accepts NULL.
void network_free(struct network *network);

static inline struct network_value *network_value(const struct network *network, uint32_t id)
{
    return segments_get(&network->values, id);
}

static inline struct network_node *network_node(const struct network *network, uint32_t id)
{
    return segments_get(&network->nodes, id);
}

static inline struct network_graph *network_graph(const struct network *network, uint32_t id)
{
    return segments_get(&network->graphs, id);
}

// How messages call a node: "node 'conv1' (Conv)", "node 12 (Conv)" without a
// name, "line 7 (tosa.add)". Cut to the size of `text`.
const char *network_node_text(const struct network_node *node, char *text, size_t size);

// Building, for importers ----------------------------------------------------

struct network *network_create(enum network_dialect dialect, struct input *source);
uint32_t network_value_add(struct network *network, struct view name);
uint32_t network_graph_add(struct network *network, struct view name);
// All zero but for the graph; the importer fills it and enters it in its graph.
uint32_t network_node_add(struct network *network, uint32_t graph);

// Applies `options` to the inputs of the main graph.
status network_apply(struct network *network, const struct network_options *options);

// Puts the nodes of a graph in an order in which they can run. Fails for a
// cycle, naming a node of it.
status network_sort(struct network *network, uint32_t graph);

#endif
