// Memory that grows and does not move: arenas and segments.

#include "base/arena.h"

#include <stdalign.h>

#include "base/segments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    struct arena arena = {0};
    const size_t sizes[] = {1, 3, 16, 100000, 7, 65536, 0, 40};
    unsigned char *pieces[8];
    for (size_t i = 0; i < 8; i++) {
        pieces[i] = arena_allocate(&arena, sizes[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)i, sizes[i]);
    }
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], i);
    }
    arena_free(&arena);
    assert_null(arena.chunks);
}

// Pieces stay as they are, and not much more is taken than is asked for.
static void a_large_arena_takes_more_at_once(void **state)
{
    (void)state;
    enum { MANY = 4000, PIECE = 10000 };
    struct arena arena = {0};
    unsigned char *pieces[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        pieces[i] = arena_allocate(&arena, PIECE);
        pieces[i][0] = (unsigned char)i;
        pieces[i][PIECE - 1] = (unsigned char)(i >> 8);
    }
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(pieces[i][0], (unsigned char)i);
        assert_int_equal(pieces[i][PIECE - 1], (unsigned char)(i >> 8));
    }
    assert_true(arena.total >= (size_t)MANY * PIECE);
    assert_true(arena.total <= (size_t)MANY * PIECE / 4 * 5);
    arena_free(&arena);
    assert_int_equal(arena.total, 0);
}

static void a_copy_ends_with_a_nul(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct view copy = arena_copy(&arena, (struct view){"conv2d_rest", 6});
    assert_string_equal(copy.data, "conv2d");
    assert_int_equal(copy.size, 6);
    assert_string_equal(arena_copy(&arena, (struct view){NULL, 0}).data, "");
    arena_free(&arena);
}

static void items_of_segments_are_zeroed_and_never_move(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    struct segments array;
    segments_start(&array, sizeof(uint64_t));
    uint64_t *items[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        items[i] = segments_add(&array);
        assert_int_equal(*items[i], 0);
        *items[i] = i;
    }
    assert_int_equal(array.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_ptr_equal(segments_get(&array, i), items[i]);
        assert_int_equal(*items[i], i);
    }
    segments_free(&array);
    assert_int_equal(array.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(a_large_arena_takes_more_at_once),
        cmocka_unit_test(a_copy_ends_with_a_nul),
        cmocka_unit_test(items_of_segments_are_zeroed_and_never_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
