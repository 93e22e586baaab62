// Files that are there as a whole or not at all.

#include "base/replace.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output.h"

static char folder[] = "/tmp/opscope-replace-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int count_files(void)
{
    int count = 0;
    DIR *entries = opendir(".");
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

// Nothing but what the tests know is there.
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

static void assert_written(const char *path, const char *text)
{
    struct output *output;
    assert_null(output_open(path, &output));
    output_text(output, text);
    assert_null(output_close(output));
}

static void takes_its_place_only_when_written(void **state)
{
    (void)state;
    struct output *output;
    put("x.csv", "old");
    assert_null(output_open("x.csv", &output));
    output_text(output, "half");
    assert_true(output_flush(output));
    assert_holds("x.csv", "old");
    assert_int_equal(count_files(), 2);
    const status failure = output_finish(output, status_make(STATUS_IO, "the disk is full"));
    assert_string_equal(status_message(failure), "the disk is full");
    status_free(failure);
    assert_holds("x.csv", "old");
    assert_int_equal(count_files(), 1);

    assert_written("x.csv", "new");
    assert_holds("x.csv", "new");
    assert_int_equal(count_files(), 1);
}

static void is_appended_as_a_whole(void **state)
{
    (void)state;
    struct output *output;
    put("x.csv", "one");
    assert_null(output_append("x.csv", &output));
    output_text(output, "two");
    assert_true(output_flush(output));
    assert_holds("x.csv", "one");
    assert_null(output_close(output));
    assert_holds("x.csv", "onetwo");
}

static void several_at_once(void **state)
{
    (void)state;
    struct output *outputs[5];
    for (size_t i = 0; i < 5; i++) {
        assert_null(output_open("x.csv", &outputs[i]));
        output_format(outputs[i], "%zu", i);
    }
    for (size_t i = 0; i < 5; i++)
        assert_null(output_close(outputs[i]));
    assert_holds("x.csv", "4");
    assert_int_equal(count_files(), 1);
}

static void keeps_permissions(void **state)
{
    (void)state;
    struct stat about;
    put("x.csv", "old");
    chmod("x.csv", 0600);
    assert_written("x.csv", "new");
    assert_int_equal(stat("x.csv", &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    unlink("x.csv");
    const mode_t before = umask(027);
    assert_written("x.csv", "new");
    umask(before);
    assert_int_equal(stat("x.csv", &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
}

static void links_stay(void **state)
{
    (void)state;
    struct stat about;
    put("x.csv", "old");
    assert_int_equal(symlink("x.csv", "link.csv"), 0);
    assert_written("link.csv", "new");
    assert_holds("x.csv", "new");
    assert_int_equal(lstat("link.csv", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    // A link to what is not there yet.
    unlink("x.csv");
    assert_written("link.csv", "newer");
    assert_holds("x.csv", "newer");
    assert_int_equal(lstat("link.csv", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
}

static void long_names(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_written(name, "new");
    assert_holds(name, "new");
    for (size_t i = 0; i < 254; i += 2)
        memcpy(name + i, "\xc3\xa4", 2);
    assert_written(name, "new");
    assert_holds(name, "new");
    unlink(name);
    memset(name, 'n', 255);
    unlink(name);
}

static void devices_are_written_as_they_are(void **state)
{
    (void)state;
    struct stat about;
    int file;
    struct replacement replacement;
    assert_null(replace_start("/dev/null", false, &replacement, &file));
    close(file);
    assert_null(replacement.temporary);
    assert_null(replace_finish(&replacement, "/dev/null", STATUS_OK));
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));

    // What a process has open is written, not what it is called.
    put("x.csv", "old");
    char path[64];
    const int open_file = open("x.csv", O_RDWR);
    snprintf(path, sizeof path, "/dev/fd/%d", open_file);
    assert_null(replace_start(path, false, &replacement, &file));
    assert_null(replacement.temporary);
    assert_int_equal(write(file, "new", 3), 3);
    close(file);
    assert_null(replace_finish(&replacement, path, STATUS_OK));
    char found[4] = "";
    assert_int_equal(pread(open_file, found, 3, 0), 3);
    assert_string_equal(found, "new");
    close(open_file);
}

static char told[256];

static void tell(const char *path, const char *temporary)
{
    snprintf(told, sizeof told, "%s %s", path, temporary);
}

static void remains_are_removed(void **state)
{
    (void)state;
    struct output *output;
    struct output *other;
    unlink("x.csv");
    put(".x.csv.0123456789abcdef.part", "half");
    put(".y.csv.0123456789abcdef.part", "of another file");
    assert_null(output_open("x.csv", &output));
    assert_string_equal(told, "");
    replace_tell_of_remains(tell);
    assert_null(output_open("x.csv", &other));
    replace_tell_of_remains(NULL);
    assert_string_equal(told, "x.csv .x.csv.0123456789abcdef.part");
    // That of the first is being written.
    assert_int_equal(count_files(), 4);
    assert_null(output_close(output));
    assert_null(output_close(other));
    assert_int_equal(unlink(".y.csv.0123456789abcdef.part"), 0);
    assert_int_equal(unlink("link.csv"), 0);
    assert_int_equal(count_files(), 1);
}

// Between its last byte and its place a file is not what a killed run left.
static void is_locked_until_it_has_moved(void **state)
{
    (void)state;
    struct replacement replacement;
    struct output *other;
    int file;
    assert_null(replace_start("x.csv", false, &replacement, &file));
    assert_int_equal(write(file, "first", 5), 5);
    assert_int_equal(close(file), 0);
    told[0] = '\0';
    replace_tell_of_remains(tell);
    assert_null(output_open("x.csv", &other));
    replace_tell_of_remains(NULL);
    assert_string_equal(told, "");
    assert_null(output_close(other));
    assert_null(replace_finish(&replacement, "x.csv", STATUS_OK));
    assert_holds("x.csv", "first");
    assert_int_equal(count_files(), 1);
}

static void fails_as_open_does(void **state)
{
    (void)state;
    struct output *output;
    static const char *const PATHS[] = {"missing/x.csv", "", "/tmp", "/tmp/", "x.csv/y"};
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        const status failure = output_open(PATHS[i], &output);
        assert_non_null(failure);
        assert_non_null(strstr(status_message(failure), "cannot create"));
        status_free(failure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_its_place_only_when_written),
        cmocka_unit_test(is_appended_as_a_whole),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(keeps_permissions),
        cmocka_unit_test(links_stay),
        cmocka_unit_test(long_names),
        cmocka_unit_test(devices_are_written_as_they_are),
        cmocka_unit_test(remains_are_removed),
        cmocka_unit_test(is_locked_until_it_has_moved),
        cmocka_unit_test(fails_as_open_does),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
