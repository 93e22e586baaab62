// Reads PNG files of every colour type and depth, interlaced or not.

#include <stdlib.h>
#include <zlib.h>

#include "picture.h"

enum { SIGNATURE = 8, CHUNK_FRAME = 12, PALETTE_MOST = 256, INFLATION_MOST = 1100 };

enum colour_type {
    COLOUR_GRAY = 0,
    COLOUR_RGB = 2,
    COLOUR_PALETTE = 3,
    COLOUR_GRAY_ALPHA = 4,
    COLOUR_RGB_ALPHA = 6,
};

struct png {
    uint32_t width, height;
    uint32_t depth; // bits of a sample
    uint32_t type;
    uint32_t samples; // of a pixel
    bool interlaced;
    unsigned char palette[3 * PALETTE_MOST];
    uint32_t colours;
    unsigned char *data; // as it was before compression
    uint64_t size;
};

static uint32_t number_at(struct view file, size_t place)
{
    const unsigned char *at = (const unsigned char *)file.data + place;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static status png_reader_damaged(const char *what)
{
    return status_make(STATUS_DATA, "the PNG file is damaged: %s", what);
}

// Takes the chunk at `*place` and checks its sum.
static status next_chunk(struct view file, size_t *place, struct view *out_name,
                         struct view *out_data)
{
    if (file.size - *place < CHUNK_FRAME)
        return png_reader_damaged("it is cut short");
    const uint64_t size = number_at(file, *place);
    if (size > file.size - *place - CHUNK_FRAME)
        return png_reader_damaged("a chunk goes beyond the end");
    *out_name = view_slice(file, *place + 4, *place + 8);
    *out_data = view_slice(file, *place + 8, *place + 8 + (size_t)size);
    const uLong sum = crc32_z(0, (const Bytef *)out_name->data, (z_size_t)size + 4);
    if (sum != number_at(file, *place + 8 + (size_t)size))
        return png_reader_damaged("the sum of a chunk is wrong");
    *place += CHUNK_FRAME + (size_t)size;
    return STATUS_OK;
}

static bool depth_fits(uint32_t type, uint32_t depth)
{
    switch (type) {
    case COLOUR_GRAY:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case COLOUR_PALETTE:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case COLOUR_RGB:
    case COLOUR_GRAY_ALPHA:
    case COLOUR_RGB_ALPHA:
        return depth == 8 || depth == 16;
    default:
        return false;
    }
}

static status take_header(struct png *png, struct view data)
{
    static const uint32_t samples[] = {1, 0, 3, 1, 2, 0, 4};
    if (data.size != 13)
        return png_reader_damaged("its header has the wrong length");
    const unsigned char *bytes = (const unsigned char *)data.data;
    png->width = number_at(data, 0);
    png->height = number_at(data, 4);
    png->depth = bytes[8];
    png->type = bytes[9];
    png->interlaced = bytes[12] == 1;
    if (!depth_fits(png->type, png->depth) || bytes[10] != 0 || bytes[11] != 0 || bytes[12] > 1)
        return png_reader_damaged("its header makes no sense");
    if (png->width == 0 || png->height == 0 || png->width > PICTURE_SIDE_MOST ||
        png->height > PICTURE_SIDE_MOST)
        return status_make(STATUS_DATA, "a picture of %u by %u", png->width, png->height);
    png->samples = samples[png->type];
    return STATUS_OK;
}

// The seven passes of an interlaced picture, or the only one of another.
struct pass {
    uint32_t x, y, step_x, step_y;
};

static uint32_t passes_of(const struct png *png, const struct pass **out_passes)
{
    static const struct pass whole = {0, 0, 1, 1};
    static const struct pass interlaced[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                             {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    *out_passes = png->interlaced ? interlaced : &whole;
    return png->interlaced ? 7 : 1;
}

static uint64_t pass_width(const struct png *png, const struct pass *pass)
{
    return png->width <= pass->x ? 0 : (png->width - pass->x + pass->step_x - 1) / pass->step_x;
}

static uint64_t pass_height(const struct png *png, const struct pass *pass)
{
    return png->height <= pass->y ? 0 : (png->height - pass->y + pass->step_y - 1) / pass->step_y;
}

static uint64_t row_bytes(const struct png *png, uint64_t width)
{
    return (width * png->samples * png->depth + 7) / 8;
}

// Of all passes, with the byte in front of each row that names its filter.
static uint64_t data_size(const struct png *png)
{
    const struct pass *passes;
    const uint32_t count = passes_of(png, &passes);
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t width = pass_width(png, &passes[i]);
        if (width > 0)
            size += pass_height(png, &passes[i]) * (1 + row_bytes(png, width));
    }
    return size;
}

// Inflates the data chunks from `place` on.
static status inflate_chunks(struct png *png, struct view file, size_t place)
{
    z_stream stream = {.next_out = png->data};
    if (inflateInit(&stream) != Z_OK)
        return status_no_memory("the unpacked bytes of a PNG file");
    uint64_t left = png->size;
    int outcome = Z_OK;
    status result = STATUS_OK;
    struct view name, data;
    while (left > 0 && outcome == Z_OK && result == STATUS_OK) {
        result = next_chunk(file, &place, &name, &data);
        if (result != STATUS_OK || !view_is(name, "IDAT"))
            break;
        stream.next_in = (Bytef *)(uintptr_t)data.data;
        stream.avail_in = (uInt)data.size;
        while (stream.avail_in > 0 && left > 0 && outcome == Z_OK) {
            stream.avail_out = left > 1u << 30 ? 1u << 30 : (uInt)left;
            const uInt room = stream.avail_out;
            outcome = inflate(&stream, Z_NO_FLUSH);
            left -= room - stream.avail_out;
        }
    }
    inflateEnd(&stream);
    STATUS_TRY(result);
    return left == 0 ? STATUS_OK : png_reader_damaged("its data do not fill the picture");
}

static unsigned char paeth(int left, int up, int corner)
{
    const int guess = left + up - corner;
    const int a = abs(guess - left), b = abs(guess - up), c = abs(guess - corner);
    if (a <= b && a <= c)
        return (unsigned char)left;
    return (unsigned char)(b <= c ? up : corner);
}

// Undoes the filter of a row; `above` is NULL for the first.
static status unfilter(unsigned char filter, unsigned char *row, const unsigned char *above,
                       uint64_t size, uint64_t step)
{
    if (filter > 4)
        return png_reader_damaged("a row has an unknown filter");
    for (uint64_t i = 0; i < size; i++) {
        const int left = i >= step ? row[i - step] : 0;
        const int up = above != NULL ? above[i] : 0;
        const int corner = above != NULL && i >= step ? above[i - step] : 0;
        const int guesses[] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
        row[i] = (unsigned char)(row[i] + guesses[filter]);
    }
    return STATUS_OK;
}

// A sample as it is (an index into the palette) or as 8 bits.
static uint32_t sample_at(const struct png *png, const unsigned char *row, uint64_t index)
{
    if (png->depth == 16)
        return row[2 * index];
    if (png->depth == 8)
        return row[index];
    const uint64_t bit = index * png->depth;
    const uint32_t highest = (1u << png->depth) - 1;
    const uint32_t value = (uint32_t)row[bit / 8] >> (8 - png->depth - bit % 8) & highest;
    return png->type == COLOUR_PALETTE ? value : value * 255 / highest;
}

static status put_pixel(const struct png *png, const unsigned char *row, uint64_t x,
                        unsigned char *out)
{
    const uint64_t first = x * png->samples;
    const bool coloured = png->type == COLOUR_RGB || png->type == COLOUR_RGB_ALPHA;
    const uint32_t sample = sample_at(png, row, first);
    if (png->type == COLOUR_PALETTE && sample >= png->colours)
        return png_reader_damaged("a colour beyond the palette");
    for (uint32_t c = 0; c < 3; c++) {
        if (png->type == COLOUR_PALETTE)
            out[c] = png->palette[3 * sample + c];
        else
            out[c] = (unsigned char)(coloured ? sample_at(png, row, first + c) : sample);
    }
    return STATUS_OK;
}

static status png_reader_unpack(struct png *png, struct picture *picture)
{
    const struct pass *passes;
    const uint32_t count = passes_of(png, &passes);
    const uint64_t step = (png->samples * png->depth + 7) / 8;
    unsigned char *data = png->data;
    for (uint32_t i = 0; i < count; i++) {
        const struct pass *pass = &passes[i];
        const uint64_t width = pass_width(png, pass), size = row_bytes(png, width);
        const uint64_t height = width == 0 ? 0 : pass_height(png, pass);
        const unsigned char *above = NULL;
        for (uint64_t y = 0; y < height; y++) {
            STATUS_TRY(unfilter(data[0], data + 1, above, size, step));
            above = data + 1;
            unsigned char *line = picture->pixels + 3 * (pass->y + y * pass->step_y) * png->width;
            for (uint64_t x = 0; x < width; x++)
                STATUS_TRY(put_pixel(png, data + 1, x, line + 3 * (pass->x + x * pass->step_x)));
            data += 1 + size;
        }
    }
    return STATUS_OK;
}

// Everything up to the first data chunk, whose place is handed out.
static status take_front(struct png *png, struct view file, size_t *out_place)
{
    size_t place = SIGNATURE;
    struct view name, data;
    STATUS_TRY(next_chunk(file, &place, &name, &data));
    if (!view_is(name, "IHDR"))
        return png_reader_damaged("it does not begin with its header");
    STATUS_TRY(take_header(png, data));
    for (;;) {
        *out_place = place;
        STATUS_TRY(next_chunk(file, &place, &name, &data));
        if (view_is(name, "IDAT"))
            return STATUS_OK;
        if (view_is(name, "IEND"))
            return png_reader_damaged("it has no data");
        if (!view_is(name, "PLTE"))
            continue;
        if (data.size > sizeof png->palette || data.size % 3 != 0)
            return png_reader_damaged("its palette has the wrong length");
        memcpy(png->palette, data.data, data.size);
        png->colours = (uint32_t)(data.size / 3);
    }
}

status picture_read_png(struct view file, struct picture *out_picture)
{
    struct png png = {0};
    size_t place;
    STATUS_TRY(take_front(&png, file, &place));
    png.size = data_size(&png);
    if (png.size / INFLATION_MOST > file.size)
        return png_reader_damaged("so few bytes cannot fill the picture");
    struct picture picture;
    STATUS_TRY(picture_start(png.width, png.height, &picture));
    png.data = malloc((size_t)png.size);
    status result = png.data == NULL ? status_no_memory("the rows of a PNG file")
                                     : inflate_chunks(&png, file, place);
    if (result == STATUS_OK)
        result = png_reader_unpack(&png, &picture);
    free(png.data);
    if (result == STATUS_OK)
        *out_picture = picture;
    else
        free(picture.pixels);
    return result;
}
