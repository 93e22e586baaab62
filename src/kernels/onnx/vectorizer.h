// TfIdfVectorizer: how often each of a set of n-grams stands in a text.

#ifndef OPSCOPE_KERNELS_ONNX_VECTORIZER_H
#define OPSCOPE_KERNELS_ONNX_VECTORIZER_H

#include "kernels/kernel.h"

status vectorizer_run(struct kernel_call *call);

#endif
