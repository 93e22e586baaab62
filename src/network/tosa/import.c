#include "import.h"

#include <stdlib.h>

#include "base/memory.h"
#include "import_graph.h"

// The function that is the network: @main, or else the first one with a body.
// Functions, modules and variables are all that may stand beside it.
static status tosa_import_find_function(struct tosa_importer *importer,
                                        const struct mlir_block *block,
                                        const struct mlir_operation **function);

static bool tosa_import_is_module(struct view name)
{
    return view_is(name, "module") || view_is(name, "builtin.module");
}

static bool is_function(const struct mlir_operation *operation)
{
    return operation->is_function || view_is(operation->name, "func.func");
}

static struct view symbol_of(const struct mlir_operation *operation)
{
    const struct mlir_attribute *name = mlir_find(operation, "sym_name");
    return name != NULL ? name->text : operation->symbol;
}

static status tosa_import_look_at(struct tosa_importer *importer,
                                  const struct mlir_operation *operation,
                                  const struct mlir_operation **function)
{
    if (tosa_import_is_module(operation->name)) {
        if (symbol_of(operation).size > 0 && importer->network->name.size == 0)
            importer->network->name = symbol_of(operation);
        for (uint32_t i = 0; i < operation->region_count; i++) {
            for (uint32_t k = 0; k < operation->regions[i].count; k++)
                STATUS_TRY(tosa_import_find_function(importer, &operation->regions[i].blocks[k],
                                                     function));
        }
        return STATUS_OK;
    }
    if (view_is(operation->name, "tosa.variable"))
        return tosa_variable_define(importer, operation);
    if (!is_function(operation))
        return status_at(
            STATUS_UNSUPPORTED, importer->document->name, tosa_line(importer, operation->text.data),
            "there is no operation '%.*s' outside of functions", VIEW_ARGUMENTS(operation->name));
    const bool has_body = operation->region_count == 1 && operation->regions[0].count > 0;
    const bool is_main = view_is(symbol_of(operation), "main");
    if (has_body && (*function == NULL || (is_main && !view_is(symbol_of(*function), "main"))))
        *function = operation;
    return STATUS_OK;
}

static status tosa_import_find_function(struct tosa_importer *importer,
                                        const struct mlir_block *block,
                                        const struct mlir_operation **function)
{
    for (uint32_t i = 0; i < block->operation_count; i++)
        STATUS_TRY(tosa_import_look_at(importer, &block->operations[i], function));
    return STATUS_OK;
}

static status import_function(struct tosa_importer *importer, const struct mlir_operation *function)
{
    struct network *network = importer->network;
    const struct view name = symbol_of(function);
    if (network->name.size == 0)
        network->name = name;
    const uint32_t graph = network_graph_add(network, name);
    const struct mlir_region *region = &function->regions[0];
    if (region->count != 1)
        return mlir_failure(importer->document, function->text.data,
                            "a function of more than one block is not supported");
    const struct tosa_block block = {
        &region->blocks[0],
        function->is_function ? function->arguments : region->blocks[0].arguments,
        function->is_function ? function->argument_count : region->blocks[0].argument_count, NULL};
    STATUS_TRY(tosa_graph_read(importer, &block, graph));
    const uint32_t results = network_graph(network, graph)->output_count;
    if (function->is_function && results != function->result_types.count)
        return mlir_failure(importer->document, function->text.data,
                            "the function declares %u results and returns %u",
                            function->result_types.count, results);
    return STATUS_OK;
}

static status import_document(struct tosa_importer *importer)
{
    const struct mlir_operation *function = NULL;
    STATUS_TRY(tosa_import_find_function(importer, &importer->document->top, &function));
    if (function == NULL)
        return status_make(STATUS_DATA, "%s: there is no function with a body",
                           importer->document->name);
    return import_function(importer, function);
}

static void importer_free(struct tosa_importer *importer)
{
    segments_free(&importer->names);
    segments_free(&importer->variables);
    segments_free(&importer->places);
    hash_free(&importer->name_index);
    hash_free(&importer->variable_index);
    hash_free(&importer->place_index);
    free(importer->scope);
    mlir_free(importer->document);
}

static status tosa_import_read_text(const struct input *input, struct mlir_document **out_document)
{
    if (input->damage != NULL)
        return status_make(STATUS_DATA, "%s: %s", input->path, input->damage);
    if (view_starts_with(input->bytes, "ML\xefR"))
        return status_make(STATUS_UNSUPPORTED, "%s: MLIR bytecode; mlir-opt makes text of it",
                           input->path);
    return mlir_read(input->path, input->bytes, out_document);
}

status tosa_import(struct input *input, struct network **out_network)
{
    struct network *network = network_create(NETWORK_TOSA, input);
    struct tosa_importer importer = {.network = network};
    tosa_names_start(&importer);
    status failure = tosa_import_read_text(input, &importer.document);
    if (failure == STATUS_OK) {
        importer.literals =
            (struct tosa_literals){importer.document, &network->arena, TOSA_SPLAT_MOST};
        importer.line_at = input->bytes.data;
        importer.line = 1;
        failure = import_document(&importer);
    }
    importer_free(&importer);
    if (failure != STATUS_OK) {
        network_free(network);
        return failure;
    }
    *out_network = network;
    return STATUS_OK;
}
