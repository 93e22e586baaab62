#include "panels_kept.h"

#include <stdlib.h>

#include "base/memory.h"

struct panels_kept {
    struct kernel_state base;
    const void *data; // of the tensor that they were made of
    struct panels_source first;
    uint64_t count;
    uint64_t each; // numbers of an arranged matrix
    float *panels;
};

static void panels_kept_free(struct kernel_state *state)
{
    struct panels_kept *kept = (struct panels_kept *)state;
    free(kept->panels);
    free(kept);
}

static bool panels_kept_stays(const struct kernel_call *call, uint32_t index)
{
    return call->state != NULL && kernel_input_fixed(call, index);
}

static bool panels_kept_match(const struct panels_kept *kept, const void *data,
                              const struct panels_source *first, uint64_t count)
{
    return kept->data == data && kept->count == count && kept->first.rows == first->rows &&
           kept->first.depth == first->depth && kept->first.row_step == first->row_step &&
           kept->first.depth_step == first->depth_step;
}

static status pack_all(struct panels_kept *kept)
{
    struct panels_source source = kept->first;
    kept->each = panels_size(source.rows, source.depth);
    kept->panels = memory_take(kept->count * kept->each * sizeof(float));
    if (kept->panels == NULL)
        return status_no_memory("the packed weights of a product");
    for (uint64_t i = 0; i < kept->count; i++) {
        panels_pack(&source, kept->panels + i * kept->each);
        source.numbers += source.rows * source.depth;
    }
    return STATUS_OK;
}

status panels_take(const struct kernel_call *call, uint32_t index,
                   const struct panels_source *first, uint64_t count, struct panels_kept **out_kept)
{
    const void *data = call->inputs[index]->data;
    struct kernel_state *state = panels_kept_stays(call, index) ? *call->state : NULL;
    if (state != NULL && state->free == panels_kept_free &&
        panels_kept_match((struct panels_kept *)state, data, first, count)) {
        *out_kept = (struct panels_kept *)state;
        return STATUS_OK;
    }
    struct panels_kept *kept = calloc(1, sizeof *kept);
    if (kept == NULL)
        return status_no_memory("the packed weights of a product");
    *kept = (struct panels_kept){
        .base = {panels_kept_free}, .data = data, .first = *first, .count = count};
    const status failure = pack_all(kept);
    if (failure != STATUS_OK) {
        panels_kept_free(&kept->base);
        return failure;
    }
    if (panels_kept_stays(call, index)) {
        if (state != NULL)
            state->free(state);
        *call->state = &kept->base;
    }
    *out_kept = kept;
    return STATUS_OK;
}

void panels_release(struct panels_kept *kept, const struct kernel_call *call, uint32_t index)
{
    if (kept != NULL && !panels_kept_stays(call, index))
        panels_kept_free(&kept->base);
}

const float *panels_of(const struct panels_kept *kept, uint64_t matrix)
{
    return kept->panels + matrix * kept->each;
}
