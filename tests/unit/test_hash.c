// The index finds what was added and nothing else.

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 20000 };

static unsigned times_found(const struct hash_index *index, uint32_t hash, uint32_t wanted)
{
    unsigned times = 0;
    uint32_t id;
    for (uint32_t at = hash_first(index, hash); (id = hash_next(index, hash, &at)) != HASH_NONE;)
        times += id == wanted;
    return times;
}

static void every_id_is_found_once_under_its_hash(void **state)
{
    (void)state;
    struct hash_index index = {0};
    for (uint32_t i = 0; i < MANY; i++)
        hash_add(&index, hash_u64(i), i);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(times_found(&index, hash_u64(i), i), 1);
    for (uint32_t i = MANY; i < 2 * MANY; i++)
        assert_int_equal(times_found(&index, hash_u64(i), i), 0);
    hash_free(&index);
}

static void ids_of_equal_hashes_are_all_found(void **state)
{
    (void)state;
    struct hash_index index = {0};
    for (uint32_t i = 0; i < 300; i++)
        hash_add(&index, 7, i);
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(times_found(&index, 7, i), 1);
    assert_int_equal(times_found(&index, 8, 0), 0);
    hash_free(&index);
}

static void an_empty_index_has_nothing(void **state)
{
    (void)state;
    const struct hash_index index = {0};
    assert_int_equal(hash_bytes(NULL, 0), hash_bytes("", 0));
    uint32_t at = hash_first(&index, 5);
    assert_int_equal(hash_next(&index, 5, &at), HASH_NONE);
}

static void the_hash_depends_on_every_byte_and_on_no_other(void **state)
{
    (void)state;
    char text[80];
    for (size_t size = 0; size < 70; size++) {
        memset(text, 'a', sizeof text);
        const uint32_t hash = hash_bytes(text, size);
        text[size] = 'b';
        assert_int_equal(hash_bytes(text, size), hash);
        for (size_t i = 0; i < size; i++) {
            text[i] = 'b';
            assert_int_not_equal(hash_bytes(text, size), hash);
            text[i] = 'a';
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_id_is_found_once_under_its_hash),
        cmocka_unit_test(ids_of_equal_hashes_are_all_found),
        cmocka_unit_test(an_empty_index_has_nothing),
        cmocka_unit_test(the_hash_depends_on_every_byte_and_on_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
