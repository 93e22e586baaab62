// In place of onednn.c and fused_convolution.c where opscope is built without oneDNN: nothing is
// quick here, so those who ask compute it by loops of their own.

#include "fused_convolution.h"
#include "onednn.h"

status onednn_convolution(const struct convolution *convolution,
                          const struct convolution_operands *operands, struct parallel *parallel,
                          struct kernel_state **state, bool *out_done)
{
    (void)convolution;
    (void)operands;
    (void)parallel;
    (void)state;
    *out_done = false;
    return STATUS_OK;
}

bool onednn_product(const struct matrix_product *product, const float *a, const float *b, float *c)
{
    (void)product;
    (void)a;
    (void)b;
    (void)c;
    return false;
}

struct fused_convolution *fused_convolution_create(const struct fused_convolution_plan *plan)
{
    (void)plan;
    return NULL;
}

// What is below is for a convolution, of which there is none.

void fused_convolution_free(struct fused_convolution *convolution)
{
    (void)convolution;
}

size_t fused_convolution_room(const struct fused_convolution *convolution)
{
    (void)convolution;
    return 0;
}

status fused_convolution_run(struct fused_convolution *convolution, const void *source,
                             const void *const *others, void *result, struct scratch_pool *rooms,
                             struct parallel *parallel)
{
    (void)convolution;
    (void)source;
    (void)others;
    (void)result;
    (void)rooms;
    (void)parallel;
    return status_make(STATUS_UNSUPPORTED, "this opscope was built without oneDNN");
}
