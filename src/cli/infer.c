// `opscope infer MODEL`: computes a network on this machine.

#include "commands.h"
#include "kernels/executor.h"
#include "network_input.h"
#include "network_run.h"

static status compute(void *context, struct datum *const *inputs, size_t input_count,
                      struct datum **out_outputs)
{
    return executor_run(context, inputs, input_count, out_outputs);
}

static status infer(const struct arguments *arguments, const struct network *network)
{
    struct executor_options options = {0};
    struct executor *executor;
    STATUS_TRY(arguments_number(arguments, "threads", 0, &options.threads));
    // Before there are inputs: it bounds the memory that they may take.
    STATUS_TRY(executor_create(network, &options, &executor));
    struct network_run run = {
        .command = "infer", .network = network, .context = executor, .compute = compute};
    const status result = network_run(arguments, &run);
    executor_free(executor);
    return result;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    struct network *network;
    (void)out_exit;
    STATUS_TRY(network_input_open(arguments, "infer", &network));
    const status result = infer(arguments, network);
    network_free(network);
    return result;
}

static const struct option OPTIONS[] = {
    NETWORK_RUN_OPTIONS,
    NETWORK_INPUT_OPTIONS,
    {0},
};

const struct command COMMAND_INFER = {
    .name = "infer",
    .usage = "MODEL [--input VALUE]... [--output FILE]...",
    .summary = "compute a network (ONNX or TOSA) on this machine",
    .details = "VALUE is a literal (1x4xi8=1, 1x3xf32=[[1,2,3]]), a file (@x.npy, @x.pb), or the\n"
               "elements alone (4xf32=@x.bin). Inputs that are not given are random, the same for\n"
               "the same seed. Without --output all outputs are printed.",
    .examples = "  opscope infer model.onnx\n"
                "  opscope infer model.onnx --input 1x3x224x224xf32=0.5 --output @out.npy\n"
                "  opscope infer model.onnx --define-symbol batch,1 --iterations 20\n"
                "  opscope infer conv.mlir --input @input_0.npy --output out.pb",
    .options = OPTIONS,
    .run = run,
};
