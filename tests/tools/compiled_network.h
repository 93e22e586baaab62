// What the tools share that hold compiled programs against the plain executor: compiling
// a network to a file, inputs for it, and the executor's outputs.

#ifndef OPSCOPE_TESTS_COMPILED_NETWORK_H
#define OPSCOPE_TESTS_COMPILED_NETWORK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compiler/compiler.h"
#include "kernels/executor.h"
#include "network/tensor_file.h"
#include "network/tensor_random.h"

// Elements are converted where the environment says CONVERT=f32=bf16.
static inline status open_network(const char *model, struct network **out_network)
{
    const struct network_options options = {.conversion = getenv("CONVERT")};
    return network_open(model, &options, out_network);
}

// The target with what the environment sets in it: SETTINGS="core.count=3 plan.split=2".
static inline status open_target(const char *name, struct target **out_target)
{
    const char *settings = getenv("SETTINGS");
    STATUS_TRY(target_open(name, out_target));
    for (struct view rest = view_of(settings != NULL ? settings : ""); rest.size > 0;) {
        const size_t end = view_find(rest, ' ');
        char key[80], value[80];
        const struct view item = view_slice(rest, 0, end);
        const size_t equals = view_find(item, '=');
        snprintf(key, sizeof key, "%.*s", VIEW_ARGUMENTS(view_slice(item, 0, equals)));
        snprintf(
            value, sizeof value, "%.*s",
            VIEW_ARGUMENTS(view_slice(item, equals < item.size ? equals + 1 : equals, item.size)));
        const status failure = target_set(*out_target, key, value);
        if (failure != STATUS_OK) {
            target_free(*out_target);
            return failure;
        }
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    return STATUS_OK;
}

static inline status compile_to(const char *target_name, const char *model, const char *path)
{
    struct network *network;
    struct target *target;
    STATUS_TRY(open_target(target_name, &target));
    status failure = open_network(model, &network);
    if (failure != STATUS_OK) {
        target_free(target);
        return failure;
    }
    struct plan *plan = plan_create(network, target);
    struct program_builder *builder = program_builder_create(target->text, view_of("model"));
    failure = compile_network(plan, &(struct compile_options){0}, builder);
    if (failure == STATUS_OK) {
        struct program program;
        program_builder_view(builder, &program);
        failure = program_write(&program, path);
    }
    program_builder_free(builder);
    plan_free(plan);
    network_free(network);
    target_free(target);
    return failure;
}

// Numbers of 32 bits and more are random as well where nothing indexes by them: a
// network that refuses them is run again with small ones.
static inline void fill_input(struct tensor *tensor, uint64_t seed, uint64_t input, bool wide)
{
    tensor_random_fill(tensor, seed, input);
    if (!wide || tensor->element != ELEMENT_I32)
        return;
    int32_t *items = tensor->data;
    for (uint64_t i = 0; i < tensor_count(tensor); i++)
        items[i] = (int32_t)((uint32_t)(i * 2654435761u + input) % 20001u) - 10000;
}

// The inputs of a test case in ONNX's layout, where there are some beside the model.
static inline bool read_input(const char *model, uint32_t index, const struct value_type *type,
                              struct datum **out_datum)
{
    char path[4096];
    const char *slash = strrchr(model, '/');
    snprintf(path, sizeof path, "%.*s/test_data_set_0/input_%u.pb",
             slash != NULL ? (int)(slash - model) : 1, slash != NULL ? model : ".", index);
    const status failure = tensor_file_read(path, type, out_datum);
    status_free(failure);
    return failure == STATUS_OK;
}

static inline status make_inputs(const struct network *network, const char *model,
                                 struct datum **inputs, bool wide)
{
    const struct network_graph *graph = network_graph(network, 0);
    uint32_t given = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        if (value->constant != NULL || read_input(model, given++, &value->type, &inputs[i]))
            continue;
        if (!value_type_static(&value->type) || value->type.element == ELEMENT_TEXT)
            return status_make(STATUS_UNSUPPORTED, "an input without a shape");
        STATUS_TRY(datum_tensor(value->type.element, &value->type.shape, &inputs[i]));
        fill_input(&inputs[i]->tensor, 5, i, wide);
    }
    return STATUS_OK;
}

// A network with inputs and what the plain executor makes of them.
struct plain_run {
    struct network *network;
    const struct network_graph *graph;
    struct datum **inputs;
    struct datum **outputs;
};

static inline void plain_run_free(struct plain_run *run)
{
    for (uint32_t i = 0; run->inputs != NULL && i < run->graph->input_count; i++)
        datum_release(run->inputs[i]);
    for (uint32_t i = 0; run->outputs != NULL && i < run->graph->output_count; i++)
        datum_release(run->outputs[i]);
    free(run->inputs);
    free(run->outputs);
    network_free(run->network);
}

static inline status plain_run_compute(struct plain_run *run, const char *model, bool wide)
{
    struct executor *executor;
    STATUS_TRY(make_inputs(run->network, model, run->inputs, wide));
    STATUS_TRY(executor_create(run->network, &(struct executor_options){.threads = 1}, &executor));
    const status failure =
        executor_run(executor, run->inputs, run->graph->input_count, run->outputs);
    executor_free(executor);
    return failure;
}

static inline status plain_run_open(struct plain_run *run, const char *model, bool wide)
{
    *run = (struct plain_run){0};
    STATUS_TRY(open_network(model, &run->network));
    run->graph = network_graph(run->network, 0);
    run->inputs = memory_allocate_zeroed((size_t)run->graph->input_count + 1, sizeof *run->inputs);
    run->outputs =
        memory_allocate_zeroed((size_t)run->graph->output_count + 1, sizeof *run->outputs);
    const status failure = plain_run_compute(run, model, wide);
    if (failure != STATUS_OK)
        plain_run_free(run);
    return failure;
}

// With wide numbers where the network takes them.
static inline status plain_run_make(struct plain_run *run, const char *model)
{
    const status failure = plain_run_open(run, model, true);
    if (failure == STATUS_OK)
        return STATUS_OK;
    status_free(failure);
    return plain_run_open(run, model, false);
}

#endif
