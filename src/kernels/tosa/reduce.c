#include "kernels/kernel_tables.h"

const struct kernel_table TOSA_REDUCE_KERNELS = {NULL, 0};
