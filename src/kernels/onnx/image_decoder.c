#include <stdlib.h>

#include "kernels/core/picture.h"
#include "vision.h"

// ITU-R 601 luma in sixteen bits of fraction.
static unsigned char gray_of(const unsigned char *rgb)
{
    return (unsigned char)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 0x8000) >> 16);
}

status vision_image_decoder(struct kernel_call *call)
{
    const struct tensor *stream = call->inputs[0];
    struct picture picture;
    STATUS_TRY(picture_read((struct view){stream->data, (size_t)tensor_count(stream)}, &picture));
    const struct view format = attribute_text(call->attributes, "pixel_format", "RGB");
    const bool gray = view_is(format, "Grayscale"), turned = view_is(format, "BGR");
    const struct shape shape = {3, {picture.height, picture.width, gray ? 1 : 3}};
    struct tensor *out = NULL;
    const status result = kernel_make(call, 0, ELEMENT_U8, &shape, &out);
    unsigned char *pixels = result == STATUS_OK && out != NULL ? out->data : NULL;
    for (uint64_t i = 0; pixels != NULL && i < (uint64_t)picture.width * picture.height; i++) {
        const unsigned char *rgb = picture.pixels + 3 * i;
        if (gray) {
            pixels[i] = gray_of(rgb);
            continue;
        }
        pixels[3 * i] = rgb[turned ? 2 : 0];
        pixels[3 * i + 1] = rgb[1];
        pixels[3 * i + 2] = rgb[turned ? 0 : 2];
    }
    free(picture.pixels);
    return result;
}
