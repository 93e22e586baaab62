// What is known of every operator apart from how it computes: which types and
// shapes it takes and gives, how much work it is, and the traits by which the other
// rooms tell what to do with it. They never ask for its name.
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
    OPERATOR_LAYOUT,        // the same elements in rows instead of tiles, or the other way round
    OPERATOR_GATHER,        // places chosen by data
    OPERATOR_RECURRENT,
    OPERATOR_CONTROL, // runs other graphs
    OPERATOR_CONSTANT,
    OPERATOR_OTHER,
    OPERATOR_CLASSES,
};

// As target files write it: "convolution".
const char *operator_class_name(enum operator_class class);

// What an operator computes, for whoever recognises it among others. Two operators compute
// the same only if whoever takes one takes the other: most of TOSA's have rules of their own
// for integers and are therefore COMPUTES_OTHER.
enum operator_function {
    COMPUTES_OTHER,
    COMPUTES_ABSOLUTE,
    COMPUTES_ADD,
    COMPUTES_AVERAGE_POOL,
    COMPUTES_BATCH_NORMALIZATION,
    COMPUTES_CAST,
    COMPUTES_CLIP,
    COMPUTES_CONCAT,
    COMPUTES_CONVOLUTION,
    COMPUTES_DEQUANTIZE,
    COMPUTES_DIVIDE,
    COMPUTES_ERF,
    COMPUTES_EXP,
    COMPUTES_FILL, // the element of its attribute 'value' everywhere
    COMPUTES_GLOBAL_AVERAGE_POOL,
    COMPUTES_GEMM,
    COMPUTES_HARD_SIGMOID,
    COMPUTES_HARD_SWISH,
    COMPUTES_IDENTITY, // hands its input on
    COMPUTES_LEAKY_RELU,
    COMPUTES_MATMUL,
    COMPUTES_MAX_POOL,
    COMPUTES_MULTIPLY,
    COMPUTES_NEGATE,
    COMPUTES_POWER,
    COMPUTES_QUANTIZE,
    COMPUTES_QUANTIZED_CONVOLUTION,
    COMPUTES_RECIPROCAL,
    COMPUTES_REDUCE_MEAN,
    COMPUTES_RELU,
    COMPUTES_RESIZE,
    COMPUTES_ROWS, // out of tiles
    COMPUTES_SIGMOID,
    COMPUTES_PART,
    COMPUTES_SOFTMAX,
    COMPUTES_SQUARE_ROOT,
    COMPUTES_SUBTRACT,
    COMPUTES_TANH,
    COMPUTES_TILES,
    COMPUTES_TRANSPOSE,
    COMPUTES_TRANSPOSED_CONVOLUTION,
    COMPUTES_UNPACKED,     // out of blocks (weights.h)
    COMPUTES_WEIGHT_TILES, // of the second factor of a product
    OPERATOR_FUNCTIONS,
};

// Which parts of its inputs an operator needs for a part of its output. The rules are the
// compiler's (region.c); TOSA's layouts have rules of their own.
enum operator_tiling {
    TILED_NOT,         // it can only be computed as a whole
    TILED_AS_ELEMENTS, // the same place of every input, which may be broadcast
    TILED_AS_FIRST,    // of the first alone; the others are parameters
    TILED_AS_FIRST_TWO,
    TILED_AS_QUANTIZE,
    TILED_AS_RESCALE,
    TILED_AS_CONV,
    TILED_AS_POOL,
    TILED_AS_GLOBAL_POOL,
    TILED_AS_MATMUL,
    TILED_AS_GEMM,
    TILED_AS_TRANSPOSE,
    TILED_AS_CONCAT,
    TILED_ALONG_AXIS,   // all of one axis, which stays with length 1
    TILED_WITHOUT_AXIS, // which goes
    TILED_BUT_AXIS,     // all of one axis, and of those after it before version 13
    TILED_UP_TO_AXIS,   // all of one axis and of those after it; the others are parameters of these
    TILED_BY_CHANNELS,  // the second dimension is that of the parameters
    TILED_AS_TOSA_CONV2D,
    TILED_AS_TOSA_DEPTHWISE,
    TILED_AS_TOSA_POOL,
    TILED_AS_TOSA_MATMUL,
    TILED_AS_FULLY_CONNECTED,
    TILED_AS_TOSA_PAD,
    OPERATOR_TILINGS,
};

// By which numbers an operator is priced; program/node_cost.c finds them.
enum operator_price {
    PRICED_NOT,         // nobody has said: no row stays so
    PRICED_AS_ELEMENTS, // for each element, by how the operands lie
    PRICED_AS_SCALING,  // elements with a scale for all or along an axis
    PRICED_AS_TABLE,    // elements looked up
    PRICED_AS_CONVOLUTION,
    PRICED_AS_SCALED_CONVOLUTION, // whose weights are input 3
    PRICED_AS_TRANSPOSED_CONVOLUTION,
    PRICED_AS_TOSA_CONVOLUTION, // with channels last
    PRICED_AS_TOSA_DEPTHWISE,
    PRICED_AS_TOSA_TRANSPOSED,
    PRICED_AS_MATMUL,
    PRICED_AS_SCALED_MATMUL, // whose weights are input 3
    PRICED_AS_TOSA_MATMUL,
    PRICED_AS_RECURRENCE,
    PRICED_AS_POOLING,
    PRICED_AS_REDUCTION,
    PRICED_AS_NORMALIZATION,          // along an axis
    PRICED_AS_CHANNEL_NORMALIZATION,  // each channel by itself
    PRICED_AS_TRAILING_NORMALIZATION, // from an axis to the last
    PRICED_AS_MOVEMENT,               // element by element
    PRICED_AS_ROWS,                   // copied by rows
    PRICED_AS_TRANSPOSE,
    PRICED_AS_VIEW,
    PRICED_AS_GATHER,
    PRICED_AS_GATHERED_ROWS, // along an axis
    PRICED_AS_TOSA_GATHER,
    PRICED_AS_TOSA_SCATTER,
    PRICED_AS_RESIZE, // with rows last
    PRICED_AS_TOSA_RESIZE,
    PRICED_AS_BLOCKS, // of channels that become places
    PRICED_AS_OTHER,
    OPERATOR_PRICES,
};

// What an operator does with elements, as far as machines tell such operators apart: those that
// are elementwise, and by what others reduce and pool. Engines of targets may take some of them
// alone, by these names in small letters.
enum operator_sort {
    SORT_OTHER,
    SORT_SUM,     // add, subtract
    SORT_PRODUCT, // multiply
    SORT_CHOICE,  // least, greatest, comparisons, bits of two
    SORT_NOT,     // bits of one
    SORT_SHIFT,
    SORT_SELECT, // one of two by a third
    SORT_SCALE,  // a factor and an offset that go with the numbers: of quantized integers
    SORT_CLIP,   // between two limits
    SORT_UNARY,  // absolute, negated, rounded, or of another type
    SORT_CURVE,  // a function that is looked up or approximated
    OPERATOR_SORTS,
};

// "sum"; NULL of SORT_OTHER.
const char *operator_sort_name(enum operator_sort sort);

// What an operator is to integers that stand for reals.
enum operator_scaling {
    SCALES_NOTHING,
    SCALES_BACK,       // an integer to the real that it stands for
    SCALES_TO_INTEGER, // a real to a narrow integer
};

struct operator_arity {
    uint16_t least, most; // UINT16_MAX: any number
};

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

// The row of an operator. What the rooms ask of it stands here; what they do with the answer
// stands in tables of theirs, by the value of the trait or by `id`.
struct operator_definition {
    const char *name; // "Conv", "tosa.conv2d"
    uint16_t id;      // from 0 without gaps; rows leave it out
    enum operator_class class;
    enum operator_function function;
    enum operator_tiling tiling;
    enum operator_price price;
    enum operator_scaling scaling;
    enum operator_sort sort;
    struct operator_arity inputs;
    struct operator_arity outputs;
    // FLOPs for each output element; operators that count otherwise have `measure`.
    uint16_t flops;
    bool random;      // never calculated before the network runs
    bool reads_graph; // looks at the operators that its inputs were computed by
    // Inputs whose element does not go with that of the data: shapes, axes, counts, scales. A
    // conversion of the network leaves them as they are. Bits (OPERATOR_INPUT).
    uint32_t exact;
    bool sums_in_result; // what it adds up is kept in the element of its result
    // Checks whatever does not depend on the elements of inputs, so that a
    // kernel never meets a wrong type, rank, dimension or attribute, and fills
    // `outputs`. Parts that follow from unknown inputs stay unknown. The caller
    // adds file and node to the message of a failure. NULL: importers only.
    status (*infer)(struct inference *inference);
    // Sets macs and flops; all shapes are known. NULL: no MACs, `flops` x elements.
    void (*measure)(const struct inference *inference, struct work *work);
};

#define OPERATOR_INPUT(index) (UINT32_C(1) << (index))

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

// The same of what a file may name: not what only the compiler adds.
const struct operator_definition *operator_imported(struct view domain, struct view name);

// The first that computes this; NULL when none does.
const struct operator_definition *operator_computing(enum operator_function function);

// Every definition, by id. NULL after the last one.
const struct operator_definition *operator_at(size_t id);
size_t operator_count(void);

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
