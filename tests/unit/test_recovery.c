// What is taken in a scope is given back when memory runs out, and only then.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/queue.h"
#include "base/recovery.h"

static int released;

static void release(void *what)
{
    (void)what;
    released++;
}

enum how { WHOLE, FAILS };

// Blocks of every kind, one of them given back, one moved.
static int work(enum how how)
{
    static int held;
    char *first = memory_allocate(10);
    char *second = memory_allocate_zeroed(2, 20);
    char *third = memory_resize(NULL, 5);
    memory_free(second);
    third = memory_resize(third, 100000);
    recovery_hold(RECOVERY_LATER, release, &held);
    recovery_hold(RECOVERY_AT_ONCE, release, &first);
    if (how != WHOLE)
        recovery_fail(7);
    recovery_let_go(&first);
    recovery_let_go(&held);
    memory_free(first);
    memory_free(third);
    return 1;
}

static void test_fails_as_a_whole(void **state)
{
    (void)state;
    struct region region = REGION_EMPTY;
    released = 0;
    assert_int_equal(RECOVERY_SCOPE(&region, work(WHOLE), -1), 1);
    assert_int_equal(region.count, 0);
    assert_false(region.unsound);
    assert_int_equal(released, 0);
    assert_int_equal(RECOVERY_SCOPE(&region, work(FAILS), -1), -1);
    assert_true(region.unsound);
    assert_int_equal(region.count, 2);
    assert_int_equal(released, 1); // at once
    // Nothing more is done in it.
    assert_int_equal(RECOVERY_SCOPE(&region, work(WHOLE), -2), -2);
    region_release(&region);
    assert_int_equal(released, 2);
    assert_null(recovery_current);
}

static void test_alone_leaves_nothing(void **state)
{
    (void)state;
    released = 0;
    assert_int_equal(RECOVERY_SCOPE_ALONE(work(FAILS), -1), -1);
    assert_int_equal(released, 2);
    assert_int_equal(RECOVERY_SCOPE_ALONE(work(WHOLE), -1), 1);
    assert_int_equal(released, 2);
}

// Frees and moves a block of the region around it, then takes one of its own.
static int use_both(void **blocks, enum how how)
{
    memory_free(blocks[0]);
    blocks[1] = memory_resize(blocks[1], 5000);
    blocks[2] = memory_allocate(3);
    if (how != WHOLE)
        recovery_fail(1);
    return 1;
}

static int take_two(void **blocks)
{
    blocks[0] = memory_allocate(1);
    blocks[1] = memory_allocate(2);
    return 1;
}

static void test_beside_another_region(void **state)
{
    (void)state;
    void *blocks[3];
    struct region region = REGION_EMPTY;
    assert_int_equal(RECOVERY_SCOPE(&region, take_two(blocks), -1), 1);
    assert_int_equal(region.count, 2);
    assert_int_equal(RECOVERY_SCOPE_BESIDE(&region, use_both(blocks, WHOLE), -1), 1);
    assert_int_equal(region.count, 1); // the moved one; what it took is the caller's
    free(blocks[2]);
    blocks[0] = NULL;
    assert_int_equal(RECOVERY_SCOPE_BESIDE(&region, use_both(blocks, FAILS), -1), -1);
    assert_true(region.unsound);
    assert_int_equal(region.count, 2);
    region_release(&region);
}

struct partner {
    struct recovery_thread thread;
    struct queue queue;
    bool fails;
    int taken;
};

static void *take_all(void *argument)
{
    struct partner *partner = argument;
    while (queue_take(&partner->queue) != NULL) {
        memory_allocate(8);
        partner->taken++;
        if (partner->fails)
            recovery_fail(8);
    }
    return NULL;
}

static void drop_all(void *argument)
{
    while (queue_take(&((struct partner *)argument)->queue) != NULL)
        ;
}

static void close_queue(void *argument)
{
    queue_close(&((struct partner *)argument)->queue);
}

static int work_with(struct partner *partner, bool fails)
{
    partner->thread = (struct recovery_thread){
        .run = take_all, .give_up = drop_all, .stop = close_queue, .context = partner};
    queue_start(&partner->queue, 4);
    assert_int_equal(recovery_thread_start(&partner->thread), 0);
    for (int i = 0; i < 100; i++)
        queue_put(&partner->queue, partner);
    if (fails)
        recovery_fail(1);
    queue_close(&partner->queue);
    recovery_thread_join(&partner->thread);
    return 1;
}

static void test_threads_are_joined(void **state)
{
    (void)state;
    static struct partner partner;
    // The other side fails: whoever joins it does.
    partner = (struct partner){.fails = true};
    assert_int_equal(RECOVERY_SCOPE_ALONE(work_with(&partner, false), -1), -1);
    assert_int_equal(partner.taken, 1);
    // This side fails: the other one has ended when the scope is left.
    partner = (struct partner){.fails = false};
    assert_int_equal(RECOVERY_SCOPE_ALONE(work_with(&partner, true), -1), -1);
    assert_int_equal(partner.taken, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fails_as_a_whole),
        cmocka_unit_test(test_alone_leaves_nothing),
        cmocka_unit_test(test_beside_another_region),
        cmocka_unit_test(test_threads_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
