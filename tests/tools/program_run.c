// program_run TARGET MODEL [PROGRAM]: compiles a network, writes the program, reads
// it again, proves it, estimates it, and runs it beside the plain executor. Says
// "same", or what differs; "not run: why" where it is compiled and proved but cannot
// be run here. 0 unless something is wrong.
// program_run --verify PROGRAM: opens and proves, until there is nothing else.

#include <unistd.h>

#include "compiled_network.h"
#include "device/sim.h"
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
        if (definition->class == OPERATOR_CONTROL || definition->random || definition->reads_graph)
            return true;
    }
    return false;
}

static status run_beside(const struct plain_run *plain, const struct program *program)
{
    struct interpreter run;
    interpreter_start(&run, program);
    status wrong = interpreter_run(&run, plain->inputs);
    if (wrong == STATUS_OK)
        wrong = compare_outputs(plain->network, &run, plain->outputs);
    interpreter_end(&run);
    return wrong;
}

// `*out_differs` when the failure is about the program.
static status run_model(const char *model, const struct program *program, bool *out_differs)
{
    struct plain_run plain;
    STATUS_TRY(plain_run_make(&plain, model));
    *out_differs = !has_control(plain.network);
    const status failure = *out_differs ? run_beside(&plain, program)
                                        : status_make(STATUS_UNSUPPORTED,
                                                      "graphs inside operators, or random numbers");
    plain_run_free(&plain);
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
    failure = run_model(model, program, &differs);
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
    const status failure = compile_to(argv[1], argv[2], program);
    const int code =
        failure != STATUS_OK ? say("not compiled: ", failure) : run_program(argv[2], program);
    if (argc == 3)
        unlink(path);
    return failure != STATUS_OK ? 3 : code;
}
