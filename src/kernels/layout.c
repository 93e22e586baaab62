// Values laid out anew. On this machine they lie in rows in any case: a kernel copies.

#include "kernels/core/copy.h"
#include "kernels/kernel_tables.h"

static status lay_out(struct kernel_call *call)
{
    copy_all(call->parallel, kernel_input(call, 0), kernel_output(call, 0));
    return STATUS_OK;
}

static const struct kernel KERNELS[] = {
    {"layout.to_tiles", lay_out},
    {"layout.weights_to_tiles", lay_out},
    {"layout.from_tiles", lay_out},
    {"layout.from_mxfp6", lay_out},
};

const struct kernel_table LAYOUT_KERNELS = KERNEL_TABLE(KERNELS);
