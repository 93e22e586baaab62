#include "kernels/kernel_tables.h"

const struct kernel_table ONNX_RECURRENT_KERNELS = {NULL, 0};
