// The time of CLOCK_MONOTONIC in nanoseconds.

#ifndef OPSCOPE_BASE_MONOTONIC_H
#define OPSCOPE_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
