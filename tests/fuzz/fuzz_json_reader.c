// JSON text: read into a tree, which is then walked.

#include "wire/json_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t walk(const struct json_value *value)
{
    uint64_t sum = value->kind;
    for (size_t i = 0; i < value->text.size; i++)
        sum += (unsigned char)value->text.data[i];
    for (size_t i = 0; i < value->key.size; i++)
        sum += (unsigned char)value->key.data[i];
    for (const struct json_value *item = value->first; item != NULL; item = item->next)
        sum += walk(item);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const struct json_value *value;
    const status failure = json_read((struct view){(const char *)data, size}, &arena, &value);
    if (failure == STATUS_OK) {
        const uint64_t sum = walk(value);
        // Keeps the walk that touches every byte.
        __asm__ volatile("" : : "r"(sum));
    }
    status_free(failure);
    arena_free(&arena);
    return 0;
}
