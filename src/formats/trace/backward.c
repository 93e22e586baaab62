#include "backward.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

status backward_add_forward(struct backward *backward, const struct backward_call *call)
{
    return spool_append(&backward->forwards, call, sizeof *call);
}

status backward_add(struct backward *backward, const struct backward_call *call)
{
    return spool_append(&backward->backwards, call, sizeof *call);
}

void backward_free(struct backward *backward)
{
    spool_free(&backward->forwards);
    spool_free(&backward->backwards);
}

// By number, then thread, then time.
static bool backward_comes_before(const void *left, const void *right)
{
    const struct backward_call *a = left;
    const struct backward_call *b = right;
    if (a->process != b->process)
        return a->process < b->process;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence;
    if (a->thread != b->thread)
        return a->thread < b->thread;
    return a->start != b->start ? a->start < b->start : a->call < b->call;
}

static bool same_number(const struct backward_call *a, const struct backward_call *b)
{
    return a->process == b->process && a->sequence == b->sequence;
}

struct numbered {
    struct backward_call *calls;
    size_t count;
};

static status backward_read(struct spool *spool, struct numbered *out_numbered)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(spool, &data, &size));
    out_numbered->calls = (struct backward_call *)(void *)data;
    out_numbered->count = size / sizeof *out_numbered->calls;
    return STATUS_OK;
}

// The first one that does not come before what is wanted, or where it would be.
static size_t place_of(const struct numbered *forwards, const struct backward_call *wanted)
{
    size_t from = 0;
    size_t to = forwards->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (backward_comes_before(&forwards->calls[middle], wanted))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// The place after those with the number on a thread that began by then.
static size_t place_after(const struct numbered *forwards, const struct backward_call *number,
                          uint64_t thread, int64_t time)
{
    const struct backward_call last = {.process = number->process,
                                       .sequence = number->sequence,
                                       .thread = thread,
                                       .start = time,
                                       .call = UINT32_MAX};
    return place_of(forwards, &last);
}

// The last one with the number on a thread that began before a backward; NULL: there is none.
static const struct backward_call *last_on_thread(const struct numbered *forwards,
                                                  const struct backward_call *backward,
                                                  uint64_t thread)
{
    const size_t after = place_after(forwards, backward, thread, backward->start);
    const struct backward_call *last = after > 0 ? &forwards->calls[after - 1] : NULL;
    return last != NULL && same_number(last, backward) && last->thread == thread ? last : NULL;
}

// A thread, as backwards name it.
struct thread_name {
    uint64_t process;
    uint64_t name;
    uint64_t thread;
};

enum { THREADS_MOST = 4096 };

struct thread_names {
    struct thread_name *names;
    size_t count, capacity;
};

static const struct thread_name *find_thread(const struct thread_names *threads,
                                             const struct backward_call *backward)
{
    for (size_t i = 0; i < threads->count; i++) {
        if (threads->names[i].process == backward->process &&
            threads->names[i].name == backward->thread)
            return &threads->names[i];
    }
    return NULL;
}

static void learn_thread(struct thread_names *threads, const struct backward_call *backward,
                         uint64_t thread)
{
    if (backward->thread == 0 || threads->count == THREADS_MOST ||
        find_thread(threads, backward) != NULL)
        return;
    threads->names =
        memory_grow(threads->names, threads->count, &threads->capacity, sizeof *threads->names);
    threads->names[threads->count++] =
        (struct thread_name){backward->process, backward->thread, thread};
}

// The same where its thread is not known: on that of all with the number; NULL: there is none, or
// there are several. Operators that autograd keeps nothing of all have the last number.
static const struct backward_call *last_on_its_thread(const struct numbered *forwards,
                                                      const struct backward_call *backward)
{
    enum { LOOKED_AT_MOST = 256 };
    const struct backward_call first = {
        .process = backward->process, .sequence = backward->sequence, .start = INT64_MIN};
    const struct backward_call *found = NULL;
    size_t at = place_of(forwards, &first);
    for (unsigned i = 0; at < forwards->count && same_number(&forwards->calls[at], backward); i++) {
        const uint64_t thread = forwards->calls[at].thread;
        const struct backward_call *call = last_on_thread(forwards, backward, thread);
        if (i == LOOKED_AT_MOST || (found != NULL && call != NULL))
            return NULL;
        found = call != NULL ? call : found;
        at = place_after(forwards, backward, thread, INT64_MAX);
    }
    return found;
}

// The call that began last before the backward, on its thread where several have the number;
// NULL: there is none, or nobody knows which.
static const struct backward_call *forward_of(const struct numbered *forwards,
                                              const struct backward_call *backward,
                                              struct thread_names *threads)
{
    const struct thread_name *known = find_thread(threads, backward);
    const struct backward_call *found = known != NULL
                                            ? last_on_thread(forwards, backward, known->thread)
                                            : last_on_its_thread(forwards, backward);
    if (found != NULL)
        learn_thread(threads, backward, found->thread);
    return found;
}

static void say_forward(struct profile *profile, uint32_t call_id, uint32_t forward)
{
    struct call *call = profile_call(profile, call_id);
    struct bytes values = {0};
    bytes_append(&values, call->values.data, call->values.size);
    value_add(&values, &(struct value){.key = profile_string(profile, VIEW_LITERAL("forward")),
                                       .kind = VALUE_UINT,
                                       .provenance = PROVENANCE_DERIVED,
                                       .number = forward});
    call->values = arena_copy(&profile->arena, bytes_view(&values));
    bytes_free(&values);
}

// The threads of some are known only after others were looked at: twice.
static void link_all(const struct numbered *forwards, const struct numbered *backwards,
                     struct profile *profile)
{
    struct thread_names threads = {0};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < backwards->count; i++) {
            struct backward_call *backward = &backwards->calls[i];
            const struct backward_call *forward =
                backward->call == 0 ? NULL : forward_of(forwards, backward, &threads);
            if (forward == NULL)
                continue;
            say_forward(profile, backward->call, forward->call);
            backward->call = 0; // done
        }
    }
    free(threads.names);
}

status backward_finish(struct backward *backward, struct profile *profile)
{
    struct numbered forwards;
    struct numbered backwards;
    STATUS_TRY(backward_read(&backward->forwards, &forwards));
    STATUS_TRY(backward_read(&backward->backwards, &backwards));
    if (forwards.count == 0 || backwards.count == 0)
        return STATUS_OK;
    sort_where_needed(forwards.calls, forwards.count, sizeof *forwards.calls,
                      backward_comes_before);
    link_all(&forwards, &backwards, profile);
    return STATUS_OK;
}
