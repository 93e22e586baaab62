// What is known of every operator apart from how it computes: which types and
// shapes it takes and gives, and how much work it is.
//
// Each family of operators has a table in a file of its own. A definition
// serves all versions of its operator; `version` of the node tells which one
// is meant.

#ifndef OPSCOPE_NETWORK_OPERATORS_H
#define OPSCOPE_NETWORK_OPERATORS_H

#include "network.h"

// What an operator is like, for whoever places, fuses or prices it.
enum operator_class {
    OPERATOR_ELEMENTWISE, // each output element from the same place of each input
    OPERATOR_CONVOLUTION,
    OPERATOR_MATMUL,
    OPERATOR_POOLING,
    OPERATOR_REDUCTION,
    OPERATOR_NORMALIZATION, // softmax as well
    OPERATOR_MOVEMENT,      // copies elements to other places
    OPERATOR_VIEW,          // the same bytes under another shape
    OPERATOR_GATHER,        // places chosen by data
    OPERATOR_RECURRENT,
    OPERATOR_CONTROL, // runs other graphs
    OPERATOR_CONSTANT,
    OPERATOR_OTHER,
    OPERATOR_CLASSES,
};

// As target files write it: "convolution".
const char *operator_class_name(enum operator_class class);

// One node whose output types are asked for: before the network runs, and
// again when it runs if they were not known before.
struct inference {
    const struct network *network;
    const struct network_node *node; // attributes, version, names of the outputs
    uint32_t input_count;
    uint32_t output_count;
    // NULL where an optional input is left out. The kind may be VALUE_UNKNOWN.
    const struct value_type *const *inputs;
    // The values of inputs that are known, else NULL. While the network runs all are.
    const struct constant *const *known;
    // To be filled; VALUE_UNKNOWN before.
    struct value_type *outputs;
    // Values of outputs that follow from types and attributes alone (Shape,
    // Constant), where it is easily had; NULL otherwise. From the network's arena.
    const struct constant **values;
    // NULL while the network runs: then `values` is NULL as well.
    struct network *building;
};

struct operator_definition {
    const char *name; // "Conv", "tosa.conv2d"
    enum operator_class class;
    uint16_t inputs_least, inputs_most; // UINT16_MAX: any number
    uint16_t outputs_least, outputs_most;
    // FLOPs for each output element; operators that count otherwise have `measure`.
    uint16_t flops;
    bool random; // never calculated before the network runs
    // Checks whatever does not depend on the elements of inputs, so that a
    // kernel never meets a wrong type, rank, dimension or attribute, and fills
    // `outputs`. Parts that follow from unknown inputs stay unknown. The caller
    // adds file and node to the message of a failure. NULL: importers only.
    status (*infer)(struct inference *inference);
    // Sets macs and flops; all shapes are known. NULL: no MACs, `flops` x elements.
    void (*measure)(const struct inference *inference, struct work *work);
};

struct operator_table {
    const struct operator_definition *items;
    size_t count;
};

#define OPERATOR_TABLE(array)                                                                      \
    {                                                                                              \
        array, sizeof(array) / sizeof *(array)                                                     \
    }

// NULL when there is none. `domain` is "", "ai.onnx", "ai.onnx.preview.training"
// or "tosa".
const struct operator_definition *operator_find(struct view domain, struct view name);

// Every definition, table by table. NULL behind the last one.
const struct operator_definition *operator_at(size_t index);

// Calculates a node all of whose inputs are known while types are inferred, so
// that shapes that a network computes become known: the room that computes sets
// it once at start. Fills `values` in the network's arena, or leaves them NULL.
// Called for nodes with at most OPERATOR_FOLD_MOST elements in each input and output.
enum { OPERATOR_FOLD_MOST = 4096 };
typedef void (*operator_evaluator)(struct inference *inference);
void operator_set_evaluator(operator_evaluator evaluator);

// Infers types, shapes, small values and work of the whole network. Failures
// name the node.
status network_infer(struct network *network);

// Infers one node again, and calculates it if all its inputs are known and nothing
// has more than `most` elements.
status network_fold_node(struct network *network, uint32_t node, uint64_t most);

// Of one node: counts its inputs and outputs, then calls `infer`.
status inference_run(struct inference *inference);
void inference_measure(const struct inference *inference, struct work *out_work);

// Infers a graph inside another: what If, Loop and Scan call from `infer` after
// they have set the types of the graph's inputs (in `building`). Does nothing while
// the network runs.
status inference_graph(const struct inference *inference, uint32_t graph);

// Helpers for `infer` ---------------------------------------------------------

// Input `index` when it is there and a tensor, else NULL.
const struct value_type *inference_tensor(const struct inference *inference, uint32_t index);

// Fails unless input `index` is a tensor; accepts one of unknown kind.
status inference_need_tensor(const struct inference *inference, uint32_t index,
                             const struct value_type **out_type);

// Fails unless the element is known and within the set (bits 1 << ELEMENT_...).
status inference_check_element(const struct inference *inference, uint32_t index, uint32_t set);

// The integers of a known one-dimensional (or scalar) input: true, with a count
// of at most `most`. False when they are not known yet.
status inference_integers(const struct inference *inference, uint32_t index, uint32_t most,
                          int64_t *out_items, uint32_t *out_count, bool *out_known);

// Sets output `index` if the node has it.
void inference_set(struct inference *inference, uint32_t index, enum element element,
                   const struct shape *shape);
// Without a rank.
void inference_set_unranked(struct inference *inference, uint32_t index, enum element element);

// Common rules, usable as `infer`.
status inference_same_as_first(struct inference *inference);  // type and shape of input 0
status inference_broadcast(struct inference *inference);      // numpy's rules over all inputs
status inference_broadcast_bool(struct inference *inference); // the same, giving bools

// Sets of elements for inference_check_element.
#define ELEMENT_BIT(element) (UINT32_C(1) << (element))
extern const uint32_t ELEMENTS_FLOAT;   // f16 bf16 f32 f64
extern const uint32_t ELEMENTS_INTEGER; // i8 to u64
extern const uint32_t ELEMENTS_NUMERIC; // both
extern const uint32_t ELEMENTS_ANY;

#endif
