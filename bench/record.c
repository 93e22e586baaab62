// What recording costs, in one run:
//     record FILE
// prints the medians of rounds that are interleaved: two bare clock reads, an enabled span
// on a buffer that the thread has used before and on one that it has not, and a disabled span
// with the loop around it. Then how many spans a second 1 to N threads record, and the CPU time of
// each. Fails when a limit does not hold, or when a span that was timed is not accounted for as
// recorded.

#include <opscope/record.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "profile/file.h"

enum { ROUNDS = 60, SPANS = 8192, THREADS_MOST = 64, THREAD_SPANS = 20 * SPANS };

static volatile uint64_t sink;

static uint64_t monotonic(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void read_clock_twice(void)
{
    for (int i = 0; i < SPANS; i++) {
        sink = opscope_now();
        sink = opscope_now();
    }
}

static void record_spans(void)
{
    for (int i = 0; i < SPANS; i++) {
        const uint64_t begun = opscope_begin();
        __asm__ volatile("" ::: "memory");
        opscope_end(begun, 0, 0, 0);
    }
}

static void do_nothing(void)
{
    for (int i = 0; i < SPANS; i++)
        __asm__ volatile("" ::: "memory");
}

struct measured {
    double ns[ROUNDS]; // of one span
    int count;
};

static void measure(void (*work)(void), struct measured *measured)
{
    const uint64_t start = monotonic();
    work();
    measured->ns[measured->count++] = (double)(monotonic() - start) / SPANS;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(struct measured *measured)
{
    qsort(measured->ns, (size_t)measured->count, sizeof *measured->ns, by_size);
    return measured->ns[measured->count / 2];
}

struct worker {
    pthread_t id;
    pthread_barrier_t *barrier;
    uint64_t start, end; // read by itself: another thread may come late to its clock
    double cpu_ns;       // of one span
};

static uint64_t cpu_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void *record_on_thread(void *context)
{
    struct worker *worker = context;
    record_spans(); // the first event makes the buffer
    pthread_barrier_wait(worker->barrier);
    worker->start = monotonic();
    const uint64_t cpu_start = cpu_time();
    for (int i = 0; i < THREAD_SPANS / SPANS; i++)
        record_spans();
    worker->cpu_ns = (double)(cpu_time() - cpu_start) / THREAD_SPANS;
    worker->end = monotonic();
    return NULL;
}

// How threads get on with one another: what the machine does besides changes the rate, but
// hardly the CPU time that a span takes.
struct scaling {
    double rate;   // million spans a second of all threads together
    double cpu_ns; // of one span
};

static struct scaling scale_to(unsigned threads)
{
    struct worker workers[THREADS_MOST];
    pthread_barrier_t barrier;
    struct scaling scaling = {0};
    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        workers[i].barrier = &barrier;
        pthread_create(&workers[i].id, NULL, record_on_thread, &workers[i]);
    }
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].id, NULL);
        first = workers[i].start < first ? workers[i].start : first;
        last = workers[i].end > last ? workers[i].end : last;
        scaling.cpu_ns += workers[i].cpu_ns / threads;
    }
    pthread_barrier_destroy(&barrier);
    scaling.rate = 1e3 * THREAD_SPANS * threads / (double)(last - first);
    return scaling;
}

static void check(int result, const char *message)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static void start(const char *path, enum opscope_full full, size_t buffer_bytes)
{
    char message[256];
    const struct opscope_record_options options = {
        .path = path, .full = full, .buffer_bytes = buffer_bytes};
    check(opscope_record_start(&options, message, sizeof message), message);
}

static void stop(void)
{
    char message[256];
    check(opscope_record_stop(message, sizeof message), message);
}

static uint64_t recorded_in(const char *path)
{
    struct input *input;
    struct profile *profile = profile_create();
    uint64_t recorded = 0;
    if (input_open(path, &input) == STATUS_OK && profile_load(input, profile) == STATUS_OK)
        recorded = profile_ledger(profile).recorded;
    profile_free(profile);
    return recorded;
}

static struct measured nothing, off, reads, warm, cold;

static void *measure_warm(void *unused)
{
    for (int i = 0; i < ROUNDS / 4; i++) { // once around the buffer
        record_spans();
        opscope_record_flush();
    }
    for (int i = 0; i < ROUNDS; i++) {
        measure(read_clock_twice, &reads);
        measure(record_spans, &warm);
        opscope_record_flush();
    }
    return unused;
}

static void *measure_cold(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        measure(record_spans, &cold);
    return unused;
}

// On a thread, and so on a buffer, of its own.
static void record_rounds(const char *path, void *(*rounds)(void *), size_t buffer_bytes,
                          uint64_t spans)
{
    pthread_t thread;
    start(path, OPSCOPE_FULL_BLOCK, buffer_bytes);
    check(pthread_create(&thread, NULL, rounds, NULL), "no thread");
    pthread_join(thread, NULL);
    stop();
    check(recorded_in(path) != spans, "not all spans that were timed are in the file");
}

static int print_costs(void)
{
    const double two = median(&reads);
    const double used = median(&warm);
    const double fresh = median(&cold);
    const double disabled = median(&off);
    const int failed = used > 1.4 * two || disabled > 1;
    printf("two bare clock reads         %6.2f ns\n", two);
    printf("enabled span                 %6.2f ns, %.2f times the reads (at most 1.4): %s\n", used,
           used / two, used <= 1.4 * two ? "ok" : "TOO SLOW");
    printf("enabled span, fresh memory   %6.2f ns, %.2f times the reads (no limit)\n", fresh,
           fresh / two);
    printf("disabled span and its loop   %6.2f ns (at most 1; an empty loop: %.2f): %s\n", disabled,
           median(&nothing), disabled <= 1 ? "ok" : "TOO SLOW");
    return failed;
}

int main(int count, char **words)
{
    if (count != 2)
        return fprintf(stderr, "usage: record FILE\n"), 2;
    for (int i = 0; i < ROUNDS; i++) {
        measure(do_nothing, &nothing);
        measure(record_spans, &off);
    }
    record_rounds(words[1], measure_warm, 0, (ROUNDS + ROUNDS / 4) * SPANS);
    record_rounds(words[1], measure_cold, 2 * ROUNDS * SPANS * sizeof(struct opscope_event),
                  ROUNDS * SPANS);
    const int failed = print_costs();
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct scaling one = {0};
    for (unsigned threads = 1; threads <= (unsigned)cpus && threads <= THREADS_MOST; threads *= 2) {
        start(words[1], OPSCOPE_FULL_GROW, 0);
        const struct scaling scaling = scale_to(threads);
        stop();
        one = threads == 1 ? scaling : one;
        printf("%2u threads   %6.1f million spans a second (%.2f times one thread), %.1f ns of CPU "
               "each (%.2f times)\n",
               threads, scaling.rate, scaling.rate / one.rate, scaling.cpu_ns,
               scaling.cpu_ns / one.cpu_ns);
    }
    return failed;
}
