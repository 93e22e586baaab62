// The clock of a recording and its map to CLOCK_MONOTONIC.

#ifndef OPSCOPE_RECORD_TICKS_H
#define OPSCOPE_RECORD_TICKS_H

#include "profile/clock.h"

// The same moment on both clocks, as close as one reading tells.
struct ticks_sample {
    uint64_t ticks;
    uint64_t ns;
    uint64_t width_ns; // between the two readings around it: the error is at most half of it
};

enum { TICKS_SAMPLES = 64 };

// A line through the first sample and the last one; those between tell how far it is off.
struct ticks_fit {
    struct ticks_sample samples[TICKS_SAMPLES]; // evenly chosen among all
    uint32_t count;
    uint32_t every; // one sample in so many is kept
    uint32_t passed;
};

// Whether the time stamp counter ticks evenly, whatever the CPU does.
bool ticks_are_constant(void);

// The time stamp counter; CLOCK_MONOTONIC where there is none.
uint64_t ticks_now(void);

uint64_t ticks_monotonic_ns(void);

// Takes the first samples, 2 ms apart, and sets frequency and base of `domain`.
void ticks_fit_start(struct ticks_fit *fit, struct clock_domain *domain);

// Takes one more and fits again: the longer ago the first one is, the better.
void ticks_fit_again(struct ticks_fit *fit, struct clock_domain *domain);

// How far the map is off at the samples, at most.
uint64_t ticks_fit_error_ns(const struct ticks_fit *fit, const struct clock_domain *domain);

#endif
