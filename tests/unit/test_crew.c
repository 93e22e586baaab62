// Items that several threads do: each once, by a worker that there is, whatever their number.

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/cpus.h"
#include "base/crew.h"

enum { ITEMS = 1000, WORKERS = 7 };

struct done {
    unsigned times[ITEMS];
    unsigned by[WORKERS]; // each has a number of its own
};

static void do_item(void *context, unsigned worker, uint32_t index)
{
    struct done *done = context;
    done->times[index]++;
    done->by[worker]++;
}

static void every_item_is_done_once(void **state)
{
    (void)state;
    static const unsigned COUNTS[] = {0, 1, 2, 5, ITEMS};
    for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
        for (unsigned workers = 1; workers <= WORKERS; workers++) {
            struct done done = {0};
            unsigned sum = 0;
            crew_run(workers, COUNTS[c], do_item, &done);
            for (unsigned i = 0; i < ITEMS; i++)
                assert_int_equal(done.times[i], i < COUNTS[c]);
            for (unsigned i = 0; i < WORKERS; i++)
                sum += done.by[i];
            for (unsigned i = workers; i < WORKERS; i++)
                assert_int_equal(done.by[i], 0);
            assert_int_equal(sum, COUNTS[c]);
        }
    }
}

static void there_is_a_cpu(void **state)
{
    (void)state;
    assert_true(cpus_allowed() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(there_is_a_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
