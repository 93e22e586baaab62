#include "kernels/kernel_tables.h"

const struct kernel_table TOSA_MOVEMENT_KERNELS = {NULL, 0};
