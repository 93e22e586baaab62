// What is written comes back: plain, gzip and zstd, whole, cut and damaged;
// and spools below and above their window.

#include "base/input.h"

#include <stdio.h>
#include <unistd.h>

#include "base/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LARGE = 3 * 1024 * 1024 + 17 };

struct folder {
    char path[64];
    char file[128];
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    strcpy(folder->path, "/tmp/opscope-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) == NULL;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    const int failed = rmdir(folder->path);
    free(folder);
    return failed;
}

static const char *path_in(struct folder *folder, const char *name)
{
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

// Compressible and not all alike.
static char *make_text(size_t size)
{
    char *text = malloc(size + 1);
    unsigned seed = 1;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + (rand_r(&seed) >> 8) % 7);
    return text;
}

static void write_text(const char *path, const char *text, size_t size)
{
    struct output *output;
    assert_null(output_open(path, &output));
    size_t at = 0;
    for (size_t piece = 1; at < size; piece *= 3) {
        const size_t step = piece < size - at ? piece : size - at;
        output_write(output, text + at, step);
        at += step;
    }
    assert_int_equal(output_size(output), size);
    assert_null(output_close(output));
}

static struct input *read_text(const char *path)
{
    struct input *input;
    assert_null(input_open(path, &input));
    return input;
}

static const char *const names[] = {"text", "text.gz", "text.zst"};

static void what_is_written_comes_back(void **state)
{
    const size_t sizes[] = {0, 1, 1000, LARGE};
    char *text = make_text(LARGE);
    for (size_t n = 0; n < 3; n++) {
        for (size_t s = 0; s < 4; s++) {
            const char *path = path_in(*state, names[n]);
            write_text(path, text, sizes[s]);
            struct input *input = read_text(path);
            assert_null(input->damage);
            assert_int_equal(input->bytes.size, sizes[s]);
            assert_true(view_equal(input->bytes, (struct view){text, sizes[s]}));
            input_close(input);
            unlink(path);
        }
    }
    free(text);
}

static void a_cut_file_gives_its_beginning_and_says_so(void **state)
{
    char *text = make_text(LARGE);
    for (size_t n = 1; n < 3; n++) {
        const char *path = path_in(*state, names[n]);
        write_text(path, text, LARGE);
        assert_int_equal(truncate(path, 500000), 0);
        struct input *input = read_text(path);
        assert_non_null(input->damage);
        assert_non_null(strstr(input->damage, "cut off"));
        assert_true(input->bytes.size > 100000 && input->bytes.size < LARGE);
        assert_memory_equal(input->bytes.data, text, input->bytes.size);
        input_close(input);
        unlink(path);
    }
    free(text);
}

static void a_damaged_file_says_so(void **state)
{
    char *text = make_text(LARGE);
    for (size_t n = 1; n < 3; n++) {
        const char *path = path_in(*state, names[n]);
        write_text(path, text, LARGE);
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, 400000, SEEK_SET);
        for (int i = 0; i < 1000; i++)
            fputc(0xff, file);
        fclose(file);
        struct input *input = read_text(path);
        assert_non_null(input->damage);
        input_close(input);
        unlink(path);
    }
    free(text);
}

static void files_that_cannot_be_opened_are_named(void **state)
{
    struct input *input;
    const char *path = path_in(*state, "nothing");
    status failure = input_open(path, &input);
    assert_int_equal(status_code_of(failure), STATUS_NOT_FOUND);
    assert_non_null(strstr(status_message(failure), path));
    status_free(failure);

    failure = input_open(((struct folder *)*state)->path, &input);
    assert_int_equal(status_code_of(failure), STATUS_IO);
    status_free(failure);

    struct output *output;
    failure = output_open(path_in(*state, "nothing/file"), &output);
    assert_int_equal(status_code_of(failure), STATUS_NOT_FOUND);
    status_free(failure);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    char *text = make_text(LARGE);
    struct output *output;
    assert_null(output_open("/dev/full", &output));
    output_write(output, text, LARGE);
    output_text(output, "more");
    const status failure = output_close(output);
    assert_int_equal(status_code_of(failure), STATUS_IO);
    status_free(failure);
    free(text);
}

static bool anything(struct view beginning)
{
    return beginning.size > INPUT_BEGINNING;
}

static const struct input_beginnings IN_PARTS = {.in_parts = anything};

static struct input *open_ahead(const char *path)
{
    struct input *input;
    assert_null(input_open_ahead(path, &IN_PARTS, &input));
    return input;
}

static void what_is_unpacked_ahead_is_there_when_it_is_asked_for(void **state)
{
    char *text = make_text(LARGE);
    setenv("OPSCOPE_THREADS", "2", 1);
    for (size_t n = 0; n < 3; n++) {
        const char *path = path_in(*state, names[n]);
        write_text(path, text, LARGE);
        struct input *input = open_ahead(path);
        const char *data = input->bytes.data;
        assert_true(n == 0 || input->bytes.size < LARGE);
        for (size_t size = INPUT_BEGINNING; size <= LARGE; size += 100000) {
            input_reach(input, size);
            assert_true(input->bytes.data == data && input->bytes.size >= size);
            assert_true(input_is_there(input, size));
            assert_memory_equal(data + size - 100000, text + size - 100000, 100000);
        }
        assert_true(input_reach(input, LARGE + 1));
        assert_int_equal(input->bytes.size, LARGE);
        assert_int_equal(input_likely_size(input), LARGE);
        assert_null(input_finish(input));
        assert_null(input->damage);
        input_close(input);
        unlink(path);
    }
    unsetenv("OPSCOPE_THREADS");
    free(text);
}

static void damage_is_known_with_the_last_byte_that_is_unpacked_ahead(void **state)
{
    char *text = make_text(LARGE);
    setenv("OPSCOPE_THREADS", "2", 1);
    for (size_t n = 1; n < 3; n++) {
        const char *path = path_in(*state, names[n]);
        write_text(path, text, LARGE);
        assert_int_equal(truncate(path, 900000), 0);
        struct input *whole = read_text(path);
        struct input *input = open_ahead(path);
        assert_null(input->damage);
        assert_null(input_finish(input));
        assert_string_equal(input->damage, whole->damage);
        assert_true(view_equal(input->bytes, whole->bytes));
        input_close(whole);
        input_close(input);
        // Who has seen enough may close it at any time.
        input_close(open_ahead(path));
        unlink(path);
    }
    unsetenv("OPSCOPE_THREADS");
    free(text);
}

static void what_unfolds_to_too_much_ends_with_a_failure(void **state)
{
    char *text = make_text(LARGE);
    const char *path = path_in(*state, names[1]);
    write_text(path, text, LARGE);
    setenv("OPSCOPE_THREADS", "2", 1);
    input_limit_unpacked(LARGE - 1);
    struct input *input = open_ahead(path);
    assert_true(input_reach(input, LARGE));
    assert_true(input->bytes.size < LARGE);
    status failure = input_finish(input);
    assert_int_equal(status_code_of(failure), STATUS_LIMIT);
    status_free(failure);
    assert_null(input_finish(input));
    input_close(input);
    input = open_ahead(path);
    input_reach(input, LARGE);
    input_close(input);
    input_limit_unpacked(0);
    unsetenv("OPSCOPE_THREADS");
    unlink(path);
    free(text);
}

static void mapped_bytes_are_read_again_where_the_file_is(void **state)
{
    char *text = make_text(LARGE);
    char *again = calloc(1, LARGE);
    const char *path = path_in(*state, "file");
    write_text(path, text, LARGE);
    struct input *input;
    assert_null(input_map(path, &input));
    assert_true(input_read_again(input->bytes.data + 5, LARGE - 9, again));
    assert_memory_equal(again, text + 5, LARGE - 9);
    assert_false(input_read_again(text, LARGE, again)); // of no file
    input_close(input);

    assert_null(input_map(path, &input));
    unlink(path);
    write_text(path, "another", 7);
    assert_false(input_read_again(input->bytes.data, 7, again));
    assert_memory_equal(input->bytes.data, text, LARGE);
    input_close(input);
    unlink(path);
    free(again);
    free(text);
}

static void a_spool_gives_back_all_that_was_appended(void **state)
{
    (void)state;
    char *text = make_text(LARGE);
    const size_t steps[] = {1000, 70000, SPOOL_WINDOW, LARGE};
    for (size_t s = 0; s < 4; s++) {
        struct spool spool = SPOOL_EMPTY;
        for (size_t at = 0; at < LARGE;) {
            const size_t step = steps[s] < LARGE - at ? steps[s] : LARGE - at;
            assert_null(spool_append(&spool, text + at, step));
            at += step;
            // Reading in between must not disturb what follows.
            char *data;
            size_t size;
            assert_null(spool_read(&spool, &data, &size));
            assert_int_equal(size, at);
            assert_int_equal(spool_size(&spool), at);
            assert_int_equal(data[at - 1], text[at - 1]);
        }
        char *data;
        size_t size;
        assert_null(spool_read(&spool, &data, &size));
        assert_int_equal(size, LARGE);
        assert_memory_equal(data, text, LARGE);
        spool_free(&spool);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(a_cut_file_gives_its_beginning_and_says_so),
        cmocka_unit_test(a_damaged_file_says_so),
        cmocka_unit_test(files_that_cannot_be_opened_are_named),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(what_is_unpacked_ahead_is_there_when_it_is_asked_for),
        cmocka_unit_test(damage_is_known_with_the_last_byte_that_is_unpacked_ahead),
        cmocka_unit_test(what_unfolds_to_too_much_ends_with_a_failure),
        cmocka_unit_test(mapped_bytes_are_read_again_where_the_file_is),
        cmocka_unit_test(a_spool_gives_back_all_that_was_appended),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
