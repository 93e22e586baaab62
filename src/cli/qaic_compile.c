// `qaic-compile -model=model.onnx -aic-binary-dir=DIR`: Cloud AI's compiler, by its name and flags.

#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "qaic_parts.h"
#include "qaic_reports.h"

enum { FAILURE_EXIT = 255 };

// Compiling ----------------------------------------------------------------------------

static status compile_part(struct qaic_parts *parts, size_t index)
{
    struct compiling *compiling = &parts->items[index];
    struct qaic_passes passes = {0};
    char network[QAIC_PART_NAME_ROOM];
    qaic_parts_name(parts, index, network);
    STATUS_TRY(qaic_parts_open_network(parts, index));
    const struct compile_observer observer = qaic_reports_observe(&passes);
    STATUS_TRY(compiling_start(compiling, &observer));
    // The last one is written meanwhile, if nothing else is asked for.
    const bool priced = qaic_reports_price(parts->arguments);
    if (priced || arguments_flag(parts->arguments, "aic-perf-metrics") || index + 1 < parts->count)
        STATUS_TRY(compiling_proved(compiling));
    if (priced)
        STATUS_TRY(compiling_price(compiling));
    qaic_reports_print(parts->arguments, compiling, network, &passes);
    return qaic_reports_dump(compiling, network);
}

static status compile_for_card(struct qaic_parts *parts)
{
    const struct arguments *arguments = parts->arguments;
    STATUS_TRY(qaic_settings_read(arguments, &parts->settings));
    STATUS_TRY(qaic_parts_open(parts));
    printf("Reading ONNX Model from %s\n", arguments_value(arguments, "model"));
    printf("Compile started ............... \n");
    if (arguments_flag(arguments, "convert-to-fp16"))
        printf("Compiling model with FP16 precision.\n");
    qaic_say_no_effect(arguments, &COMMAND_QAIC_COMPILE, "-");
    for (size_t i = 0; i < parts->count; i++)
        STATUS_TRY(compile_part(parts, i));
    STATUS_TRY(qaic_parts_write(parts));
    printf("Generated binary is present at %s\n", parts->settings.folder);
    return STATUS_OK;
}

// What is asked for instead of compiling.
static status list_operators(const struct arguments *arguments, const char *framework)
{
    if (strcmp(framework, "onnx") != 0)
        return status_make(STATUS_USAGE, "%s: -operators-supported=%s: networks are ONNX: onnx",
                           arguments_command(arguments), framework);
    for (size_t i = 0; i < operator_count(); i++) {
        if (strchr(operator_at(i)->name, '.') == NULL) // else its family is part of its name
            printf("%s\n", operator_at(i)->name);
    }
    return STATUS_OK;
}

static status qaic_compile_command(const struct arguments *arguments, int *out_exit)
{
    struct qaic_parts parts = {.arguments = arguments};
    const char *framework = arguments_value(arguments, "operators-supported");
    (void)out_exit;
    if (framework != NULL)
        return list_operators(arguments, framework);
    if (arguments_flag(arguments, "usage")) {
        printf("usage: %s %s\n", arguments_command(arguments), COMMAND_QAIC_COMPILE.usage);
        return STATUS_OK;
    }
    const status result = compile_for_card(&parts);
    qaic_parts_free(&parts);
    return result;
}

static status refuse(struct view option)
{
    return status_make(STATUS_USAGE,
                       "Invalid option %.*s. Use -h, -help, or --help for list of options.",
                       VIEW_ARGUMENTS(option));
}

// A row for each option. What it does stands in qaic_settings.c, or in its own text.
static const struct option OPTIONS[] = {
    {"model", 'm', OPTION_ONE, "FILE", "the network (.onnx)"},
    {"aic-binary-dir", 0, OPTION_ONE, "DIR", "where programqpc.bin goes; made if it is not there"},
    {"stats-level", 0, OPTION_ONE, "N",
     "statistics: from 40 threads, 50 ports, 70 operations, 100 more counters (40)"},
    {"stats-batchsize", 0, OPTION_ONE, "N", "inferences that one run of the network counts for"},
    {"ddr-stats", 0, OPTION_SWITCH, NULL, "also traffic of the DDR, by core"},
    {"aic-pmu-recipe", 0, OPTION_ONE, "NAME", "AxiRd, AxiWr, AxiRdWr, KernelUtil or HmxMacs"},
    {"aic-pmu-events", 0, OPTION_ONE, "CODES", "at most 8, hexadecimal: 3F,70,200"},
    {"aic-perf-metrics", 0, OPTION_SWITCH, NULL, "what it computes, keeps and moves, by core"},
    {"aic-perf-warnings", 0, OPTION_SWITCH, NULL, "what costs time and could be avoided"},
    {"convert-to-fp16", 0, OPTION_SWITCH, NULL,
     "computes f32 as f16, also of constants; inputs and outputs stay f32"},
    {"mxfp6-matmul", 0, OPTION_SWITCH, NULL,
     "weights of products are in MXFP6: moved packed, and made reals before they are used"},
    {"aic-num-cores", 0, OPTION_ONE, "N", "cores that the network uses (14)"},
    {"aic-num-of-instances", 0, OPTION_ONE, "N",
     "networks on the card at a time: each has its cores, its share of the DDR and the link (1)"},
    {"ols", 0, OPTION_ONE, "N", "tiles of an operator for each core, at least (1)"},
    {"mos", 0, OPTION_ONE, "N", "tiles take at most an N-th of a core's memory (1)"},
    {"vtcm-working-set-limit-ratio", 0, OPTION_ONE, "R", "the same as a part of it, up to 1 (1)"},
    {"multicast-weights", 0, OPTION_SWITCH, NULL,
     "what all cores need of constants, too, is read once and cast"},
    {"aic-enable-depth-first", 0, OPTION_SWITCH, NULL,
     "a tile goes through as many operators as it can before the next"},
    {"aic-depth-first-mem", 0, OPTION_ONE, "MB", "memory of such tiles, on all cores: 8 to 32 (8)"},
    {"batchsize", 0, OPTION_ONE, "N", "length of the inputs' first dimension where it is open (1)"},
    {"network-specialization-config", 0, OPTION_ONE, "FILE",
     "a program for each choice of dimensions: {\"specializations\": [{\"seq_len\": \"32\"}]}"},
    {"mdp-load-partition-config", 0, OPTION_ONE, "FILE",
     "several devices, and which nodes run on which: {\"partitions\": [{\"devices\": [...]}]}"},
    {"retained-state", 0, OPTION_SWITCH, NULL,
     "outputs X_RetainedState stay on the device, as the input X of the next inference"},
    {"custom-IO-list-file", 0, OPTION_ONE, "FILE",
     "inputs and outputs that are handed in and out as float16, float32, int8 or uint8 (YAML, "
     "JSON)"},
    {"onnx-define-symbol", 0, OPTION_EACH, "NAME,N", "length of a dimension that has a name"},
    {"aic-profiling-type", 0, OPTION_EACH, "TYPE", "of SDK 1.10 to 1.17: the same as level 70"},
    {"aic-profiling-format", 0, OPTION_EACH, "FORM", "of SDKs before: the same"},
    {"time-passes", 0, OPTION_SWITCH, NULL, "how long each pass of the compiler took"},
    {"time", 0, OPTION_SWITCH, NULL, "the same as -time-passes"},
    {"v", 0, OPTION_FLAG, NULL, "modelled time, memory and the slowest operators"},
    {"vv", 0, OPTION_FLAG, NULL, "more of them"},
    {"vvv", 0, OPTION_FLAG, NULL, "all of them"},
    {"aic-hw", 0, OPTION_SWITCH, NULL, "for the card: what is always done"},
    {"aic-hw-version", 0, OPTION_ONE, "V", "2.0 or ai100: what there is"},
    {"compile-only", 0, OPTION_SWITCH, NULL, "the same as without it"},
    {"operators-supported", 0, OPTION_ONE, "onnx", "lists them, and compiles nothing"},
    {"usage", 0, OPTION_FLAG, NULL, "a line that says how to call it"},
    {"use-producer-dma", 0, OPTION_ONE, "0|1",
     QAIC_NO_EFFECT ": transfers are issued by the core that needs what they bring"},
    {"sdp-cluster-sizes", 0, OPTION_ONE, "N,N",
     QAIC_NO_EFFECT ": all cores of a program are one cluster"},
    {"mdts-mos", 0, OPTION_ONE, "N", QAIC_NO_EFFECT ": -mos is for all devices"},
    {"mdp-dump-partition-config", 0, OPTION_ONE, "FILE",
     QAIC_NO_EFFECT ": partitions are those of -mdp-load-partition-config"},
    {"device-id", 0, OPTION_ONE, "N",
     QAIC_NO_EFFECT ": a program runs on any device: qaic-runner -d N"},
    {"num-iter", 0, OPTION_ONE, "N", QAIC_NO_EFFECT ": nothing is run here: qaic-runner -n N"},
    {"input-list-file", 0, OPTION_ONE, "FILE",
     QAIC_NO_EFFECT ": nothing is run here: qaic-runner -i FILE"},
    {"profiling-threads", 0, OPTION_ONE, "N",
     QAIC_NO_EFFECT ": no ranges are collected: what is quantized is so in the network"},
    {"compile-threads", 0, OPTION_ONE, "N",
     QAIC_NO_EFFECT ": tiles are searched by as many threads as there are processors"},
    {"size-split-granularity", 0, OPTION_ONE, "KIB",
     QAIC_NO_EFFECT ": tiles are as large as is estimated best: -ols and -mos make them smaller"},
    {"allocator-dealloc-delay", 0, OPTION_ONE, "N",
     QAIC_NO_EFFECT ": memory is free when what used it last has ended"},
    {"combine-inputs", 0, OPTION_SWITCH, NULL,
     QAIC_NO_EFFECT ": each input has a buffer of its own"},
    {"combine-outputs", 0, OPTION_SWITCH, NULL,
     QAIC_NO_EFFECT ": each output has a buffer of its own"},
    {"io-crc", 0, OPTION_SWITCH, NULL, QAIC_NO_EFFECT ": no link is there that could damage data"},
    {"sub-functions", 0, OPTION_SWITCH, NULL,
     QAIC_NO_EFFECT ": functions of a network are inlined"},
    {0},
};

#define USAGE "-model=FILE -aic-binary-dir=DIR [-stats-level=N] [-aic-num-cores=N]"
#define DETAILS                                                                                    \
    "Writes programqpc.bin, the container of Cloud AI's tools, with a program for the\n"           \
    "simulated card inside. The command line and the version are kept in it."

const struct command COMMAND_QAIC_COMPILE = {
    .name = "qaic-compile",
    .link = "qaic-compile",
    .usage = USAGE,
    .summary = "compile a network for Cloud AI 100, with the flags of its compiler",
    .details = DETAILS,
    .examples =
        "  qaic-compile -model=model.onnx -aic-binary-dir=./binaries -stats-level=70\n"
        "  qaic-compile -m=model.onnx -aic-binary-dir=./binaries -aic-num-cores=4 -ddr-stats\n"
        "  qaic-compile -m=decoder.onnx -aic-binary-dir=./binaries -retained-state \\\n"
        "      -network-specialization-config=specializations.json",
    .options = OPTIONS,
    .refuse = refuse,
    .failure_exit = FAILURE_EXIT,
    .run = qaic_compile_command,
};

const struct command COMMAND_QAIC_EXEC = {
    .name = "qaic-exec",
    .link = "qaic-exec",
    .usage = USAGE,
    .summary = "the older name of qaic-compile",
    .details = DETAILS,
    .examples = "  qaic-exec -m=model.onnx -aic-hw -aic-binary-dir=./binaries -compile-only",
    .options = OPTIONS,
    .refuse = refuse,
    .failure_exit = FAILURE_EXIT,
    .run = qaic_compile_command,
};
