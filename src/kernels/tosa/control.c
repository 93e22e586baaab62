#include "kernels/kernel_tables.h"

const struct kernel_table TOSA_CONTROL_KERNELS = {NULL, 0};
