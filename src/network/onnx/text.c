#include "network/operator_tables.h"

const struct operator_table ONNX_TEXT_OPERATORS = {NULL, 0};
