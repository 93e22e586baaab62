// What all threads pack is one member that zlib unpacks, the same for any number of threads.

#include "base/gzip.h"

#include <stdint.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/bytes.h"

static void gather(void *context, const void *data, size_t size)
{
    bytes_append(context, data, size);
}

// In steps of odd lengths, some of them longer than a piece.
static struct bytes pack(const struct bytes *content, const char *threads)
{
    struct bytes packed = {0};
    setenv("OPSCOPE_THREADS", threads, 1);
    struct gzip *gzip = gzip_open(gather, &packed);
    size_t step = 1;
    for (size_t at = 0; at < content->size; step = step * 7 % (3 * GZIP_PIECE) + 1) {
        const size_t size = step < content->size - at ? step : content->size - at;
        gzip_add(gzip, content->data + at, size);
        at += size;
    }
    gzip_close(gzip);
    unsetenv("OPSCOPE_THREADS");
    return packed;
}

static void unpacks_to(const struct bytes *packed, const struct bytes *content)
{
    unsigned char *unpacked = malloc(content->size + 1);
    z_stream stream = {.next_in = packed->data,
                       .avail_in = (uInt)packed->size,
                       .next_out = unpacked,
                       .avail_out = (uInt)content->size + 1};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, content->size);
    if (content->size > 0)
        assert_memory_equal(unpacked, content->data, content->size);
    inflateEnd(&stream);
    free(unpacked);
}

static void of_size(size_t size, uint64_t different)
{
    struct bytes content = {0};
    uint64_t random = 1;
    while (content.size < size) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        bytes_append_format(&content, "%x,", (unsigned)((random >> 33) % different));
    }
    content.size = size;
    struct bytes packed = pack(&content, "1");
    unpacks_to(&packed, &content);
    static const char *const threads[] = {"2", "4", "16"};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct bytes again = pack(&content, threads[i]);
        assert_int_equal(again.size, packed.size);
        assert_memory_equal(again.data, packed.data, packed.size);
        bytes_free(&again);
    }
    bytes_free(&packed);
    bytes_free(&content);
}

static void test_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,
                                   1,
                                   1000,
                                   GZIP_PIECE - 1,
                                   GZIP_PIECE,
                                   GZIP_PIECE + 1,
                                   2 * GZIP_PIECE,
                                   20 * GZIP_PIECE + 12345};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        of_size(sizes[i], 1000);
}

static void test_what_can_hardly_be_packed(void **state)
{
    (void)state;
    struct bytes content = {0};
    uint64_t random = 1;
    while (content.size < 5 * GZIP_PIECE) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        bytes_append(&content, (const char *)&random + 4, 4);
    }
    struct bytes packed = pack(&content, "4");
    unpacks_to(&packed, &content);
    bytes_free(&packed);
    bytes_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_size),
        cmocka_unit_test(test_what_can_hardly_be_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
