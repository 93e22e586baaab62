// Fourier transforms, windows and mel filters.

#include <inttypes.h>

#include "lists.h"
#include "network/operator_tables.h"

static bool onnx_signal_is_given(const struct inference *inference, uint32_t index)
{
    return index < inference->input_count && inference->inputs[index] != NULL;
}

// The length of a transform is told, or that of the signal; unknown where it is
// told by a value that is not known yet.
static status take_length(const struct inference *inference, uint32_t index, int64_t fallback,
                          int64_t *out_length)
{
    *out_length = onnx_signal_is_given(inference, index) ? SHAPE_UNKNOWN : fallback;
    int64_t length;
    bool known;
    STATUS_TRY(list_scalar(inference, index, &length, &known));
    if (!known)
        return STATUS_OK;
    if (length <= 0)
        return status_make(STATUS_DATA, "a transform of length %" PRId64, length);
    *out_length = length;
    return STATUS_OK;
}

static status check_numbers(const struct shape *signal)
{
    const int64_t parts = signal->dims[signal->rank - 1];
    if (parts != 1 && parts != 2 && parts != SHAPE_UNKNOWN)
        return status_make(STATUS_DATA,
                           "the last dimension is %" PRId64
                           ": 1 for real numbers or 2 for complex ones was expected",
                           parts);
    return STATUS_OK;
}

static int64_t bins_of(int64_t length, bool onesided)
{
    return onesided && length != SHAPE_UNKNOWN ? length / 2 + 1 : length;
}

static status dft_axis(const struct inference *inference, uint32_t rank, uint32_t *out_axis,
                       bool *out_known)
{
    *out_known = true;
    int64_t axis = attribute_integer(inference->node->attributes, "axis", 1);
    if (inference->node->version >= 20) {
        axis = -2;
        if (onnx_signal_is_given(inference, 2))
            STATUS_TRY(list_scalar(inference, 2, &axis, out_known));
    }
    if (!*out_known)
        return STATUS_OK;
    STATUS_TRY(shape_axis(axis, rank, out_axis));
    if (*out_axis == rank - 1)
        return status_make(STATUS_DATA, "a transform along the parts of complex numbers");
    return STATUS_OK;
}

static status infer_dft(struct inference *inference)
{
    const struct value_type *x;
    STATUS_TRY(inference_need_tensor(inference, 0, &x));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    const struct attributes attributes = inference->node->attributes;
    const bool onesided = attribute_integer(attributes, "onesided", 0) != 0;
    if (onesided && attribute_integer(attributes, "inverse", 0) != 0)
        return status_make(STATUS_UNSUPPORTED, "an inverse transform of half a spectrum");
    if (!x->ranked) {
        inference_set_unranked(inference, 0, x->element);
        return STATUS_OK;
    }
    if (x->shape.rank < 2)
        return status_make(STATUS_DATA, "a signal of %" PRIu32 " dimensions", x->shape.rank);
    STATUS_TRY(check_numbers(&x->shape));
    struct shape out = x->shape;
    out.dims[out.rank - 1] = 2;
    uint32_t axis = 0;
    bool known;
    STATUS_TRY(dft_axis(inference, out.rank, &axis, &known));
    for (uint32_t d = 0; !known && d + 1 < out.rank; d++)
        out.dims[d] = SHAPE_UNKNOWN;
    if (known) {
        int64_t length;
        STATUS_TRY(take_length(inference, 1, x->shape.dims[axis], &length));
        if (length == 0)
            return status_make(STATUS_DATA, "a transform of length 0");
        out.dims[axis] = bins_of(length, onesided);
    }
    inference_set(inference, 0, x->element, &out);
    return STATUS_OK;
}

// The length of a frame: told, or that of the window.
static status frame_length(const struct inference *inference, int64_t *out_length)
{
    const struct value_type *window = inference_tensor(inference, 2);
    const bool known = window != NULL && window->ranked;
    if (known && window->shape.rank != 1)
        return status_make(STATUS_DATA, "a window of %" PRIu32 " dimensions", window->shape.rank);
    if (!onnx_signal_is_given(inference, 2) && !onnx_signal_is_given(inference, 3))
        return status_make(STATUS_DATA, "neither a window nor the length of a frame");
    const int64_t width = known ? window->shape.dims[0] : SHAPE_UNKNOWN;
    STATUS_TRY(take_length(inference, 3, width, out_length));
    if (width != SHAPE_UNKNOWN && *out_length != SHAPE_UNKNOWN && width != *out_length)
        return status_make(STATUS_DATA, "a window of %" PRId64 " for frames of %" PRId64, width,
                           *out_length);
    return STATUS_OK;
}

static status infer_stft(struct inference *inference)
{
    const struct value_type *signal;
    STATUS_TRY(inference_need_tensor(inference, 0, &signal));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    STATUS_TRY(inference_check_element(inference, 2, ELEMENTS_FLOAT));
    int64_t step = SHAPE_UNKNOWN, length;
    bool step_known;
    STATUS_TRY(list_scalar(inference, 1, &step, &step_known));
    if (step_known && step <= 0)
        return status_make(STATUS_DATA, "frames in steps of %" PRId64, step);
    STATUS_TRY(frame_length(inference, &length));
    if (length == 0)
        return status_make(STATUS_DATA, "frames of length 0");
    struct shape out = {4, {SHAPE_UNKNOWN, SHAPE_UNKNOWN, SHAPE_UNKNOWN, 2}};
    const bool onesided = attribute_integer(inference->node->attributes, "onesided", 1) != 0;
    out.dims[2] = bins_of(length, onesided);
    if (signal->ranked) {
        const struct shape *shape = &signal->shape;
        if (shape->rank != 3 && shape->rank != 2)
            return status_make(STATUS_DATA, "a signal of %" PRIu32 " dimensions", shape->rank);
        if (shape->rank == 3)
            STATUS_TRY(check_numbers(shape));
        if (onesided && shape->rank == 3 && shape->dims[2] == 2)
            return status_make(STATUS_DATA, "half the spectrum of a complex signal");
        out.dims[0] = shape->dims[0];
        if (shape->dims[1] != SHAPE_UNKNOWN && length != SHAPE_UNKNOWN && step_known) {
            if (shape->dims[1] < length)
                return status_make(STATUS_DATA, "a signal of %" PRId64 " for frames of %" PRId64,
                                   shape->dims[1], length);
            out.dims[1] = (shape->dims[1] - length) / step + 1;
        }
    }
    inference_set(inference, 0, signal->element, &out);
    return STATUS_OK;
}

static status onnx_signal_output_element(const struct inference *inference,
                                         enum element *out_element)
{
    const int64_t type =
        attribute_integer(inference->node->attributes, "output_datatype", ELEMENT_F32);
    if (type <= 0 || type >= ELEMENT_COUNT || (ELEMENTS_NUMERIC & ELEMENT_BIT(type)) == 0)
        return status_make(STATUS_DATA, "attribute output_datatype is %" PRId64, type);
    *out_element = (enum element)type;
    return STATUS_OK;
}

static status onnx_signal_infer_window(struct inference *inference)
{
    enum element element = ELEMENT_F32;
    STATUS_TRY(onnx_signal_output_element(inference, &element));
    struct shape out = {1, {SHAPE_UNKNOWN}};
    int64_t size;
    bool known;
    STATUS_TRY(list_scalar(inference, 0, &size, &known));
    if (known && size < 0)
        return status_make(STATUS_DATA, "a window of %" PRId64, size);
    if (known)
        out.dims[0] = size;
    inference_set(inference, 0, element, &out);
    return STATUS_OK;
}

static status infer_mel_weights(struct inference *inference)
{
    enum element element = ELEMENT_F32;
    STATUS_TRY(onnx_signal_output_element(inference, &element));
    STATUS_TRY(inference_check_element(inference, 3, ELEMENTS_FLOAT));
    STATUS_TRY(inference_check_element(inference, 4, ELEMENTS_FLOAT));
    struct shape out = {2, {SHAPE_UNKNOWN, SHAPE_UNKNOWN}};
    int64_t values[3];
    for (uint32_t i = 0; i < 3; i++) {
        bool known;
        STATUS_TRY(list_scalar(inference, i, &values[i], &known));
        if (known && (values[i] < 0 || values[i] > INT32_MAX))
            return status_make(STATUS_DATA, "input %" PRIu32 " is %" PRId64, i, values[i]);
        if (known && i == 0)
            out.dims[1] = values[i];
        if (known && i == 1)
            out.dims[0] = values[i] / 2 + 1;
    }
    for (uint32_t i = 3; i < 5; i++) {
        const struct value_type *edge = inference_tensor(inference, i);
        if (edge != NULL && value_type_static(edge) && shape_count(&edge->shape) != 1)
            return status_make(STATUS_DATA, "input %" PRIu32 " is not a single number", i);
    }
    inference_set(inference, 0, element, &out);
    return STATUS_OK;
}

// 5 n log2 n for a transform of n numbers, the logarithm rounded up.
static uint64_t transform_flops(uint64_t n)
{
    uint64_t logarithm = 0;
    while (logarithm < 63 && (UINT64_C(1) << logarithm) < n)
        logarithm++;
    return 5 * n * logarithm;
}

// From the bins back to the length, where the bins are half of them.
static uint64_t onnx_signal_length_of(const struct inference *inference, uint32_t index,
                                      uint64_t bins)
{
    const struct constant *length =
        onnx_signal_is_given(inference, index) ? inference->known[index] : NULL;
    return length != NULL ? (uint64_t)constant_integer(length, 0) : bins;
}

static void measure_dft(const struct inference *inference, struct work *work)
{
    const struct shape *in = &inference->inputs[0]->shape, *out = &inference->outputs[0].shape;
    uint32_t axis = 0;
    bool known = false;
    status_free(dft_axis(inference, in->rank, &axis, &known));
    const uint64_t bins = (uint64_t)out->dims[axis];
    if (!known || bins == 0)
        return;
    const uint64_t n = onnx_signal_length_of(inference, 1, (uint64_t)in->dims[axis]);
    work->flops = shape_count(out) / 2 / bins * transform_flops(n);
}

static void measure_stft(const struct inference *inference, struct work *work)
{
    const struct shape *out = &inference->outputs[0].shape;
    const bool windowed = onnx_signal_is_given(inference, 2);
    const uint64_t n = onnx_signal_length_of(
        inference, 3, windowed ? shape_count(&inference->inputs[2]->shape) : 0);
    const uint64_t frames = (uint64_t)out->dims[0] * (uint64_t)out->dims[1];
    work->flops = frames * (transform_flops(n) + (windowed ? n : 0));
}

#define CONSTANT(...)                                                                              \
    {                                                                                              \
        .class = OPERATOR_CONSTANT, .outputs = {1, 1}, .price = PRICED_AS_MOVEMENT, __VA_ARGS__    \
    }

static const struct operator_definition DEFINITIONS[] = {
    {.name = "DFT",
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2),
     .class = OPERATOR_OTHER,
     .inputs = {1, 3},
     .outputs = {1, 1},
     .infer = infer_dft,
     .measure = measure_dft,
     .price = PRICED_AS_OTHER},
    {.name = "STFT",
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(3),
     .class = OPERATOR_OTHER,
     .inputs = {2, 4},
     .outputs = {1, 1},
     .infer = infer_stft,
     .measure = measure_stft,
     .price = PRICED_AS_OTHER},
    CONSTANT(.name = "HannWindow", .exact = OPERATOR_INPUT(0), .inputs = {1, 1}, .flops = 7,
             .infer = onnx_signal_infer_window),
    CONSTANT(.name = "HammingWindow", .exact = OPERATOR_INPUT(0), .inputs = {1, 1}, .flops = 7,
             .infer = onnx_signal_infer_window),
    CONSTANT(.name = "BlackmanWindow", .exact = OPERATOR_INPUT(0), .inputs = {1, 1}, .flops = 14,
             .infer = onnx_signal_infer_window),
    CONSTANT(.name = "MelWeightMatrix",
             .exact = OPERATOR_INPUT(0) | OPERATOR_INPUT(1) | OPERATOR_INPUT(2) |
                      OPERATOR_INPUT(3) | OPERATOR_INPUT(4),
             .inputs = {5, 5}, .flops = 2, .infer = infer_mel_weights),
};

const struct operator_table ONNX_SIGNAL_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
