// program_run TARGET MODEL [PROGRAM]: compiles a network, writes the program, reads
// it again, proves it, estimates it, and runs it beside the plain executor. Says
// "same", or what differs; "not run: why" where it is compiled and proved but cannot
// be run here. 0 unless something is wrong.
// program_run --verify PROGRAM: opens and proves, until there is nothing else.

#include <stdio.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "device/sim.h"
#include "kernels/executor.h"
#include "network/compare.h"
#include "network/tensor_file.h"
#include "network/tensor_random.h"
#include "program/verify.h"
#include "program_interpreter.h"

static status prove(const char *path, struct program **out_program, struct target **out_target)
{
    STATUS_TRY(program_open(path, out_program));
    status failure = target_parse(path, (*out_program)->target_text, out_target);
    struct verify_counts counts;
    if (failure != STATUS_OK) {
        program_free(*out_program);
        return failure;
    }
    failure = program_verify(*out_program, *out_target, &counts);
    struct sim_result *result = NULL;
    if (failure == STATUS_OK)
        failure = sim_run(*out_program, *out_target, COST_RULES_BEST, &result);
    sim_result_free(result);
    if (failure != STATUS_OK) {
        program_free(*out_program);
        target_free(*out_target);
    }
    return failure;
}

static status compile(const char *target_name, const char *model, const char *path)
{
    struct network *network;
    struct target *target;
    STATUS_TRY(target_open(target_name, &target));
    status failure = network_open(model, NULL, &network);
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
static void fill(struct tensor *tensor, uint64_t seed, uint64_t input, bool wide)
{
    tensor_random_fill(tensor, seed, input);
    if (!wide || tensor->element != ELEMENT_I32)
        return;
    int32_t *items = tensor->data;
    for (uint64_t i = 0; i < tensor_count(tensor); i++)
        items[i] = (int32_t)((uint32_t)(i * 2654435761u + input) % 20001u) - 10000;
}

// The inputs of a test case in ONNX's layout, where there are some beside the model.
static bool read_input(const char *model, uint32_t index, const struct value_type *type,
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

static status make_inputs(const struct network *network, const char *model, struct datum **inputs,
                          bool wide)
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
        fill(&inputs[i]->tensor, 5, i, wide);
    }
    return STATUS_OK;
}

static uint64_t different_elements(const struct tensor *a, const struct tensor *b)
{
    const size_t size = element_size(a->element);
    uint64_t count = 0;
    for (uint64_t i = 0; i < tensor_count(a); i++)
        count +=
            memcmp((const char *)a->data + i * size, (const char *)b->data + i * size, size) != 0;
    return count;
}

// The largest distance of two reals, relative to the largest number there is.
static double distance(const struct tensor *a, const struct tensor *b)
{
    const struct constant left = {.tensor = *a};
    const struct constant right = {.tensor = *b};
    double most = 0;
    double largest = 1e-30;
    for (uint64_t i = 0; i < tensor_count(a); i++) {
        const double x = constant_real(&left, i);
        const double y = constant_real(&right, i);
        const double gap = x > y ? x - y : y - x;
        most = gap > most || gap != gap ? gap : most;
        largest = x > largest ? x : -x > largest ? -x : largest;
    }
    return most / largest;
}

static status compare_outputs(const struct network *network, const struct interpreter *run,
                              struct datum *const *outputs)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        struct datum *datum = interpreter_output(run, i);
        if (datum == NULL)
            continue;
        const struct tensor *a = &outputs[i]->tensor;
        const struct tensor *b = &datum->tensor;
        status failure = STATUS_OK;
        if (outputs[i]->kind != datum->kind)
            failure = status_make(STATUS_DATA, "output %u is something else", i);
        else if (datum->kind == DATUM_TENSOR && a->element != ELEMENT_TEXT) {
            const bool alike = a->element == b->element && shape_equal(&a->shape, &b->shape);
            const uint64_t other = alike ? different_elements(a, b) : 0;
            const double far = other > 0 && element_is_float(a->element) ? distance(a, b) : 0;
            if (!alike)
                failure = status_make(STATUS_DATA, "output %u has another type", i);
            else if (other > 0)
                failure = status_make(STATUS_DATA,
                                      "output %u (%s): %llu of %llu elements differ, by at most %g",
                                      i, element_name(a->element), (unsigned long long)other,
                                      (unsigned long long)tensor_count(a), far);
        }
        datum_release(datum);
        STATUS_TRY(failure);
    }
    return STATUS_OK;
}

static bool has_control(const struct network *network)
{
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        const struct operator_definition *definition = network_node(network, i)->definition;
        if (definition->class == OPERATOR_CONTROL || definition->random ||
            strcmp(definition->name, "Gradient") == 0)
            return true;
    }
    return false;
}

// `*out_differs` when the failure is about the program.
static status run_both(const struct network *network, const char *model,
                       const struct program *program, bool wide, struct datum **inputs,
                       struct datum **outputs, bool *out_differs)
{
    struct executor *executor;
    STATUS_TRY(make_inputs(network, model, inputs, wide));
    STATUS_TRY(executor_create(network, &(struct executor_options){.threads = 1}, &executor));
    const status failure =
        executor_run(executor, inputs, network_graph(network, 0)->input_count, outputs);
    executor_free(executor);
    STATUS_TRY(failure);
    if (has_control(network))
        return status_make(STATUS_UNSUPPORTED, "graphs inside operators, or random numbers");
    *out_differs = true;
    struct interpreter run;
    interpreter_start(&run, program);
    status wrong = interpreter_run(&run, inputs);
    if (wrong == STATUS_OK)
        wrong = compare_outputs(network, &run, outputs);
    interpreter_end(&run);
    return wrong;
}

static status run_model(const char *model, const struct program *program, bool wide,
                        bool *out_differs)
{
    struct network *network;
    STATUS_TRY(network_open(model, NULL, &network));
    const struct network_graph *graph = network_graph(network, 0);
    struct datum **inputs = memory_allocate_zeroed((size_t)graph->input_count + 1, sizeof *inputs);
    struct datum **outputs =
        memory_allocate_zeroed((size_t)graph->output_count + 1, sizeof *outputs);
    const status failure = run_both(network, model, program, wide, inputs, outputs, out_differs);
    for (uint32_t i = 0; i < graph->input_count; i++)
        datum_release(inputs[i]);
    for (uint32_t i = 0; i < graph->output_count; i++)
        datum_release(outputs[i]);
    free(inputs);
    free(outputs);
    network_free(network);
    return failure;
}

static int say(const char *what, status failure)
{
    printf("%s%s\n", what, failure != STATUS_OK ? status_message(failure) : "");
    status_free(failure);
    return 1;
}

static int run_program(const char *model, const char *path)
{
    struct program *program;
    struct target *target;
    status failure = prove(path, &program, &target);
    if (failure != STATUS_OK)
        return say("not proved: ", failure);
    bool differs = false;
    failure = run_model(model, program, true, &differs);
    if (failure != STATUS_OK && !differs) {
        status_free(failure);
        failure = run_model(model, program, false, &differs);
    }
    program_free(program);
    target_free(target);
    if (failure == STATUS_OK) {
        puts("same");
        return 0;
    }
    say(differs ? "differs: " : "not run: ", failure);
    return differs;
}

int main(int argc, char **argv)
{
    executor_fold_constants();
    if (argc == 3 && strcmp(argv[1], "--verify") == 0) {
        struct program *program;
        struct target *target;
        const status failure = prove(argv[2], &program, &target);
        if (failure != STATUS_OK)
            return say("", failure);
        program_free(program);
        target_free(target);
        return 0;
    }
    if (argc != 3 && argc != 4) {
        fputs("program_run TARGET MODEL [PROGRAM]\n", stderr);
        return 2;
    }
    char path[64] = "/tmp/program_run.XXXXXX";
    if (argc == 3)
        close(mkstemp(path));
    const char *program = argc == 4 ? argv[3] : path;
    const status failure = compile(argv[1], argv[2], program);
    const int code =
        failure != STATUS_OK ? say("not compiled: ", failure) : run_program(argv[2], program);
    if (argc == 3)
        unlink(path);
    return failure != STATUS_OK ? 3 : code;
}
