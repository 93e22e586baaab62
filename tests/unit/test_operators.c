// Every operator has all its parts, in every room, or the table here says why not. Whoever
// adds an operator and forgets a part of it is told by this test which, and adds it, or a
// reason.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/region.h"
#include "device/calibrate_grids.h"
#include "device/host_recipe.h"
#include "kernels/chain_nodes.h"
#include "kernels/kernel.h"
#include "program/node_cost.h"

// Parts -----------------------------------------------------------------------------------

static bool has_kernel(const struct operator_definition *definition)
{
    return kernel_find(definition) != NULL;
}

static bool has_inference(const struct operator_definition *definition)
{
    return definition->infer != NULL;
}

static bool has_price(const struct operator_definition *definition)
{
    return node_cost_has_rule(definition->price);
}

static bool has_tiling(const struct operator_definition *definition)
{
    return region_has_rule(definition->tiling);
}

// What is not elementwise is no step of a chain.
static bool has_step(const struct operator_definition *definition)
{
    return definition->class != OPERATOR_ELEMENTWISE || chain_nodes_has_step(definition->function);
}

// All others are prepared calls.
static bool has_recipe(const struct operator_definition *definition)
{
    return (definition->class != OPERATOR_CONVOLUTION && definition->class != OPERATOR_POOLING) ||
           host_recipe_knows(definition->function);
}

// Gaps ------------------------------------------------------------------------------------

enum { NAMES_MOST = 40 };

// Operators without a part: by name ("tosa.*" is every name that begins so), or a whole class.
struct gap {
    const char *reason;
    const char *names[NAMES_MOST];
    enum operator_class class;
    bool whole_class;
};

static const struct gap NO_GAPS[] = {{0}};

static const struct gap TILING_GAPS[] = {
    {.reason = "which places it reads is known only when it runs",
     .class = OPERATOR_GATHER,
     .whole_class = true},
    {.reason = "it runs other graphs, which are compiled as a whole",
     .class = OPERATOR_CONTROL,
     .whole_class = true},
    {.reason = "it depends on shapes alone and is calculated before the network runs",
     .class = OPERATOR_CONSTANT,
     .whole_class = true},
    {.reason = "a box of one shape is no box of the other, and there is nothing to compute",
     .class = OPERATOR_VIEW,
     .whole_class = true},
    {.reason = "each step needs the whole of the step before",
     .class = OPERATOR_RECURRENT,
     .whole_class = true},
    {.reason = "what it draws depends on how much was drawn before",
     .names = {"Bernoulli", "Dropout", "RandomNormalLike", "RandomUniformLike", "Multinomial",
               "RandomNormal", "RandomUniform"}},
    {.reason = "sequences, optionals and texts do not lie in a local memory",
     .names = {"SequenceConstruct", "SequenceEmpty", "SequenceAt", "SequenceErase",
               "SequenceInsert", "SequenceLength", "SplitToSequence", "ConcatFromSequence",
               "Optional", "OptionalGetElement", "OptionalHasElement", "StringNormalizer",
               "TfIdfVectorizer", "StringSplit"}},
    {.reason = "shapes are a few numbers, which the host computes",
     .names = {"tosa.add_shape", "tosa.sub_shape", "tosa.mul_shape", "tosa.div_ceil_shape",
               "tosa.div_floor_shape", "tosa.mod_shape", "tosa.max_shape", "tosa.min_shape",
               "tosa.exp2_shape", "tosa.log2_ceil_shape", "tosa.log2_floor_shape",
               "tosa.concat_shape", "tosa.slice_shape", "tosa.dim"}},
    {.reason = "every element needs all of its line, and no rule says which lines a tile has",
     .names = {"InstanceNormalization", "GroupNormalization", "LRN", "LpNormalization",
               "MeanVarianceNormalization", "CumSum", "DFT", "STFT", "tosa.fft2d", "tosa.rfft2d"}},
    {.reason = "its axes are an attribute or an input, one or several, that may stay or go",
     .names = {"ArgMax", "ArgMin", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
               "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
               "ReduceSumSquare"}},
    {.reason = "one result stands for all elements",
     .names = {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "DynamicQuantizeLinear",
               "Det"}},
    {.reason = "its scales and zero points go along other axes than its weights",
     .names = {"QLinearConv", "QLinearMatMul", "MatMulInteger"}},
    {.reason = "a tile would need a part of the input that depends on stride and place",
     .names = {"ConvTranspose", "tosa.transpose_conv2d", "tosa.conv3d", "Resize", "Upsample",
               "tosa.resize", "Col2Im", "MaxUnpool", "DeformConv", "AffineGrid"}},
    {.reason = "no rule has been needed: engines with tiles do not take it",
     .names = {"Einsum", "LpPool", "GlobalLpPool"}},
    {.reason = "where a part of its result comes from is said by inputs, or lies in several boxes",
     .names = {"Crop", "Split", "Slice", "Pad", "Tile", "Expand", "DepthToSpace", "SpaceToDepth",
               "Trilu", "ReverseSequence", "CenterCropPad", "tosa.reverse", "tosa.slice",
               "tosa.tile", "tensor.extract_slice"}},
    {.reason = "it gives a list of any length, or one of its own making",
     .names = {"NonMaxSuppression", "ImageDecoder"}},
    {.reason = "training runs on the host", .names = {"Adagrad", "Adam", "Momentum", "Gradient"}},
    {0},
};

static const struct gap STEP_GAPS[] = {
    {.reason = "chains compute reals as ONNX does; TOSA has rules of its own", .names = {"tosa.*"}},
    {.reason = "what it draws depends on how much was drawn before",
     .names = {"Bernoulli", "Dropout", "RandomNormalLike", "RandomUniformLike"}},
    {.reason = "truth values, integers and texts are no reals",
     .names = {"And",
               "Or",
               "Xor",
               "Not",
               "Equal",
               "Greater",
               "GreaterOrEqual",
               "Less",
               "LessOrEqual",
               "IsInf",
               "IsNaN",
               "Where",
               "BitShift",
               "BitwiseAnd",
               "BitwiseOr",
               "BitwiseXor",
               "BitwiseNot",
               "StringConcat",
               "RegexFullMatch",
               "Cast",
               "CastLike",
               "Mod"}},
    {.reason = "it takes any number of operands", .names = {"Max", "Mean", "Min", "Sum"}},
    {.reason = "it is left out before chains are found", .names = {"Identity"}},
    {.reason = "its functions are not in the chain's set, and seldom follow something heavy",
     .names = {"Acos",  "Acosh",          "Asin",  "Asinh",    "Atan",     "Atanh", "Cos",  "Cosh",
               "Sin",   "Sinh",           "Tan",   "Log",      "Celu",     "Elu",   "Gelu", "Mish",
               "Selu",  "Shrink",         "PRelu", "Softplus", "Softsign", "Sign",  "Ceil", "Floor",
               "Round", "ThresholdedRelu"}},
    {.reason = "of the first operator sets only",
     .names = {"Affine", "ImageScaler", "ParametricSoftplus", "Scale", "ScaledTanh"}},
    {0},
};

static const struct gap RECIPE_GAPS[] = {
    {.reason = "recipes are for images with channels first; TOSA's have them last",
     .names = {"tosa.*"}},
    {.reason = "its kernel computes integers or samples by data, not images of reals",
     .names = {"ConvInteger", "DeformConv", "MaxUnpool"}},
    {.reason = "a prepared call is as fast: what it reads is read once",
     .names = {"LpPool", "GlobalMaxPool", "GlobalLpPool"}},
    {0},
};

static const struct part {
    const char *name;
    const char *where; // to add it
    bool (*is_there)(const struct operator_definition *definition);
    const struct gap *gaps; // the last one has no reason
} PARTS[] = {
    {"inference", "its row in src/network", has_inference, NO_GAPS},
    {"kernel", "the table of its family in src/kernels", has_kernel, NO_GAPS},
    {"price", ".price in its row; src/program/node_cost.c", has_price, NO_GAPS},
    {"tiling rule", ".tiling in its row; src/compiler/region.c", has_tiling, TILING_GAPS},
    {"step of a chain", ".function in its row; src/kernels/chain_nodes.c", has_step, STEP_GAPS},
    {"recipe", ".function in its row; src/device/host_recipe.c", has_recipe, RECIPE_GAPS},
};

static bool fits(const char *pattern, const char *name)
{
    const size_t length = strlen(pattern);
    return pattern[length - 1] == '*' ? strncmp(pattern, name, length - 1) == 0
                                      : strcmp(pattern, name) == 0;
}

static const char *reason_of(const struct part *part, const struct operator_definition *definition)
{
    for (const struct gap *gap = part->gaps; gap->reason != NULL; gap++) {
        if (gap->whole_class && gap->class == definition->class)
            return gap->reason;
        for (size_t i = 0; gap->names[i] != NULL; i++) {
            if (fits(gap->names[i], definition->name))
                return gap->reason;
        }
    }
    return NULL;
}

static void every_part_is_there_or_has_a_reason(void **state)
{
    unsigned forgotten = 0;
    (void)state;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        for (size_t id = 0; id < operator_count(); id++) {
            const struct operator_definition *definition = operator_at(id);
            if (PARTS[i].is_there(definition) || reason_of(&PARTS[i], definition) != NULL)
                continue;
            print_error("%s: no %s: add it (%s), or a reason to the table of this test\n",
                        definition->name, PARTS[i].name, PARTS[i].where);
            forgotten++;
        }
    }
    assert_int_equal(forgotten, 0);
}

// A name in the table must be an operator that lacks the part.
static bool is_gap(const struct part *part, const char *pattern)
{
    for (size_t id = 0; id < operator_count(); id++) {
        const struct operator_definition *definition = operator_at(id);
        if (fits(pattern, definition->name) && !part->is_there(definition))
            return true;
    }
    return false;
}

static void no_reason_has_outlived_its_gap(void **state)
{
    unsigned stale = 0;
    (void)state;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        for (const struct gap *gap = PARTS[i].gaps; gap->reason != NULL; gap++) {
            for (size_t j = 0; gap->names[j] != NULL; j++) {
                if (is_gap(&PARTS[i], gap->names[j]))
                    continue;
                print_error("%s: has a %s, or is no operator: take it out of this table\n",
                            gap->names[j], PARTS[i].name);
                stale++;
            }
        }
    }
    assert_int_equal(stale, 0);
}

// Tables ----------------------------------------------------------------------------------

static void ids_and_names_tell_operators_apart(void **state)
{
    (void)state;
    for (size_t id = 0; id < operator_count(); id++) {
        const struct operator_definition *definition = operator_at(id);
        assert_int_equal(definition->id, id);
        assert_ptr_equal(operator_find(view_of(""), view_of(definition->name)), definition);
    }
    assert_null(operator_at(operator_count()));
}

static void every_kernel_is_the_only_one_of_an_operator(void **state)
{
    bool *seen = calloc(operator_count(), sizeof *seen);
    const char *name;
    (void)state;
    for (size_t i = 0; (name = kernel_name_at(i)) != NULL; i++) {
        const struct operator_definition *definition = operator_find(view_of(""), view_of(name));
        if (definition == NULL || seen[definition->id])
            fail_msg("kernel %s: %s", name, definition == NULL ? "no such operator" : "twice");
        seen[definition->id] = true;
    }
    free(seen);
}

// A value that no row has is one that a table somewhere still serves for nothing.
static void every_value_of_a_trait_has_an_operator(void **state)
{
    bool functions[OPERATOR_FUNCTIONS] = {false};
    bool tilings[OPERATOR_TILINGS] = {false};
    bool prices[OPERATOR_PRICES] = {[PRICED_NOT] = true};
    (void)state;
    for (size_t id = 0; id < operator_count(); id++) {
        const struct operator_definition *definition = operator_at(id);
        functions[definition->function] = true;
        tilings[definition->tiling] = true;
        prices[definition->price] = true;
    }
    for (int i = 0; i < OPERATOR_FUNCTIONS; i++)
        assert_true(functions[i]);
    for (int i = 0; i < OPERATOR_TILINGS; i++)
        assert_true(tilings[i]);
    for (int i = 0; i < OPERATOR_PRICES; i++)
        assert_true(prices[i]);
}

static void every_value_of_a_trait_has_a_rule(void **state)
{
    (void)state;
    for (int i = TILED_NOT + 1; i < OPERATOR_TILINGS; i++)
        assert_true(region_has_rule((enum operator_tiling)i));
    for (int i = PRICED_NOT + 1; i < OPERATOR_PRICES; i++)
        assert_true(node_cost_has_rule((enum operator_price)i));
    assert_false(region_has_rule(TILED_NOT));
    assert_false(node_cost_has_rule(PRICED_NOT));
}

static void what_is_calibrated_are_operators(void **state)
{
    (void)state;
    for (size_t i = 0; i < CALIBRATE_GRID_COUNT; i++) {
        for (const char *const *name = CALIBRATE_GRIDS[i].operators; *name != NULL; name++)
            assert_non_null(operator_find(view_of(""), view_of(*name)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_there_or_has_a_reason),
        cmocka_unit_test(no_reason_has_outlived_its_gap),
        cmocka_unit_test(ids_and_names_tell_operators_apart),
        cmocka_unit_test(every_kernel_is_the_only_one_of_an_operator),
        cmocka_unit_test(every_value_of_a_trait_has_an_operator),
        cmocka_unit_test(every_value_of_a_trait_has_a_rule),
        cmocka_unit_test(what_is_calibrated_are_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
