#include "kernels/kernel_tables.h"

const struct kernel_table TOSA_COMPUTE_KERNELS = {NULL, 0};
