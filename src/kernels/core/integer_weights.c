// Weights of integer products and convolutions, arranged once where they are constants.

#include <stdlib.h>

#include "integer_core.h"
#include "integer_depthwise.h"

static void weights_free(struct kernel_state *state)
{
    struct integer_weights *weights = (struct integer_weights *)state;
    for (uint64_t g = 0; weights->packed != NULL && g < weights->groups; g++)
        integer_packed_free(weights->packed[g]);
    free(weights->packed);
    free(weights->lines);
    free(weights->arranged);
    free(weights);
}

static status pack_groups(struct integer_weights *weights)
{
    const struct integer_matrix *all = &weights->matrix;
    struct integer_matrix group = *all;
    group.rows = all->rows / weights->groups;
    weights->packed = calloc((size_t)weights->groups, sizeof(struct integer_packed *));
    if (weights->packed == NULL)
        return status_no_memory("the packed weights of %llu groups",
                                (unsigned long long)weights->groups);
    for (uint64_t g = 0; g < weights->groups; g++) {
        const uint64_t first = g * group.rows;
        group.data = (const char *)all->data + first * all->row_stride * element_size(all->element);
        if (all->zeros.count > 1)
            group.zeros.items = all->zeros.items + first;
        STATUS_TRY(integer_pack(&group, weights->form, &weights->packed[g]));
    }
    return STATUS_OK;
}

static status arrange(struct integer_weights *weights, uint64_t taps)
{
    const uint64_t channels = weights->groups;
    const uint64_t size = integer_depthwise_size(weights->lanes, taps, channels);
    weights->arranged = (int16_t *)(void *)integer_allocate(size, sizeof *weights->arranged);
    if (weights->arranged == NULL)
        return status_no_memory("the weights of a convolution");
    integer_depthwise_arrange(weights->lanes, taps, channels, weights->lines, weights->arranged);
    return STATUS_OK;
}

// Channels that are computed together by integer_depthwise.h; 0: it is not for these weights.
static uint64_t lanes_for(const struct integer_matrix *matrix, uint64_t groups, bool depthwise)
{
    const bool fits = depthwise && matrix->rows == groups && matrix->inner == 1 &&
                      matrix->outer <= INTEGER_DEPTHWISE_TAPS;
    return fits ? integer_depthwise_lanes() : 0;
}

static status line_up(struct integer_weights *weights)
{
    const struct integer_matrix *matrix = &weights->matrix;
    const uint64_t taps = matrix->outer * matrix->inner;
    int16_t *row = (int16_t *)(void *)integer_allocate(taps, sizeof *row);
    weights->lines =
        (int16_t *)(void *)integer_allocate(taps * matrix->rows, sizeof *weights->lines);
    if (row == NULL || weights->lines == NULL) {
        free(row);
        return status_no_memory("the weights of a convolution");
    }
    for (uint64_t f = 0; f < matrix->rows; f++) {
        integer_matrix_row(matrix, f, row);
        for (uint64_t t = 0; t < taps; t++)
            weights->lines[t * matrix->rows + f] = row[t];
    }
    free(row);
    return weights->lanes > 0 ? arrange(weights, taps) : STATUS_OK;
}

static bool integer_weights_match(const struct integer_weights *kept,
                                  const struct integer_matrix *matrix, uint64_t groups,
                                  bool depthwise, enum integer_form form)
{
    const struct integer_matrix *own = &kept->matrix;
    return kept->groups == groups && kept->depthwise == depthwise && kept->form == form &&
           kept->lanes == lanes_for(matrix, groups, depthwise) && own->data == matrix->data &&
           own->element == matrix->element && own->rows == matrix->rows &&
           own->outer == matrix->outer && own->inner == matrix->inner &&
           own->row_stride == matrix->row_stride && own->outer_stride == matrix->outer_stride &&
           own->inner_stride == matrix->inner_stride;
}

static bool is_kept(struct integer_keep keep)
{
    return keep.state != NULL && keep.fixed;
}

status integer_weights_take(const struct integer_matrix *matrix, uint64_t groups, bool depthwise,
                            enum integer_form form, struct integer_keep keep,
                            struct integer_weights **out_weights)
{
    if (is_kept(keep) && *keep.state != NULL && (*keep.state)->free == weights_free &&
        integer_weights_match((struct integer_weights *)*keep.state, matrix, groups, depthwise,
                              form)) {
        *out_weights = (struct integer_weights *)*keep.state;
        return STATUS_OK;
    }
    struct integer_weights *weights = calloc(1, sizeof *weights);
    if (weights == NULL)
        return status_no_memory("the packed weights of an integer product");
    *weights = (struct integer_weights){.base = {weights_free},
                                        .matrix = *matrix,
                                        .groups = groups,
                                        .depthwise = depthwise,
                                        .lanes = lanes_for(matrix, groups, depthwise),
                                        .form = form};
    const status result = depthwise ? line_up(weights) : pack_groups(weights);
    if (result != STATUS_OK) {
        weights_free(&weights->base);
        return result;
    }
    weights->matrix.zeros = (struct integer_zeros){NULL, 0}; // of the caller
    if (is_kept(keep)) {
        if (*keep.state != NULL)
            (*keep.state)->free(*keep.state);
        *keep.state = &weights->base;
    }
    *out_weights = weights;
    return STATUS_OK;
}

void integer_weights_release(struct integer_weights *weights, struct integer_keep keep)
{
    if (!is_kept(keep))
        weights_free(&weights->base);
}
