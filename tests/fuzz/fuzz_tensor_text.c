// Tensor literals: what is taken prints as a text that is taken again and prints
// the same.

#include <stdlib.h>

#include "network/tensor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct datum *datum;
    status failure = tensor_text_parse((struct view){(const char *)data, size}, MOST, &datum);
    if (failure != STATUS_OK) {
        status_free(failure);
        return 0;
    }
    struct bytes text = {0};
    struct bytes again_text = {0};
    struct datum *again;
    tensor_text_append_datum(&text, datum, MOST);
    failure = tensor_text_parse(bytes_view(&text), MOST, &again);
    if (failure != STATUS_OK)
        abort();
    tensor_text_append_datum(&again_text, again, MOST);
    if (!view_equal(bytes_view(&text), bytes_view(&again_text)))
        abort();
    bytes_free(&text);
    bytes_free(&again_text);
    datum_release(datum);
    datum_release(again);
    return 0;
}
