// Begins and ends against lists that are searched from end to end.

#include "formats/torq/pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 400 };

static bool same_key(struct pairing_key a, struct pairing_key b)
{
    return a.invocation == b.invocation && a.action == b.action && a.event == b.event;
}

// The begin that was added last (or first) under `key` and is still there.
static size_t find(const struct pairing_begin *begins, size_t count, struct pairing_key key,
                   bool last)
{
    size_t found = count;
    for (size_t i = 0; i < count && (last || found == count); i++) {
        if (same_key(begins[i].key, key))
            found = i;
    }
    return found;
}

static void agrees_with_a_list(bool last)
{
    for (unsigned round = 0; round < 300; round++) {
        unsigned seed = round;
        struct pairing pairing = {0};
        struct pairing_begin begins[MOST];
        size_t count = 0;
        for (uint64_t step = 0; step < 1000; step++) {
            const struct pairing_key key = {(uint64_t)rand_r(&seed) % 4,
                                            (uint64_t)rand_r(&seed) % (1 + round),
                                            (uint32_t)rand_r(&seed) % 2};
            if (rand_r(&seed) % 2 == 0 && count < MOST) {
                begins[count] = (struct pairing_begin){.key = key, .line = step};
                if (last)
                    pairing_add_first(&pairing, &begins[count]);
                else
                    pairing_add_last(&pairing, &begins[count]);
                count++;
                continue;
            }
            struct pairing_begin got;
            const size_t want = find(begins, count, key, last);
            assert_int_equal(pairing_take(&pairing, key, &got), want < count);
            if (want == count)
                continue;
            assert_int_equal(got.line, begins[want].line);
            memmove(&begins[want], &begins[want + 1], (--count - want) * sizeof begins[0]);
        }
        struct pairing_begin left[MOST];
        assert_int_equal(pairing.waiting, count);
        pairing_list(&pairing, left);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(left[i].line, begins[i].line);
        pairing_free(&pairing);
    }
}

static void the_last_begin_is_taken_first(void **state)
{
    (void)state;
    agrees_with_a_list(true);
}

static void the_first_begin_is_taken_first(void **state)
{
    (void)state;
    agrees_with_a_list(false);
}

static void nothing_waits_at_first(void **state)
{
    (void)state;
    struct pairing pairing = {0};
    struct pairing_begin begin;
    assert_false(pairing_take(&pairing, (struct pairing_key){0}, &begin));
    pairing_list(&pairing, &begin);
    pairing_free(&pairing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_begin_is_taken_first),
        cmocka_unit_test(the_first_begin_is_taken_first),
        cmocka_unit_test(nothing_waits_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
