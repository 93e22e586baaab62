// Loops on a pool: every index once, in pieces that do not depend on the threads.

#include "kernels/parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1000 };

struct visits {
    atomic_uint count[MOST];
    atomic_uint_fast64_t ends[MOST]; // by start of a piece: its end
};

static void visit(void *context, uint64_t from, uint64_t to)
{
    struct visits *visits = context;
    visits->ends[from] = to;
    for (uint64_t i = from; i < to; i++)
        visits->count[i]++;
}

static void check_loop(struct parallel *parallel, uint64_t count, uint64_t grain)
{
    static struct visits visits;
    memset(&visits, 0, sizeof visits);
    parallel_for(parallel, count, grain, visit, &visits);
    const uint64_t size = grain > 0 ? grain : 1;
    for (uint64_t i = 0; i < MOST; i++) {
        assert_int_equal(visits.count[i], i < count ? 1 : 0);
        const uint64_t end = i + size < count ? i + size : count;
        assert_int_equal(visits.ends[i], i < count && i % size == 0 ? end : 0);
    }
}

static void every_index_is_visited_once(void **state)
{
    (void)state;
    const uint64_t counts[] = {0, 1, 2, 7, 64, 999, MOST};
    const uint64_t grains[] = {0, 1, 3, 64, 5000};
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct parallel *parallel = parallel_create(threads);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            for (size_t j = 0; j < sizeof grains / sizeof *grains; j++)
                check_loop(parallel, counts[i], grains[j]);
        }
        parallel_free(parallel);
    }
}

static void add(void *context, uint64_t from, uint64_t to)
{
    atomic_uint_fast64_t *sum = context;
    for (uint64_t i = from; i < to; i++)
        *sum += i;
}

static void many_short_loops_follow_one_another(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(4);
    for (int i = 0; i < 20000; i++) {
        atomic_uint_fast64_t sum = 0;
        parallel_for(parallel, 10, 1, add, &sum);
        assert_int_equal(sum, 45);
    }
    parallel_free(parallel);
}

// Long enough for the workers to fall asleep.
static void sleepers_wake_for_the_next_loop(void **state)
{
    (void)state;
    const struct timespec pause = {.tv_nsec = 2000000};
    for (unsigned threads = 2; threads <= 16; threads *= 2) {
        struct parallel *parallel = parallel_create(threads);
        for (int i = 0; i < 10; i++) {
            nanosleep(&pause, NULL);
            check_loop(parallel, MOST, 1);
        }
        parallel_free(parallel);
    }
}

struct meeting {
    atomic_uint here;
    unsigned wanted;
};

// Ends when as many pieces are under way as there are threads.
static void meet(void *context, uint64_t from, uint64_t to)
{
    struct meeting *meeting = context;
    (void)from;
    (void)to;
    meeting->here++;
    while (meeting->here < meeting->wanted)
        sched_yield();
}

static void a_thread_for_each_cpu_works_at_once(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(0);
    const unsigned threads = parallel_threads(parallel);
    for (int i = 0; i < 100; i++) {
        struct meeting meeting = {.wanted = threads};
        parallel_for(parallel, threads, 1, meet, &meeting);
        assert_int_equal(meeting.here, threads);
    }
    parallel_free(parallel);
}

static void zero_threads_means_one_for_each_cpu(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(0);
    assert_true(parallel_threads(parallel) >= 1);
    check_loop(parallel, MOST, 10);
    parallel_free(parallel);
}

static void nobody_gets_more_threads_than_a_machine_bears(void **state)
{
    (void)state;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct parallel *parallel = parallel_create(1000000);
    assert_true(parallel_threads(parallel) <= (cpus > 256 ? (unsigned long)cpus : 256));
    check_loop(parallel, 1000, 7);
    parallel_free(parallel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_visited_once),
        cmocka_unit_test(many_short_loops_follow_one_another),
        cmocka_unit_test(sleepers_wake_for_the_next_loop),
        cmocka_unit_test(a_thread_for_each_cpu_works_at_once),
        cmocka_unit_test(zero_threads_means_one_for_each_cpu),
        cmocka_unit_test(nobody_gets_more_threads_than_a_machine_bears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
