// JPEG files, baseline and progressive, by libjpeg.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture.h"

#include <jpeglib.h>
#include <jerror.h>

enum {
    SCANS_MOST = 200,                // of a progressive picture
    PIXELS_OF_A_BYTE_MOST = 1 << 12, // far more than encoders get
};

struct reading {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    status failure;
    struct picture picture;
};

// Does not come back.
static void picture_jpeg_fail(j_common_ptr common)
{
    struct reading *reading = common->client_data;
    char message[JMSG_LENGTH_MAX];
    common->err->format_message(common, message);
    if (reading->failure == STATUS_OK)
        reading->failure = status_make(STATUS_DATA, "the JPEG file is damaged: %s", message);
    longjmp(reading->back, 1);
}

// What libjpeg would only warn of: data that are missing or make no sense.
static void picture_jpeg_take_message(j_common_ptr common, int level)
{
    const int code = common->err->msg_code;
    const bool harmless =
        code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
    if (level < 0 && !harmless)
        picture_jpeg_fail(common);
}

static void limit_scans(j_common_ptr common)
{
    struct reading *reading = common->client_data;
    if (reading->jpeg.input_scan_number <= SCANS_MOST)
        return;
    reading->failure = status_make(STATUS_LIMIT, "a JPEG file of more than %d scans", SCANS_MOST);
    longjmp(reading->back, 1);
}

static status picture_jpeg_start(struct reading *reading, struct view file)
{
    struct jpeg_decompress_struct *jpeg = &reading->jpeg;
    jpeg_mem_src(jpeg, (const unsigned char *)file.data, file.size);
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK)
        return status_make(STATUS_UNSUPPORTED, "a JPEG file of four colours, for printers");
    const uint64_t pixels = (uint64_t)jpeg->image_width * jpeg->image_height;
    if (pixels / PIXELS_OF_A_BYTE_MOST > file.size)
        return status_make(STATUS_DATA,
                           "the JPEG file is damaged: so few bytes cannot fill the picture");
    jpeg->out_color_space = JCS_RGB;
    return picture_start(jpeg->image_width, jpeg->image_height, &reading->picture);
}

// libjpeg jumps back here from whatever is wrong.
static status picture_jpeg_read_pixels(struct reading *reading, struct view file)
{
    struct jpeg_decompress_struct *jpeg = &reading->jpeg;
    if (setjmp(reading->back) != 0)
        return reading->failure;
    jpeg_create_decompress(jpeg);
    reading->progress.progress_monitor = limit_scans;
    jpeg->progress = &reading->progress;
    STATUS_TRY(picture_jpeg_start(reading, file));
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        unsigned char *row =
            reading->picture.pixels + (size_t)3 * jpeg->output_width * jpeg->output_scanline;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return STATUS_OK;
}

status picture_read_jpeg(struct view file, struct picture *out_picture)
{
    struct reading reading = {0};
    reading.jpeg.err = jpeg_std_error(&reading.errors);
    reading.jpeg.client_data = &reading;
    reading.errors.error_exit = picture_jpeg_fail;
    reading.errors.emit_message = picture_jpeg_take_message;
    const status failure = picture_jpeg_read_pixels(&reading, file);
    jpeg_destroy_decompress(&reading.jpeg);
    if (failure == STATUS_OK)
        *out_picture = reading.picture;
    else
        free(reading.picture.pixels);
    return failure;
}
