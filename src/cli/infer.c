// `opscope infer MODEL`: computes a network on this machine.

#include "commands.h"
#include "limits.h"
#include "compiler/session.h"
#include "network_input.h"
#include "network_run.h"
#include "recording.h"

static status cli_infer_prepare(void *context, struct datum *const *inputs, size_t input_count)
{
    return session_prepare(context, inputs, input_count);
}

static status infer_compute_outputs(void *context, struct datum *const *inputs, size_t input_count,
                                    struct datum **out_outputs)
{
    return session_run(context, inputs, input_count, out_outputs);
}

static status infer_network(const struct arguments *arguments, struct network *network,
                            struct recorder *recorder)
{
    struct session_options options = {.plain = arguments_flag(arguments, "plain"),
                                      .recorder = recorder};
    STATUS_TRY(arguments_number(arguments, "threads", 0, &options.threads));
    struct session *session = session_create(network, &options);
    struct network_run run = {.command = "infer",
                              .network = network,
                              .context = session,
                              .prepare = cli_infer_prepare,
                              .compute = infer_compute_outputs};
    const status result = network_run(arguments, &run);
    session_free(session);
    return result;
}

// For whoever captures what this process does.
static status infer_recorded(const struct arguments *arguments, struct network *network)
{
    char place[4096];
    struct recorder *recorder;
    const char *process = "host, run on this machine";
    if (!recording_is_captured("infer", process, place, sizeof place))
        return infer_network(arguments, network, NULL);
    STATUS_TRY(recording_start("infer", place, process, &recorder));
    const status result = infer_network(arguments, network, recorder);
    return status_first(result, recording_stop(NULL));
}

static status infer_command(const struct arguments *arguments, int *out_exit)
{
    struct network *network;
    (void)out_exit;
    STATUS_TRY(network_input_open(arguments, "infer", NULL, &network));
    const status result = infer_recorded(arguments, network);
    network_free(network);
    return result;
}

static const struct option OPTIONS[] = {
    NETWORK_RUN_OPTIONS,
    NETWORK_INPUT_OPTIONS,
    {"plain", 0, OPTION_FLAG, NULL, "operator by operator, as the network is written"},
    LIMITS_OPTIONS,
    {0},
};

const struct command COMMAND_INFER = {
    .name = "infer",
    .usage = "MODEL [--input VALUE]... [--output FILE]...",
    .summary = "compute a network (ONNX or TOSA) on this machine",
    .details =
        "VALUE is a literal (1x4xi8=1, 1x3xf32=[[1,2,3]]), a file (@x.npy, @x.pb), or the\n"
        "elements alone (4xf32=@x.bin). Inputs that are not given are random, the same for\n"
        "the same seed. Without --output all outputs are printed, of large ones the ends and\n"
        "the range.\n"
        "The network is compiled for this machine and run, as 'opscope compile --target\n"
        "host' and 'opscope run' do it; --plain computes it without fusing anything.",
    .examples = "  opscope infer model.onnx\n"
                "  opscope infer model.onnx --input 1x3x224x224xf32=0.5 --output @out.npy\n"
                "  opscope infer model.onnx --define-symbol batch,1 --iterations 20\n"
                "  opscope infer conv.mlir --input @input_0.npy --output out.pb",
    .options = OPTIONS,
    .run = infer_command,
};
