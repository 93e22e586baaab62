#include "png.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

static void put_u32(unsigned char *to, uint32_t number)
{
    to[0] = (unsigned char)(number >> 24);
    to[1] = (unsigned char)(number >> 16);
    to[2] = (unsigned char)(number >> 8);
    to[3] = (unsigned char)number;
}

// Length, name, data, checksum over name and data.
static void append_chunk(struct bytes *file, const char *name, const void *data, size_t size)
{
    unsigned char number[4];
    put_u32(number, (uint32_t)size);
    bytes_append(file, number, 4);
    const size_t from = file->size;
    bytes_append(file, name, 4);
    bytes_append(file, data, size);
    put_u32(number, (uint32_t)crc32(0, file->data + from, (unsigned)(size + 4)));
    bytes_append(file, number, 4);
}

enum { RED_GREEN_BLUE = 2, BY_PALETTE = 3 };

static void append_header(struct bytes *file, uint32_t width, uint32_t height, unsigned char kind)
{
    unsigned char header[13] = {[8] = 8, [9] = kind}; // 8 bits
    bytes_append(file, "\x89PNG\r\n\x1a\n", 8);
    put_u32(header, width);
    put_u32(header + 4, height);
    append_chunk(file, "IHDR", header, sizeof header);
}

static void append_palette(struct bytes *file, const struct png_picture *picture)
{
    unsigned char palette[PNG_COLOURS_MOST * 3];
    for (size_t i = 0; i < picture->colour_count; i++) {
        palette[3 * i] = (unsigned char)(picture->colours[i] >> 16);
        palette[3 * i + 1] = (unsigned char)(picture->colours[i] >> 8);
        palette[3 * i + 2] = (unsigned char)picture->colours[i];
    }
    append_chunk(file, "PLTE", palette, 3 * picture->colour_count);
}

static status append_packed(struct bytes *file, const unsigned char *rows, size_t size)
{
    uLongf packed = compressBound(size);
    unsigned char *data = memory_allocate(packed);
    const bool done = compress2(data, &packed, rows, size, 6) == Z_OK;
    if (done)
        append_chunk(file, "IDAT", data, packed);
    free(data);
    return done ? STATUS_OK : status_make(STATUS_LIMIT, "no memory for packing a PNG");
}

// Each row has a byte in front of it: 0, no filter.
static status append_pixels(struct bytes *file, const struct png_picture *picture)
{
    const size_t width = picture->width;
    const size_t size = (width + 1) * picture->height;
    unsigned char *rows = memory_allocate_zeroed(size, 1);
    for (size_t y = 0; y < picture->height; y++)
        memcpy(rows + y * (width + 1) + 1, picture->pixels + y * width, width);
    const status result = append_packed(file, rows, size);
    free(rows);
    return result;
}

status png_append(struct bytes *file, const struct png_picture *picture)
{
    append_header(file, picture->width, picture->height, BY_PALETTE);
    append_palette(file, picture);
    STATUS_TRY(append_pixels(file, picture));
    append_chunk(file, "IEND", "", 0);
    return STATUS_OK;
}

status png_append_rows(struct bytes *file, uint32_t width, uint32_t height,
                       const unsigned char *rows)
{
    append_header(file, width, height, RED_GREEN_BLUE);
    STATUS_TRY(append_packed(file, rows, (1 + (size_t)width * 3) * height));
    append_chunk(file, "IEND", "", 0);
    return STATUS_OK;
}
