#include "picture.h"

#include <stdlib.h>

status picture_start(uint64_t width, uint64_t height, struct picture *out_picture)
{
    if (width == 0 || height == 0 || width > PICTURE_SIDE_MOST || height > PICTURE_SIDE_MOST)
        return status_make(STATUS_DATA, "a picture of %llu by %llu", (unsigned long long)width,
                           (unsigned long long)height);
    unsigned char *pixels = malloc((size_t)(3 * width * height));
    if (pixels == NULL)
        return status_no_memory("a picture of %llu by %llu", (unsigned long long)width,
                                (unsigned long long)height);
    *out_picture = (struct picture){(uint32_t)width, (uint32_t)height, pixels};
    return STATUS_OK;
}

static status cut_short(const char *format)
{
    return status_make(STATUS_DATA, "the %s file is cut short", format);
}

// Little-endian numbers.
static uint32_t u16_at(struct view file, size_t place)
{
    const unsigned char *at = (const unsigned char *)file.data + place;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static uint32_t u32_at(struct view file, size_t place)
{
    return u16_at(file, place) | u16_at(file, place + 2) << 16;
}

enum { BMP_HEADER = 54, BMP_PALETTE_MOST = 256 };

struct bmp {
    uint64_t width, height;
    bool top_down;
    uint32_t bits; // of a pixel
    uint64_t row;  // bytes
    const unsigned char *data;
    uint64_t colours;
    const unsigned char *palette; // blue, green, red, unused
};

static status bmp_parse(struct view file, struct bmp *bmp)
{
    if (file.size < BMP_HEADER)
        return cut_short("BMP");
    const uint64_t data = u32_at(file, 10), header = u32_at(file, 14);
    const int32_t width = (int32_t)u32_at(file, 18), height = (int32_t)u32_at(file, 22);
    bmp->bits = u16_at(file, 28);
    if (header < 40 || header > file.size - 14)
        return status_make(STATUS_UNSUPPORTED, "a BMP file with a header of %llu bytes",
                           (unsigned long long)header);
    if (u32_at(file, 30) != 0)
        return status_make(STATUS_UNSUPPORTED, "a compressed BMP file");
    if (bmp->bits != 1 && bmp->bits != 4 && bmp->bits != 8 && bmp->bits != 24 && bmp->bits != 32)
        return status_make(STATUS_UNSUPPORTED, "a BMP file of %u bits a pixel", bmp->bits);
    if (width <= 0 || height == 0 || height == INT32_MIN || width > PICTURE_SIDE_MOST)
        return status_make(STATUS_DATA, "a picture of %d by %d", width, height);
    bmp->width = (uint64_t)width;
    bmp->height = (uint64_t)(height < 0 ? -height : height);
    bmp->top_down = height < 0;
    bmp->row = (bmp->width * bmp->bits + 31) / 32 * 4;
    if (data > file.size || bmp->height > (file.size - data) / bmp->row)
        return cut_short("BMP");
    bmp->data = (const unsigned char *)file.data + data;
    bmp->palette = (const unsigned char *)file.data + 14 + header;
    const uint64_t told = u32_at(file, 46), room = (file.size - 14 - header) / 4;
    bmp->colours = told == 0 ? BMP_PALETTE_MOST : told;
    bmp->colours = bmp->colours < room ? bmp->colours : room;
    return STATUS_OK;
}

// The colour at `x` of a row: blue, green, red. NULL when the palette lacks it.
static const unsigned char *bmp_colour(const struct bmp *bmp, const unsigned char *row, uint64_t x)
{
    if (bmp->bits >= 24)
        return row + x * (bmp->bits / 8);
    const uint64_t bit = x * bmp->bits;
    const uint32_t shift = 8 - bmp->bits - (uint32_t)(bit % 8);
    const uint32_t index = (uint32_t)row[bit / 8] >> shift & ((1u << bmp->bits) - 1);
    return index < bmp->colours ? bmp->palette + 4 * (size_t)index : NULL;
}

static status read_bmp(struct view file, struct picture *out_picture)
{
    struct bmp bmp = {0};
    STATUS_TRY(bmp_parse(file, &bmp));
    struct picture picture;
    STATUS_TRY(picture_start(bmp.width, bmp.height, &picture));
    for (uint64_t y = 0; y < bmp.height; y++) {
        const unsigned char *row = bmp.data + (bmp.top_down ? y : bmp.height - 1 - y) * bmp.row;
        unsigned char *out = picture.pixels + 3 * y * bmp.width;
        for (uint64_t x = 0; x < bmp.width; x++, out += 3) {
            const unsigned char *colour = bmp_colour(&bmp, row, x);
            if (colour == NULL) {
                free(picture.pixels);
                return status_make(STATUS_DATA, "a colour beyond the palette");
            }
            out[0] = colour[2];
            out[1] = colour[1];
            out[2] = colour[0];
        }
    }
    *out_picture = picture;
    return STATUS_OK;
}

// The next number of a PNM header, after blanks and comments; the blank after it is
// taken as well.
static status pnm_number(struct view *rest, uint32_t *out_number)
{
    size_t at = 0;
    bool comment = false;
    while (at < rest->size && (comment || strchr(" \t\r\n#", rest->data[at]) != NULL)) {
        if (rest->data[at] == '\0')
            break;
        comment = rest->data[at] == '#' || (comment && rest->data[at] != '\n');
        at++;
    }
    uint32_t number = 0;
    const size_t first = at;
    while (at < rest->size && rest->data[at] >= '0' && rest->data[at] <= '9' && number < 1u << 24)
        number = number * 10 + (uint32_t)(rest->data[at++] - '0');
    if (at == first || at == rest->size)
        return status_make(STATUS_DATA, "the header of the PNM file lacks a number");
    *rest = view_slice(*rest, at + 1, rest->size);
    *out_number = number;
    return STATUS_OK;
}

static status read_pnm(struct view file, struct picture *out_picture)
{
    const uint32_t channels = file.data[1] == '5' ? 1 : 3;
    struct view rest = view_slice(file, 2, file.size);
    uint32_t width = 0, height = 0, highest = 0;
    STATUS_TRY(pnm_number(&rest, &width));
    STATUS_TRY(pnm_number(&rest, &height));
    STATUS_TRY(pnm_number(&rest, &highest));
    if (highest == 0 || highest > 65535)
        return status_make(STATUS_DATA, "a PNM file of colours up to %u", highest);
    const uint32_t size = highest > 255 ? 2 : 1;
    if ((uint64_t)width * height * channels > rest.size / size)
        return cut_short("PNM");
    struct picture picture;
    STATUS_TRY(picture_start(width, height, &picture));
    const unsigned char *in = (const unsigned char *)rest.data;
    for (uint64_t i = 0; i < (uint64_t)width * height; i++)
        for (uint32_t c = 0; c < 3; c++) {
            const uint64_t at = (i * channels + (channels == 1 ? 0 : c)) * size;
            const uint32_t value = size == 1 ? in[at] : (uint32_t)in[at] << 8 | in[at + 1];
            const uint32_t scaled = (value * 255 + highest / 2) / highest;
            picture.pixels[3 * i + c] = (unsigned char)(scaled > 255 ? 255 : scaled);
        }
    *out_picture = picture;
    return STATUS_OK;
}

static bool picture_has_magic(struct view file, const char *bytes, size_t size)
{
    return file.size >= size && memcmp(file.data, bytes, size) == 0;
}

status picture_read(struct view file, struct picture *out_picture)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *name;
        status (*read)(struct view file, struct picture *out_picture); // NULL: not here
    } formats[] = {
        {"\x89PNG\r\n\x1a\n", 8, "PNG", picture_read_png},
        {"BM", 2, "BMP", read_bmp},
        {"P5", 2, "PNM", read_pnm},
        {"P6", 2, "PNM", read_pnm},
        {"\xff\xd8\xff", 3, "JPEG", picture_read_jpeg},
        {"\xff\x4f\xff\x51", 4, "JPEG 2000", NULL},
        {"\0\0\0\x0cjP  ", 8, "JPEG 2000", NULL},
        {"II*\0", 4, "TIFF", NULL},
        {"MM\0*", 4, "TIFF", NULL},
        {"RIFF", 4, "WebP", NULL},
        {"P", 1, "text or bitmap PNM", NULL},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!picture_has_magic(file, formats[i].bytes, formats[i].size))
            continue;
        if (formats[i].read == NULL)
            return status_make(STATUS_UNSUPPORTED,
                               "%s pictures are not read; PNG, JPEG, BMP and binary PNM are",
                               formats[i].name);
        return formats[i].read(file, out_picture);
    }
    return status_make(STATUS_DATA, "the bytes are no picture of a known format");
}
