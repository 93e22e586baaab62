#include "cpus.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

// What the control group of a container leaves of `cpus`.
static unsigned granted_cpus(unsigned cpus)
{
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (file == NULL)
        return cpus;
    double quota, period; // "max" is no number: no limit
    const bool limited = fscanf(file, "%lf %lf", &quota, &period) == 2 && period > 0;
    fclose(file);
    if (!limited || quota >= (double)cpus * period)
        return cpus;
    return quota < period ? 1 : (unsigned)(quota / period);
}

unsigned cpus_available(void)
{
    cpu_set_t allowed;
    // A machine that is too large for the set does not tell what is allowed.
    const bool told = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    const long cpus = told ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
    return granted_cpus(cpus > 0 ? (unsigned)cpus : 1);
}
