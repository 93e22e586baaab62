// Work that is cut into parts: several threads do them, one takes them in the order in which it
// put them, so that what comes out does not depend on how many threads there are.
//
//     struct parts *parts = parts_open(work);
//     for (;;) {
//         while (parts_room(parts) && cut_next(&part))
//             parts_put(parts, part);
//         if ((part = parts_take(parts)) == NULL)
//             break;
//         merge(part);
//     }
//     parts_close(parts);
//
// `work` is called for each part once, on any thread, and several at a time for different ones.
// The one who takes does parts too while the one it waits for is not ready. What a part needs
// belongs to the caller, who makes it, and finds it again in order.
//
// Memory: what the caller's parts hold, PARTS_OF_THREAD of them for each thread. Where memory runs
// out on a thread, taking fails (base/recovery.h). A thread that cannot be had is one less.

#ifndef OPSCOPE_BASE_PARTS_H
#define OPSCOPE_BASE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

// The most threads, whatever the machine; parts under way for each of them.
enum { PARTS_THREADS_MOST = 64, PARTS_OF_THREAD = 2 };

struct parts;

// How many threads readers and writers share their work among, the caller's being one: what
// OPSCOPE_THREADS in the environment says, else the processors that this process may use.
unsigned parts_threads(void);

// Threads are started when there is something to do for them.
struct parts *parts_open(void (*work)(void *part));

// Whether another part may be put before one is taken; always so when none is under way.
bool parts_room(const struct parts *parts);

// Whether any is under way: parts_take would give one.
bool parts_busy(const struct parts *parts);

void parts_put(struct parts *parts, void *part);

// The part that was put first, done; NULL when none is under way.
void *parts_take(struct parts *parts);

// What was not taken is left as it is: done or not.
void parts_close(struct parts *parts);

#endif
