// How many processors this process may use: its own set of them, and what its control group grants.

#ifndef OPSCOPE_BASE_CPUS_H
#define OPSCOPE_BASE_CPUS_H

unsigned cpus_allowed(void);

#endif
