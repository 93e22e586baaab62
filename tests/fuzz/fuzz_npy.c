// .npy files: every element of what is taken can be read.

#include "network/tensor_npy.h"
#include "network/tensor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct datum *datum;
    const status failure = tensor_npy_read((struct view){(const char *)data, size}, &datum);
    if (failure != STATUS_OK) {
        status_free(failure);
        return 0;
    }
    struct bytes text = {0};
    tensor_text_append_datum(&text, datum, 10000);
    bytes_free(&text);
    datum_release(datum);
    return 0;
}
