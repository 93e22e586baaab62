// Which reader takes which bytes: the table's order is that of its evidence, and no two readers
// claim a file with the same right.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include "formats/readers.h"

static void the_strongest_evidence_comes_first(void **state)
{
    (void)state;
    const struct format_reader *before = NULL;
    for (const struct format_reader *reader = NULL;
         (reader = format_reader_next(reader)) != NULL;) {
        assert_true(before == NULL || before->evidence >= reader->evidence);
        before = reader;
    }
}

static void assert_reader(const char *text, const char *name)
{
    const struct format_reader *reader = format_reader_find(view_of(text));
    assert_string_equal(reader != NULL ? reader->name : "none", name);
}

static void bytes_tell_the_reader(void **state)
{
    (void)state;
    assert_reader("{\"traceEvents\": []}\n", "chrome");
    assert_reader("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n",
                  "tenstorrent-log");
    assert_reader("OP CODE,DEVICE KERNEL DURATION [ns]\n", "tenstorrent-report");
    assert_reader("DI0,0,77,loc(unknown),DMA_IN\n", "torq");
    // A line feed is the tag of a packet, too; rows after it say more.
    assert_reader("\n\nDI0,0,77,loc(unknown),DMA_IN\n", "torq");
    assert_reader("\n\x04\x40\x05\x50\x01", "perfetto");
    assert_reader("", "none");
    assert_reader("hello, world\n", "none");
}

// How many of the readers with the evidence of the one that takes it would.
static unsigned count_claims(struct view bytes)
{
    const struct format_reader *found = format_reader_find(bytes);
    unsigned claims = 0;
    for (const struct format_reader *reader = NULL; (reader = format_reader_next(reader)) != NULL;)
        claims += found != NULL && reader->evidence == found->evidence && reader->recognise(bytes);
    return claims;
}

static void check_folder(const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, TEST_ROOT "/tests/fuzz/corpus/%s", folder);
    DIR *open = opendir(path);
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        struct input *input;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, TEST_ROOT "/tests/fuzz/corpus/%s/%s", folder, entry->d_name);
        const status failure = input_open(path, &input);
        status_free(failure);
        if (failure != STATUS_OK)
            continue;
        if (count_claims(input->bytes) > 1)
            fail_msg("%s: several readers of the same evidence", path);
        input_close(input);
    }
    closedir(open);
}

static void no_two_readers_claim_a_file_with_the_same_right(void **state)
{
    (void)state;
    const char *const folders[] = {"chrome",
                                   "perfetto",
                                   "profile",
                                   "torq",
                                   "csv",
                                   "tenstorrent_report",
                                   "tenstorrent_device_log",
                                   "tenstorrent_ops_data",
                                   "tenstorrent_ops_times"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        check_folder(folders[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strongest_evidence_comes_first),
        cmocka_unit_test(bytes_tell_the_reader),
        cmocka_unit_test(no_two_readers_claim_a_file_with_the_same_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
