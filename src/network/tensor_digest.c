#include "tensor_digest.h"

static void tensor_digest_add_tensor(struct digest *digest, const struct tensor *tensor)
{
    digest_add_number(digest, tensor->element);
    digest_add_number(digest, tensor->shape.rank);
    for (uint32_t i = 0; i < tensor->shape.rank; i++)
        digest_add_number(digest, (uint64_t)tensor->shape.dims[i]);
    if (tensor->element != ELEMENT_TEXT) {
        digest_add(digest, tensor->data, tensor_bytes(tensor));
        return;
    }
    const struct view *texts = tensor->data;
    for (uint64_t i = 0; i < tensor_count(tensor); i++) {
        digest_add_number(digest, texts[i].size);
        digest_add(digest, texts[i].data, texts[i].size);
    }
}

void datum_digest(struct digest *digest, const struct datum *datum)
{
    digest_add_number(digest, datum->kind);
    if (datum->kind == DATUM_TENSOR)
        tensor_digest_add_tensor(digest, &datum->tensor);
    if (datum->kind != DATUM_SEQUENCE)
        return;
    digest_add_number(digest, datum->count);
    for (size_t i = 0; i < datum->count; i++)
        datum_digest(digest, datum->items[i]);
}
