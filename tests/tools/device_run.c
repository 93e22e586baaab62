// device_run TARGET MODEL...: compiles each network, and holds what the device `host`
// makes of the program against the plain executor: with 1 and 2 workers, recorded and
// not, two iterations each. A line for each: MODEL, a tab, and
//   same           every bit is the same
//   near D         reals differ, by at most D of what they may (1)
//   differs WHY    so does an integer, or a real by more
//   not run WHY    nothing to compare
// 0 unless something differs.
//
// Reals may differ by rtol * |expected| + atol * the largest of the tensor, since tiles
// and fused operators sum in another order; see `TOLERANCES`.

#include <math.h>
#include <opscope/record.h>
#include <unistd.h>

#include "compiled_network.h"
#include "device/host.h"
#include "network/compare.h"

static const struct {
    enum element element;
    double rtol, atol;
} TOLERANCES[] = {
    {ELEMENT_F32, 1e-4, 1e-5},    {ELEMENT_F64, 1e-4, 1e-5},      {ELEMENT_F16, 2e-3, 1e-3},
    {ELEMENT_BF16, 1.6e-2, 8e-3}, {ELEMENT_F8E4M3FN, 0.13, 0.07}, {ELEMENT_F8E5M2, 0.26, 0.13},
};

struct files {
    char program[64];
    char profile[64];
};

struct outcome {
    double nearness; // of what may be, the most that was; 0: same bits
    char why[COMPARE_REASON_MOST + 100];
};

static bool same_bits(const struct datum *a, const struct datum *b)
{
    return a->kind == DATUM_TENSOR && b->kind == DATUM_TENSOR &&
           a->tensor.element == b->tensor.element && a->tensor.element != ELEMENT_TEXT &&
           shape_equal(&a->tensor.shape, &b->tensor.shape) &&
           memcmp(a->tensor.data, b->tensor.data, tensor_bytes(&a->tensor)) == 0;
}

static double largest_of(const struct tensor *tensor)
{
    const struct constant constant = {.tensor = *tensor};
    double largest = 0;
    for (uint64_t i = 0; i < tensor_count(tensor); i++) {
        const double size = fabs(constant_real(&constant, i));
        largest = isfinite(size) && size > largest ? size : largest;
    }
    return largest;
}

static struct compare_tolerance tolerance_of(const struct tensor *expected, double largest)
{
    for (size_t i = 0; i < sizeof TOLERANCES / sizeof *TOLERANCES; i++) {
        if (TOLERANCES[i].element == expected->element)
            return (struct compare_tolerance){TOLERANCES[i].rtol, TOLERANCES[i].atol * largest};
    }
    return (struct compare_tolerance){0};
}

static void compare(const struct datum *got, const struct datum *want, struct outcome *outcome)
{
    if (same_bits(got, want) || outcome->why[0] != '\0')
        return;
    const bool real = want->kind == DATUM_TENSOR && element_is_float(want->tensor.element);
    const double largest = real ? largest_of(&want->tensor) : 0;
    const struct compare_tolerance tolerance =
        real ? tolerance_of(&want->tensor, largest) : (struct compare_tolerance){0};
    struct comparison comparison = {0};
    compare_data(got, want, &tolerance, &comparison);
    if (comparison.different)
        snprintf(outcome->why, sizeof outcome->why, "%s (most %g, the largest is %g)",
                 comparison.reason, comparison.max_abs, largest);
    else if (real && tolerance.atol > 0 && comparison.max_abs / tolerance.atol > outcome->nearness)
        outcome->nearness = comparison.max_abs / tolerance.atol;
}

static status run_twice(struct host_device *device, const struct plain_run *plain,
                        struct outcome *outcome)
{
    struct datum **outputs =
        memory_allocate_zeroed((size_t)plain->graph->output_count + 1, sizeof *outputs);
    status failure = STATUS_OK;
    for (int iteration = 0; iteration < 2 && failure == STATUS_OK; iteration++) {
        failure = host_device_run(device, plain->inputs, plain->graph->input_count, outputs);
        for (uint32_t i = 0; i < plain->graph->output_count; i++) {
            if (failure == STATUS_OK)
                compare(outputs[i], plain->outputs[i], outcome);
            datum_release(outputs[i]);
            outputs[i] = NULL;
        }
    }
    free(outputs);
    return failure;
}

static status run_device(const struct program *program, const struct target *target,
                         unsigned threads, const struct plain_run *plain, struct recorder *recorder,
                         struct outcome *outcome)
{
    struct host_device *device;
    STATUS_TRY(
        host_device_create(program, target, &(struct host_options){.threads = threads}, &device));
    if (recorder != NULL)
        device_profile(host_device_base(device), recorder);
    const status failure = run_twice(device, plain, outcome);
    host_device_free(device);
    return failure;
}

static status run_recorded(const struct program *program, const struct target *target,
                           unsigned threads, const struct plain_run *plain, const char *path,
                           struct outcome *outcome)
{
    struct recorder *recorder;
    STATUS_TRY(recorder_start(&(struct opscope_record_options){.path = path}, &recorder));
    const status failure = run_device(program, target, threads, plain, recorder, outcome);
    return status_first(failure, recorder_finish(recorder, NULL));
}

static status run_all_ways(const struct plain_run *plain, const struct files *files,
                           struct outcome *outcome)
{
    struct program *program;
    struct target *target;
    STATUS_TRY(program_open(files->program, &program));
    status failure = target_parse(files->program, program->target_text, &target);
    if (failure != STATUS_OK) {
        program_free(program);
        return failure;
    }
    for (unsigned threads = 1; threads <= 2 && failure == STATUS_OK; threads++) {
        failure = run_device(program, target, threads, plain, NULL, outcome);
        if (failure == STATUS_OK)
            failure = run_recorded(program, target, threads, plain, files->profile, outcome);
    }
    target_free(target);
    program_free(program);
    return failure;
}

// Why there is nothing to be compared; NULL: there is.
static const char *not_comparable(const struct network *network)
{
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        const struct operator_definition *definition = network_node(network, i)->definition;
        if (definition->random)
            return "random numbers";
        if (definition->reads_graph)
            return "Gradient";
    }
    return NULL;
}

static bool say(const char *model, const char *what, status failure)
{
    printf("%s\t%s%s\n", model, what, failure != STATUS_OK ? status_message(failure) : "");
    status_free(failure);
    return false;
}

// Whether all that was compared is the same.
static bool check(const char *target, const char *model, const struct files *files)
{
    struct plain_run plain;
    status failure = plain_run_make(&plain, model);
    if (failure != STATUS_OK)
        return say(model, "not run ", failure) || true;
    const char *reason = not_comparable(plain.network);
    if (reason == NULL)
        failure = compile_to(target, model, files->program);
    if (reason != NULL || failure != STATUS_OK) {
        plain_run_free(&plain);
        return say(model, "not run ",
                   reason != NULL ? status_make(STATUS_UNSUPPORTED, "%s", reason) : failure) ||
               true;
    }
    struct outcome outcome = {0};
    failure = run_all_ways(&plain, files, &outcome);
    plain_run_free(&plain);
    if (failure != STATUS_OK)
        return say(model, "differs ", failure);
    if (outcome.why[0] != '\0')
        printf("%s\tdiffers %s\n", model, outcome.why);
    else if (outcome.nearness > 0)
        printf("%s\tnear %.3g\n", model, outcome.nearness);
    else
        printf("%s\tsame\n", model);
    return outcome.why[0] == '\0';
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("device_run TARGET MODEL...\n", stderr);
        return 2;
    }
    struct files files = {"/tmp/device_run.XXXXXX", "/tmp/device_run.XXXXXX"};
    close(mkstemp(files.program));
    close(mkstemp(files.profile));
    executor_fold_constants();
    bool sound = true;
    for (int i = 2; i < argc; i++) {
        sound = check(argv[1], argv[i], &files) && sound;
        fflush(stdout);
    }
    unlink(files.program);
    unlink(files.profile);
    return sound ? 0 : 1;
}
