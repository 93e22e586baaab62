#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cpus.h"
#include "base/memory.h"
#include "base/monotonic.h"

enum {
    // How long someone who waits looks before sleeping: longer than what lies between
    // two loops of an inference, which a sleeper would miss.
    SPIN_NANOSECONDS = 100000,
    LOOKS = 32, // between two looks at the clock
    // That are made for who asks for more than there are CPUs; those beyond only sleep.
    THREADS_MOST = 256,
};

// `gate` says all about the loop at hand: its round above, whether it takes workers, and
// how many are in it. A worker that comes late finds it closed; nobody waits for it.
enum {
    GATE_INSIDE = 0xffff,
    GATE_OPEN = 0x10000,
    GATE_ROUND = 0x20000,
};

struct parallel {
    unsigned threads;
    unsigned others;    // workers, with those that could not be made
    unsigned useful;    // workers that have a CPU besides the caller's
    pthread_t *workers; // threads - 1 of them
    pthread_mutex_t lock;
    pthread_cond_t start;
    pthread_cond_t done;
    atomic_uint sleeping; // workers that wait for `start`, or are not there
    atomic_bool waiting;  // the caller waits for `done`
    atomic_bool stopping;
    atomic_uint_fast64_t gate;
    // The loop at hand, unchanged while anyone is in it:
    void (*piece)(void *context, uint64_t from, uint64_t to);
    void *context;
    uint64_t count;
    uint64_t grain;
    atomic_uint_fast64_t next; // first index that no one has taken
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

static unsigned count_awake(struct parallel *parallel)
{
    return parallel->others - atomic_load(&parallel->sleeping);
}

// Looks for a while until `reached`; false when it has not come true by then.
static bool spin(struct parallel *parallel, uint64_t seen,
                 bool (*reached)(struct parallel *parallel, uint64_t seen))
{
    if (reached(parallel, seen))
        return true;
    // With more threads than CPUs, whoever looks takes a CPU from someone who works.
    if (count_awake(parallel) > parallel->useful || parallel->useful == 0)
        return false;
    for (const uint64_t end = monotonic_ns() + SPIN_NANOSECONDS; monotonic_ns() < end;) {
        for (int i = 0; i < LOOKS; i++) {
            if (reached(parallel, seen))
                return true;
            relax();
        }
    }
    return false;
}

static bool loop_opened(struct parallel *parallel, uint64_t seen)
{
    const uint64_t gate = atomic_load(&parallel->gate);
    return ((gate & GATE_OPEN) != 0 && gate / GATE_ROUND != seen) ||
           atomic_load(&parallel->stopping);
}

static bool all_left(struct parallel *parallel, uint64_t seen)
{
    (void)seen;
    return (atomic_load(&parallel->gate) & GATE_INSIDE) == 0;
}

static void parallel_run_pieces(struct parallel *parallel)
{
    for (;;) {
        const uint64_t from = atomic_fetch_add(&parallel->next, parallel->grain);
        if (from >= parallel->count)
            return;
        const uint64_t left = parallel->count - from;
        const uint64_t size = left < parallel->grain ? left : parallel->grain;
        parallel->piece(parallel->context, from, from + size);
    }
}

static void sleep_until_opened(struct parallel *parallel, uint64_t seen)
{
    pthread_mutex_lock(&parallel->lock);
    // Whoever opens a loop now sees the sleeper, or the sleeper sees the loop.
    atomic_fetch_add(&parallel->sleeping, 1);
    while (!loop_opened(parallel, seen))
        pthread_cond_wait(&parallel->start, &parallel->lock);
    atomic_fetch_sub(&parallel->sleeping, 1);
    pthread_mutex_unlock(&parallel->lock);
}

static bool parallel_enter(struct parallel *parallel, uint64_t *out_round)
{
    uint64_t gate = atomic_load(&parallel->gate);
    while ((gate & GATE_OPEN) != 0) {
        if (atomic_compare_exchange_weak(&parallel->gate, &gate, gate + 1)) {
            *out_round = gate / GATE_ROUND;
            return true;
        }
    }
    return false;
}

static void leave(struct parallel *parallel)
{
    const uint64_t gate = atomic_fetch_sub(&parallel->gate, 1);
    if ((gate & GATE_INSIDE) != 1 || !atomic_load(&parallel->waiting))
        return;
    pthread_mutex_lock(&parallel->lock);
    pthread_cond_signal(&parallel->done);
    pthread_mutex_unlock(&parallel->lock);
}

static void *work(void *argument)
{
    struct parallel *parallel = argument;
    uint64_t seen = 0;
    while (!atomic_load(&parallel->stopping)) {
        if (!spin(parallel, seen, loop_opened))
            sleep_until_opened(parallel, seen);
        if (!parallel_enter(parallel, &seen))
            continue;
        parallel_run_pieces(parallel);
        leave(parallel);
    }
    return NULL;
}

struct parallel *parallel_create(unsigned threads)
{
    struct parallel *parallel = memory_allocate_zeroed(1, sizeof *parallel);
    const unsigned cpus = cpus_allowed();
    unsigned wanted = threads > 0 ? threads : cpus;
    const unsigned most = cpus > THREADS_MOST ? cpus : THREADS_MOST;
    wanted = wanted < most ? wanted : most;
    wanted = wanted < GATE_INSIDE ? wanted : GATE_INSIDE;
    parallel->threads = 1;
    parallel->others = wanted - 1;
    parallel->useful = (wanted < cpus ? wanted : cpus) - 1;
    pthread_mutex_init(&parallel->lock, NULL);
    pthread_cond_init(&parallel->start, NULL);
    pthread_cond_init(&parallel->done, NULL);
    parallel->workers = memory_allocate_zeroed(wanted, sizeof *parallel->workers);
    // A machine that refuses a thread gets the work done with those it has.
    while (parallel->threads < wanted &&
           pthread_create(&parallel->workers[parallel->threads - 1], NULL, work, parallel) == 0)
        parallel->threads++;
    atomic_fetch_add(&parallel->sleeping, wanted - parallel->threads);
    return parallel;
}

static void wake_all(struct parallel *parallel)
{
    pthread_mutex_lock(&parallel->lock);
    pthread_cond_broadcast(&parallel->start);
    pthread_mutex_unlock(&parallel->lock);
}

// As many as there are CPUs for.
static void wake_useful(struct parallel *parallel)
{
    const unsigned awake = count_awake(parallel);
    if (awake >= parallel->useful)
        return;
    pthread_mutex_lock(&parallel->lock);
    for (unsigned i = awake; i < parallel->useful; i++)
        pthread_cond_signal(&parallel->start);
    pthread_mutex_unlock(&parallel->lock);
}

void parallel_free(struct parallel *parallel)
{
    if (parallel == NULL)
        return;
    atomic_store(&parallel->stopping, true);
    wake_all(parallel);
    for (unsigned i = 0; i + 1 < parallel->threads; i++)
        pthread_join(parallel->workers[i], NULL);
    pthread_mutex_destroy(&parallel->lock);
    pthread_cond_destroy(&parallel->start);
    pthread_cond_destroy(&parallel->done);
    free(parallel->workers);
    free(parallel);
}

unsigned parallel_threads(const struct parallel *parallel)
{
    return parallel->threads;
}

static void wait_for_others(struct parallel *parallel)
{
    if (spin(parallel, 0, all_left))
        return;
    pthread_mutex_lock(&parallel->lock);
    atomic_store(&parallel->waiting, true);
    while (!all_left(parallel, 0))
        pthread_cond_wait(&parallel->done, &parallel->lock);
    atomic_store(&parallel->waiting, false);
    pthread_mutex_unlock(&parallel->lock);
}

void parallel_for(struct parallel *parallel, uint64_t count, uint64_t grain,
                  void (*piece)(void *context, uint64_t from, uint64_t to), void *context)
{
    if (count == 0)
        return;
    const uint64_t size = grain > 0 ? grain : 1;
    if (parallel->threads == 1 || count <= size) {
        for (uint64_t from = 0; from < count; from += size)
            piece(context, from, count - from < size ? count : from + size);
        return;
    }
    parallel->piece = piece;
    parallel->context = context;
    parallel->count = count;
    parallel->grain = size;
    atomic_store(&parallel->next, 0);
    atomic_fetch_add(&parallel->gate, GATE_ROUND + GATE_OPEN);
    wake_useful(parallel);
    parallel_run_pieces(parallel);
    atomic_fetch_sub(&parallel->gate, GATE_OPEN);
    wait_for_others(parallel);
}
