#include "kernels/kernel_tables.h"

const struct kernel_table TOSA_ELEMENTWISE_KERNELS = {NULL, 0};
