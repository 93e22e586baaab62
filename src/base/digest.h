// A short number that stands for bytes: equal bytes give the same one, in every process and
// on every machine. Not against those who mean harm.

#ifndef OPSCOPE_BASE_DIGEST_H
#define OPSCOPE_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct digest {
    uint64_t state;
};

struct digest digest_start(void);
void digest_add(struct digest *digest, const void *data, size_t size);

// Little endian, wherever it runs.
void digest_add_number(struct digest *digest, uint64_t number);

uint64_t digest_finish(const struct digest *digest);

#endif
