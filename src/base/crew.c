#include "crew.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "memory.h"
#include "recovery.h"

struct crew {
    void (*item)(void *context, unsigned worker, uint32_t index);
    void *context;
    uint32_t count;
    atomic_uint_fast64_t next; // that no one has begun
};

struct member {
    struct recovery_thread thread;
    struct crew *crew;
    unsigned worker;
};

static void *crew_work(void *context)
{
    struct member *member = context;
    if (member->worker > 0)
        memory_begin_thread();
    struct crew *crew = member->crew;
    uint64_t index;
    while ((index = atomic_fetch_add(&crew->next, 1)) < crew->count)
        crew->item(crew->context, member->worker, (uint32_t)index);
    return NULL;
}

// What the others have begun they end; nothing more is begun.
static void crew_stop(void *context)
{
    atomic_store(&((struct member *)context)->crew->next, UINT32_MAX);
}

void crew_run(unsigned workers, uint32_t count,
              void (*item)(void *context, unsigned worker, uint32_t index), void *context)
{
    struct crew crew = {.item = item, .context = context, .count = count};
    const unsigned wanted = workers < count ? workers : count;
    struct member *members = memory_allocate_zeroed((size_t)wanted + 1, sizeof *members);
    unsigned started = 1;
    for (; started < wanted; started++) {
        struct member *member = &members[started];
        *member = (struct member){.crew = &crew, .worker = started};
        member->thread = (struct recovery_thread){
            .run = crew_work, .give_up = crew_stop, .stop = crew_stop, .context = member};
        if (recovery_thread_start(&member->thread) != 0)
            break;
    }
    members[0] = (struct member){.crew = &crew};
    crew_work(&members[0]);
    for (unsigned i = 1; i < started; i++)
        recovery_thread_join(&members[i].thread);
    free(members);
}
