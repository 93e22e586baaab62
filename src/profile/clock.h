// Clock domains. Times stay in the ticks of their clock; this is the map to
// nanoseconds, with one rounding rule: floor(ticks * 1e9 / frequency).

#ifndef OPSCOPE_PROFILE_CLOCK_H
#define OPSCOPE_PROFILE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock_domain {
    uint32_t name;       // string id
    uint64_t frequency;  // ticks a second, not 0
    uint64_t base_ticks; // this tick ...
    uint64_t base_ns;    // ... is this nanosecond of the profile's time
    int64_t drift_ppb;   // ticks last this much longer than `frequency` says, in 1e-9 of them
    uint64_t multiplier; // ns a tick in lowest terms: set by clock_prepare
    uint64_t divisor;
    unsigned shift; // divisor == 1 << shift; 64 when it is no power of two
};

// Clocks that were measured against others differ by less than this from what they say.
#define CLOCK_DRIFT_MOST 500000000

// Fills in the derived fields. A drift beyond CLOCK_DRIFT_MOST either way becomes 0.
void clock_prepare(struct clock_domain *domain);

uint64_t clock_scale_wide(uint64_t ticks, uint64_t multiplier, uint64_t divisor);

// Whether tick 0 is nanosecond 0 and ticks last what the frequency says.
static inline bool clock_is_plain(const struct clock_domain *domain)
{
    return domain->base_ticks == 0 && domain->base_ns == 0 && domain->drift_ppb == 0;
}

// Nanoseconds that `ticks` last; UINT64_MAX when it does not fit.
static inline uint64_t clock_duration(const struct clock_domain *domain, uint64_t ticks)
{
    uint64_t product;
    if (__builtin_mul_overflow(ticks, domain->multiplier, &product))
        return clock_scale_wide(ticks, domain->multiplier, domain->divisor);
    return domain->shift < 64 ? product >> domain->shift : product / domain->divisor;
}

// The nanosecond of tick `ticks`. Ticks before the base give earlier
// nanoseconds, down to 0.
uint64_t clock_to_ns_far(const struct clock_domain *domain, uint64_t ticks);

static inline uint64_t clock_to_ns(const struct clock_domain *domain, uint64_t ticks)
{
    if (domain->base_ticks == 0 && domain->base_ns == 0)
        return clock_duration(domain, ticks);
    return clock_to_ns_far(domain, ticks);
}

// The inverse, for writers of tick formats: the first tick whose nanosecond
// is `ns` or later.
uint64_t clock_from_ns(const struct clock_domain *domain, uint64_t ns);

#endif
