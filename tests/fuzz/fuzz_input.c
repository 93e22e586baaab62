// Files as they are opened: plain, gzip or zstd, whole or damaged.

#include "base/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("input", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);

    struct input *input;
    const status result = input_open(path, &input);
    if (result == STATUS_OK) {
        uint64_t sum = 0;
        for (size_t i = 0; i < input->bytes.size; i++)
            sum += (unsigned char)input->bytes.data[i];
        // Keeps the loop that touches every byte.
        __asm__ volatile("" : : "r"(sum));
        input_close(input);
    }
    status_free(result);
    close(file);
    return 0;
}
