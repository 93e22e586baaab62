#include "clock.h"

static const uint64_t NS_PER_SECOND = 1000000000;

static uint64_t clock_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The ratio times (1e9 + drift) / 1e9; of clocks beyond 18 GHz, a little less precisely.
static void apply_drift(struct clock_domain *domain)
{
    uint64_t longer = NS_PER_SECOND + (uint64_t)domain->drift_ppb;
    uint64_t nominal = NS_PER_SECOND;
    uint64_t product;
    while (__builtin_mul_overflow(domain->divisor, nominal, &product)) {
        longer /= 2;
        nominal /= 2;
    }
    const uint64_t common = clock_common_divisor(domain->multiplier * longer, product);
    domain->multiplier = domain->multiplier * longer / common;
    domain->divisor = product / common;
}

void clock_prepare(struct clock_domain *domain)
{
    if (domain->frequency == 0)
        domain->frequency = NS_PER_SECOND;
    if (domain->drift_ppb > CLOCK_DRIFT_MOST || domain->drift_ppb < -CLOCK_DRIFT_MOST)
        domain->drift_ppb = 0;
    const uint64_t common = clock_common_divisor(NS_PER_SECOND, domain->frequency);
    domain->multiplier = NS_PER_SECOND / common;
    domain->divisor = domain->frequency / common;
    if (domain->drift_ppb != 0)
        apply_drift(domain);
    const bool power_of_two = (domain->divisor & (domain->divisor - 1)) == 0;
    domain->shift = power_of_two ? (unsigned)__builtin_ctzll(domain->divisor) : 64;
}

uint64_t clock_scale_wide(uint64_t ticks, uint64_t multiplier, uint64_t divisor)
{
    const unsigned __int128 scaled = (unsigned __int128)ticks * multiplier / divisor;
    return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

uint64_t clock_to_ns_far(const struct clock_domain *domain, uint64_t ticks)
{
    uint64_t ns;
    if (ticks >= domain->base_ticks) {
        const uint64_t after = clock_duration(domain, ticks - domain->base_ticks);
        return __builtin_add_overflow(domain->base_ns, after, &ns) ? UINT64_MAX : ns;
    }
    const uint64_t before = clock_duration(domain, domain->base_ticks - ticks);
    return __builtin_sub_overflow(domain->base_ns, before, &ns) ? 0 : ns;
}

uint64_t clock_from_ns(const struct clock_domain *domain, uint64_t ns)
{
    if (ns < domain->base_ns)
        return 0;
    const unsigned __int128 scaled = (unsigned __int128)(ns - domain->base_ns) * domain->divisor;
    const unsigned __int128 ticks =
        (scaled + domain->multiplier - 1) / domain->multiplier + domain->base_ticks;
    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}
