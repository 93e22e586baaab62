#undef free // blocks of this file are the system's

#include "recovery.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct holding {
    struct holding *next;
    enum recovery_when when;
    void (*release)(void *what);
    void *what;
};

__thread struct recovery *recovery_current;

static void (*sayer)(size_t size);

// Blocks, by address: open addressing -----------------------------------------------------

static size_t recovery_slot_of(const struct region *region, const void *block)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (region->capacity - 1);
}

static size_t region_find(const struct region *region, const void *block)
{
    size_t at = recovery_slot_of(region, block);
    while (region->blocks[at] != NULL && region->blocks[at] != block)
        at = (at + 1) & (region->capacity - 1);
    return at;
}

static bool region_grow(struct region *region)
{
    struct region larger = *region;
    larger.capacity = region->capacity == 0 ? 64 : region->capacity * 2;
    larger.blocks = calloc(larger.capacity, sizeof *larger.blocks);
    if (larger.blocks == NULL)
        return false;
    for (size_t i = 0; i < region->capacity; i++) {
        if (region->blocks[i] != NULL)
            larger.blocks[region_find(&larger, region->blocks[i])] = region->blocks[i];
    }
    free(region->blocks);
    region->blocks = larger.blocks;
    region->capacity = larger.capacity;
    return true;
}

static bool region_add(struct region *region, void *block)
{
    if (region->count >= region->capacity / 2 && !region_grow(region))
        return false;
    region->blocks[region_find(region, block)] = block;
    region->count++;
    return true;
}

static bool region_remove(struct region *region, const void *block)
{
    if (region->capacity == 0)
        return false;
    size_t gap = region_find(region, block);
    if (region->blocks[gap] == NULL)
        return false;
    // What follows moves to where it is looked for.
    const size_t mask = region->capacity - 1;
    for (size_t at = (gap + 1) & mask; region->blocks[at] != NULL; at = (at + 1) & mask) {
        const size_t home = recovery_slot_of(region, region->blocks[at]);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        region->blocks[gap] = region->blocks[at];
        gap = at;
    }
    region->blocks[gap] = NULL;
    region->count--;
    return true;
}

// What is taken beside a region must find room there when memory has run out (region_done).
static bool reserve_around(size_t count)
{
    const struct recovery *around = recovery_current->outer;
    if (around == NULL || around->catches)
        return true;
    struct region *region = around->region;
    bool room = true;
    pthread_mutex_lock(&region->lock);
    while (room && region->count + count >= region->capacity / 2)
        room = region_grow(region);
    pthread_mutex_unlock(&region->lock);
    return room;
}

static bool add_to(struct region *region, void *block)
{
    pthread_mutex_lock(&region->lock);
    const bool added = region_add(region, block);
    const size_t count = region->count;
    pthread_mutex_unlock(&region->lock);
    return added && (region != recovery_current->region || reserve_around(count));
}

bool recovery_add_block(void *block)
{
    if (add_to(recovery_current->region, block))
        return true;
    recovery_drop_block(block);
    return false;
}

// Takes a block out of the scope's region, or out of one around it: that one is returned.
static struct region *take_out(const void *block)
{
    for (struct recovery *scope = recovery_current; scope != NULL; scope = scope->outer) {
        struct region *region = scope->region;
        pthread_mutex_lock(&region->lock);
        const bool removed = region_remove(region, block);
        pthread_mutex_unlock(&region->lock);
        if (removed)
            return region;
    }
    return NULL;
}

void recovery_drop_block(const void *block)
{
    take_out(block);
}

void recovery_keep_block(const void *block)
{
    if (recovery_current != NULL && block != NULL)
        take_out(block);
}

void *recovery_resize_block(void *block, size_t size)
{
    struct region *region = block != NULL ? take_out(block) : recovery_current->region;
    void *moved = realloc(block, size);
    if (moved == NULL && recovery_use_reserve())
        moved = realloc(block, size);
    void *kept = moved != NULL ? moved : block;
    if (region != NULL && kept != NULL) {
        // There is room for one that was there; a new one may find none.
        if (!add_to(region, kept)) {
            recovery_drop_block(kept);
            free(kept);
            return NULL;
        }
    }
    return moved;
}

// Holdings ----------------------------------------------------------------------------------

void recovery_hold(enum recovery_when when, void (*release)(void *what), void *what)
{
    if (recovery_current == NULL)
        return;
    struct region *region = recovery_current->region;
    struct holding *holding = malloc(sizeof *holding);
    if (holding == NULL) {
        release(what);
        recovery_fail(sizeof *holding);
    }
    pthread_mutex_lock(&region->lock);
    *holding = (struct holding){region->holdings, when, release, what};
    region->holdings = holding;
    pthread_mutex_unlock(&region->lock);
}

static struct holding *find_holding(struct region *region, const void *what)
{
    for (struct holding **at = &region->holdings; *at != NULL; at = &(*at)->next) {
        struct holding *holding = *at;
        if (holding->what == what) {
            *at = holding->next;
            return holding;
        }
    }
    return NULL;
}

// Whether it was still held.
static bool let_go(const void *what)
{
    struct holding *found = NULL;
    for (struct recovery *scope = recovery_current; scope != NULL && found == NULL;
         scope = scope->outer) {
        pthread_mutex_lock(&scope->region->lock);
        found = find_holding(scope->region, what);
        pthread_mutex_unlock(&scope->region->lock);
    }
    free(found);
    return found != NULL;
}

void recovery_let_go(const void *what)
{
    let_go(what);
}

// The newest that is to be released now; NULL when there is none.
static struct holding *take_holding(struct region *region, bool all)
{
    struct holding *found = NULL;
    pthread_mutex_lock(&region->lock);
    for (struct holding **at = &region->holdings; *at != NULL && found == NULL;) {
        if (!all && (*at)->when != RECOVERY_AT_ONCE) {
            at = &(*at)->next;
            continue;
        }
        found = *at;
        *at = found->next;
    }
    pthread_mutex_unlock(&region->lock);
    return found;
}

static void release_holdings(struct region *region, bool all)
{
    for (struct holding *holding; (holding = take_holding(region, all)) != NULL;) {
        holding->release(holding->what);
        free(holding);
    }
}

// Regions -----------------------------------------------------------------------------------

static void give_up_reserve(struct region *region)
{
    if (region->reserve == NULL)
        return;
    atomic_store(region->reserve_used, true);
    munmap(region->reserve, region->reserve_size);
    region->reserve = NULL;
}

void region_reserve(struct region *region, atomic_bool *used)
{
    if (region->reserve != NULL)
        return;
    void *reserve = MAP_FAILED;
    size_t size = RECOVERY_RESERVE * 2;
    while (reserve == MAP_FAILED && size > RECOVERY_RESERVE_LEAST) {
        size /= 2;
        reserve = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    region->reserve_used = used;
    region->reserve = reserve != MAP_FAILED ? reserve : NULL;
    region->reserve_size = size;
    atomic_store(used, reserve == MAP_FAILED);
}

bool recovery_use_reserve(void)
{
    for (struct recovery *scope = recovery_current; scope != NULL; scope = scope->outer) {
        pthread_mutex_lock(&scope->region->lock);
        const bool had = scope->region->reserve != NULL;
        give_up_reserve(scope->region);
        pthread_mutex_unlock(&scope->region->lock);
        if (had)
            return true;
    }
    return false;
}

void region_forget(struct region *region)
{
    give_up_reserve(region);
    for (struct holding *holding; (holding = take_holding(region, true)) != NULL;)
        free(holding);
    free(region->blocks);
    *region = REGION_EMPTY;
}

void region_release(struct region *region)
{
    release_holdings(region, true);
    give_up_reserve(region);
    for (size_t i = 0; i < region->capacity; i++)
        free(region->blocks[i]);
    free(region->blocks);
    *region = REGION_EMPTY;
}

static void region_move(struct region *from, struct region *to)
{
    // There is room: it was reserved.
    for (size_t i = 0; i < from->capacity; i++) {
        if (from->blocks[i] != NULL)
            region_add(to, from->blocks[i]);
    }
    struct holding **end = &from->holdings;
    while (*end != NULL)
        end = &(*end)->next;
    *end = to->holdings;
    to->holdings = from->holdings;
    free(from->blocks);
    *from = REGION_EMPTY;
}

void region_done(struct region *region, struct region *of_region)
{
    if (!region->unsound) {
        region_forget(region);
    } else if (of_region != NULL) {
        region_move(region, of_region);
        of_region->unsound = true;
    } else {
        region_release(region);
    }
}

// Scopes ------------------------------------------------------------------------------------

void recovery_begin(struct recovery *recovery, struct region *region)
{
    recovery->region = region;
    recovery->outer = recovery_current;
    recovery->catches = false;
    recovery->guest = false;
    recovery_current = recovery;
}

void recovery_end(struct recovery *recovery)
{
    recovery_current = recovery->outer;
}

void recovery_say(void (*say)(size_t size))
{
    sayer = say;
}

// No scope is gone back to: C++ would have to be left in order.
static void fail_without_more(void)
{
    sayer(0);
    abort();
}

// The C++ library comes with it.
void recovery_watch_library(void *library)
{
    void (*(*set_new_handler)(void (*handler)(void)))(void);
    *(void **)&set_new_handler = dlsym(library, "_ZSt15set_new_handlerPFvvE");
    if (sayer != NULL && set_new_handler != NULL)
        set_new_handler(fail_without_more);
}

_Noreturn void recovery_fail(size_t size)
{
    struct recovery *scope = recovery_current;
    for (; scope != NULL && !scope->catches; scope = scope->outer)
        scope->region->unsound = true;
    if (scope == NULL) {
        if (sayer != NULL)
            sayer(size);
        else
            fprintf(stderr, "opscope: out of memory for %zu bytes\n", size);
        abort();
    }
    scope->region->unsound = true;
    // What is released may look at the stack of the scope: before that is left.
    if (!scope->guest)
        release_holdings(scope->region, false);
    recovery_current = scope->outer;
    _longjmp(scope->place, 1);
}

// Threads -----------------------------------------------------------------------------------

static void *run_thread(void *argument)
{
    struct recovery_thread *thread = argument;
    struct recovery recovery;
    if (thread->region == NULL)
        return thread->run(thread->context);
    recovery_current = thread->outer;
    if (RECOVERY_FAILED(&recovery, thread->region)) {
        thread->failed = true;
        thread->give_up(thread->context);
        return NULL;
    }
    recovery.guest = true;
    thread->run(thread->context);
    recovery_end(&recovery);
    return NULL;
}

static void stop_thread(void *what)
{
    struct recovery_thread *thread = what;
    thread->stop(thread->context);
    pthread_join(thread->thread, NULL);
}

int recovery_thread_start(struct recovery_thread *thread)
{
    // The one that starts it may end before it.
    thread->region = recovery_current != NULL ? recovery_current->region : NULL;
    thread->outer = recovery_current != NULL ? recovery_current->outer : NULL;
    thread->failed = false;
    const int error = pthread_create(&thread->thread, NULL, run_thread, thread);
    if (error == 0)
        recovery_hold(RECOVERY_AT_ONCE, stop_thread, thread);
    return error;
}

void recovery_thread_join(struct recovery_thread *thread)
{
    // What is no longer held is being stopped by one that failed, who joins it.
    if (!let_go(thread) && thread->region != NULL)
        recovery_fail(0);
    pthread_join(thread->thread, NULL);
    if (thread->failed)
        recovery_fail(0);
}
