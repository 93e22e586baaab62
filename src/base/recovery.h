// What happens when memory runs out.
//
// Allocations of base/memory.h do not return without memory. In the program the process ends with
// a message (recovery_say). Where opscope is a guest, in the library and in the recorder, every
// entry stands in a scope: the allocation does not return, the entry does, as failed.
//
//     return RECOVERY_SCOPE(&region, work(with, this), what_is_returned_otherwise);
//
// A region is what an object of the library has taken: blocks of memory.h and what is held besides
// (mapped files, streams of packers). It becomes unsound when memory runs out in one of its scopes;
// its tables can still be looked at, but nothing may be added, and in the end `region_release`
// gives back all of it without looking at what it was. Threads and files that were being written
// are stopped and removed at once.
//
// A thread that works for a scope is started by `recovery_thread_start`.

#ifndef OPSCOPE_BASE_RECOVERY_H
#define OPSCOPE_BASE_RECOVERY_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct holding;

// REGION_EMPTY is one that has nothing.
struct region {
    pthread_mutex_t lock;
    void **blocks; // a hash table
    size_t count;
    size_t capacity;
    struct holding *holdings; // the newest first
    bool unsound;
    void *reserve; // NULL: none, or it is used up
    size_t reserve_size;
    atomic_bool *reserve_used;
};

#define REGION_EMPTY ((struct region){.lock = PTHREAD_MUTEX_INITIALIZER})

struct recovery {
    jmp_buf place;
    struct region *region;
    struct recovery *outer;
    bool catches; // `place` is where it goes on; else in a scope around it
    bool guest;   // a thread that works for a scope
};

// From here on blocks are the region's, until the end; what fails fails further out.
void recovery_begin(struct recovery *recovery, struct region *region);
void recovery_end(struct recovery *recovery);

// The same, and true when memory ran out before the end.
#define RECOVERY_FAILED(recovery, region)                                                          \
    (recovery_begin((recovery), (region)), (recovery)->catches = true,                             \
     _setjmp((recovery)->place) != 0)

// The value of `call`, or `otherwise` where memory runs out meanwhile, or did so before: a region
// that is not sound takes nothing more.
#define RECOVERY_SCOPE(in_region, call, otherwise)                                                 \
    ({                                                                                             \
        struct recovery scope;                                                                     \
        __typeof__(call) answer;                                                                   \
        if ((in_region)->unsound || RECOVERY_FAILED(&scope, (in_region))) {                        \
            answer = (otherwise);                                                                  \
        } else {                                                                                   \
            answer = (call);                                                                       \
            recovery_end(&scope);                                                                  \
        }                                                                                          \
        answer;                                                                                    \
    })

// The same for what gives an object of its own, made of one with a region: what it takes is the
// caller's in the end, or, where memory runs out, that region's, which may have a part of it.
#define RECOVERY_SCOPE_BESIDE(of_region, call, otherwise)                                          \
    ({                                                                                             \
        struct region taken = REGION_EMPTY;                                                        \
        struct recovery around;                                                                    \
        taken.unsound = (of_region)->unsound;                                                      \
        recovery_begin(&around, (of_region));                                                      \
        __typeof__(call) given = RECOVERY_SCOPE(&taken, call, otherwise);                          \
        recovery_end(&around);                                                                     \
        region_done(&taken, (of_region));                                                          \
        given;                                                                                     \
    })

// The same, made of nothing: what it took is given back where memory runs out.
#define RECOVERY_SCOPE_ALONE(call, otherwise)                                                      \
    ({                                                                                             \
        struct region taken = REGION_EMPTY;                                                        \
        __typeof__(call) given = RECOVERY_SCOPE(&taken, call, otherwise);                          \
        region_done(&taken, NULL);                                                                 \
        given;                                                                                     \
    })

// The end of the two above.
void region_done(struct region *region, struct region *of_region);

// Forgets what the region has: whoever owns it frees it as usual.
void region_forget(struct region *region);

// A block that was taken in the scope at hand, or NULL, is the caller's from now on, whatever
// becomes of the region. Nothing outside of a scope.
void recovery_keep_block(const void *block);

// Gives all of it back.
void region_release(struct region *region);

// Address space that is given up, once, when a scope of the region would fail for want of memory.
// `used`, where others see it, says that there is none at the moment. Asked for again, it is tried
// to have it back, if need be a smaller one.
enum { RECOVERY_RESERVE = 32 << 20, RECOVERY_RESERVE_LEAST = 4 << 20 };
void region_reserve(struct region *region, atomic_bool *used);

// True when there was a reserve: the caller tries again.
bool recovery_use_reserve(void);

// There is no memory for `size` bytes more: does not return.
_Noreturn void recovery_fail(size_t size);

// What the program says before it ends, instead of an abort. Called on any thread.
void recovery_say(void (*say)(size_t size));

// In the program, `new` of a library in C++, just loaded by dlopen, ends it likewise, where it
// would throw what nobody catches.
void recovery_watch_library(void *library);

// What is not a block of memory.h: `release` is called with `what` when memory runs out, at once
// (then `what` may lie on the stack) or when the region is released. Nothing outside of a scope.
enum recovery_when { RECOVERY_AT_ONCE, RECOVERY_LATER };
void recovery_hold(enum recovery_when when, void (*release)(void *what), void *what);
void recovery_let_go(const void *what);

// Of memory.c: blocks of the scope that the thread is in.
extern __thread struct recovery *recovery_current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
bool recovery_add_block(void *block);
void recovery_drop_block(const void *block);
void *recovery_resize_block(void *block, size_t size);

// A thread for the scope of the caller. Where memory runs out on it, `give_up` is called there,
// which must let go whoever waits for the thread; the one who joins it fails then. Joined by
// recovery_thread_join, or by what stops everything: `stop`, on the thread that failed, must make
// it end.
struct recovery_thread {
    pthread_t thread;
    void *(*run)(void *context);
    void (*give_up)(void *context);
    void (*stop)(void *context);
    void *context;
    struct region *region; // of whoever started it; NULL: of no scope
    struct recovery *outer;
    bool failed;
};

// An error number of pthread_create.
int recovery_thread_start(struct recovery_thread *thread);
void recovery_thread_join(struct recovery_thread *thread);

#endif
