// What was added is found, also by threads that look while it is being added.

#include "base/shared_index.h"

#include <pthread.h>
#include <stdbool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 100000, LOOKERS = 3 };

static struct shared_index index_of_all;
static uint32_t stored[MANY];
static _Atomic uint32_t added;

static uint32_t hash_of(uint32_t item)
{
    return item % 1000 * 77777777u; // a hundred of each
}

static bool is_there(uint32_t item)
{
    const struct shared_table *table = shared_index_table(&index_of_all);
    uint32_t id;
    for (uint32_t at = hash_of(item);
         (id = shared_index_next(table, hash_of(item), &at)) != HASH_NONE;) {
        if (stored[id] == item)
            return true;
    }
    return false;
}

static void *look(void *argument)
{
    uint32_t *missed = argument;
    for (uint32_t known = 0; known < MANY;) {
        known = atomic_load(&added);
        for (uint32_t i = 0; i < known; i += 1 + known / 50)
            *missed += !is_there(i);
    }
    return NULL;
}

static void what_was_added_is_found_meanwhile(void **state)
{
    (void)state;
    pthread_t threads[LOOKERS];
    uint32_t missed[LOOKERS] = {0};
    for (int i = 0; i < LOOKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look, &missed[i]), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        stored[i] = i;
        shared_index_add(&index_of_all, hash_of(i), i);
        atomic_store(&added, i + 1);
    }
    for (int i = 0; i < LOOKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(missed[i], 0);
    }
    assert_false(is_there(MANY));
    shared_index_free(&index_of_all);
    assert_false(is_there(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_found_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
