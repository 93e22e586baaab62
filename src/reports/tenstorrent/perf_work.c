// What an operation has to do at least, from the shapes, types and memories of
// its tensors.

#include <ctype.h>

#include "perf.h"

struct tensor {
    bool there;
    double shape[4]; // W, Z, Y, X, padded
    double bytes;
    bool in_dram;
    bool in_l1;
};

static bool perf_work_contains(struct view text, const char *part)
{
    return view_find_text(text, part) < text.size;
}

// Bytes of an element: the first number in the type's name, in bits.
static double element_size(struct view type)
{
    size_t at = 0;
    while (at < type.size && !isdigit((unsigned char)type.data[at]))
        at++;
    if (at == type.size)
        return 4;
    double bits = 0;
    for (; at < type.size && isdigit((unsigned char)type.data[at]); at++)
        bits = bits * 10 + (type.data[at] - '0');
    return bits / 8;
}

// Rounded once, at the end, where it has no more than 128 bits.
static double product(const double *factors, size_t count)
{
    unsigned __int128 whole = 1;
    double real = 1;
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        real *= factors[i];
        fits = fits && !__builtin_mul_overflow(whole, (unsigned __int128)factors[i], &whole);
    }
    return fits ? (double)whole : real;
}

static struct tensor perf_work_tensor_of(const struct perf_op *op, bool output, uint32_t index)
{
    struct tensor tensor = {.there = true};
    for (unsigned i = 0; i < 4; i++) {
        uint64_t size;
        const enum column_kind kind = (enum column_kind)(COLUMN_TENSOR_W + i);
        if (!report_padded(report_tensor_text(op->report, op->row, output, index, kind), &size))
            return (struct tensor){0};
        tensor.shape[i] = (double)size;
    }
    const struct view memory =
        report_tensor_text(op->report, op->row, output, index, COLUMN_TENSOR_MEMORY);
    tensor.in_dram = perf_work_contains(memory, "DRAM");
    tensor.in_l1 = perf_work_contains(memory, "L1");
    tensor.bytes =
        product(tensor.shape, 4) * element_size(report_tensor_text(op->report, op->row, output,
                                                                   index, COLUMN_TENSOR_DATATYPE));
    return tensor;
}

static double perf_work_volume_of(const struct tensor *tensor)
{
    return product(tensor->shape, 4);
}

// How many arithmetic operations an element takes, at least, by the name of
// the operator. Those of norms and of softmax: the passes over the data.
static const struct {
    const char *name;
    double per_element;
    bool of_output; // elements of the output, not of the first input
} RATES[] = {
    {"Softmax", 5, false},   // largest, subtract, exponential, sum, divide
    {"LayerNorm", 7, false}, // mean, subtract, square, mean, scale, weight, bias
    {"GroupNorm", 7, false},    {"BatchNorm", 4, false}, {"RMSNorm", 4, false},
    {"Reduce", 1, false},       {"ArgMax", 1, false},    {"TopK", 1, false},
    {"Accumulation", 1, false}, {"IntImg", 2, false},    {"Pool", 1, false},
    {"Binary", 1, true},        {"Ternary", 1, true},    {"Where", 1, true},
    {"Unary", 1, true},         {"Eltwise", 1, true},
};

// Operators that read as much of an input as their output has elements.
static bool reads_a_part(struct view code)
{
    return perf_work_contains(code, "Embedding") || perf_work_contains(code, "Slice") ||
           perf_work_contains(code, "Gather") ||
           perf_work_contains(code, "InterleavedToShardedPartial");
}

// Operators that write their first input into a part of a tensor, which they are handed, too.
static bool writes_a_part(struct view code)
{
    return perf_work_contains(code, "SliceWrite") || perf_work_contains(code, "UpdateCache") ||
           perf_work_contains(code, "FillCache") ||
           perf_work_contains(code, "ShardedToInterleavedPartial");
}

static void add_bytes(struct perf_work *work, const struct tensor *tensor, double bytes)
{
    if (tensor->in_dram)
        work->dram_bytes = perf_known(work->dram_bytes.value + bytes);
    else if (tensor->in_l1)
        work->l1_bytes = perf_known(work->l1_bytes.value + bytes);
}

// Bytes of so many elements of a tensor, or of all when it has fewer.
static double bytes_of_part(const struct tensor *tensor, double elements)
{
    const double volume = perf_work_volume_of(tensor);
    return volume > elements ? tensor->bytes * (elements / volume) : tensor->bytes;
}

static void add_whole_tensors(const struct perf_op *op, struct perf_work *work)
{
    const struct tensor output = perf_work_tensor_of(op, true, 0);
    const bool part = reads_a_part(op->code) && output.there;
    const uint32_t most = perf_is_matmul(op) ? 2 : op->report->tensor_counts[false];
    for (uint32_t i = 0; i < most; i++) {
        const struct tensor input = perf_work_tensor_of(op, false, i);
        if (input.there)
            add_bytes(work, &input,
                      part ? bytes_of_part(&input, perf_work_volume_of(&output)) : input.bytes);
    }
    const uint32_t outputs = perf_is_matmul(op) ? 1 : op->report->tensor_counts[true];
    for (uint32_t i = 0; i < outputs; i++) {
        const struct tensor result = perf_work_tensor_of(op, true, i);
        if (result.there)
            add_bytes(work, &result, result.bytes);
    }
}

static void add_traffic(const struct perf_op *op, struct perf_work *work)
{
    const struct tensor input = perf_work_tensor_of(op, false, 0);
    const struct tensor output = perf_work_tensor_of(op, true, 0);
    if (writes_a_part(op->code) && input.there && output.there) {
        add_bytes(work, &input, bytes_of_part(&input, perf_work_volume_of(&output)));
        add_bytes(work, &output, bytes_of_part(&output, perf_work_volume_of(&input)));
    } else {
        add_whole_tensors(op, work);
    }
    // What is all in one memory moves nothing in the other.
    if (work->l1_bytes.known && !work->dram_bytes.known)
        work->dram_bytes = perf_known(0);
    if (work->dram_bytes.known && !work->l1_bytes.known)
        work->l1_bytes = perf_known(0);
}

static double perf_work_larger(double a, double b)
{
    return a > b ? a : b;
}

static struct perf_value matmul_flops(const struct perf_op *op)
{
    const struct tensor a = perf_work_tensor_of(op, false, 0);
    const struct tensor b = perf_work_tensor_of(op, false, 1);
    if (!a.there || !b.there)
        return (struct perf_value){0};
    const double factors[] = {2,
                              a.shape[2],
                              a.shape[3],
                              b.shape[3],
                              perf_work_larger(a.shape[0], b.shape[0]),
                              perf_work_larger(a.shape[1], b.shape[1])};
    return perf_known(product(factors, 6));
}

bool perf_window_size(const struct perf_op *op, uint64_t *out_size)
{
    const struct view attributes = report_text(op->report, op->row, COLUMN_ATTRIBUTES);
    const size_t at = view_find_text(attributes, "window_hw=(");
    if (at == attributes.size)
        return false;
    const struct view rest = view_slice(attributes, at + 11, attributes.size);
    const size_t middle = view_find(rest, ';');
    const size_t end = view_find(rest, ')');
    uint64_t height, width;
    if (middle >= end || end == rest.size ||
        !view_to_u64(view_trim(view_slice(rest, 0, middle)), &height) ||
        !view_to_u64(view_trim(view_slice(rest, middle + 1, end)), &width))
        return false;
    return !__builtin_mul_overflow(height, width, out_size);
}

static struct perf_value convolution_flops(const struct perf_op *op)
{
    const struct tensor input = perf_work_tensor_of(op, false, 0);
    const struct tensor weights = perf_work_tensor_of(op, false, 1);
    const struct tensor output = perf_work_tensor_of(op, true, 0);
    uint64_t window;
    if (!input.there || !weights.there || !output.there || !perf_window_size(op, &window))
        return (struct perf_value){0};
    const double factors[] = {2, output.shape[2], input.shape[3], (double)window, weights.shape[3]};
    return perf_known(product(factors, 5));
}

static struct perf_value element_flops(const struct perf_op *op)
{
    for (size_t i = 0; i < sizeof RATES / sizeof RATES[0]; i++) {
        if (!perf_work_contains(op->code, RATES[i].name))
            continue;
        const struct tensor tensor = perf_work_tensor_of(op, RATES[i].of_output, 0);
        if (tensor.there)
            return perf_known(RATES[i].per_element * perf_work_volume_of(&tensor));
    }
    return (struct perf_value){0};
}

struct perf_work perf_work_of(const struct perf_op *op)
{
    struct perf_work work = {0};
    if (op->kind != PERF_DEVICE)
        return work;
    add_traffic(op, &work);
    work.on_matrix_engine = perf_is_matmul(op) || perf_is_convolution(op);
    if (perf_is_matmul(op))
        work.flops = matmul_flops(op);
    else if (perf_is_convolution(op))
        work.flops = convolution_flops(op);
    else
        work.flops = element_flops(op);
    return work;
}
