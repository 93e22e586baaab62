// Files below some folders alone. One test: what confines a process does so for good.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/folder.h"
#include "base/input.h"

static char folder[] = "/tmp/opscope-confine-XXXXXX";

static const char *at(const char *name)
{
    static char path[2][4096];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void make_file(const char *name)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    fputs(name, file);
    fclose(file);
}

static void assert_readable(const char *path)
{
    struct arena arena = {0};
    const char *place;
    struct input *input;
    const status failure = confine_place(view_of(path), &arena, &place);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    assert_null(input_open(place, &input));
    assert_true(input->bytes.size > 0);
    input_close(input);
    arena_free(&arena);
}

static void assert_outside(const char *path)
{
    struct arena arena = {0};
    const char *place;
    struct input *input;
    const status failure = confine_place(view_of(path), &arena, &place);
    assert_non_null(failure);
    status_free(failure);
    // Also where nobody asked before.
    const status refused = input_open(path, &input);
    assert_non_null(refused);
    status_free(refused);
    arena_free(&arena);
}

static void only_what_is_below_is_read(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(mkdir(at("in"), 0700), 0);
    assert_int_equal(mkdir(at("in/sub"), 0700), 0);
    make_file("in/file");
    make_file("in/sub/file");
    make_file("out");
    make_file("inside"); // begins with the folder's name
    assert_int_equal(symlink("sub/file", at("in/near")), 0);
    assert_int_equal(symlink("../out", at("in/far")), 0);
    assert_int_equal(symlink(at("in/file"), at("in/absolute")), 0);
    assert_int_equal(symlink("..", at("in/up")), 0);
    assert_int_equal(mkfifo(at("in/fifo"), 0600), 0);

    struct input *input;
    assert_false(confine_is_on());
    assert_null(input_open(at("out"), &input));
    input_close(input);
    const status missing = confine_add(at("nothing"));
    assert_non_null(missing);
    status_free(missing);
    assert_null(confine_add(at("in")));
    assert_true(confine_is_on());

    assert_readable("file");
    assert_readable("sub/file");
    assert_readable("sub/../file");
    assert_readable(at("in/file"));
    assert_readable("near");
    assert_outside(at("out"));
    assert_outside(at("inside"));
    assert_outside(at("in/../out"));
    assert_outside("far");
    assert_outside("absolute");
    assert_outside("up/out");
    assert_outside("fifo");
    assert_outside("");
    assert_outside("-");
    assert_outside("/etc/passwd");
    assert_int_equal(confine_open(at("in/fifo"), O_RDONLY), -1);
    assert_int_equal(errno, EACCES);
    assert_null(folder_remove(folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_below_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
