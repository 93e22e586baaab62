#include "parts.h"

#include <pthread.h>
#include <stdlib.h>

#include "cpus.h"
#include "memory.h"
#include "recovery.h"
#include "view.h"

struct part_place {
    void *part;
    bool done;
};

// A ring of parts: those that are done or being done, then those that nobody has begun.
struct parts {
    void (*work)(void *part);
    pthread_mutex_t lock;
    pthread_cond_t put;  // there is something to begin, or nothing more will come
    pthread_cond_t done; // a part is, or a thread gave up
    struct part_place *places;
    size_t most;
    size_t taken; // parts so far
    size_t begun;
    size_t added;
    bool closed;
    bool failed; // a thread is without memory
    struct recovery_thread threads[PARTS_THREADS_MOST];
    unsigned thread_count;
    unsigned threads_wanted; // besides the caller's
};

unsigned parts_threads(void)
{
    const char *given = getenv("OPSCOPE_THREADS");
    uint64_t count = 0;
    if (given == NULL || !view_to_u64(view_of(given), &count) || count == 0)
        count = cpus_allowed();
    return count < PARTS_THREADS_MOST ? (unsigned)count : PARTS_THREADS_MOST;
}

static struct part_place *parts_place(struct parts *parts, size_t number)
{
    return &parts->places[number % parts->most];
}

// Does the oldest part that nobody has begun; `lock` is held before and after.
static void parts_do_one(struct parts *parts)
{
    struct part_place *place = parts_place(parts, parts->begun++);
    pthread_mutex_unlock(&parts->lock);
    parts->work(place->part);
    pthread_mutex_lock(&parts->lock);
    place->done = true;
    pthread_cond_broadcast(&parts->done);
}

static void *parts_thread(void *argument)
{
    struct parts *parts = argument;
    pthread_mutex_lock(&parts->lock);
    while (!parts->closed) {
        if (parts->begun < parts->added)
            parts_do_one(parts);
        else
            pthread_cond_wait(&parts->put, &parts->lock);
    }
    pthread_mutex_unlock(&parts->lock);
    return NULL;
}

static void parts_give_up(void *argument)
{
    struct parts *parts = argument;
    pthread_mutex_lock(&parts->lock);
    parts->failed = true;
    pthread_cond_broadcast(&parts->done);
    pthread_mutex_unlock(&parts->lock);
}

static void parts_stop(void *argument)
{
    struct parts *parts = argument;
    pthread_mutex_lock(&parts->lock);
    parts->closed = true;
    pthread_cond_broadcast(&parts->put);
    pthread_mutex_unlock(&parts->lock);
}

struct parts *parts_open(void (*work)(void *part))
{
    const unsigned threads = parts_threads();
    struct parts *parts = memory_allocate_zeroed(1, sizeof *parts);
    parts->work = work;
    parts->threads_wanted = threads - 1;
    parts->most = threads > 1 ? (size_t)threads * PARTS_OF_THREAD : 1;
    parts->places = memory_allocate_zeroed(parts->most, sizeof *parts->places);
    pthread_mutex_init(&parts->lock, NULL);
    pthread_cond_init(&parts->put, NULL);
    pthread_cond_init(&parts->done, NULL);
    return parts;
}

bool parts_room(const struct parts *parts)
{
    return parts->added - parts->taken < parts->most;
}

bool parts_busy(const struct parts *parts)
{
    return parts->added > parts->taken;
}

// One more for each part beyond the first, so that what is small has none.
static void parts_start_thread(struct parts *parts)
{
    if (parts->added - parts->taken < 2 || parts->thread_count == parts->threads_wanted)
        return;
    struct recovery_thread *thread = &parts->threads[parts->thread_count];
    *thread = (struct recovery_thread){
        .run = parts_thread, .give_up = parts_give_up, .stop = parts_stop, .context = parts};
    if (recovery_thread_start(thread) == 0)
        parts->thread_count++;
    else
        parts->threads_wanted = parts->thread_count;
}

void parts_put(struct parts *parts, void *part)
{
    pthread_mutex_lock(&parts->lock);
    *parts_place(parts, parts->added++) = (struct part_place){.part = part};
    pthread_cond_signal(&parts->put);
    pthread_mutex_unlock(&parts->lock);
    parts_start_thread(parts);
}

static void parts_join(struct parts *parts)
{
    parts_stop(parts);
    while (parts->thread_count > 0)
        recovery_thread_join(&parts->threads[--parts->thread_count]);
}

void *parts_take(struct parts *parts)
{
    if (parts->taken == parts->added)
        return NULL;
    struct part_place *place = parts_place(parts, parts->taken);
    pthread_mutex_lock(&parts->lock);
    while (!place->done && !parts->failed) {
        if (parts->begun < parts->added)
            parts_do_one(parts);
        else
            pthread_cond_wait(&parts->done, &parts->lock);
    }
    const bool failed = !place->done;
    pthread_mutex_unlock(&parts->lock);
    if (failed)
        parts_join(parts); // does not return
    parts->taken++;
    return place->part;
}

void parts_close(struct parts *parts)
{
    parts_join(parts);
    pthread_cond_destroy(&parts->done);
    pthread_cond_destroy(&parts->put);
    pthread_mutex_destroy(&parts->lock);
    free(parts->places);
    free(parts);
}
