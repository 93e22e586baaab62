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

static void append_header(struct bytes *file, const struct png_picture *picture)
{
    unsigned char header[13] = {[8] = 8, [9] = 3}; // 8 bits, by palette
    put_u32(header, picture->width);
    put_u32(header + 4, picture->height);
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

// Each row has a byte in front of it: 0, no filter.
static void append_pixels(struct bytes *file, const struct png_picture *picture)
{
    const size_t width = picture->width;
    const size_t size = (width + 1) * picture->height;
    unsigned char *rows = memory_allocate_zeroed(size, 1);
    for (size_t y = 0; y < picture->height; y++)
        memcpy(rows + y * (width + 1) + 1, picture->pixels + y * width, width);
    uLongf packed = compressBound(size);
    unsigned char *data = memory_allocate(packed);
    if (compress2(data, &packed, rows, size, 6) == Z_OK)
        append_chunk(file, "IDAT", data, packed);
    free(data);
    free(rows);
}

void png_append(struct bytes *file, const struct png_picture *picture)
{
    bytes_append(file, "\x89PNG\r\n\x1a\n", 8);
    append_header(file, picture);
    append_palette(file, picture);
    append_pixels(file, picture);
    append_chunk(file, "IEND", "", 0);
}
