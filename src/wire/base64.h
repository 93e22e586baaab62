// Bytes as letters of base64 (RFC 4648), with = at the end.

#ifndef OPSCOPE_WIRE_BASE64_H
#define OPSCOPE_WIRE_BASE64_H

#include "base/output.h"

void base64_write(struct output *output, const void *data, size_t size);

#endif
