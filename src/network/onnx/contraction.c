#include "contraction.h"

#include <inttypes.h>

static bool contraction_differ(int64_t a, int64_t b)
{
    return a != b && a != SHAPE_UNKNOWN && b != SHAPE_UNKNOWN;
}

static status no_product(const struct shape *a, const struct shape *b)
{
    char a_text[SHAPE_TEXT_MOST], b_text[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "no matrix product of %s and %s", shape_text(a, a_text),
                       shape_text(b, b_text));
}

// The dimensions in front of the last two.
static struct shape batch_of(const struct shape *shape)
{
    struct shape batch = *shape;
    batch.rank = shape->rank > 2 ? shape->rank - 2 : 0;
    return batch;
}

status contraction_matmul(const struct shape *a, const struct shape *b, struct shape *out_shape)
{
    if (a->rank == 0 || b->rank == 0)
        return no_product(a, b);
    const int64_t depth = a->dims[a->rank - 1];
    if (contraction_differ(depth, b->dims[b->rank == 1 ? 0 : b->rank - 2]))
        return no_product(a, b);
    const struct shape a_batch = batch_of(a), b_batch = batch_of(b);
    struct shape out;
    STATUS_TRY(shape_broadcast(&a_batch, &b_batch, &out));
    if (a->rank > 1)
        out.dims[out.rank++] = a->dims[a->rank - 2];
    if (b->rank > 1)
        out.dims[out.rank++] = b->dims[b->rank - 1];
    *out_shape = out;
    return STATUS_OK;
}

uint64_t contraction_matmul_macs(const struct shape *a, const struct shape *out)
{
    return shape_count(out) * (uint64_t)a->dims[a->rank - 1];
}

static status check_kernel(struct attributes attributes, const struct shape *weights)
{
    const int64_t *kernel;
    const uint32_t count = attribute_integers(attributes, "kernel_shape", &kernel);
    bool fits = count == 0 || count == weights->rank - 2;
    for (uint32_t d = 0; fits && d < count; d++)
        fits = !contraction_differ(kernel[d], weights->dims[d + 2]);
    if (fits)
        return STATUS_OK;
    char text[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "attribute kernel_shape does not fit weights of %s",
                       shape_text(weights, text));
}

static status contraction_check_channels(const struct shape *x, const struct shape *weights,
                                         int64_t groups)
{
    if (groups < 1)
        return status_make(STATUS_DATA, "attribute group is %" PRId64, groups);
    const int64_t channels = x->dims[1], filters = weights->dims[0], depth = weights->dims[1];
    const bool channels_known = channels != SHAPE_UNKNOWN, filters_known = filters != SHAPE_UNKNOWN;
    if ((channels_known && channels % groups != 0) || (filters_known && filters % groups != 0))
        return status_make(STATUS_DATA,
                           "%" PRId64 " groups share neither %" PRId64 " channels nor %" PRId64
                           " filters evenly",
                           groups, channels, filters);
    if (channels_known && contraction_differ(channels / groups, depth))
        return status_make(STATUS_DATA,
                           "%" PRId64 " channels in %" PRId64 " groups, but weights for %" PRId64
                           " channels of a group",
                           channels, groups, depth);
    return STATUS_OK;
}

status contraction_convolution(struct attributes attributes, const struct shape *x,
                               const struct shape *weights, struct shape *out_shape,
                               struct window *out_window)
{
    if (x->rank < 3 || weights->rank != x->rank)
        return status_make(STATUS_DATA,
                           "a convolution of %" PRIu32 " dimensions with weights of %" PRIu32,
                           x->rank, weights->rank);
    STATUS_TRY(check_kernel(attributes, weights));
    STATUS_TRY(contraction_check_channels(x, weights, attribute_integer(attributes, "group", 1)));
    STATUS_TRY(window_resolve(attributes, x->rank - 2, x->dims + 2, weights->dims + 2, out_window));
    out_shape->rank = x->rank;
    out_shape->dims[0] = x->dims[0];
    out_shape->dims[1] = weights->dims[0];
    for (uint32_t d = 0; d < out_window->spatial; d++)
        out_shape->dims[d + 2] = out_window->output[d];
    return STATUS_OK;
}

uint64_t contraction_convolution_macs(const struct shape *weights, const struct shape *out)
{
    return shape_count(out) * shape_count_between(weights, 1, weights->rank);
}
