// Attributes and tensor literals of MLIR, as aliases: "!t = TYPE", "#a = ATTRIBUTE".
// Each attribute is decoded as a tensor of the type before it.

#include "network/tosa/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(struct tosa_importer *importer, const struct mlir_attribute *source,
                   const struct value_type *type)
{
    const struct constant *constant;
    const int64_t *integers;
    uint32_t count;
    struct attribute attribute;
    if (type != NULL && value_type_static(type)) {
        const status failure =
            tosa_literal_read(&importer->literals, source, type->element, &type->shape, &constant);
        double sum = 0;
        for (uint64_t i = 0; failure == STATUS_OK && i < tensor_count(&constant->tensor); i++)
            sum += constant_real(constant, i);
        // Keeps the walk that touches every element.
        __asm__ volatile("" : : "r"(&sum) : "memory");
        status_free(failure);
    }
    status_free(tosa_integers(importer, source, &integers, &count));
    status_free(tosa_attribute(importer, source, &attribute));
}

static void decode_alias(struct tosa_importer *importer)
{
    struct mlir_document *document = importer->document;
    struct value_type type;
    bool typed = false;
    for (uint32_t i = 0; i < document->aliases.count; i++) {
        const struct mlir_attribute *alias = segments_get(&document->aliases, i);
        if (alias->kind == MLIR_TYPE) {
            const status failure = tosa_value_type(importer, alias->type, &type);
            typed = failure == STATUS_OK;
            status_free(failure);
        } else {
            decode(importer, alias, typed ? &type : NULL);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view text = {(const char *)data, size};
    struct network *network = network_create(NETWORK_TOSA, input_over("fuzz", text));
    struct tosa_importer importer = {.network = network};
    const status failure = mlir_read("fuzz", text, &importer.document);
    if (failure == STATUS_OK) {
        importer.literals = (struct tosa_literals){importer.document, &network->arena, 1 << 20};
        decode_alias(&importer);
    }
    status_free(failure);
    mlir_free(importer.document);
    network_free(network);
    return 0;
}
