// Unpacking into a spool: as a whole, the beginning alone, or the rest on a thread beside whoever
// reads what is there already. Memory: a piece (unpack.h); the spool is a file.

#include "input_packed.h"

#include <stdlib.h>

#include "memory.h"
#include "parts.h"
#include "recovery.h"
#include "unpack.h"

// What the user allows packed files to unfold to; 0: nothing was said.
static _Atomic uint64_t unpacked_most;

void input_limit_unpacked(uint64_t most)
{
    unpacked_most = most;
}

// More than what may come out goes into the spool before it is found to be too much.
enum { ROOM_BEYOND = 1 << 20 };

struct input_ahead {
    struct recovery_thread thread;
    struct unpack unpack; // the thread's, until it has ended
    struct input *input;
    pthread_mutex_t lock;
    pthread_cond_t more;
    uint64_t there; // bytes that can be read
    uint64_t wanted;
    size_t consumed; // of what is packed
    bool closed;     // nobody wants more
    bool ended;
    status failure; // that ended it
};

// Limits ------------------------------------------------------------------------------------

static uint64_t most_in_all(void)
{
    const uint64_t allowed = unpacked_most;
    return allowed != 0 ? allowed : INPUT_UNPACKED_MOST;
}

// As many as the file's own bytes stand for; where the user said how many, no fewer than these.
static uint64_t most_by_ratio(struct view packed)
{
    const uint64_t by_ratio = packed.size * INPUT_UNPACKED_RATIO;
    if (unpacked_most != 0)
        return UINT64_MAX;
    return by_ratio > INPUT_UNPACKED_FREE ? by_ratio : INPUT_UNPACKED_FREE;
}

static status check_memory(const struct input *input, const struct unpack *unpack)
{
    return unpack->starved ? status_no_memory("unpacking %s", input->path) : STATUS_OK;
}

// Refuses what unfolds to more.
static status check_size(const struct input *input, struct view packed, uint64_t size)
{
    const uint64_t whole = most_in_all();
    if (size > whole)
        return status_make(STATUS_LIMIT,
                           "%s: unpacks to more than %.6g GiB; --max-unpacked SIZE allows more",
                           input->path, (double)whole / (1 << 30));
    if (size > most_by_ratio(packed))
        return status_make(STATUS_LIMIT,
                           "%s: unpacks to more than %d times its size; --max-unpacked SIZE "
                           "allows it",
                           input->path, INPUT_UNPACKED_RATIO);
    return STATUS_OK;
}

// Beside a reader -----------------------------------------------------------------------------

// One piece more. False: nothing more is to come.
static bool ahead_unpack(struct input_ahead *ahead)
{
    struct input *input = ahead->input;
    const struct view piece = unpack_next(&ahead->unpack);
    const uint64_t there = ahead->there + piece.size;
    status failure = check_memory(input, &ahead->unpack);
    if (failure == STATUS_OK)
        failure = spool_append_ahead(&input->unpacked, piece.data, piece.size);
    if (failure == STATUS_OK)
        failure = check_size(input, ahead->unpack.packed, there);
    pthread_mutex_lock(&ahead->lock);
    if (failure == STATUS_OK)
        ahead->there = there;
    ahead->consumed = ahead->unpack.consumed;
    ahead->failure = failure;
    ahead->ended = failure != STATUS_OK || ahead->unpack.ended;
    if (ahead->ended || ahead->there >= ahead->wanted)
        pthread_cond_broadcast(&ahead->more);
    const bool goes_on = !ahead->ended && !ahead->closed;
    pthread_mutex_unlock(&ahead->lock);
    return goes_on;
}

static void *ahead_run(void *argument)
{
    while (ahead_unpack(argument))
        ;
    return NULL;
}

// Without memory: whoever joins the thread fails.
static void ahead_give_up(void *argument)
{
    struct input_ahead *ahead = argument;
    pthread_mutex_lock(&ahead->lock);
    ahead->ended = true;
    pthread_cond_broadcast(&ahead->more);
    pthread_mutex_unlock(&ahead->lock);
}

static void ahead_stop(void *argument)
{
    struct input_ahead *ahead = argument;
    pthread_mutex_lock(&ahead->lock);
    ahead->closed = true;
    pthread_mutex_unlock(&ahead->lock);
}

static void ahead_free(struct input_ahead *ahead)
{
    unpack_close(&ahead->unpack);
    pthread_cond_destroy(&ahead->more);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}

// False: it cannot be done beside a reader. Takes over `unpack` where it can.
static bool ahead_start(struct input *input, struct unpack *unpack)
{
    const uint64_t by_ratio = most_by_ratio(unpack->packed);
    const uint64_t whole = most_in_all();
    const uint64_t most = by_ratio < whole ? by_ratio : whole;
    const uint64_t there = spool_size(&input->unpacked);
    const char *data;
    if (parts_threads() < 2 || most > UINT64_MAX / 2 ||
        !spool_read_ahead(&input->unpacked, most + ROOM_BEYOND, &data))
        return false;
    struct input_ahead *ahead = memory_allocate_zeroed(1, sizeof *ahead);
    *ahead = (struct input_ahead){.thread = {.run = ahead_run,
                                             .give_up = ahead_give_up,
                                             .stop = ahead_stop,
                                             .context = ahead},
                                  .unpack = *unpack,
                                  .input = input,
                                  .there = there,
                                  .consumed = unpack->consumed};
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->more, NULL);
    if (recovery_thread_start(&ahead->thread) != 0) {
        ahead->unpack = (struct unpack){0};
        ahead_free(ahead);
        return false;
    }
    *unpack = (struct unpack){0};
    input->ahead = ahead;
    input->bytes = (struct view){data, there};
    return true;
}

// The last byte is there: what the thread knew is the input's.
static void ahead_end(struct input_ahead *ahead)
{
    struct input *input = ahead->input;
    recovery_thread_join(&ahead->thread);
    input->ahead = NULL;
    input->damage = ahead->unpack.damage;
    input->failure = ahead->failure;
    ahead_free(ahead);
}

bool input_reach(const struct input *input, uint64_t size)
{
    struct input_ahead *ahead = input->ahead;
    if (ahead == NULL)
        return true;
    pthread_mutex_lock(&ahead->lock);
    ahead->wanted = size;
    while (!ahead->ended && ahead->there < size)
        pthread_cond_wait(&ahead->more, &ahead->lock);
    const bool ended = ahead->ended;
    ahead->input->bytes.size = ahead->there;
    pthread_mutex_unlock(&ahead->lock);
    if (ended)
        ahead_end(ahead);
    return ended;
}

bool input_is_there(const struct input *input, uint64_t size)
{
    struct input_ahead *ahead = input->ahead;
    if (ahead == NULL)
        return true;
    pthread_mutex_lock(&ahead->lock);
    const bool there = ahead->ended || ahead->there >= size;
    pthread_mutex_unlock(&ahead->lock);
    return there;
}

uint64_t input_likely_size(const struct input *input)
{
    struct input_ahead *ahead = input->ahead;
    if (ahead == NULL)
        return input->bytes.size;
    pthread_mutex_lock(&ahead->lock);
    const double part = (double)ahead->consumed / (double)ahead->unpack.packed.size;
    const uint64_t there = ahead->there;
    pthread_mutex_unlock(&ahead->lock);
    return part > 0 ? (uint64_t)((double)there / part) : there;
}

status input_finish(struct input *input)
{
    input_reach(input, UINT64_MAX);
    const status failure = input->failure;
    input->failure = STATUS_OK;
    return failure;
}

void input_unpack_end(struct input *input)
{
    if (input->ahead != NULL) {
        ahead_stop(input->ahead);
        ahead_end(input->ahead);
    }
    status_free(input->failure);
    input->failure = STATUS_OK;
}

// Before anybody reads --------------------------------------------------------------------------

static status bytes_so_far(struct input *input, struct view *out_bytes)
{
    char *data;
    STATUS_TRY(spool_read(&input->unpacked, &data, &out_bytes->size));
    out_bytes->data = data;
    return STATUS_OK;
}

// What the beginning says: `*out_done` where no more of the file is to be unpacked here.
static status look_at_beginning(struct input *input, struct unpack *unpack, bool *out_done)
{
    const struct input_beginnings *asks = &input->beginnings;
    struct view beginning;
    STATUS_TRY(bytes_so_far(input, &beginning));
    *out_done = asks->known != NULL && !asks->known(beginning);
    if (!*out_done && asks->in_parts != NULL && asks->in_parts(beginning))
        *out_done = ahead_start(input, unpack);
    return STATUS_OK;
}

static status unpack_into_spool(struct input *input, struct unpack *unpack)
{
    const struct input_beginnings *asks = &input->beginnings;
    bool asked = asks->known == NULL && asks->in_parts == NULL;
    bool done = false;
    // What a file says of itself is a promise that saves the work, and no more.
    if (unpack->promised != UINT64_MAX)
        STATUS_TRY(check_size(input, unpack->packed, unpack->promised));
    while (!done && !unpack->ended) {
        const struct view piece = unpack_next(unpack);
        STATUS_TRY(check_memory(input, unpack));
        STATUS_TRY(spool_append(&input->unpacked, piece.data, piece.size));
        STATUS_TRY(check_size(input, unpack->packed, spool_size(&input->unpacked)));
        if (asked || unpack->ended || spool_size(&input->unpacked) <= INPUT_BEGINNING)
            continue;
        asked = true;
        STATUS_TRY(look_at_beginning(input, unpack, &done));
    }
    if (unpack->ended)
        input->damage = unpack->damage;
    return input->ahead != NULL ? STATUS_OK : bytes_so_far(input, &input->bytes);
}

status input_unpack(struct input *input)
{
    struct unpack unpack;
    status result = STATUS_OK;
    input->damage = unpack_cut_in_mark(input->path, input->bytes);
    if (input->damage == NULL && !unpack_is_packed(input->bytes))
        return STATUS_OK;
    if (input->damage == NULL) {
        STATUS_TRY(unpack_open(input->path, input->bytes, &unpack));
        result = unpack_into_spool(input, &unpack);
        unpack_close(&unpack);
    }
    if (result == STATUS_OK && input->damage != NULL && spool_size(&input->unpacked) == 0)
        return status_make(STATUS_DATA, "%s: %s before anything of it could be unpacked",
                           input->path, input->damage);
    return result;
}
