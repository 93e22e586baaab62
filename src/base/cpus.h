// How many CPUs this process may use: its affinity and its control group. At least one.

#ifndef OPSCOPE_BASE_CPUS_H
#define OPSCOPE_BASE_CPUS_H

unsigned cpus_available(void);

#endif
