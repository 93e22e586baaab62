#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

struct parallel {
    unsigned threads;
    pthread_t *workers; // threads - 1 of them
    pthread_mutex_t lock;
    pthread_cond_t start;
    pthread_cond_t done;
    uint64_t round; // counts the loops; a worker waits for the next one
    unsigned busy;  // workers in the loop
    bool stopping;
    // The loop at hand:
    void (*piece)(void *context, uint64_t from, uint64_t to);
    void *context;
    uint64_t count;
    uint64_t grain;
    atomic_uint_fast64_t next; // first index that no one has taken
};

static void run_pieces(struct parallel *parallel)
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

static void *work(void *argument)
{
    struct parallel *parallel = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&parallel->lock);
    for (;;) {
        while (parallel->round == seen && !parallel->stopping)
            pthread_cond_wait(&parallel->start, &parallel->lock);
        if (parallel->stopping)
            break;
        seen = parallel->round;
        pthread_mutex_unlock(&parallel->lock);
        run_pieces(parallel);
        pthread_mutex_lock(&parallel->lock);
        if (--parallel->busy == 0)
            pthread_cond_signal(&parallel->done);
    }
    pthread_mutex_unlock(&parallel->lock);
    return NULL;
}

static unsigned count_cpus(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus > 0 ? (unsigned)cpus : 1;
}

struct parallel *parallel_create(unsigned threads)
{
    struct parallel *parallel = memory_allocate_zeroed(1, sizeof *parallel);
    parallel->threads = 1;
    pthread_mutex_init(&parallel->lock, NULL);
    pthread_cond_init(&parallel->start, NULL);
    pthread_cond_init(&parallel->done, NULL);
    const unsigned wanted = threads > 0 ? threads : count_cpus();
    parallel->workers = memory_allocate_zeroed(wanted, sizeof *parallel->workers);
    // A machine that refuses a thread gets the work done with those it has.
    while (parallel->threads < wanted &&
           pthread_create(&parallel->workers[parallel->threads - 1], NULL, work, parallel) == 0)
        parallel->threads++;
    return parallel;
}

void parallel_free(struct parallel *parallel)
{
    if (parallel == NULL)
        return;
    pthread_mutex_lock(&parallel->lock);
    parallel->stopping = true;
    pthread_cond_broadcast(&parallel->start);
    pthread_mutex_unlock(&parallel->lock);
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
    pthread_mutex_lock(&parallel->lock);
    parallel->busy = parallel->threads - 1;
    parallel->round++;
    pthread_cond_broadcast(&parallel->start);
    pthread_mutex_unlock(&parallel->lock);

    run_pieces(parallel);

    pthread_mutex_lock(&parallel->lock);
    while (parallel->busy > 0)
        pthread_cond_wait(&parallel->done, &parallel->lock);
    pthread_mutex_unlock(&parallel->lock);
}
