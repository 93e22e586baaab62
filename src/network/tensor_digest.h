// The digest of what a network computed: type, shape and elements.

#ifndef OPSCOPE_NETWORK_TENSOR_DIGEST_H
#define OPSCOPE_NETWORK_TENSOR_DIGEST_H

#include "base/digest.h"
#include "tensor.h"

void datum_digest(struct digest *digest, const struct datum *datum);

#endif
