// Pictures that libraries read: JPEG against what was encoded, PNG that is damaged in each byte.

#include "kernels/core/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

enum { WIDTH = 37, HEIGHT = 21 };

// Slow waves, which JPEG keeps well.
static void paint(unsigned char *rgb)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++, rgb += 3) {
            rgb[0] = (unsigned char)(40 + 5 * x);
            rgb[1] = (unsigned char)(200 - 7 * y);
            rgb[2] = (unsigned char)(60 + 2 * x + 3 * y);
        }
    }
}

static struct view encode_jpeg(bool gray, bool progressive)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char rgb[3 * WIDTH * HEIGHT];
    unsigned char *file = NULL;
    unsigned long size = 0;
    paint(rgb);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file, &size);
    jpeg.image_width = WIDTH;
    jpeg.image_height = HEIGHT;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, gray ? JCS_GRAYSCALE : JCS_YCbCr);
    jpeg_set_quality(&jpeg, 98, TRUE);
    if (progressive)
        jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        unsigned char *row = rgb + 3 * WIDTH * y;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return (struct view){(const char *)file, size};
}

static struct view encode_png(void)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
    unsigned char rgb[3 * WIDTH * HEIGHT];
    size_t size = 1 << 16;
    char *file = malloc(size);
    paint(rgb);
    assert_true(png_image_write_to_memory(&image, file, &size, 0, rgb, 0, NULL));
    return (struct view){file, size};
}

static void check_pixels(const struct picture *picture, bool gray, int tolerance)
{
    unsigned char rgb[3 * WIDTH * HEIGHT];
    paint(rgb);
    assert_int_equal(picture->width, WIDTH);
    assert_int_equal(picture->height, HEIGHT);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        const unsigned char *pixel = rgb + i / 3 * 3;
        const double luma = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
        assert_in_range(picture->pixels[i] + 256 - (gray ? (int)luma : rgb[i]), 256 - tolerance,
                        256 + tolerance);
    }
}

static void jpeg_is_what_was_encoded(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const struct view file = encode_jpeg(kind % 2 == 1, kind / 2 == 1);
        struct picture picture;
        const status failure = picture_read(file, &picture);
        if (failure != STATUS_OK)
            fail_msg("%s", status_message(failure));
        check_pixels(&picture, kind % 2 == 1, 8);
        free(picture.pixels);
        free((void *)file.data);
    }
}

static void png_is_what_was_encoded(void **state)
{
    (void)state;
    const struct view file = encode_png();
    struct picture picture;
    assert_null(picture_read(file, &picture));
    check_pixels(&picture, false, 0);
    free(picture.pixels);
    free((void *)file.data);
}

static void refuse_cut(struct view file)
{
    for (size_t size = 0; size + 4 < file.size; size++) { // the end mark alone may be missing
        char *cut = malloc(size + 1);
        struct picture picture = {0};
        memcpy(cut, file.data, size);
        const status failure = picture_read((struct view){cut, size}, &picture);
        if (failure == STATUS_OK)
            fail_msg("%zu of %zu bytes were enough", size, file.size);
        status_free(failure);
        free(cut);
    }
}

static void cut_files_are_refused(void **state)
{
    (void)state;
    const struct view files[] = {encode_png(), encode_jpeg(false, false), encode_jpeg(false, true)};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        refuse_cut(files[i]);
        free((void *)files[i].data);
    }
}

static void damaged_files_are_refused_or_read(void **state)
{
    (void)state;
    const struct view files[] = {encode_png(), encode_jpeg(false, true)};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *bytes = (char *)files[i].data;
        for (size_t at = 0; at < files[i].size; at++) {
            struct picture picture = {0};
            bytes[at] ^= 0x55;
            const status failure = picture_read(files[i], &picture);
            if (failure == STATUS_OK)
                free(picture.pixels);
            status_free(failure);
            bytes[at] ^= 0x55;
        }
        free(bytes);
    }
}

static void refuse_large(struct view file)
{
    struct picture picture = {0};
    const status failure = picture_read(file, &picture);
    assert_non_null(failure);
    assert_non_null(strstr(status_message(failure), "so few bytes cannot fill the picture"));
    status_free(failure);
}

// The sides of a small file, changed to what would take terabytes.
static void few_bytes_are_no_large_picture(void **state)
{
    (void)state;
    struct view file = encode_jpeg(false, false);
    char *bytes = (char *)file.data;
    for (size_t at = 0; at + 9 < file.size; at++) {
        if ((unsigned char)bytes[at] == 0xff && (unsigned char)bytes[at + 1] == 0xc0) {
            memcpy(bytes + at + 5, "\xff\x00\xff\x00", 4);
            break;
        }
    }
    refuse_large(file);
    free(bytes);
    file = encode_png();
    bytes = (char *)file.data;
    memcpy(bytes + 16, "\x00\x00\x09\x00\x00\x09\x00\xfd\x01\x00", 10); // one bit a pixel
    const uint32_t sum = (uint32_t)crc32(0, (const Bytef *)bytes + 12, 17);
    for (int i = 0; i < 4; i++)
        bytes[29 + i] = (char)(sum >> (24 - 8 * i));
    refuse_large(file);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jpeg_is_what_was_encoded),
        cmocka_unit_test(png_is_what_was_encoded),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(damaged_files_are_refused_or_read),
        cmocka_unit_test(few_bytes_are_no_large_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
