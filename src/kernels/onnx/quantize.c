// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.

#include "quantize.h"

#include <string.h>

#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/core/linear.h"
#include "kernels/kernel_tables.h"

enum {
    CHUNK = 256,          // numbers converted at a time
    SEGMENT_MOST = 16384, // numbers of a segment, where they could be any number
    PIECE = 16384,        // numbers that are worth a piece of their own
};

// How numbers and their scales belong together: a tensor is outer x axis x inner
// numbers, cut into segments of neighbours that have one scale for all of them or
// neighbouring ones.
struct segments_plan {
    uint64_t total;
    uint64_t axis, inner; // lengths
    uint64_t block;       // 0: one scale for each index of the axis, if axis > 0
    uint64_t blocks;
    uint64_t length; // of every segment but perhaps the last (of an axis)
    uint64_t each;   // segments of an axis
    uint64_t count;
    uint64_t step; // from scale to scale: 0 or 1
};

struct segment {
    uint64_t first;
    uint64_t count;
    uint64_t scale;
};

static struct segments_plan plan_segments(const struct kernel_call *call)
{
    const struct tensor *x = call->inputs[0], *scale = call->inputs[1];
    struct segments_plan plan = {.total = tensor_count(x)};
    const uint64_t block = (uint64_t)attribute_integer(call->attributes, "block_size", 0);
    if (block == 0 && tensor_count(scale) == 1) {
        plan.length = SEGMENT_MOST;
        plan.count = plan.total / SEGMENT_MOST + (plan.total % SEGMENT_MOST != 0);
        return plan;
    }
    uint32_t axis = 0;
    status_free(shape_axis(attribute_integer(call->attributes, "axis", 1), x->shape.rank, &axis));
    plan.axis = (uint64_t)x->shape.dims[axis];
    plan.inner = shape_count_between(&x->shape, axis + 1, x->shape.rank);
    plan.block = block;
    plan.blocks = block == 0 ? plan.axis : plan.axis / block + (plan.axis % block != 0);
    const uint64_t outer = shape_count_between(&x->shape, 0, axis);
    plan.length = plan.inner;
    plan.each = plan.axis;
    plan.step = block == 0 ? 0 : 1;
    if (plan.inner == 1) {
        plan.length = block == 0 ? plan.axis : block;
        plan.each = block == 0 ? 1 : plan.blocks;
        plan.step = 1 - plan.step;
    }
    plan.count = plan.total == 0 ? 0 : outer * plan.each;
    return plan;
}

static struct segment segment_at(const struct segments_plan *plan, uint64_t index)
{
    struct segment segment = {0};
    if (plan->each == 0) {
        segment.first = index * plan->length;
        const uint64_t left = plan->total - segment.first;
        segment.count = left < plan->length ? left : plan->length;
        return segment;
    }
    const uint64_t outer = index / plan->each, at = index % plan->each;
    segment.first = outer * plan->axis * plan->inner + at * plan->length;
    segment.count = plan->length;
    if (plan->inner == 1 && plan->block > 0) {
        const uint64_t left = plan->axis - at * plan->block;
        segment.count = left < plan->block ? left : plan->block;
        segment.scale = outer * plan->blocks + at;
    } else if (plan->block > 0) {
        segment.scale = (outer * plan->blocks + at / plan->block) * plan->inner;
    } else {
        segment.scale = at;
    }
    return segment;
}

static const void *onnx_quantize_element_at(const struct tensor *tensor, uint64_t index)
{
    return (const char *)tensor->data + index * element_size(tensor->element);
}

// `count` numbers of `tensor` from `first`, or the same one again and again, as f32 or i32.
static void quantize_load(const struct tensor *tensor, uint64_t first, uint64_t step,
                          uint64_t count, enum element element, void *out)
{
    const void *from = onnx_quantize_element_at(tensor, first);
    convert_row(tensor->element, from, element, out, step == 0 ? 1 : count, true);
    uint32_t *items = out;
    for (uint64_t i = 1; step == 0 && i < count; i++)
        items[i] = items[0];
}

struct linear_job {
    const struct tensor *x, *scale, *zero; // `zero` may be NULL
    struct tensor *y;
    struct segments_plan plan;
    bool saturate;
    // Of up to CHUNK numbers, of any types and scales:
    void (*chunk)(const struct linear_job *job, uint64_t first, uint64_t scale, uint64_t count);
    // Of any number of them with one scale; NULL where the types are rare.
    void (*row)(const struct linear_job *job, uint64_t first, uint64_t scale, uint64_t count);
};

static void linear_piece(void *context, uint64_t from, uint64_t to)
{
    const struct linear_job *job = context;
    for (uint64_t i = from; i < to; i++) {
        const struct segment segment = segment_at(&job->plan, i);
        if (job->row != NULL && job->plan.step == 0) {
            job->row(job, segment.first, segment.scale, segment.count);
            continue;
        }
        for (uint64_t done = 0; done < segment.count; done += CHUNK) {
            const uint64_t left = segment.count - done;
            job->chunk(job, segment.first + done, segment.scale + done * job->plan.step,
                       left < CHUNK ? left : CHUNK);
        }
    }
}

// Where the operands and the result of a job lie; `y` is NULL when nothing reads it.
static struct linear_job open_job(const struct kernel_call *call)
{
    return (struct linear_job){
        .x = call->inputs[0],
        .scale = call->inputs[1],
        .zero = kernel_input(call, 2),
        .y = kernel_output(call, 0),
    };
}

static void onnx_quantize_run_job(const struct kernel_call *call, struct linear_job *job)
{
    job->plan = plan_segments(call);
    job->saturate = attribute_integer(call->attributes, "saturate", 1) != 0;
    const uint64_t grain = PIECE / (job->plan.length + 1) + 1;
    parallel_for(call->parallel, job->plan.count, grain, linear_piece, job);
}

CORE_CLONES(void, quantize_numbers,
            (const float *x, const float *scale, const float *zero, float lowest, float highest,
             uint64_t count, float *y),
            (x, scale, zero, lowest, highest, count, y))
{
    for (uint64_t i = 0; i < count; i++)
        y[i] = quantize_round(x[i] / scale[i], lowest - zero[i], highest - zero[i]) + zero[i];
}

CORE_CLONES(void, divide_numbers,
            (const float *x, const float *scale, const float *zero, uint64_t count, float *y),
            (x, scale, zero, count, y))
{
    for (uint64_t i = 0; i < count; i++)
        y[i] = zero[i] == 0 ? x[i] / scale[i] : x[i] / scale[i] + zero[i];
}

static void quantize_chunk(const struct linear_job *job, uint64_t first, uint64_t scale,
                           uint64_t count)
{
    float x[CHUNK], scales[CHUNK], zeros[CHUNK] = {0}, y[CHUNK];
    const enum element element = job->y->element;
    quantize_load(job->x, first, 1, count, ELEMENT_F32, x);
    quantize_load(job->scale, scale, job->plan.step, count, ELEMENT_F32, scales);
    if (job->zero != NULL)
        quantize_load(job->zero, scale, job->plan.step, count, ELEMENT_F32, zeros);
    if (element_is_float(element))
        divide_numbers(x, scales, zeros, count, y);
    else
        quantize_numbers(x, scales, zeros, (float)element_lowest(element),
                         (float)element_highest(element), count, y);
    convert_row(ELEMENT_F32, y, element, (void *)onnx_quantize_element_at(job->y, first), count,
                job->saturate);
}

static int32_t zero_at(const struct linear_job *job, uint64_t index)
{
    int32_t zero = 0;
    if (job->zero != NULL)
        quantize_load(job->zero, index, 1, 1, ELEMENT_I32, &zero);
    return zero;
}

static void quantize_row(const struct linear_job *job, uint64_t first, uint64_t scale,
                         uint64_t count)
{
    linear_quantize_row(job->y->element, (const float *)job->x->data + first,
                        ((const float *)job->scale->data)[scale], zero_at(job, scale), count,
                        (void *)onnx_quantize_element_at(job->y, first));
}

static status quantize_linear(struct kernel_call *call)
{
    struct linear_job job = open_job(call);
    if (job.y == NULL)
        return STATUS_OK;
    job.chunk = quantize_chunk;
    if (job.x->element == ELEMENT_F32 && job.scale->element == ELEMENT_F32 &&
        linear_writes(job.y->element))
        job.row = quantize_row;
    onnx_quantize_run_job(call, &job);
    return STATUS_OK;
}

CORE_CLONES(void, dequantize_numbers,
            (const int32_t *x, const float *scale, const int32_t *zero, uint64_t count, float *y),
            (x, scale, zero, count, y))
{
    for (uint64_t i = 0; i < count; i++)
        y[i] = (float)(int32_t)((uint32_t)x[i] - (uint32_t)zero[i]) * scale[i];
}

CORE_CLONES(void, multiply_numbers,
            (const float *x, const float *scale, const float *zero, uint64_t count, float *y),
            (x, scale, zero, count, y))
{
    for (uint64_t i = 0; i < count; i++)
        y[i] = (x[i] - zero[i]) * scale[i];
}

static void dequantize_chunk(const struct linear_job *job, uint64_t first, uint64_t scale,
                             uint64_t count)
{
    float scales[CHUNK], y[CHUNK];
    const uint64_t step = job->plan.step;
    quantize_load(job->scale, scale, step, count, ELEMENT_F32, scales);
    if (element_is_float(job->x->element)) {
        float x[CHUNK], zeros[CHUNK] = {0};
        quantize_load(job->x, first, 1, count, ELEMENT_F32, x);
        if (job->zero != NULL)
            quantize_load(job->zero, scale, step, count, ELEMENT_F32, zeros);
        multiply_numbers(x, scales, zeros, count, y);
    } else {
        int32_t x[CHUNK], zeros[CHUNK] = {0};
        quantize_load(job->x, first, 1, count, ELEMENT_I32, x);
        if (job->zero != NULL)
            quantize_load(job->zero, scale, step, count, ELEMENT_I32, zeros);
        dequantize_numbers(x, scales, zeros, count, y);
    }
    convert_row(ELEMENT_F32, y, job->y->element, (void *)onnx_quantize_element_at(job->y, first),
                count, true);
}

static void dequantize_row(const struct linear_job *job, uint64_t first, uint64_t scale,
                           uint64_t count)
{
    linear_dequantize_row(job->x->element, onnx_quantize_element_at(job->x, first),
                          ((const float *)job->scale->data)[scale], zero_at(job, scale), count,
                          (float *)job->y->data + first);
}

static status dequantize_linear(struct kernel_call *call)
{
    struct linear_job job = open_job(call);
    if (job.y == NULL)
        return STATUS_OK;
    job.chunk = dequantize_chunk;
    if (job.y->element == ELEMENT_F32 && job.scale->element == ELEMENT_F32 &&
        linear_reads(job.x->element))
        job.row = dequantize_row;
    onnx_quantize_run_job(call, &job);
    return STATUS_OK;
}

// The range of the numbers, widened to hold 0.
static void onnx_quantize_find_range(const struct tensor *x, float *out_lowest, float *out_highest)
{
    const float *items = x->data;
    const uint64_t count = tensor_count(x);
    float lowest = 0, highest = 0;
    for (uint64_t i = 0; i < count; i++) {
        lowest = items[i] < lowest ? items[i] : lowest;
        highest = items[i] > highest ? items[i] : highest;
    }
    *out_lowest = lowest;
    *out_highest = highest;
}

static status dynamic_quantize_linear(struct kernel_call *call)
{
    const struct tensor *x = call->inputs[0];
    float lowest, highest;
    onnx_quantize_find_range(x, &lowest, &highest);
    float scale = highest == lowest ? 1.0F : (highest - lowest) / 255.0F;
    uint8_t zero = (uint8_t)quantize_round(0 - lowest / scale, 0, 255);

    const struct tensor scales = {ELEMENT_F32, {0}, &scale};
    const struct tensor zeros = {ELEMENT_U8, {0}, &zero};
    if (kernel_output(call, 1) != NULL)
        memcpy(kernel_output(call, 1)->data, &scale, sizeof scale);
    if (kernel_output(call, 2) != NULL)
        memcpy(kernel_output(call, 2)->data, &zero, sizeof zero);
    const struct tensor *inputs[] = {x, &scales, &zeros};
    struct kernel_call quantize = *call;
    quantize.inputs = inputs;
    quantize.input_count = 3;
    quantize.attributes = (struct attributes){0};
    return quantize_linear(&quantize);
}

static const struct kernel KERNELS[] = {
    {"QuantizeLinear", quantize_linear},
    {"DequantizeLinear", dequantize_linear},
    {"DynamicQuantizeLinear", dynamic_quantize_linear},
    {"QLinearConv", quantize_qlinear_convolution},
    {"ConvInteger", quantize_convolution_integer},
    {"QLinearMatMul", quantize_qlinear_matmul},
    {"MatMulInteger", quantize_matmul_integer},
};

const struct kernel_table ONNX_QUANTIZE_KERNELS = KERNEL_TABLE(KERNELS);
