// Parts come in the order in which they were put, each done once, whatever the number of threads.

#include "base/parts.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 5000 };

struct piece {
    uint32_t number;
    atomic_uint times_done;
};

static struct piece pieces[MANY];

// The first ones take longest.
static void do_piece(void *part)
{
    struct piece *piece = part;
    volatile uint64_t sum = 0;
    for (uint32_t i = 0; i < 20 * (100 - piece->number % 100); i++)
        sum += i;
    atomic_fetch_add(&piece->times_done, 1);
}

static void with_threads(const char *threads)
{
    size_t put = 0;
    memset(pieces, 0, sizeof pieces);
    setenv("OPSCOPE_THREADS", threads, 1);
    struct parts *parts = parts_open(do_piece);
    assert_null(parts_take(parts));
    for (size_t taken = 0; taken < MANY; taken++) {
        for (; put < MANY && parts_room(parts); put++) {
            pieces[put].number = (uint32_t)put;
            parts_put(parts, &pieces[put]);
        }
        struct piece *piece = parts_take(parts);
        assert_ptr_equal(piece, &pieces[taken]);
        assert_int_equal(piece->times_done, 1);
    }
    assert_null(parts_take(parts));
    parts_close(parts);
    unsetenv("OPSCOPE_THREADS");
}

static void parts_come_in_order(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "4", "16", "1000"};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
        with_threads(threads[i]);
}

static void what_is_under_way_is_bounded(void **state)
{
    (void)state;
    setenv("OPSCOPE_THREADS", "3", 1);
    struct parts *parts = parts_open(do_piece);
    size_t put = 0;
    for (; parts_room(parts); put++)
        parts_put(parts, &pieces[put]);
    assert_int_equal(put, 3 * PARTS_OF_THREAD);
    parts_close(parts);
    unsetenv("OPSCOPE_THREADS");
}

static void what_is_no_number_of_threads_is_not_taken(void **state)
{
    (void)state;
    unsetenv("OPSCOPE_THREADS");
    const unsigned own = parts_threads();
    assert_true(own >= 1 && own <= PARTS_THREADS_MOST);
    static const char *const words[] = {"", "0", "-1", "many", "2x"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        setenv("OPSCOPE_THREADS", words[i], 1);
        assert_int_equal(parts_threads(), own);
    }
    setenv("OPSCOPE_THREADS", "5", 1);
    assert_int_equal(parts_threads(), 5);
    unsetenv("OPSCOPE_THREADS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_in_order),
        cmocka_unit_test(what_is_under_way_is_bounded),
        cmocka_unit_test(what_is_no_number_of_threads_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
