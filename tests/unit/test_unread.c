// Halves of pairs and the rows that they are explained by, against a search over all ways.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/unread.h"

enum { LINES = 9, ROUNDS = 3000 };

enum line { WHOLE, UNREAD, END, BEGIN };

// The most halves that can have a row of their own: an end one before it, a begin one behind it.
static unsigned most_explained(const enum line *lines, unsigned at, unsigned taken)
{
    while (at < LINES && lines[at] != END && lines[at] != BEGIN)
        at++;
    if (at == LINES)
        return 0;
    unsigned best = most_explained(lines, at + 1, taken);
    const unsigned from = lines[at] == END ? 0 : at + 1;
    const unsigned to = lines[at] == END ? at : LINES;
    for (unsigned i = from; i < to; i++) {
        if (lines[i] != UNREAD || (taken >> i & 1))
            continue;
        const unsigned found = 1 + most_explained(lines, at + 1, taken | 1u << i);
        best = found > best ? found : best;
    }
    return best;
}

static void as_many_halves_are_explained_as_can_be(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < ROUNDS; round++) {
        enum line lines[LINES];
        struct unread unread = {0};
        for (unsigned i = 0; i < LINES; i++) {
            lines[i] = (enum line)(rand() % 4);
            if (lines[i] == UNREAD)
                unread_add(&unread, i + 1);
            if (lines[i] == END)
                unread_explains_end(&unread, i + 1);
        }
        for (unsigned i = LINES; i > 0; i--) {
            if (lines[i - 1] == BEGIN)
                unread_explains_begin(&unread, i);
        }
        assert_int_equal(unread.explained, most_explained(lines, 0, 0));
        unread_free(&unread);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_halves_are_explained_as_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
