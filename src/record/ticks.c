#include "ticks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/monotonic.h"

enum { TRIES = 8, NS_PER_SECOND = 1000000000 };

uint64_t ticks_monotonic_ns(void)
{
    return monotonic_ns();
}

#if defined(__x86_64__) || defined(__i386__)

static bool has_flag(const char *line, const char *flag)
{
    const char *at = strstr(line, flag);
    const char after = at != NULL ? at[strlen(flag)] : 'x';
    return after == ' ' || after == '\n' || after == '\0';
}

static bool cpu_says_constant(void)
{
    char line[8192];
    bool constant = false;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "flags", 5) != 0)
            continue;
        constant = has_flag(line, " constant_tsc") && has_flag(line, " nonstop_tsc");
        break;
    }
    if (file != NULL)
        fclose(file);
    return constant;
}

// Linux takes the counter off this list when it sees it run unevenly, or differently on
// another CPU.
static bool system_trusts_it(void)
{
    char line[256] = " ";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    const bool read = file != NULL && fgets(line + 1, sizeof line - 1, file) != NULL;
    if (file != NULL)
        fclose(file);
    return !read || has_flag(line, " tsc");
}

bool ticks_are_constant(void)
{
    return cpu_says_constant() && system_trusts_it();
}

uint64_t ticks_now(void)
{
    return __builtin_ia32_rdtsc();
}

#else

bool ticks_are_constant(void)
{
    return false;
}

uint64_t ticks_now(void)
{
    return ticks_monotonic_ns();
}

#endif

// The narrowest of a few.
static struct ticks_sample ticks_take_sample(void)
{
    struct ticks_sample best = {.width_ns = UINT64_MAX};
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t before = ticks_monotonic_ns();
        const uint64_t ticks = ticks_now();
        const uint64_t width = ticks_monotonic_ns() - before;
        if (width < best.width_ns)
            best = (struct ticks_sample){ticks, before + width / 2, width};
    }
    return best;
}

// Every other one goes when there is no room.
static void keep_sample(struct ticks_fit *fit, struct ticks_sample sample)
{
    if (fit->passed++ % fit->every != 0)
        return;
    if (fit->count == TICKS_SAMPLES) {
        for (uint32_t i = 1; i < TICKS_SAMPLES / 2; i++)
            fit->samples[i] = fit->samples[2 * i];
        fit->count = TICKS_SAMPLES / 2;
        fit->every *= 2;
    }
    fit->samples[fit->count++] = sample;
}

static void fit_to(struct ticks_fit *fit, struct ticks_sample last, struct clock_domain *domain)
{
    const struct ticks_sample first = fit->samples[0];
    if (last.ns <= first.ns || last.ticks <= first.ticks)
        return;
    const uint64_t ns = last.ns - first.ns;
    const unsigned __int128 ticks =
        (unsigned __int128)(last.ticks - first.ticks) * NS_PER_SECOND + ns / 2;
    domain->frequency = (uint64_t)(ticks / ns);
    domain->base_ticks = first.ticks;
    domain->base_ns = first.ns;
    clock_prepare(domain);
}

void ticks_fit_start(struct ticks_fit *fit, struct clock_domain *domain)
{
    *fit = (struct ticks_fit){.every = 1};
    keep_sample(fit, ticks_take_sample());
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    ticks_fit_again(fit, domain);
}

void ticks_fit_again(struct ticks_fit *fit, struct clock_domain *domain)
{
    const struct ticks_sample sample = ticks_take_sample();
    keep_sample(fit, sample);
    fit_to(fit, sample, domain);
}

uint64_t ticks_fit_error_ns(const struct ticks_fit *fit, const struct clock_domain *domain)
{
    uint64_t worst = 0;
    for (uint32_t i = 0; i < fit->count; i++) {
        const uint64_t mapped = clock_to_ns(domain, fit->samples[i].ticks);
        const uint64_t ns = fit->samples[i].ns;
        const uint64_t off =
            (mapped > ns ? mapped - ns : ns - mapped) + fit->samples[i].width_ns / 2 + 1;
        worst = off > worst ? off : worst;
    }
    return worst;
}
