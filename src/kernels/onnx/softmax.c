#include "kernels/kernel_tables.h"

const struct kernel_table ONNX_SOFTMAX_KERNELS = {NULL, 0};
