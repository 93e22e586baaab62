#include "verify_order.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

#define CLOCKS_MOST ((size_t)1 << 27) // numbers in all clocks of a job

// A signal, and what its stream knew.
struct signal {
    struct verify_point point;
    uint32_t known; // clock in `kept`, PROGRAM_NONE: its own steps only
};

struct stream {
    uint32_t job;    // the last one that has steps of it
    uint32_t number; // among the streams of that job
    uint32_t steps;  // of that job
};

// What a stream of the job knows.
struct knowledge {
    uint32_t *clock; // by stream of the job; NULL: its own steps only
    uint32_t kept;   // the same in `kept`, PROGRAM_NONE when it has learned more since
};

struct verify_order {
    const struct program *program;
    uint32_t job; // as they were gone through, from 1
    struct stream *streams;
    struct knowledge *known; // by stream of the job
    size_t known_count;
    uint32_t **kept; // clocks as they were when something was signalled
    size_t kept_count, kept_capacity;
    size_t clocks;        // numbers in all of them
    size_t *first_signal; // by semaphore, in `signals`
    uint32_t *raised;
    struct signal *signals;
};

// Where the signals of each semaphore are kept.
static void find_room(struct verify_order *order)
{
    const struct program *program = order->program;
    size_t *first = order->first_signal;
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (program->steps[i].kind == PROGRAM_STEP_SIGNAL)
            first[program->steps[i].semaphore + 1]++;
    }
    for (size_t i = 1; i <= program->semaphore_count; i++)
        first[i] += first[i - 1];
    order->signals =
        memory_allocate_zeroed(first[program->semaphore_count] + 1, sizeof *order->signals);
}

struct verify_order *verify_order_create(const struct program *program)
{
    struct verify_order *order = memory_allocate_zeroed(1, sizeof *order);
    const size_t streams = program->stream_count;
    const size_t semaphores = program->semaphore_count;
    order->program = program;
    order->streams = memory_allocate_zeroed(streams + 1, sizeof *order->streams);
    order->known = memory_allocate_zeroed(streams + 1, sizeof *order->known);
    order->first_signal = memory_allocate_zeroed(semaphores + 2, sizeof *order->first_signal);
    order->raised = memory_allocate_zeroed(semaphores + 1, sizeof *order->raised);
    find_room(order);
    return order;
}

static void verify_order_forget(struct verify_order *order)
{
    for (size_t i = 0; i < order->known_count; i++)
        free(order->known[i].clock);
    for (size_t i = 0; i < order->kept_count; i++)
        free(order->kept[i]);
    order->known_count = 0;
    order->kept_count = 0;
    order->clocks = 0;
}

void verify_order_free(struct verify_order *order)
{
    if (order == NULL)
        return;
    verify_order_forget(order);
    free(order->streams);
    free(order->known);
    free(order->kept);
    free(order->first_signal);
    free(order->raised);
    free(order->signals);
    free(order);
}

void verify_order_begin(struct verify_order *order, uint32_t job)
{
    const struct program_job *item = &order->program->jobs[job];
    verify_order_forget(order);
    order->job++;
    for (uint32_t i = 0; i < item->step_count; i++) {
        struct stream *stream = &order->streams[order->program->steps[item->first_step + i].stream];
        if (stream->job == order->job)
            continue;
        *stream = (struct stream){order->job, (uint32_t)order->known_count, 0};
        order->known[order->known_count++] = (struct knowledge){NULL, PROGRAM_NONE};
    }
}

static status make_clock(struct verify_order *order, uint32_t **out_clock)
{
    order->clocks += order->known_count;
    if (order->clocks > CLOCKS_MOST)
        return status_make(STATUS_LIMIT, "its streams await one another too often to be followed");
    *out_clock = memory_allocate_zeroed(order->known_count, sizeof **out_clock);
    return STATUS_OK;
}

static status keep_clock(struct verify_order *order, struct knowledge *knowledge)
{
    if (knowledge->clock == NULL || knowledge->kept != PROGRAM_NONE)
        return STATUS_OK;
    uint32_t *clock;
    STATUS_TRY(make_clock(order, &clock));
    memcpy(clock, knowledge->clock, order->known_count * sizeof *clock);
    order->kept =
        memory_grow(order->kept, order->kept_count, &order->kept_capacity, sizeof *order->kept);
    knowledge->kept = (uint32_t)order->kept_count;
    order->kept[order->kept_count++] = clock;
    return STATUS_OK;
}

static status verify_order_raise_semaphore(struct verify_order *order,
                                           const struct program_step *step,
                                           struct verify_point point)
{
    const uint32_t owner = order->program->semaphores[step->semaphore].stream;
    struct knowledge *knowledge = &order->known[point.stream];
    if (owner != step->stream)
        return status_make(STATUS_DATA,
                           "semaphore %" PRIu32 " is signalled by stream %" PRIu32
                           ", but is one of stream %" PRIu32,
                           step->semaphore, step->stream, owner);
    STATUS_TRY(keep_clock(order, knowledge));
    order->signals[order->first_signal[step->semaphore] + order->raised[step->semaphore]++] =
        (struct signal){point, knowledge->kept};
    return STATUS_OK;
}

static void learn(struct verify_order *order, struct knowledge *knowledge,
                  const struct signal *signal)
{
    uint32_t *clock = knowledge->clock;
    const uint32_t *other = signal->known != PROGRAM_NONE ? order->kept[signal->known] : NULL;
    for (size_t i = 0; other != NULL && i < order->known_count; i++)
        clock[i] = other[i] > clock[i] ? other[i] : clock[i];
    if (signal->point.step > clock[signal->point.stream])
        clock[signal->point.stream] = signal->point.step;
    knowledge->kept = PROGRAM_NONE;
}

static status verify_order_await_semaphore(struct verify_order *order,
                                           const struct program_step *step,
                                           struct verify_point point)
{
    const struct program_semaphore *semaphore = &order->program->semaphores[step->semaphore];
    struct knowledge *knowledge = &order->known[point.stream];
    if (semaphore->stream == step->stream)
        return status_make(
            STATUS_DATA, "stream %" PRIu32 " awaits semaphore %" PRIu32 ", which it signals itself",
            step->stream, step->semaphore);
    if (step->count > order->raised[step->semaphore])
        return status_make(STATUS_DATA,
                           "stream %" PRIu32 " awaits %" PRIu32 " of semaphore %" PRIu32
                           ", which has been signalled %" PRIu32 " times before",
                           step->stream, step->count, step->semaphore,
                           order->raised[step->semaphore]);
    const struct signal *signal =
        &order->signals[order->first_signal[step->semaphore] + step->count - 1];
    if (signal->point.job != order->job)
        return STATUS_OK;
    if (knowledge->clock == NULL)
        STATUS_TRY(make_clock(order, &knowledge->clock));
    learn(order, knowledge, signal);
    return STATUS_OK;
}

status verify_order_step(struct verify_order *order, const struct program_step *step,
                         struct verify_point *out_point)
{
    if (step == NULL) {
        *out_point = (struct verify_point){0};
        return STATUS_OK;
    }
    struct stream *stream = &order->streams[step->stream];
    *out_point = (struct verify_point){order->job, stream->number, ++stream->steps};
    if (step->kind == PROGRAM_STEP_SIGNAL)
        return verify_order_raise_semaphore(order, step, *out_point);
    return step->kind == PROGRAM_STEP_AWAIT ? verify_order_await_semaphore(order, step, *out_point)
                                            : STATUS_OK;
}

bool verify_order_before(const struct verify_order *order, struct verify_point point,
                         struct verify_point now)
{
    if (point.job != now.job || point.job == 0 || point.stream == now.stream)
        return true;
    const uint32_t *clock = order->known[now.stream].clock;
    return clock != NULL && clock[point.stream] >= point.step;
}
