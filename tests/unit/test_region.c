// What a tile computes on the parts that region.c names is bit for bit what the
// whole operator has there, but for sums of products of reals: operators with a
// rule, on random boxes. tests/e2e/510_program_checker.py has TOSA's.

#include "compiler_support.h"

#include "compiler/region.h"
#include "kernel_support.h"
#include "network/tensor_random.h"

enum { BOXES = 40, INPUTS_MOST = 6 };

struct trial_node {
    struct network *network;
    struct network_node *node;
    struct datum *inputs[INPUTS_MOST];
    struct datum *whole;
    struct parallel *parallel;
    unsigned seed;
};

static struct datum *part_of(const struct tensor *tensor, const struct plan_box *box)
{
    struct shape shape = {.rank = box->rank};
    struct datum *part;
    memcpy(shape.dims, box->size, sizeof shape.dims);
    require_ok(datum_tensor(tensor->element, &shape, &part));
    const size_t size = element_size(tensor->element);
    for (uint64_t i = 0; i < shape_count(&shape); i++) {
        uint64_t left = i;
        uint64_t at = 0;
        uint64_t step = 1;
        for (uint32_t d = shape.rank; d-- > 0;) {
            at += (left % (uint64_t)shape.dims[d] + (uint64_t)box->from[d]) * step;
            left /= (uint64_t)shape.dims[d];
            step *= (uint64_t)tensor->shape.dims[d];
        }
        memcpy((char *)part->tensor.data + i * size, (char *)tensor->data + at * size, size);
    }
    return part;
}

static uint32_t add_override(struct attribute *attributes, uint32_t count,
                             const struct plan_override *override)
{
    if (override->count > 0)
        attributes[count++] = (struct attribute){.name = view_of(override->name),
                                                 .kind = ATTRIBUTE_INTEGERS,
                                                 .integers = override->integers,
                                                 .count = override->count};
    return count;
}

static struct datum *compute(struct trial_node *trial, struct datum *const *inputs,
                             const struct region_answer *answer)
{
    static const bool WANTED[] = {true};
    struct attribute attributes[16];
    struct network_node node = *trial->node;
    uint32_t count = 0;
    if (answer != NULL) {
        count = add_override(attributes, count, &answer->override);
        count = add_override(attributes, count, &answer->groups);
    }
    for (uint32_t i = 0; i < node.attributes.count; i++)
        attributes[count++] = node.attributes.items[i];
    node.attributes = (struct attributes){attributes, count};
    struct kernel_state *state = NULL;
    struct datum *output;
    const struct invocation invocation = {.network = trial->network,
                                          .node = &node,
                                          .run = kernel_find(node.definition),
                                          .inputs = inputs,
                                          .wanted = WANTED,
                                          .parallel = trial->parallel,
                                          .state = &state};
    require_ok(invoke(&invocation, &output));
    if (state != NULL)
        state->free(state);
    return output;
}

// Sums of products of reals are added up in an order that depends on the shapes: they
// may differ by some roundings of the largest number. Everything else is exact.
static double tolerance(const struct trial_node *trial)
{
    const enum operator_class class = trial->node->definition->class;
    if (class != OPERATOR_CONVOLUTION && class != OPERATOR_MATMUL)
        return 0;
    const struct constant whole = {.tensor = trial->whole->tensor};
    double largest = 1;
    for (uint64_t i = 0; i < tensor_count(&whole.tensor); i++) {
        const double number = constant_real(&whole, i);
        largest = number > largest ? number : -number > largest ? -number : largest;
    }
    switch (whole.tensor.element) {
    case ELEMENT_F64:
        return largest * 16 * 0x1p-52;
    case ELEMENT_F32:
        return largest * 16 * 0x1p-23;
    case ELEMENT_F16:
        return largest * 0x1p-10;
    default:
        return 0;
    }
}

static bool is_near(const struct tensor *got, const struct tensor *want, double most)
{
    const struct constant left = {.tensor = *got};
    const struct constant right = {.tensor = *want};
    for (uint64_t i = 0; most > 0 && i < tensor_count(want); i++) {
        const double gap = constant_real(&left, i) - constant_real(&right, i);
        if (!(gap <= most && -gap <= most))
            return false;
    }
    return most > 0;
}

static void compare(const struct trial_node *trial, const struct tensor *got,
                    const struct tensor *want)
{
    char text[SHAPE_TEXT_MOST];
    if (!shape_equal(&got->shape, &want->shape) || got->element != want->element)
        fail_msg("%.*s: a tile of %s comes in another shape", VIEW_ARGUMENTS(trial->node->type),
                 shape_text(&want->shape, text));
    if (memcmp(got->data, want->data, tensor_bytes(want)) != 0 &&
        !is_near(got, want, tolerance(trial)))
        fail_msg("%.*s (%s): a tile of %s differs from the whole",
                 VIEW_ARGUMENTS(trial->node->type), element_name(got->element),
                 shape_text(&want->shape, text));
}

// False for a box that can only be computed with the whole: nothing but padding, or windows that
// are not written down.
static bool check_box(struct trial_node *trial, const struct plan_box *box)
{
    struct plan_box parts[INPUTS_MOST] = {0};
    struct datum *inputs[INPUTS_MOST] = {0};
    struct region_answer answer = {.inputs = parts};
    struct region_known known;
    region_know(trial->network, trial->node, &known);
    if (!region_find(&(struct region_request){trial->network, trial->node, box, &known}, &answer))
        return false;
    for (uint32_t i = 0; i < trial->node->input_count; i++) {
        if (trial->inputs[i] != NULL)
            inputs[i] = part_of(&trial->inputs[i]->tensor, &parts[i]);
    }
    struct datum *got = compute(trial, inputs, &answer);
    struct datum *want = part_of(&trial->whole->tensor, box);
    compare(trial, &got->tensor, &want->tensor);
    datum_release(got);
    datum_release(want);
    for (uint32_t i = 0; i < trial->node->input_count; i++)
        datum_release(inputs[i]);
    return true;
}

// Cuts along the dimensions that may be cut.
static struct plan_box random_box(struct trial_node *trial, const uint32_t *axes, uint32_t count)
{
    struct plan_box box = plan_box_whole(&trial->whole->tensor.shape);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t axis = axes[i];
        const int64_t length = box.size[axis];
        if (length == 0 || rand_r(&trial->seed) % 3 == 0)
            continue;
        box.from[axis] = rand_r(&trial->seed) % length;
        box.size[axis] = 1 + rand_r(&trial->seed) % (length - box.from[axis]);
    }
    return box;
}

static void check_regions(struct trial_node *trial)
{
    uint32_t axes[SHAPE_RANK_MOST];
    trial->parallel = parallel_create(1);
    trial->whole = compute(trial, trial->inputs, NULL);
    network_value(trial->network, trial->node->outputs[0])->type =
        value_type_tensor(trial->whole->tensor.element, &trial->whole->tensor.shape);
    const uint32_t count = region_axes(trial->network, trial->node, axes);
    if (count == 0)
        fail_msg("%.*s has no rule", VIEW_ARGUMENTS(trial->node->type));
    bool parts = false;
    for (int i = 0; i < BOXES; i++) {
        const struct plan_box box = random_box(trial, axes, count);
        const bool whole = plan_box_is_whole(&box, &trial->whole->tensor.shape);
        parts |= check_box(trial, &box) && !whole;
    }
    if (!parts)
        fail_msg("%.*s was computed as a whole alone", VIEW_ARGUMENTS(trial->node->type));
    datum_release(trial->whole);
    for (uint32_t i = 0; i < trial->node->input_count; i++)
        datum_release(trial->inputs[i]);
    parallel_free(trial->parallel);
    network_free(trial->network);
}

// ONNX ----------------------------------------------------------------------------------

struct port {
    enum element element;
    struct shape shape;
};

struct onnx_case {
    const char *type;
    uint32_t version;
    struct port inputs[INPUTS_MOST]; // up to ELEMENT_NONE
    struct attribute attributes[5];  // up to one without a name
};

static struct attribute integers(const char *name, const int64_t *items, uint32_t count)
{
    return (struct attribute){
        .name = view_of(name), .kind = ATTRIBUTE_INTEGERS, .integers = items, .count = count};
}

static struct attribute integer(const char *name, int64_t number)
{
    return (struct attribute){.name = view_of(name), .kind = ATTRIBUTE_INTEGER, .integer = number};
}

static struct attribute text(const char *name, const char *word)
{
    return (struct attribute){.name = view_of(name), .kind = ATTRIBUTE_TEXT, .text = view_of(word)};
}

static void check_onnx(const struct onnx_case *item)
{
    struct trial_node trial = {.network = network_create(NETWORK_ONNX, NULL), .seed = 7};
    uint32_t ids[INPUTS_MOST + 1];
    uint32_t count = 0;
    for (; count < INPUTS_MOST && item->inputs[count].element != ELEMENT_NONE; count++) {
        const struct port *port = &item->inputs[count];
        ids[count] = network_value_add(trial.network, VIEW_LITERAL("x"));
        network_value(trial.network, ids[count])->type =
            value_type_tensor(port->element, &port->shape);
        require_ok(datum_tensor(port->element, &port->shape, &trial.inputs[count]));
        tensor_random_fill(&trial.inputs[count]->tensor, 3, count);
    }
    ids[count] = network_value_add(trial.network, VIEW_LITERAL("y"));
    uint32_t attributes = 0;
    while (attributes < 5 && item->attributes[attributes].name.size > 0)
        attributes++;
    struct network_node node = {.definition = operator_find(view_of(""), view_of(item->type)),
                                .version = item->version,
                                .type = view_of(item->type),
                                .inputs = ids,
                                .outputs = ids + count,
                                .input_count = count,
                                .output_count = 1,
                                .attributes = {item->attributes, attributes}};
    trial.node = &node;
    assert_non_null(node.definition);
    check_regions(&trial);
}

#define SHAPE(...)                                                                                 \
    {                                                                                              \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                                        \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void convolutions(void **state)
{
    (void)state;
    static const int64_t PADS[] = {1, 2, 0, 1};
    static const int64_t STRIDES[] = {2, 1};
    static const int64_t DILATIONS[] = {1, 2};
    static const enum element REALS[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16};
    for (size_t i = 0; i < sizeof REALS / sizeof *REALS; i++) {
        const enum element e = REALS[i];
        if (e == ELEMENT_BF16) // since opset 22 only
            continue;
        check_onnx(
            &(struct onnx_case){"Conv",
                                11,
                                {{e, SHAPE(2, 6, 11, 9)}, {e, SHAPE(5, 6, 3, 3)}, {e, SHAPE(5)}},
                                {integers("pads", PADS, 4), integers("strides", STRIDES, 2)}});
        check_onnx(&(struct onnx_case){
            "Conv",
            11,
            {{e, SHAPE(1, 6, 9, 12)}, {e, SHAPE(6, 1, 3, 3)}, {e, SHAPE(6)}},
            {integers("pads", PADS, 4), integers("dilations", DILATIONS, 2), integer("group", 6)}});
    }
    check_onnx(
        &(struct onnx_case){"ConvInteger",
                            10,
                            {{ELEMENT_U8, SHAPE(1, 3, 10, 8)}, {ELEMENT_U8, SHAPE(4, 3, 3, 2)}},
                            {integers("pads", PADS, 4), integers("strides", STRIDES, 2)}});
}

static void poolings(void **state)
{
    (void)state;
    static const int64_t KERNEL[] = {3, 2};
    static const int64_t PADS[] = {1, 1, 1, 0};
    static const int64_t STRIDES[] = {2, 1};
    static const char *const TYPES[] = {"MaxPool", "AveragePool"};
    for (size_t i = 0; i < 2; i++) {
        for (int64_t counted = 0; counted < 2; counted++)
            check_onnx(&(struct onnx_case){
                TYPES[i],
                11,
                {{ELEMENT_F32, SHAPE(2, 3, 11, 9)}},
                {integers("kernel_shape", KERNEL, 2), integers("pads", PADS, 4),
                 integers("strides", STRIDES, 2),
                 integer(i == 1 ? "count_include_pad" : "storage_order", counted)}});
    }
    check_onnx(&(struct onnx_case){
        "MaxPool", 12, {{ELEMENT_I8, SHAPE(1, 3, 9, 9)}}, {integers("kernel_shape", KERNEL, 2)}});
    check_onnx(&(struct onnx_case){
        "GlobalAveragePool", 1, {{ELEMENT_F32, SHAPE(3, 5, 7, 6)}}, {{.count = 0}}});
    check_onnx(&(struct onnx_case){
        "GlobalMaxPool", 1, {{ELEMENT_F32, SHAPE(3, 5, 7, 6)}}, {{.count = 0}}});
}

// Images and channels are apart whatever the windows are.
static void windows_that_are_not_written_down(void **state)
{
    (void)state;
    static const int64_t KERNEL[] = {3, 2};
    static const int64_t STRIDES[] = {2, 2};
    static const char *const TYPES[] = {"MaxPool", "AveragePool"};
    for (size_t i = 0; i < 4; i++)
        check_onnx(&(struct onnx_case){
            TYPES[i / 2],
            11,
            {{ELEMENT_F32, SHAPE(4, 5, 10, 9)}},
            {integers("kernel_shape", KERNEL, 2), integers("strides", STRIDES, 2),
             i % 2 == 0 ? integer("ceil_mode", 1) : text("auto_pad", "SAME_UPPER")}});
    check_onnx(
        &(struct onnx_case){"Conv",
                            11,
                            {{ELEMENT_F32, SHAPE(4, 3, 10, 9)}, {ELEMENT_F32, SHAPE(5, 3, 3, 2)}},
                            {integers("strides", STRIDES, 2), text("auto_pad", "SAME_LOWER")}});
}

static void products(void **state)
{
    (void)state;
    check_onnx(
        &(struct onnx_case){"MatMul",
                            13,
                            {{ELEMENT_I32, SHAPE(2, 1, 9, 7)}, {ELEMENT_I32, SHAPE(3, 7, 8)}},
                            {{.count = 0}}});
    check_onnx(
        &(struct onnx_case){"MatMul",
                            13,
                            {{ELEMENT_F32, SHAPE(2, 3, 9, 70)}, {ELEMENT_F32, SHAPE(2, 3, 70, 33)}},
                            {{.count = 0}}});
    check_onnx(&(struct onnx_case){
        "Gemm",
        13,
        {{ELEMENT_F32, SHAPE(33, 19)}, {ELEMENT_F32, SHAPE(21, 33)}, {ELEMENT_F32, SHAPE(21)}},
        {integer("transA", 1), integer("transB", 1)}});
}

static void elementwise(void **state)
{
    (void)state;
    static const enum element NUMBERS[] = {ELEMENT_F32, ELEMENT_F16, ELEMENT_I8, ELEMENT_I32,
                                           ELEMENT_F64, ELEMENT_U8,  ELEMENT_I64};
    static const char *const TWO[] = {"Add", "Sub", "Mul"};
    static const char *const ONE[] = {"Relu", "Sigmoid", "Tanh", "Exp", "Erf", "Sqrt", "Abs"};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        for (size_t j = 0; j < sizeof TWO / sizeof *TWO; j++)
            check_onnx(
                &(struct onnx_case){TWO[j],
                                    14,
                                    {{NUMBERS[i], SHAPE(4, 1, 7)}, {NUMBERS[i], SHAPE(2, 4, 5, 1)}},
                                    {{.count = 0}}});
    }
    for (size_t i = 0; i < sizeof ONE / sizeof *ONE; i++)
        check_onnx(
            &(struct onnx_case){ONE[i], 13, {{ELEMENT_F32, SHAPE(3, 5, 37)}}, {{.count = 0}}});
    check_onnx(&(struct onnx_case){
        "Where",
        16,
        {{ELEMENT_BOOL, SHAPE(5, 1)}, {ELEMENT_F32, SHAPE(3, 5, 6)}, {ELEMENT_F32, SHAPE(6)}},
        {{.count = 0}}});
}

static void scales_and_moves(void **state)
{
    (void)state;
    static const int64_t ORDER[] = {2, 0, 3, 1};
    check_onnx(&(struct onnx_case){
        "QuantizeLinear",
        13,
        {{ELEMENT_F32, SHAPE(2, 5, 9)}, {ELEMENT_F32, SHAPE(5)}, {ELEMENT_I8, SHAPE(5)}},
        {integer("axis", 1)}});
    check_onnx(&(struct onnx_case){
        "DequantizeLinear",
        13,
        {{ELEMENT_U8, SHAPE(2, 5, 9)}, {ELEMENT_F32, SHAPE(9)}, {ELEMENT_U8, SHAPE(9)}},
        {integer("axis", -1)}});
    check_onnx(&(struct onnx_case){
        "Transpose", 13, {{ELEMENT_I16, SHAPE(3, 4, 5, 6)}}, {integers("perm", ORDER, 4)}});
    check_onnx(
        &(struct onnx_case){"Transpose", 13, {{ELEMENT_F32, SHAPE(3, 4, 5)}}, {{.count = 0}}});
    check_onnx(&(struct onnx_case){
        "Concat",
        13,
        {{ELEMENT_I8, SHAPE(3, 4, 5)}, {ELEMENT_I8, SHAPE(3, 1, 5)}, {ELEMENT_I8, SHAPE(3, 7, 5)}},
        {integer("axis", -2)}});
}

static void lines(void **state)
{
    (void)state;
    check_onnx(
        &(struct onnx_case){"Softmax", 13, {{ELEMENT_F32, SHAPE(3, 5, 7)}}, {integer("axis", 1)}});
    check_onnx(
        &(struct onnx_case){"LogSoftmax", 13, {{ELEMENT_F32, SHAPE(6, 17)}}, {{.count = 0}}});
    check_onnx(&(struct onnx_case){
        "Softmax", 11, {{ELEMENT_F32, SHAPE(6, 5, 4, 3)}}, {integer("axis", 2)}});
    check_onnx(&(struct onnx_case){"Hardmax", 11, {{ELEMENT_F32, SHAPE(6, 5, 4)}}, {{.count = 0}}});
    check_onnx(&(struct onnx_case){
        "LayerNormalization",
        17,
        {{ELEMENT_F32, SHAPE(4, 5, 6, 7)}, {ELEMENT_F32, SHAPE(6, 7)}, {ELEMENT_F32, SHAPE(6, 7)}},
        {integer("axis", -2)}});
    check_onnx(&(struct onnx_case){"BatchNormalization",
                                   15,
                                   {{ELEMENT_F32, SHAPE(3, 5, 7, 6)},
                                    {ELEMENT_F32, SHAPE(5)},
                                    {ELEMENT_F32, SHAPE(5)},
                                    {ELEMENT_F32, SHAPE(5)},
                                    {ELEMENT_F32, SHAPE(5)}},
                                   {{.count = 0}}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions),
        cmocka_unit_test(poolings),
        cmocka_unit_test(windows_that_are_not_written_down),
        cmocka_unit_test(products),
        cmocka_unit_test(elementwise),
        cmocka_unit_test(scales_and_moves),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
