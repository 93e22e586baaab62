// Losses and optimizers. Sums are taken in f64 and rounded once.

#include "training.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/core/convert.h"
#include "kernels/kernel_tables.h"

// Numbers of a tensor in another element, or NULL when there is no memory.
static void *training_load(const struct tensor *tensor, enum element element)
{
    const uint64_t count = tensor_count(tensor);
    void *items = malloc((size_t)(count + 1) * element_size(element));
    if (items != NULL)
        convert_row(tensor->element, tensor->data, element, items, count, true);
    return items;
}

static void training_store(const double *items, struct tensor *tensor)
{
    convert_row(ELEMENT_F64, items, tensor->element, tensor->data, tensor_count(tensor), true);
}

// Scores: batch x classes x inner; targets: batch x inner.
struct loss {
    uint64_t batch, classes, inner;
    double *scores;
    int64_t *targets;
    double *weights; // by class; NULL: all 1
    double *losses;  // by target
    bool has_ignored;
    int64_t ignored;
};

static void loss_free(struct loss *loss)
{
    free(loss->scores);
    free(loss->targets);
    free(loss->weights);
    free(loss->losses);
}

static status loss_load(const struct kernel_call *call, struct loss *loss)
{
    const struct tensor *scores = call->inputs[0], *targets = call->inputs[1];
    const struct tensor *weights = kernel_input(call, 2);
    *loss = (struct loss){
        .batch = (uint64_t)scores->shape.dims[0],
        .classes = (uint64_t)scores->shape.dims[1],
        .inner = shape_count_between(&scores->shape, 2, scores->shape.rank),
        .scores = training_load(scores, ELEMENT_F64),
        .targets = training_load(targets, ELEMENT_I64),
        .weights = weights == NULL ? NULL : training_load(weights, ELEMENT_F64),
        .losses = malloc((size_t)(tensor_count(targets) + 1) * sizeof(double)),
        .has_ignored = attribute_given(call->attributes, "ignore_index"),
        .ignored = attribute_integer(call->attributes, "ignore_index", 0),
    };
    if (loss->scores != NULL && loss->targets != NULL && loss->losses != NULL &&
        (weights == NULL || loss->weights != NULL))
        return STATUS_OK;
    loss_free(loss);
    return status_no_memory("the logarithms of a loss");
}

// Replaces the scores of one batch item by the logarithms of their softmax.
static void log_softmax_piece(void *context, uint64_t from, uint64_t to)
{
    const struct loss *loss = context;
    for (uint64_t i = from; i < to; i++) {
        double *scores =
            loss->scores + i / loss->inner * loss->classes * loss->inner + i % loss->inner;
        double highest = -INFINITY, sum = 0;
        for (uint64_t c = 0; c < loss->classes; c++)
            highest = fmax(highest, scores[c * loss->inner]);
        for (uint64_t c = 0; c < loss->classes; c++)
            sum += exp(scores[c * loss->inner] - highest);
        const double shift = highest + log(sum);
        for (uint64_t c = 0; c < loss->classes; c++)
            scores[c * loss->inner] -= shift;
    }
}

// Fills the losses, and sums the weights of those that count.
static status loss_pick(struct loss *loss, double *out_weight)
{
    double total = 0;
    for (uint64_t i = 0; i < loss->batch * loss->inner; i++) {
        const int64_t target = loss->targets[i];
        loss->losses[i] = 0;
        if (loss->has_ignored && target == loss->ignored)
            continue;
        if (target < 0 || (uint64_t)target >= loss->classes)
            return status_make(STATUS_DATA, "target %" PRId64 " of %" PRIu64 " classes", target,
                               loss->classes);
        const double weight = loss->weights == NULL ? 1 : loss->weights[target];
        const uint64_t place =
            (i / loss->inner * loss->classes + (uint64_t)target) * loss->inner + i % loss->inner;
        loss->losses[i] = -loss->scores[place] * weight;
        total += weight;
    }
    *out_weight = total;
    return STATUS_OK;
}

static status loss_finish(const struct kernel_call *call, struct loss *loss)
{
    double weight;
    STATUS_TRY(loss_pick(loss, &weight));
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const struct view reduction = attribute_text(call->attributes, "reduction", "mean");
    if (view_is(reduction, "none")) {
        training_store(loss->losses, out);
        return STATUS_OK;
    }
    double sum = 0;
    for (uint64_t i = 0; i < loss->batch * loss->inner; i++)
        sum += loss->losses[i];
    if (view_is(reduction, "mean"))
        sum /= weight;
    training_store(&sum, out);
    return STATUS_OK;
}

static status negative_log_likelihood_loss(struct kernel_call *call)
{
    struct loss loss;
    STATUS_TRY(loss_load(call, &loss));
    const status result = loss_finish(call, &loss);
    loss_free(&loss);
    return result;
}

static status softmax_cross_entropy_loss(struct kernel_call *call)
{
    struct loss loss;
    STATUS_TRY(loss_load(call, &loss));
    parallel_for(call->parallel, loss.batch * loss.inner, 4096 / (loss.classes + 1) + 1,
                 log_softmax_piece, &loss);
    struct tensor *log_prob = kernel_output(call, 1);
    if (log_prob != NULL)
        training_store(loss.scores, log_prob);
    const status result = loss_finish(call, &loss);
    loss_free(&loss);
    return result;
}

// One step of an optimizer over `count` numbers: x and its gradient g, and up to
// two more that are remembered. All are changed in place.
struct step {
    double rate;
    double decay, epsilon, norm, norm_post, alpha, beta;
    int64_t time;
    bool nesterov;
};

static void adagrad_numbers(const struct step *step, uint64_t count, double *x, const double *g,
                            double *squares, double *unused)
{
    (void)unused;
    const double rate = step->rate / (1 + (double)step->time * step->decay);
    for (uint64_t i = 0; i < count; i++) {
        const double gradient = step->norm * x[i] + g[i];
        squares[i] += gradient * gradient;
        x[i] -= rate * gradient / (sqrt(squares[i]) + step->epsilon);
    }
}

static void adam_numbers(const struct step *step, uint64_t count, double *x, const double *g,
                         double *mean, double *squares)
{
    const double time = (double)step->time;
    const double rate =
        step->time > 0 ? step->rate * sqrt(1 - pow(step->beta, time)) / (1 - pow(step->alpha, time))
                       : step->rate;
    for (uint64_t i = 0; i < count; i++) {
        const double gradient = step->norm * x[i] + g[i];
        mean[i] = step->alpha * mean[i] + (1 - step->alpha) * gradient;
        squares[i] = step->beta * squares[i] + (1 - step->beta) * gradient * gradient;
        x[i] -= rate * mean[i] / (sqrt(squares[i]) + step->epsilon);
        x[i] *= 1 - step->norm_post;
    }
}

static void momentum_numbers(const struct step *step, uint64_t count, double *x, const double *g,
                             double *velocity, double *unused)
{
    (void)unused;
    const double beta = step->time > 0 ? step->beta : 1;
    for (uint64_t i = 0; i < count; i++) {
        const double gradient = step->norm * x[i] + g[i];
        velocity[i] = step->alpha * velocity[i] + beta * gradient;
        x[i] -= step->rate * (step->nesterov ? gradient + step->alpha * velocity[i] : velocity[i]);
    }
}

typedef void (*step_function)(const struct step *step, uint64_t count, double *x, const double *g,
                              double *first, double *second);

struct step_job {
    const struct step *step;
    step_function function;
    const struct tensor *in[4]; // x, g, and what is remembered
    struct tensor *out[3];      // x and what is remembered; NULL where nothing reads it
    uint32_t groups;
};

static void step_piece(void *context, uint64_t from, uint64_t to)
{
    enum { CHUNK = 256 };
    const struct step_job *job = context;
    double numbers[4][CHUNK];
    for (; from < to; from += CHUNK) {
        const uint64_t count = to - from < CHUNK ? to - from : CHUNK;
        for (uint32_t g = 0; g < job->groups; g++)
            convert_row(job->in[g]->element,
                        (const char *)job->in[g]->data + from * element_size(job->in[g]->element),
                        ELEMENT_F64, numbers[g], count, true);
        job->function(job->step, count, numbers[0], numbers[1], numbers[2], numbers[3]);
        for (uint32_t g = 0; g + 1 < job->groups; g++) {
            struct tensor *out = job->out[g];
            if (out != NULL)
                convert_row(ELEMENT_F64, numbers[g == 0 ? 0 : g + 1], out->element,
                            (char *)out->data + from * element_size(out->element), count, true);
        }
    }
}

static status optimize(struct kernel_call *call, struct step *step, uint32_t groups,
                       step_function function)
{
    convert_row(call->inputs[0]->element, call->inputs[0]->data, ELEMENT_F64, &step->rate, 1, true);
    convert_row(call->inputs[1]->element, call->inputs[1]->data, ELEMENT_I64, &step->time, 1, true);
    step->norm = attribute_real(call->attributes, "norm_coefficient", 0);
    const uint32_t each = (call->input_count - 2) / groups;
    for (uint32_t i = 0; i < each; i++) {
        struct step_job job = {.step = step, .function = function, .groups = groups};
        for (uint32_t g = 0; g < groups; g++)
            job.in[g] = call->inputs[2 + g * each + i];
        for (uint32_t g = 0; g + 1 < groups; g++)
            job.out[g] = kernel_output(call, g * each + i);
        parallel_for(call->parallel, tensor_count(job.in[0]), 16384, step_piece, &job);
    }
    return STATUS_OK;
}

static status adagrad(struct kernel_call *call)
{
    struct step step = {
        .decay = attribute_real(call->attributes, "decay_factor", 0),
        .epsilon = attribute_real(call->attributes, "epsilon", 1e-6F),
    };
    return optimize(call, &step, 3, adagrad_numbers);
}

static status adam(struct kernel_call *call)
{
    struct step step = {
        .alpha = attribute_real(call->attributes, "alpha", 0.9F),
        .beta = attribute_real(call->attributes, "beta", 0.999F),
        .epsilon = attribute_real(call->attributes, "epsilon", 1e-6F),
        .norm_post = attribute_real(call->attributes, "norm_coefficient_post", 0),
    };
    return optimize(call, &step, 4, adam_numbers);
}

static status momentum(struct kernel_call *call)
{
    struct step step = {
        .alpha = attribute_real(call->attributes, "alpha", 0),
        .beta = attribute_real(call->attributes, "beta", 0),
        .nesterov = view_is(attribute_text(call->attributes, "mode", "standard"), "nesterov"),
    };
    return optimize(call, &step, 3, momentum_numbers);
}

static const struct kernel KERNELS[] = {
    {"NegativeLogLikelihoodLoss", negative_log_likelihood_loss},
    {"SoftmaxCrossEntropyLoss", softmax_cross_entropy_loss},
    {"Adagrad", adagrad},
    {"Adam", adam},
    {"Momentum", momentum},
    {"Gradient", training_gradient},
};

const struct kernel_table ONNX_TRAINING_KERNELS = KERNEL_TABLE(KERNELS);
