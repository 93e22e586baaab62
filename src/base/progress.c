#include "progress.h"

#include <stdatomic.h>

static _Atomic uint64_t reported_done;
static _Atomic uint64_t reported_total;

void progress_report(uint64_t done, uint64_t total)
{
    atomic_store_explicit(&reported_done, done, memory_order_relaxed);
    atomic_store_explicit(&reported_total, total, memory_order_relaxed);
}

void progress_get(uint64_t *out_done, uint64_t *out_total)
{
    *out_done = atomic_load_explicit(&reported_done, memory_order_relaxed);
    *out_total = atomic_load_explicit(&reported_total, memory_order_relaxed);
}
