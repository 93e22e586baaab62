// A network of integers whose operators the bytes choose: the plain executor, the device `host`
// with programs for several targets, by one worker and by two, give the same bits; the program is
// proved, and `sim` gives the same times twice. Three bytes an operator.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/compiler.h"
#include "device/host.h"
#include "device/sim.h"
#include "kernels/executor.h"
#include "network/tensor_random.h"
#include "program/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OPERATORS_MOST = 12, CHANNELS = 8 };

#define MADE_UP TEST_ROOT "/tests/testdata/targets/"

static const char *const TARGETS[] = {"host", "torq-sl2610", MADE_UP "trio.target",
                                      MADE_UP "relay.target"};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };

static void check(status failure)
{
    if (failure == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", status_message(failure));
    abort();
}

// %N is the result of operator N; %0 is the input.
static void add_operator(struct bytes *text, const uint8_t *from, unsigned number, unsigned edge)
{
    static const char *const UNARY[] = {"abs", "bitwise_not", "clz"};
    static const char *const BINARY[] = {"add",         "sub",        "maximum",    "minimum",
                                         "bitwise_and", "bitwise_or", "bitwise_xor"};
    char type[64];
    snprintf(type, sizeof type, "tensor<1x%ux%ux%dxi32>", edge, edge, CHANNELS);
    const unsigned a = from[1] % number;
    const unsigned b = from[2] % number;
    switch (from[0] % 4) {
    case 0:
        bytes_append_format(text, "    %%v%u = tosa.%s %%v%u : (%s) -> %s\n", number,
                            UNARY[from[0] / 4 % 3], a, type, type);
        break;
    case 1:
        bytes_append_format(text, "    %%v%u = tosa.reverse %%v%u {axis = %u : i32} : (%s) -> %s\n",
                            number, a, 1 + from[2] % 3u, type, type);
        break;
    default:
        bytes_append_format(text, "    %%v%u = tosa.%s %%v%u, %%v%u : (%s, %s) -> %s\n", number,
                            BINARY[from[0] / 4 % 7], a, b, type, type, type);
        break;
    }
}

static struct network *make_network(const uint8_t *data, size_t size, struct bytes *text)
{
    const unsigned edge = 1 + data[0] % 20u;
    unsigned number = 1;
    bytes_append_format(text, "func.func @main(%%v0: tensor<1x%ux%ux%dxi32>)", edge, edge,
                        CHANNELS);
    bytes_append_format(text, " -> tensor<1x%ux%ux%dxi32> {\n", edge, edge, CHANNELS);
    for (size_t at = 1; at + 3 <= size && number <= OPERATORS_MOST; at += 3)
        add_operator(text, data + at, number++, edge);
    bytes_append_format(text, "    return %%v%u : tensor<1x%ux%ux%dxi32>\n}\n", number - 1, edge,
                        edge, CHANNELS);
    struct network *network;
    check(network_read(input_over("fuzz.mlir", bytes_view(text)), NULL, &network));
    return network;
}

static struct datum *run_plain(const struct network *network, struct datum *input)
{
    struct executor *executor;
    struct datum *output = NULL;
    check(executor_create(network, &(struct executor_options){.threads = 1}, &executor));
    check(executor_run(executor, &input, 1, &output));
    executor_free(executor);
    return output;
}

static void check_host(const struct program *program, const struct target *target,
                       struct datum *input, const struct datum *expected)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct host_device *device;
        struct datum *output = NULL;
        check(host_device_create(program, target, &(struct host_options){.threads = threads},
                                 &device));
        check(host_device_run(device, &input, 1, &output));
        if (memcmp(output->tensor.data, expected->tensor.data, tensor_bytes(&expected->tensor)) !=
            0)
            check(status_make(STATUS_DATA, "%s: other numbers with %u workers", target->name,
                              threads));
        datum_release(output);
        host_device_free(device);
    }
}

static void check_sim(const struct program *program, const struct target *target)
{
    struct sim_result *first;
    struct sim_result *second;
    check(sim_run(program, target, COST_RULES_BEST, &first));
    check(sim_run(program, target, COST_RULES_BEST, &second));
    if (first->end != second->end)
        check(status_make(STATUS_DATA, "%s: other times", target->name));
    sim_result_free(first);
    sim_result_free(second);
}

static void check_target(struct network *network, const struct target *target, struct datum *input,
                         const struct datum *expected)
{
    struct program program;
    struct verify_counts counts;
    struct plan *plan = plan_create(network, target);
    struct program_builder *builder = program_builder_create(target->text, view_of("fuzz"));
    const status failure = compile_network(plan, &(struct compile_options){0}, builder);
    // A machine may have no engine for an operator.
    if (failure == STATUS_OK) {
        program_builder_view(builder, &program);
        check(program_verify(&program, target, &counts));
        check_host(&program, target, input, expected);
        check_sim(&program, target);
    }
    status_free(failure);
    program_builder_free(builder);
    plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct target *targets[TARGET_COUNT];
    if (size < 4)
        return 0;
    struct bytes text = {0};
    for (size_t i = 0; i < TARGET_COUNT; i++) {
        if (targets[i] == NULL)
            check(target_open(TARGETS[i], &targets[i]));
    }
    struct network *network = make_network(data, size, &text);
    struct datum *input;
    check(datum_tensor(ELEMENT_I32,
                       &network_value(network, network_graph(network, 0)->inputs[0])->type.shape,
                       &input));
    tensor_random_fill(&input->tensor, data[0], 0);
    struct datum *expected = run_plain(network, input);
    check_target(network, targets[data[1] % TARGET_COUNT], input, expected);
    datum_release(expected);
    datum_release(input);
    network_free(network);
    bytes_free(&text);
    return 0;
}
