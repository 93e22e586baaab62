// MLIR text: read into a tree and, as a TOSA network, imported, inferred and
// printed.

#include "network/operators.h"
#include "network/print.h"
#include "network/tosa/import.h"
#include "wire/mlir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t walk_text(struct view text)
{
    uint64_t sum = text.size;
    for (size_t i = 0; i < text.size; i++)
        sum += (unsigned char)text.data[i];
    return sum;
}

// Touches what the tree points to.
static uint64_t walk(const struct mlir_block *block)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < block->operation_count; i++) {
        const struct mlir_operation *operation = &block->operations[i];
        sum += walk_text(operation->name) + operation->text.size + walk_text(operation->symbol);
        for (uint32_t k = 0; k < operation->operand_count; k++)
            sum += walk_text(operation->operands[k].name);
        for (uint32_t k = 0; k < operation->literal_count; k++)
            sum += walk_text(operation->literals[k].text);
        for (uint32_t k = 0; k < operation->operand_types.count; k++)
            sum += walk_text(operation->operand_types.items[k]->text);
        for (uint32_t k = 0; k < operation->region_count; k++) {
            for (uint32_t m = 0; m < operation->regions[k].count; m++)
                sum += walk(&operation->regions[k].blocks[m]);
        }
    }
    return sum;
}

static void read_tree(struct view text)
{
    struct mlir_document *document = NULL;
    const status failure = mlir_read("fuzz", text, &document);
    if (failure == STATUS_OK) {
        const uint64_t sum = walk(&document->top);
        // Keeps the walk.
        __asm__ volatile("" : : "r"(sum));
    }
    status_free(failure);
    mlir_free(document);
}

// Every byte that a constant claims can be read.
static uint64_t walk_constants(const struct network *network)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < network->values.count; i++) {
        const struct constant *constant = network_value(network, i)->constant;
        if (constant != NULL)
            sum += walk_text((struct view){constant->tensor.data, constant->bytes});
    }
    return sum;
}

static void read_network(struct view text)
{
    struct network *network = NULL;
    status failure = tosa_import(input_over("fuzz.mlir", text), &network);
    if (failure == STATUS_OK) {
        const uint64_t sum = walk_constants(network);
        __asm__ volatile("" : : "r"(sum));
        failure = network_infer(network);
    }
    struct output *output;
    if (failure == STATUS_OK && output_open("/dev/null", &output) == STATUS_OK) {
        network_print(network, output);
        status_free(output_close(output));
    }
    status_free(failure);
    network_free(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view text = {(const char *)data, size};
    read_tree(text);
    read_network(text);
    return 0;
}
