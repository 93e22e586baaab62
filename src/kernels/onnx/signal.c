// Fourier transforms, windows and mel filters. All are computed in f64 and
// rounded once.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/convert.h"
#include "kernels/core/fourier.h"
#include "kernels/kernel_tables.h"

// Lines of numbers that are transformed: each begins at a place of its own and goes
// on in steps. All distances are in elements.
struct transform_job {
    const struct fourier *fourier;
    const double *in;
    double *out;
    uint64_t inner;       // lines of each outer index
    uint64_t in_outer;    // from outer index to outer index
    uint64_t in_inner;    // from line to line
    uint64_t in_step;     // from number to number
    uint64_t available;   // numbers of the input; the rest is 0
    uint64_t length;      // of the transform
    uint64_t bins;        // that are kept
    bool complex;         // the input's numbers
    const double *window; // NULL: none
    bool no_memory;       // set by any piece
};

static double signal_load(const struct tensor *tensor, uint64_t index)
{
    double value;
    convert_row(tensor->element, (const char *)tensor->data + index * element_size(tensor->element),
                ELEMENT_F64, &value, 1, true);
    return value;
}

static void signal_store(struct tensor *tensor, uint64_t index, double value)
{
    convert_row(ELEMENT_F64, &value, tensor->element,
                (char *)tensor->data + index * element_size(tensor->element), 1, true);
}

static void load_line(const struct transform_job *job, uint64_t first, struct fourier_number *line)
{
    for (uint64_t i = 0; i < job->length; i++) {
        line[i] = (struct fourier_number){0, 0};
        if (i >= job->available)
            continue;
        const uint64_t index = first + i * job->in_step;
        const double factor = job->window == NULL ? 1 : job->window[i];
        line[i].real = factor * job->in[index];
        if (job->complex)
            line[i].imaginary = factor * job->in[index + 1];
    }
}

static void transform_piece(void *context, uint64_t from, uint64_t to)
{
    struct transform_job *job = context;
    const uint64_t room = 2 * job->length + fourier_scratch(job->fourier);
    struct fourier_number *line = malloc((size_t)room * sizeof *line);
    if (line == NULL) {
        __atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
        return;
    }
    struct fourier_number *spectrum = line + job->length, *scratch = spectrum + job->length;
    for (uint64_t i = from; i < to; i++) {
        const uint64_t outer = i / job->inner, inner = i % job->inner;
        load_line(job, outer * job->in_outer + inner * job->in_inner, line);
        fourier_run(job->fourier, line, spectrum, scratch);
        for (uint64_t k = 0; k < job->bins; k++) {
            const uint64_t place = 2 * ((outer * job->bins + k) * job->inner + inner);
            job->out[place] = spectrum[k].real;
            job->out[place + 1] = spectrum[k].imaginary;
        }
    }
    free(line);
}

// The numbers of a tensor as f64, and room for those of another.
struct numbers {
    double *in, *out;
};

static status numbers_load(const struct tensor *in, const struct tensor *out,
                           struct numbers *numbers)
{
    const uint64_t in_count = tensor_count(in), out_count = tensor_count(out);
    numbers->in = malloc((size_t)(in_count + 1) * sizeof(double));
    numbers->out = malloc((size_t)(out_count + 1) * sizeof(double));
    if (numbers->in == NULL || numbers->out == NULL) {
        free(numbers->in);
        free(numbers->out);
        return status_no_memory("a Fourier transform");
    }
    convert_row(in->element, in->data, ELEMENT_F64, numbers->in, in_count, true);
    return STATUS_OK;
}

static void numbers_store(struct numbers *numbers, struct tensor *out)
{
    convert_row(ELEMENT_F64, numbers->out, out->element, out->data, tensor_count(out), true);
    free(numbers->in);
    free(numbers->out);
}

static status run_transforms(const struct kernel_call *call, struct transform_job *job,
                             uint64_t lines, bool inverse)
{
    if (lines == 0)
        return STATUS_OK;
    struct fourier *fourier;
    STATUS_TRY(fourier_create(job->length, inverse, &fourier));
    job->fourier = fourier;
    parallel_for(call->parallel, lines, 4096 / job->length + 1, transform_piece, job);
    fourier_free(fourier);
    return job->no_memory ? status_no_memory("a Fourier transform") : STATUS_OK;
}

static int64_t integer_input(const struct kernel_call *call, uint32_t index, int64_t fallback)
{
    const struct tensor *tensor = kernel_input(call, index);
    int64_t value = fallback;
    if (tensor != NULL)
        convert_row(tensor->element, tensor->data, ELEMENT_I64, &value, 1, true);
    return value;
}

static status dft(struct kernel_call *call)
{
    const struct tensor *in = call->inputs[0];
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const int64_t wanted = call->version >= 20 ? integer_input(call, 2, -2)
                                               : attribute_integer(call->attributes, "axis", 1);
    const uint32_t rank = in->shape.rank;
    uint32_t axis;
    STATUS_TRY(shape_axis(wanted, rank, &axis));
    const uint64_t parts = (uint64_t)in->shape.dims[rank - 1];
    const uint64_t available = (uint64_t)in->shape.dims[axis];
    const uint64_t inner = shape_count_between(&in->shape, axis + 1, rank - 1);
    struct numbers numbers;
    STATUS_TRY(numbers_load(in, out, &numbers));
    struct transform_job job = {
        .in = numbers.in,
        .out = numbers.out,
        .inner = inner,
        .in_outer = available * inner * parts,
        .in_inner = parts,
        .in_step = inner * parts,
        .available = available,
        .length = (uint64_t)integer_input(call, 1, (int64_t)available),
        .bins = (uint64_t)out->shape.dims[axis],
        .complex = parts == 2,
    };
    const uint64_t lines = shape_count_between(&in->shape, 0, axis) * inner;
    const status result =
        run_transforms(call, &job, lines, attribute_integer(call->attributes, "inverse", 0) != 0);
    numbers_store(&numbers, out);
    return result;
}

static status stft(struct kernel_call *call)
{
    const struct tensor *signal = call->inputs[0], *window = kernel_input(call, 2);
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    double *factors = NULL;
    int64_t length = 0;
    if (window != NULL) {
        length = window->shape.dims[0];
        factors = memory_allocate_zeroed((size_t)length + 1, sizeof *factors);
        convert_row(window->element, window->data, ELEMENT_F64, factors, (uint64_t)length, true);
    }
    length = integer_input(call, 3, length);
    const bool complex = signal->shape.rank == 3 && signal->shape.dims[2] == 2;
    const uint64_t parts = complex ? 2 : 1;
    const uint64_t step = (uint64_t)integer_input(call, 1, 1);
    const uint64_t samples = (uint64_t)signal->shape.dims[1];
    const uint64_t frames = (uint64_t)out->shape.dims[1];
    struct numbers numbers;
    status result = numbers_load(signal, out, &numbers);
    if (result != STATUS_OK) {
        free(factors);
        return result;
    }
    struct transform_job job = {
        .inner = 1,
        .in_outer = step * parts,
        .in_step = parts,
        .available = (uint64_t)length,
        .length = (uint64_t)length,
        .bins = (uint64_t)out->shape.dims[2],
        .complex = complex,
        .window = factors,
    };
    // Frames of one signal are as far apart as the steps say, signals are not.
    for (uint64_t b = 0; b < (uint64_t)signal->shape.dims[0] && result == STATUS_OK; b++) {
        job.in = numbers.in + b * samples * parts;
        job.out = numbers.out + b * frames * job.bins * 2;
        result = run_transforms(call, &job, frames, false);
    }
    numbers_store(&numbers, out);
    free(factors);
    return result;
}

// c0 + c1 cos(2 pi n / N) + c2 cos(4 pi n / N)
static status cosine_window(struct kernel_call *call, const double coefficients[3])
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const uint64_t size = tensor_count(out);
    const bool periodic = attribute_integer(call->attributes, "periodic", 1) != 0;
    const uint64_t length = periodic ? size : size - 1;
    for (uint64_t i = 0; i < size; i++) {
        const double angle = 2 * M_PI * (double)i / (double)length;
        const double value = length == 0 ? 1
                                         : coefficients[0] + coefficients[1] * cos(angle) +
                                               coefficients[2] * cos(2 * angle);
        // The definition computes in f32: what is nearly 1 is 1, also as an integer.
        signal_store(out, i, out->element == ELEMENT_F64 ? value : (double)(float)value);
    }
    return STATUS_OK;
}

static status hann_window(struct kernel_call *call)
{
    return cosine_window(call, (const double[]){0.5, -0.5, 0});
}

static status hamming_window(struct kernel_call *call)
{
    return cosine_window(call, (const double[]){25.0 / 46, -21.0 / 46, 0});
}

static status blackman_window(struct kernel_call *call)
{
    return cosine_window(call, (const double[]){0.42, -0.5, 0.08});
}

static double mel_of_hertz(double hertz)
{
    return 2595 * log10(1 + hertz / 700);
}

static double hertz_of_mel(double mel)
{
    return 700 * (pow(10, mel / 2595) - 1);
}

// A triangle over the bins [low, high): 1 at `center`.
static void mel_triangle(struct tensor *out, uint64_t column, const int64_t corners[3])
{
    const uint64_t columns = (uint64_t)out->shape.dims[1];
    const int64_t low = corners[0], center = corners[1], high = corners[2];
    if (low == center)
        signal_store(out, (uint64_t)center * columns + column, 1);
    for (int64_t bin = low; low < center && bin <= center; bin++)
        signal_store(out, (uint64_t)bin * columns + column,
                     (double)(bin - low) / (double)(center - low));
    for (int64_t bin = center; bin < high; bin++)
        signal_store(out, (uint64_t)bin * columns + column,
                     (double)(high - bin) / (double)(high - center));
}

static status mel_weight_matrix(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const int64_t mel_bins = integer_input(call, 0, 0), length = integer_input(call, 1, 0);
    const int64_t rate = integer_input(call, 2, 0);
    const double lower = signal_load(call->inputs[3], 0), upper = signal_load(call->inputs[4], 0);
    for (uint64_t i = 0; i < tensor_count(out); i++)
        signal_store(out, i, 0);
    if (rate == 0)
        return status_make(STATUS_DATA, "a sample rate of 0");
    const double lowest = mel_of_hertz(lower);
    const double step = (mel_of_hertz(upper) - lowest) / (double)(mel_bins + 2);
    for (int64_t i = 0; i < mel_bins; i++) {
        int64_t corners[3];
        for (int64_t c = 0; c < 3; c++) {
            const double hertz = hertz_of_mel((double)(i + c) * step + lowest);
            const double bin = floor((double)(length + 1) * hertz / (double)rate);
            if (!(bin >= 0 && bin < (double)out->shape.dims[0]))
                return status_make(
                    STATUS_DATA, "%g Hz is beyond a spectrum of %" PRId64 " bins at %" PRId64 " Hz",
                    hertz, out->shape.dims[0], rate);
            corners[c] = (int64_t)bin;
        }
        mel_triangle(out, (uint64_t)i, corners);
    }
    return STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"DFT", dft},
    {"STFT", stft},
    {"HannWindow", hann_window},
    {"HammingWindow", hamming_window},
    {"BlackmanWindow", blackman_window},
    {"MelWeightMatrix", mel_weight_matrix},
};

const struct kernel_table ONNX_SIGNAL_KERNELS = KERNEL_TABLE(KERNELS);
