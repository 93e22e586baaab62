#include "network/operator_tables.h"

const struct operator_table ONNX_SEQUENCE_OPERATORS = {NULL, 0};
