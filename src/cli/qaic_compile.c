// `qaic-compile -model=model.onnx -aic-binary-dir=DIR`: Cloud AI's compiler, by its name and flags.

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "commands.h"
#include "compile_summary.h"
#include "formats/qaic/collect.h"
#include "network_input.h"
#include "formats/qaic/qaic_program.h"

enum { PMU_EVENTS_MOST = 8, LEVEL_USUAL = 40 };

// What -convert-to-fp16 does: inputs and outputs stay f32 to the user.
static const char FP16[] = "f32=f16";

static const char *const RECIPES[] = {"AxiRd", "AxiWr", "AxiRdWr", "KernelUtil", "HmxMacs", NULL};

struct settings {
    const char *folder;
    int32_t level, stats_batch, batch;
    int32_t events[PMU_EVENTS_MOST];
    size_t event_count;
};

static status qaic_compile_read_integer(const struct arguments *arguments, const char *name,
                                        int64_t least, int32_t *number)
{
    const char *text = arguments_value(arguments, name);
    int64_t given = *number;
    if (text != NULL && (!view_to_i64(view_of(text), &given) || given < least || given > INT32_MAX))
        return status_make(STATUS_USAGE, "%s: -%s=%s: expected a number of at least %lld",
                           arguments_command(arguments), name, text, (long long)least);
    *number = (int32_t)given;
    return STATUS_OK;
}

// "3F,70,200"
static status qaic_compile_read_events(const struct arguments *arguments, struct settings *settings)
{
    const char *text = arguments_value(arguments, "aic-pmu-events");
    if (text == NULL)
        return STATUS_OK;
    if (arguments_value(arguments, "aic-pmu-recipe") != NULL)
        return status_make(STATUS_USAGE,
                           "%s: choose -aic-pmu-recipe or -aic-pmu-events: they exclude each other",
                           arguments_command(arguments));
    struct view rest = view_of(text);
    for (;;) {
        const size_t comma = view_find(rest, ',');
        char word[16];
        char *end;
        snprintf(word, sizeof word, "%.*s", VIEW_ARGUMENTS(view_slice(rest, 0, comma)));
        const long code = strtol(word, &end, 16);
        if (comma == 0 || comma >= sizeof word || *end != '\0' || code < 0 || code > 0xffff)
            return status_make(STATUS_USAGE,
                               "%s: -aic-pmu-events=%s: expected hexadecimal codes with commas "
                               "between them: 3F,70,200",
                               arguments_command(arguments), text);
        if (settings->event_count == PMU_EVENTS_MOST)
            return status_make(STATUS_USAGE, "%s: -aic-pmu-events takes at most %d events",
                               arguments_command(arguments), PMU_EVENTS_MOST);
        settings->events[settings->event_count++] = (int32_t)code;
        if (comma == rest.size)
            return STATUS_OK;
        rest = view_slice(rest, comma + 1, rest.size);
    }
}

static status check_recipe(const struct arguments *arguments)
{
    const char *name = arguments_value(arguments, "aic-pmu-recipe");
    for (size_t i = 0; name != NULL && RECIPES[i] != NULL; i++) {
        if (strcmp(name, RECIPES[i]) == 0)
            return STATUS_OK;
    }
    return name == NULL ? STATUS_OK
                        : status_make(STATUS_USAGE,
                                      "%s: -aic-pmu-recipe=%s: there are AxiRd, AxiWr, AxiRdWr, "
                                      "KernelUtil and HmxMacs",
                                      arguments_command(arguments), name);
}

static status qaic_compile_read_settings(const struct arguments *arguments,
                                         struct settings *settings)
{
    const char *command = arguments_command(arguments);
    *settings = (struct settings){.folder = arguments_value(arguments, "aic-binary-dir"),
                                  .level = LEVEL_USUAL,
                                  .stats_batch = 1,
                                  .batch = 1};
    if (arguments_value(arguments, "model") == NULL)
        return status_make(STATUS_USAGE, "%s: say what to compile: -model=model.onnx", command);
    if (settings->folder == NULL)
        return status_make(STATUS_USAGE, "%s: say where the program goes: -aic-binary-dir=DIR",
                           command);
    // The way of SDKs before 1.20 to ask for statistics of operations.
    if (arguments_value(arguments, "aic-profiling-type") != NULL)
        settings->level = QAIC_LEVEL_OPERATIONS;
    STATUS_TRY(qaic_compile_read_integer(arguments, "stats-level", 0, &settings->level));
    STATUS_TRY(qaic_compile_read_integer(arguments, "stats-batchsize", 1, &settings->stats_batch));
    STATUS_TRY(qaic_compile_read_integer(arguments, "batchsize", 1, &settings->batch));
    STATUS_TRY(qaic_compile_read_events(arguments, settings));
    STATUS_TRY(check_recipe(arguments));
    if (arguments_flag(arguments, "ddr-stats") && settings->level < QAIC_LEVEL_THREADS)
        return status_make(STATUS_USAGE, "%s: -ddr-stats needs -stats-level=%d or more, not %d",
                           command, QAIC_LEVEL_THREADS, settings->level);
    return STATUS_OK;
}

// The network --------------------------------------------------------------------------

static status qaic_compile_open_network(const struct arguments *arguments,
                                        struct compiling *compiling)
{
    struct network_options options = {0};
    options.symbols = arguments_values(arguments, "onnx-define-symbol", &options.symbol_count);
    if (arguments_flag(arguments, "convert-to-fp16"))
        options.conversion = FP16;
    compiling->path = arguments_value(arguments, "model");
    STATUS_TRY(network_open(compiling->path, &options, &compiling->network));
    STATUS_TRY(
        status_within(network_input_check_shapes(compiling->network), "%s", compiling->command));
    compiling->operators = network_graph(compiling->network, 0)->node_count;
    return STATUS_OK;
}

static status qaic_compile_open_target(const struct arguments *arguments,
                                       struct compiling *compiling)
{
    const char *cores = arguments_value(arguments, "aic-num-cores");
    STATUS_TRY(target_open("aic100", &compiling->target));
    if (cores == NULL)
        return STATUS_OK;
    uint64_t number;
    if (!view_to_u64(view_of(cores), &number) || number == 0 || number > 16)
        return status_make(STATUS_USAGE, "%s: -aic-num-cores=%s: a device has 1 to 16 cores",
                           compiling->command, cores);
    return target_set(compiling->target, "core.count", cores);
}

// The program --------------------------------------------------------------------------

static struct qaic_binding binding_of(const struct program *program, uint32_t value)
{
    const struct program_value *item = &program->values[value];
    struct qaic_binding binding = {.name = view_of(program_text(program, item->name)),
                                   .rank = item->rank};
    static const struct {
        enum element element;
        uint32_t type;
    } TYPES[] = {{ELEMENT_F16, 1}, {ELEMENT_I8, 8}, {ELEMENT_I32, 6}, {ELEMENT_I64, 7}};
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (item->element == (uint32_t)TYPES[i].element)
            binding.type = TYPES[i].type;
    }
    for (uint32_t i = 0; i < item->rank; i++)
        binding.dims[i] = (int32_t)item->dims[i];
    return binding;
}

static void describe(const struct program *program, const struct settings *settings, bool ddr,
                     struct qaic_network *network)
{
    network->stats_level = settings->level;
    network->stats_batch = settings->stats_batch;
    network->batch_size = settings->batch;
    network->ddr_stats = ddr;
    network->stats_buffer = program->input_count + program->output_count;
    network->inputs =
        memory_allocate_zeroed((size_t)program->input_count + 1, sizeof *network->inputs);
    network->outputs =
        memory_allocate_zeroed((size_t)program->output_count + 2, sizeof *network->outputs);
    network->pmu_events = memory_allocate_zeroed(PMU_EVENTS_MOST, sizeof *network->pmu_events);
    for (uint32_t i = 0; i < program->input_count; i++)
        network->inputs[network->input_count++] = binding_of(program, program->inputs[i]);
    for (uint32_t i = 0; i < program->output_count; i++)
        network->outputs[network->output_count++] = binding_of(program, program->outputs[i]);
    for (size_t i = 0; i < settings->event_count; i++)
        network->pmu_events[network->pmu_count++] = settings->events[i];
}

static status qaic_compile_write_program(const struct arguments *arguments,
                                         struct compiling *compiling,
                                         const struct settings *settings)
{
    struct qaic_collected collected;
    struct bytes made_by = {0};
    STATUS_TRY(qaic_collect(&compiling->program, compiling->target, &collected));
    describe(&compiling->program, settings, arguments_flag(arguments, "ddr-stats"),
             collected.network);
    arguments_print(arguments, &made_by);
    const status result = qaic_program_write(settings->folder, &compiling->program,
                                             collected.network, bytes_view(&made_by));
    bytes_free(&made_by);
    qaic_collected_free(&collected);
    return result;
}

static status compile_for_card(const struct arguments *arguments, struct compiling *compiling)
{
    struct settings settings;
    STATUS_TRY(qaic_compile_read_settings(arguments, &settings));
    STATUS_TRY(qaic_compile_open_target(arguments, compiling));
    printf("Reading ONNX Model from %s\n", arguments_value(arguments, "model"));
    STATUS_TRY(qaic_compile_open_network(arguments, compiling));
    printf("Compile started ............... \n");
    if (arguments_flag(arguments, "convert-to-fp16"))
        printf("Compiling model with FP16 precision.\n");
    if (arguments_value(arguments, "aic-profiling-type") != NULL)
        printf("-aic-profiling-type: taken for -stats-level=%d, as later versions call it\n",
               QAIC_LEVEL_OPERATIONS);
    STATUS_TRY(compiling_run(compiling, NULL));
    if (arguments_flag(arguments, "aic-perf-warnings"))
        compile_summary_warnings(compiling);
    STATUS_TRY(qaic_compile_write_program(arguments, compiling, &settings));
    printf("Generated binary is present at %s\n", settings.folder);
    return STATUS_OK;
}

static status qaic_compile_command(const struct arguments *arguments, int *out_exit)
{
    struct compiling compiling = {.command = arguments_command(arguments)};
    (void)out_exit;
    const status result = compile_for_card(arguments, &compiling);
    compiling_free(&compiling);
    return result;
}

static const struct option OPTIONS[] = {
    {"model", 'm', OPTION_ONE, "FILE", "the network (.onnx)"},
    {"aic-binary-dir", 0, OPTION_ONE, "DIR", "where programqpc.bin goes; made if it is not there"},
    {"stats-level", 0, OPTION_ONE, "N",
     "statistics: from 40 threads, 50 ports, 70 operations, 100 more counters (40)"},
    {"stats-batchsize", 0, OPTION_ONE, "N", "inferences that one run of the network counts for"},
    {"ddr-stats", 0, OPTION_FLAG, NULL, "also traffic of the DDR, by core"},
    {"aic-pmu-recipe", 0, OPTION_ONE, "NAME", "AxiRd, AxiWr, AxiRdWr, KernelUtil or HmxMacs"},
    {"aic-pmu-events", 0, OPTION_ONE, "CODES", "at most 8, hexadecimal: 3F,70,200"},
    {"aic-perf-warnings", 0, OPTION_FLAG, NULL, "what costs time and could be avoided"},
    {"convert-to-fp16", 0, OPTION_FLAG, NULL, "computes f32 as f16; inputs and outputs stay f32"},
    {"aic-num-cores", 0, OPTION_ONE, "N", "cores that the network uses (14)"},
    {"onnx-define-symbol", 0, OPTION_EACH, "NAME,N", "length of a dimension that has a name"},
    {"batchsize", 0, OPTION_ONE, "N", "that the runner reports inferences by (1)"},
    {"aic-profiling-type", 0, OPTION_EACH, "TYPE", "of SDK 1.10 to 1.17: the same as level 70"},
    {"aic-hw", 0, OPTION_FLAG, NULL, "for the card: what is always done"},
    {"aic-hw-version", 0, OPTION_ONE, "V", "2.0 or ai100: what there is"},
    {"compile-only", 0, OPTION_FLAG, NULL, "the same as without it"},
    {0},
};

const struct command COMMAND_QAIC_COMPILE = {
    .name = "qaic-compile",
    .link = "qaic-compile",
    .usage = "-model=FILE -aic-binary-dir=DIR [-stats-level=N] [-aic-num-cores=N]",
    .summary = "compile a network for Cloud AI 100, with the flags of its compiler",
    .details = "Writes programqpc.bin, the container of Cloud AI's tools, with a program for the\n"
               "simulated card inside. The command line and the version are kept in it.",
    .examples =
        "  qaic-compile -model=model.onnx -aic-binary-dir=./binaries -stats-level=70\n"
        "  qaic-compile -m=model.onnx -aic-binary-dir=./binaries -aic-num-cores=4 -ddr-stats",
    .options = OPTIONS,
    .run = qaic_compile_command,
};
