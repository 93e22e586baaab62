#include "byte_convolution.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "clones.h"
#include "integer_core.h"
#include "whole_numbers.h"

// Whether all that is done to the image before is to scale its bytes; by which factor.
static bool find_image(const struct chain *before, struct byte_image *image, float *out_scale)
{
    if (before == NULL || before->step_count != 2 || before->input_count != 1 ||
        before->result != ELEMENT_F32 || before->inputs[0].period != 0 ||
        before->steps[0].operation != CHAIN_READ || before->steps[1].operation != CHAIN_LINEAR)
        return false;
    image->element = before->inputs[0].element;
    image->zero = (int32_t)before->steps[1].b;
    image->form = byte_panels_form();
    *out_scale = before->steps[1].a;
    return image->element == ELEMENT_U8 || image->element == ELEMENT_I8;
}

static bool find_weights(const struct fused_convolution_plan *plan, float scale,
                         struct byte_convolution *bytes)
{
    const struct convolution *c = &plan->convolution;
    const uint64_t each = (uint64_t)(c->inputs * c->kernel[0] * c->kernel[1]);
    float *filter = memory_allocate(each * sizeof *filter);
    bool found = true;
    for (uint64_t i = 0; found && i < (uint64_t)c->outputs; i++) {
        float own = 0;
        for (uint64_t k = 0; k < each; k++)
            filter[k] =
                plan->weights[plan->weights_turned ? k * (uint64_t)c->outputs + i : i * each + k];
        found = whole_numbers_find(filter, each, bytes->weights + i * each, &own);
        const double other = plan->scales != NULL ? (double)plan->scales[i] : 1;
        bytes->scales[i] = (float)((double)scale * (double)own * other);
        found = found && isfinite(bytes->scales[i]);
    }
    free(filter);
    return found;
}

struct byte_convolution byte_convolution_find(const struct fused_convolution_plan *plan)
{
    const struct convolution *c = &plan->convolution;
    struct byte_convolution bytes = {.weights = NULL};
    float scale;
    if (!find_image(plan->before, &bytes.image, &scale) || !panel_convolution_suits_bytes(c))
        return bytes;
    const uint64_t outputs = (uint64_t)c->outputs;
    bytes.weights = memory_allocate(outputs * (uint64_t)(c->inputs * c->kernel[0] * c->kernel[1]));
    bytes.scales = memory_allocate(outputs * sizeof *bytes.scales);
    if (!find_weights(plan, scale, &bytes))
        byte_convolution_free(&bytes);
    return bytes;
}

void byte_convolution_free(struct byte_convolution *bytes)
{
    free(bytes->weights);
    free(bytes->scales);
    bytes->weights = NULL;
    bytes->scales = NULL;
}

// -128 ... 127 as 0 ... 255.
CORE_CLONES(void, raise_bytes, (const uint8_t *from, uint8_t *to, uint64_t count),
            (from, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = from[i] ^ 0x80;
}

uint8_t byte_image_zero(const struct byte_image *image)
{
    if (image->form == BYTES_IN_PAIRS)
        return 0;
    return (uint8_t)(image->element == ELEMENT_U8 ? image->zero : image->zero + 128);
}

uint64_t byte_image_room(const struct byte_image *image, uint64_t count)
{
    const bool as_it_lies = image->form == BYTES_IN_FOURS && image->element == ELEMENT_U8;
    return as_it_lies ? 0 : count * byte_form_size(image->form);
}

const void *byte_image_take(const struct byte_image *image, const void *source, uint64_t first,
                            uint64_t count, void *room)
{
    const uint8_t *from = (const uint8_t *)source + first;
    if (byte_image_room(image, count) == 0)
        return from;
    if (image->form == BYTES_IN_PAIRS)
        integer_widen(image->element, source, first, 1, count, image->zero, room);
    else
        raise_bytes(from, room, count);
    return room;
}
