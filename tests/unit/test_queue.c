// A queue between two threads: order, bound and end.

#include "base/queue.h"

#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 20000 };

static void *put_many(void *argument)
{
    struct queue *queue = argument;
    for (uintptr_t i = 1; i <= MANY; i++)
        queue_put(queue, (void *)i);
    queue_close(queue);
    return NULL;
}

static void everything_arrives_in_order(void **state)
{
    (void)state;
    for (size_t most = 1; most <= QUEUE_MOST; most += 5) {
        struct queue queue;
        queue_start(&queue, most);
        pthread_t writer;
        assert_int_equal(pthread_create(&writer, NULL, put_many, &queue), 0);
        for (uintptr_t i = 1; i <= MANY; i++)
            assert_int_equal((uintptr_t)queue_take(&queue), i);
        assert_null(queue_take(&queue));
        pthread_join(writer, NULL);
        queue_free(&queue);
    }
}

static void what_was_put_before_the_end_is_still_taken(void **state)
{
    (void)state;
    struct queue queue;
    int items[2];
    queue_start(&queue, 4);
    queue_put(&queue, &items[0]);
    queue_put(&queue, &items[1]);
    queue_close(&queue);
    assert_ptr_equal(queue_take(&queue), &items[0]);
    assert_ptr_equal(queue_take(&queue), &items[1]);
    assert_null(queue_take(&queue));
    queue_free(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives_in_order),
        cmocka_unit_test(what_was_put_before_the_end_is_still_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
