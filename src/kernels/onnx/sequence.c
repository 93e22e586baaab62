#include "kernels/kernel_tables.h"

const struct kernel_table ONNX_SEQUENCE_KERNELS = {NULL, 0};
