// Digests: the same for the same bytes however they come, another for others.

#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t of(const char *text)
{
    struct digest digest = digest_start();
    digest_add(&digest, text, strlen(text));
    return digest_finish(&digest);
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    struct digest digest = digest_start();
    digest_add(&digest, "ab", 2);
    digest_add(&digest, "", 0);
    digest_add(&digest, "c", 1);
    assert_int_equal(digest_finish(&digest), of("abc"));
}

static void every_bit_matters(void **state)
{
    (void)state;
    unsigned char bytes[64] = {0};
    uint64_t seen[sizeof bytes * 8];
    for (size_t i = 0; i < sizeof bytes * 8; i++) {
        bytes[i / 8] = (unsigned char)(1u << (i % 8));
        struct digest digest = digest_start();
        digest_add(&digest, bytes, sizeof bytes);
        bytes[i / 8] = 0;
        seen[i] = digest_finish(&digest);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(seen[k], seen[i]);
    }
}

static void numbers_are_little_endian(void **state)
{
    (void)state;
    struct digest digest = digest_start();
    digest_add_number(&digest, 0x0807060504030201u);
    assert_int_equal(digest_finish(&digest), of("\1\2\3\4\5\6\7\10"));
}

// The value is part of what is printed: it may not change from version to version.
static void the_value_stays(void **state)
{
    (void)state;
    struct digest digest = digest_start();
    digest_add(&digest, "a", 1);
    assert_int_equal(digest.state, 0xaf63dc4c8601ec8cu); // FNV-1a of "a", as published
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(every_bit_matters),
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(the_value_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
