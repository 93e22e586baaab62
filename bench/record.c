// What recording costs, in one run:
//     record FILE
// prints, from rounds that are interleaved: two bare clock reads, an enabled span on a buffer
// that the thread has used before and on one that it has not (medians), and a disabled span
// with the loop around it (the best round: it has no slow path that the best one could hide).
// Then how many spans a second 1 to N threads record and the CPU time of each, and whether
// 8 threads get every span recorded or counted as lost under each policy. Each line has its
// ratio, its limit and a verdict; fails when one does not hold.

#include <opscope/record.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "profile/file.h"

enum {
    ROUNDS = 60,
    SPANS = 8192,
    THREADS_MOST = 64,
    THREAD_SPANS = 20 * SPANS,
    CORRECT_THREADS = 8,
    SMALL_BUFFER = 16384,
    SCALING_TRIES = 5,
};

#define SPAN_LIMIT 1.4    // times two bare clock reads
#define DISABLED_LIMIT 1  // ns
#define SCALING_LIMIT 1.3 // CPU time of a span among others, times that of one alone

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

static double best(const struct measured *measured)
{
    double least = measured->ns[0];
    for (int i = 1; i < measured->count; i++)
        least = measured->ns[i] < least ? measured->ns[i] : least;
    return least;
}

static int failures;

static const char *verdict(bool holds)
{
    failures += !holds;
    return holds ? "ok" : "FAILED";
}

static long cpus(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}

struct worker {
    pthread_t id;
    unsigned cpu;
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
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(worker->cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set); // or the scheduler's choice
    record_spans();                                           // the first event makes the buffer
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
        workers[i] = (struct worker){.cpu = i % (unsigned)cpus(), .barrier = &barrier};
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

static struct ledger ledger_of(const char *path)
{
    struct input *input;
    struct profile *profile = profile_create();
    struct ledger ledger = {0};
    if (input_open(path, &input) == STATUS_OK && profile_load(input, profile) == STATUS_OK)
        ledger = profile_ledger(profile);
    profile_free(profile);
    return ledger;
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
    check(ledger_of(path).recorded != spans, "not all spans that were timed are in the file");
}

static void print_costs(void)
{
    const double two = median(&reads);
    const double used = median(&warm);
    const double fresh = median(&cold);
    const double disabled = best(&off);
    printf("two bare clock reads         %6.2f ns\n", two);
    printf("enabled span                 %6.2f ns, %.2f times the reads (at most %.1f): %s\n", used,
           used / two, SPAN_LIMIT, verdict(used <= SPAN_LIMIT * two));
    printf("enabled span, fresh memory   %6.2f ns, %.2f times the reads (at most %.1f): %s\n",
           fresh, fresh / two, SPAN_LIMIT, verdict(fresh <= SPAN_LIMIT * two));
    printf("disabled span and its loop   %6.2f ns (at most %d; an empty loop: %.2f): %s\n",
           disabled, DISABLED_LIMIT, best(&nothing), verdict(disabled <= DISABLED_LIMIT));
}

// Buffers have room for all: what is measured is how threads disturb one another. The best
// of a few tries each, since the machine may have other work.
static void print_scaling(const char *path)
{
    struct scaling one = {0};
    for (unsigned threads = 1; threads <= cpus() && threads <= THREADS_MOST; threads *= 2) {
        struct scaling scaling = {0};
        for (int i = 0; i < SCALING_TRIES; i++) {
            start(path, OPSCOPE_FULL_BLOCK, 4 * THREAD_SPANS * sizeof(struct opscope_event));
            const struct scaling tried = scale_to(threads);
            stop();
            scaling = tried.rate > scaling.rate ? tried : scaling;
        }
        one = threads == 1 ? scaling : one;
        const double ratio = scaling.cpu_ns / one.cpu_ns;
        printf("%2u threads   %6.1f million spans a second (%.2f times one thread), %.1f ns of CPU "
               "each, %.2f times (at most %.1f): %s\n",
               threads, scaling.rate, scaling.rate / one.rate, scaling.cpu_ns, ratio, SCALING_LIMIT,
               verdict(ratio <= SCALING_LIMIT));
    }
}

// Buffers that are far too small for what the threads record at full speed.
static void print_correctness(const char *path)
{
    static const char *const POLICIES[] = {
        [OPSCOPE_FULL_BLOCK] = "block", [OPSCOPE_FULL_GROW] = "grow", [OPSCOPE_FULL_DROP] = "drop"};
    const uint64_t spans = (uint64_t)CORRECT_THREADS * (THREAD_SPANS + SPANS);
    for (enum opscope_full full = OPSCOPE_FULL_BLOCK; full <= OPSCOPE_FULL_DROP; full++) {
        start(path, full, SMALL_BUFFER);
        const struct scaling scaling = scale_to(CORRECT_THREADS);
        stop();
        const struct ledger ledger = ledger_of(path);
        const bool holds = ledger.recorded + ledger.lost == spans && ledger.impossible == 0 &&
                           (full == OPSCOPE_FULL_DROP || ledger.lost == 0);
        printf("%2d threads, %-5s   %" PRIu64 " of %" PRIu64 " spans recorded, %" PRIu64
               " counted as lost, %.1f million a second: %s\n",
               CORRECT_THREADS, POLICIES[full], ledger.recorded, spans, ledger.lost, scaling.rate,
               verdict(holds));
    }
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
    print_costs();
    print_scaling(words[1]);
    print_correctness(words[1]);
    return failures > 0;
}
