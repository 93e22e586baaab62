#include "network/operator_tables.h"

const struct operator_table TOSA_MOVEMENT_OPERATORS = {NULL, 0};
