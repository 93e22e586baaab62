#include "base64.h"

void base64_write(struct output *output, const void *data, size_t size)
{
    static const char LETTERS[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 3) {
        const unsigned second = i + 1 < size ? bytes[i + 1] : 0;
        const unsigned third = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned bits = (unsigned)bytes[i] << 16 | second << 8 | third;
        const char letters[4] = {LETTERS[bits >> 18], LETTERS[bits >> 12 & 63],
                                 i + 1 < size ? LETTERS[bits >> 6 & 63] : '=',
                                 i + 2 < size ? LETTERS[bits & 63] : '='};
        output_write(output, letters, sizeof letters);
    }
}
