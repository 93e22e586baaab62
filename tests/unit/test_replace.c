// Files that are there as a whole or not at all.

#include "base/replace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/opscope-replace-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    unlink("x.csv");
    unlink("link.csv");
    return rmdir(folder);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fgets(found, sizeof found, file) != NULL);
    fclose(file);
    assert_string_equal(found, text);
}

static void takes_its_place_only_when_written(void **state)
{
    (void)state;
    put("x.csv", "old");
    char *temporary = replace_start("x.csv");
    assert_string_not_equal(temporary, "x.csv");
    assert_string_equal(temporary + strlen(temporary) - 6, ".x.csv");
    put(temporary, "half");
    char *kept = strdup(temporary);
    const status failure =
        replace_finish(temporary, "x.csv", status_make(STATUS_IO, "the disk is full"));
    assert_string_equal(status_message(failure), "the disk is full");
    status_free(failure);
    assert_int_equal(access(kept, F_OK), -1);
    free(kept);
    assert_holds("x.csv", "old");

    temporary = replace_start("x.csv");
    put(temporary, "new");
    assert_null(replace_finish(temporary, "x.csv", STATUS_OK));
    assert_holds("x.csv", "new");
}

static void links_stay(void **state)
{
    (void)state;
    struct stat about;
    put("x.csv", "old");
    assert_int_equal(symlink("x.csv", "link.csv"), 0);
    char *temporary = replace_start("link.csv");
    put(temporary, "new");
    assert_null(replace_finish(temporary, "link.csv", STATUS_OK));
    assert_holds("x.csv", "new");
    assert_int_equal(lstat("link.csv", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
}

static void devices_are_written_as_they_are(void **state)
{
    (void)state;
    struct stat about;
    char *temporary = replace_start("/dev/null");
    assert_string_equal(temporary, "/dev/null");
    assert_null(replace_finish(temporary, "/dev/null", STATUS_OK));
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_its_place_only_when_written),
        cmocka_unit_test(links_stay),
        cmocka_unit_test(devices_are_written_as_they_are),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
