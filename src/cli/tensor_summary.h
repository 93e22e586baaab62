// A large tensor in two lines: its first and last elements, and the range and mean of all.
//
//     1x1000xf32: -2.1475139 0.49529746 ... 0.1 0.25
//       1 000 elements, least -4.5, most 5.1, mean 0.0213; --full prints all

#ifndef OPSCOPE_CLI_TENSOR_SUMMARY_H
#define OPSCOPE_CLI_TENSOR_SUMMARY_H

#include "base/bytes.h"
#include "network/tensor.h"

// Of how many elements on that is worth it.
enum { TENSOR_SUMMARY_LARGE = 32 };

void tensor_summary_append(struct bytes *text, const struct tensor *tensor);

#endif
