#include "kernels/kernel_tables.h"

const struct kernel_table ONNX_TEXT_KERNELS = {NULL, 0};
