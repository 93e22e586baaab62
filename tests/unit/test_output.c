// Outputs: into memory, into files for which disk is asked for ahead, and JSON that stands inside a
// page.

#include "base/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "temporary_file.h"
#include "wire/json.h"

static void test_memory_gets_all_that_is_written(void **state)
{
    (void)state;
    struct bytes to = {0};
    struct output *output;
    char block[1000];
    memset(block, 'x', sizeof block);
    output_open_bytes(&to, &output);
    for (int i = 0; i < 1000; i++)
        output_write(output, block, sizeof block);
    output_format(output, "%d", 42);
    assert_int_equal(output_size(output), 1000002);
    assert_null(output_close(output));
    assert_int_equal(to.size, 1000002);
    assert_memory_equal(to.data + 999998, "xx42", 4);
    bytes_free(&to);
}

static void test_large_files_keep_no_more_disk_than_they_need(void **state)
{
    (void)state;
    enum { BLOCK = 100001, BLOCKS = 123, BEYOND = 1 << 20 };
    struct output *output;
    struct stat facts;
    char *block = malloc(BLOCK);
    memset(block, 'x', BLOCK);
    assert_null(output_open(path, &output));
    for (int i = 0; i < BLOCKS; i++)
        output_write(output, block, BLOCK);
    assert_null(output_close(output));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, BLOCK * BLOCKS);
    assert_true(facts.st_blocks * 512 < BLOCK * BLOCKS + BEYOND);
    free(block);
}

static void test_nothing_inside_a_page_ends_its_script(void **state)
{
    (void)state;
    struct bytes to = {0};
    struct output *output;
    output_open_bytes(&to, &output);
    struct json_writer json = json_write_lines(output);
    output_inside_page(output, true);
    json_text(&json, NULL, VIEW_LITERAL("</script><!--&\xe2\x80\xa8\xe2\x80\xa9\xe2\x82\xac\xe2"));
    output_inside_page(output, false);
    output_text(output, "</script>");
    assert_null(output_close(output));
    const struct view expected =
        VIEW_LITERAL("\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\\u2029\xe2\x82\xac"
                     "\xef\xbf\xbd\"</script>");
    assert_int_equal(to.size, expected.size);
    assert_memory_equal(to.data, expected.data, expected.size);
    bytes_free(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_gets_all_that_is_written),
        cmocka_unit_test(test_large_files_keep_no_more_disk_than_they_need),
        cmocka_unit_test(test_nothing_inside_a_page_ends_its_script),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
