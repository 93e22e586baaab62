// PNG files of every colour type and depth, interlaced or not, by libpng.

#include <png.h>
#include <stdlib.h>

#include "picture.h"

enum { INFLATION_MOST = 1100 }; // of deflate

struct reading {
    struct view rest;
    png_structp png;
    png_infop info;
    struct picture picture;
    png_bytep *rows;
    status failure;
};

static void picture_png_take_bytes(png_structp png, png_bytep out, size_t size)
{
    struct reading *reading = png_get_io_ptr(png);
    if (size > reading->rest.size)
        png_error(png, "it is cut short");
    memcpy(out, reading->rest.data, size);
    reading->rest = view_slice(reading->rest, size, reading->rest.size);
}

// Does not come back.
static void picture_png_fail(png_structp png, png_const_charp message)
{
    struct reading *reading = png_get_error_ptr(png);
    if (reading->failure == STATUS_OK)
        reading->failure = status_make(STATUS_DATA, "the PNG file is damaged: %s", message);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static status picture_png_start(struct reading *reading, struct view file)
{
    png_read_info(reading->png, reading->info);
    const uint64_t width = png_get_image_width(reading->png, reading->info);
    const uint64_t height = png_get_image_height(reading->png, reading->info);
    if (png_get_rowbytes(reading->png, reading->info) * height / INFLATION_MOST > file.size)
        return status_make(STATUS_DATA,
                           "the PNG file is damaged: so few bytes cannot fill the picture");
    png_set_expand(reading->png);
    png_set_strip_16(reading->png);
    png_set_strip_alpha(reading->png);
    png_set_gray_to_rgb(reading->png);
    png_set_interlace_handling(reading->png);
    png_read_update_info(reading->png, reading->info);
    return picture_start(width, height, &reading->picture);
}

static bool has_unknown_colours(const struct reading *reading)
{
    png_colorp colours;
    int count = 0;
    return png_get_PLTE(reading->png, reading->info, &colours, &count) != 0 &&
           png_get_palette_max(reading->png, reading->info) >= count;
}

// libpng jumps back here from whatever is wrong.
static status picture_png_read_pixels(struct reading *reading, struct view file)
{
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return reading->failure;
    png_set_read_fn(reading->png, reading, picture_png_take_bytes);
    png_set_user_limits(reading->png, PICTURE_SIDE_MOST, PICTURE_SIDE_MOST);
    // What is neither pixels nor palette is skipped, whatever length it claims to have.
    png_set_keep_unknown_chunks(reading->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    STATUS_TRY(picture_png_start(reading, file));
    const struct picture picture = reading->picture;
    reading->rows = malloc(picture.height * sizeof *reading->rows);
    if (reading->rows == NULL)
        return status_make(STATUS_LIMIT, "no memory for the %u rows of a picture", picture.height);
    for (uint32_t y = 0; y < picture.height; y++)
        reading->rows[y] = picture.pixels + (size_t)3 * picture.width * y;
    png_read_image(reading->png, reading->rows);
    png_read_end(reading->png, NULL);
    if (has_unknown_colours(reading))
        return status_make(STATUS_DATA,
                           "the PNG file is damaged: it has a colour beyond the palette");
    return STATUS_OK;
}

status picture_read_png(struct view file, struct picture *out_picture)
{
    struct reading reading = {.rest = file};
    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, picture_png_fail, ignore);
    reading.info = reading.png != NULL ? png_create_info_struct(reading.png) : NULL;
    const status failure = reading.info != NULL
                               ? picture_png_read_pixels(&reading, file)
                               : status_make(STATUS_LIMIT, "no memory to read a PNG file");
    png_destroy_read_struct(&reading.png, &reading.info, NULL);
    free(reading.rows);
    if (failure == STATUS_OK)
        *out_picture = reading.picture;
    else
        free(reading.picture.pixels);
    return failure;
}
