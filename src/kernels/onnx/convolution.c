#include "kernels/kernel_tables.h"

const struct kernel_table ONNX_CONVOLUTION_KERNELS = {NULL, 0};
