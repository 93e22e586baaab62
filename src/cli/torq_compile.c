// `torq-compile MODEL -o model.vmfb`: Torq's compiler, by its name and flags.

#include <stdio.h>

#include "commands.h"
#include "compile_summary.h"
#include "compile_trace.h"
#include "network_input.h"
#include "phases.h"
#include "torq_hw.h"
#include "units.h"

enum { TOP_SHOWN = 3, MTU_MOST = 8 };

static const char TARGET[] = "torq-sl2610";
// What Torq's compiler converts; `ports` with --torq-convert-io-dtype.
static const char CONVERSION[] = "f16=bf16,f32=bf16,i64=i32";
static const char CONVERSION_OF_PORTS[] = "f16=bf16,f32=bf16,i64=i32,ports";
static const char TIMELINE[] = "timeline.csv"; // where a profile goes that has no name

// The target --------------------------------------------------------------------

static status set_mtu(const struct arguments *arguments, struct target *target, const char *option,
                      const char *setting)
{
    const char *text = arguments_value(arguments, option);
    uint64_t number;
    if (text == NULL)
        return STATUS_OK;
    if (!view_to_u64(view_of(text), &number) || number > MTU_MOST)
        return status_make(STATUS_USAGE,
                           "torq-compile: --%s: '%s' is not a number from 0 to %d (a burst has "
                           "2^N beats)",
                           option, text, MTU_MOST);
    return target_set(target, setting, text);
}

static status torq_compile_open_target(const struct arguments *arguments,
                                       struct compiling *compiling)
{
    const char *hardware = arguments_value(arguments, "torq-hw");
    STATUS_TRY(units_rules(arguments, "torq-rules", &compiling->rules));
    STATUS_TRY(target_open(TARGET, &compiling->target));
    STATUS_TRY(compiling_follow_rules(compiling));
    if (hardware != NULL)
        STATUS_TRY(torq_hw_apply(compiling->target, hardware));
    STATUS_TRY(set_mtu(arguments, compiling->target, "torq-dma-in-mtu", "dma_in.mtu"));
    return set_mtu(arguments, compiling->target, "torq-dma-out-mtu", "dma_out.mtu");
}

// The profile -------------------------------------------------------------------

struct profiling {
    const char *path; // NULL: none
    const struct format_writer *writer;
};

// By the file's extension; a CSV, and a file of any other name as Torq's compiler writes
// it, is in Torq's form.
static status choose_writer(const char *form, struct profiling *profiling)
{
    char name[32];
    snprintf(name, sizeof name, "torq-%s", form);
    const status unknown = format_writer_find(NULL, profiling->path, &profiling->writer);
    if (unknown == STATUS_OK && strcmp(profiling->writer->name, "csv") != 0)
        return STATUS_OK;
    status_free(unknown);
    return format_writer_find(name, profiling->path, &profiling->writer);
}

static status choose_profiling(const struct arguments *arguments, struct profiling *profiling)
{
    const char *form = arguments_value(arguments, "torq-profiling-format");
    profiling->path = arguments_value(arguments, "torq-dump-profiling");
    if (profiling->path == NULL && arguments_flag(arguments, "torq-enable-profiling"))
        profiling->path = TIMELINE;
    if (form != NULL && profiling->path == NULL)
        return status_make(STATUS_USAGE, "torq-compile: --torq-profiling-format is for a profile: "
                                         "give --torq-enable-profiling too");
    if (form != NULL && strcmp(form, "c1") != 0 && strcmp(form, "c2") != 0 &&
        strcmp(form, "c4") != 0)
        return status_make(STATUS_USAGE,
                           "torq-compile: --torq-profiling-format=%s: expected c1, c2 or c4", form);
    return profiling->path != NULL ? choose_writer(form != NULL ? form : "c1", profiling)
                                   : STATUS_OK;
}

// Where it ends -----------------------------------------------------------------------

// Phases of IREE's compiler; what comes after executable-targets is the program.
static status choose_phase(const struct arguments *arguments, const char **out_phase)
{
    static const char *const NAMES[] = {
        "input", "abi",    "preprocessing",      "global-optimization", "dispatch-creation",
        "flow",  "stream", "executable-sources", "executable-targets"};
    static const char *const WHOLE[] = {"hal", "vm", "end"};
    const char *wanted = arguments_value(arguments, "compile-to");
    *out_phase = NULL;
    if (wanted == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof WHOLE / sizeof WHOLE[0]; i++) {
        if (strcmp(wanted, WHOLE[i]) == 0)
            return STATUS_OK;
    }
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(wanted, NAMES[i]) == 0)
            *out_phase = NAMES[i];
    }
    return *out_phase != NULL
               ? STATUS_OK
               : status_make(STATUS_USAGE,
                             "torq-compile: --compile-to=%s: expected input, abi, preprocessing, "
                             "global-optimization, dispatch-creation, flow, stream, "
                             "executable-sources, executable-targets or end",
                             wanted);
}

static status check_host(const struct arguments *arguments, const struct compiling *compiling)
{
    const struct plan *plan = compiling->plan;
    const struct plan_group *first = NULL;
    uint32_t count = 0;
    if (!arguments_flag(arguments, "torq-disable-host"))
        return STATUS_OK;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        if (compiling->target->engines[plan->groups[i].engine].role != TARGET_ROLE_HOST)
            continue;
        if (count++ == 0)
            first = &plan->groups[i];
    }
    if (count == 0)
        return STATUS_OK;
    return status_make(STATUS_UNSUPPORTED,
                       "%s: --torq-disable-host: %u group%s would run on the host; the first is "
                       "%s '%.*s': %s",
                       compiling->path, count, count == 1 ? "" : "s", first->type,
                       VIEW_ARGUMENTS(first->name), first->reason);
}

// Running -------------------------------------------------------------------------

static status torq_compile_check_outputs(const struct compiling *compiling, const char *output,
                                         const struct profiling *profiling)
{
    STATUS_TRY(compiling_check_output(compiling, output));
    if (profiling->path == NULL)
        return STATUS_OK;
    if (strcmp(profiling->path, output) == 0)
        return status_make(STATUS_USAGE,
                           "torq-compile: the program and its profile cannot both be '%s'", output);
    return compiling_check_output(compiling, profiling->path);
}

static void torq_compile_print_summary(const struct compiling *compiling)
{
    const struct groups_report report = compile_summary_groups(compiling);
    struct table *groups = table_create(&GROUPS_FORM, &report, compiling->modelled->group_count);
    table_limit(groups, TOP_SHOWN);
    compile_summary_print(compiling, groups);
    table_free(groups);
}

static status torq_compile_network(const struct arguments *arguments, struct compiling *compiling)
{
    const char *output = arguments_value(arguments, "output");
    const char *debug = arguments_value(arguments, "torq-debug-info");
    struct phases phases = {
        .compiling = compiling,
        .folder = arguments_value(arguments, "dump-compilation-phases-to"),
        .tree = arguments_value(arguments, "mlir-print-ir-tree-dir"),
        .print = arguments_flag(arguments, "mlir-print-ir-after-all"),
        .profiled = arguments_flag(arguments, "torq-enable-profiling"),
    };
    struct profiling profiling;
    struct compile_observer observer;
    STATUS_TRY(choose_phase(arguments, &phases.to));
    phases.to_path = output;
    if (output == NULL)
        return status_make(STATUS_USAGE, "torq-compile: say where the program goes: -o model.vmfb");
    STATUS_TRY(choose_profiling(arguments, &profiling));
    STATUS_TRY(torq_compile_open_target(arguments, compiling));
    if (arguments_flag(arguments, "torq-convert-dtypes"))
        compiling->conversion =
            arguments_flag(arguments, "torq-convert-io-dtype") ? CONVERSION_OF_PORTS : CONVERSION;
    STATUS_TRY(compiling_open(compiling, arguments));
    STATUS_TRY(torq_compile_check_outputs(compiling, output, &profiling));
    STATUS_TRY(phases_start(&phases, &observer));
    STATUS_TRY(compiling_run(compiling, &observer));
    STATUS_TRY(compiling_price(compiling));
    STATUS_TRY(check_host(arguments, compiling));
    STATUS_TRY(phases_finish(&phases));
    if (debug != NULL)
        STATUS_TRY(phases_write_debug_info(compiling, debug));
    if (profiling.path != NULL)
        STATUS_TRY(compile_trace_write(compiling, profiling.path, profiling.writer));
    if (phases.to == NULL)
        STATUS_TRY(program_write(&compiling->program, output));
    if (arguments_flag(arguments, "summary"))
        torq_compile_print_summary(compiling);
    return STATUS_OK;
}

static status torq_compile_command(const struct arguments *arguments, int *out_exit)
{
    const char *hardware = arguments_value(arguments, "torq-hw");
    struct compiling compiling = {.command = "torq-compile"};
    (void)out_exit;
    if (hardware != NULL && strcmp(hardware, "list") == 0) {
        torq_hw_list();
        return STATUS_OK;
    }
    const status result = torq_compile_network(arguments, &compiling);
    compiling_free(&compiling);
    return result;
}

#define NO_EFFECT "taken, without effect"

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE", "the program (.vmfb; opscope's own form)"},
    {"torq-enable-profiling", 0, OPTION_SWITCH, NULL, "writes the modelled timeline"},
    {"torq-dump-profiling", 0, OPTION_ONE, "FILE", "where to (timeline.csv); .pb: for Perfetto"},
    {"torq-profiling-format", 0, OPTION_ONE, "c1|c2|c4", "columns of the CSV (c1)"},
    {"torq-hw", 0, OPTION_ONE, "HW", "SL2610, its own description, or list"},
    {"torq-rules", 0, OPTION_ONE, "best|public",
     "how work is priced and values kept; public: as published"},
    {"torq-dma-in-mtu", 0, OPTION_ONE, "N", "bursts of 2^N beats into the NPU (4)"},
    {"torq-dma-out-mtu", 0, OPTION_ONE, "N", "bursts of 2^N beats out of it (4)"},
    {"dump-compilation-phases-to", 0, OPTION_ONE, "DIR", "MODEL.N.PHASE.mlir of every phase"},
    {"torq-debug-info", 0, OPTION_ONE, "DIR",
     "MODEL.executable-targets.mlir, with cycles and source"},
    {"mlir-print-ir-after-all", 0, OPTION_SWITCH, NULL, "every phase on the standard error"},
    {"mlir-print-ir-tree-dir", 0, OPTION_ONE, "DIR", "every phase as a file there instead"},
    {"compile-to", 0, OPTION_ONE, "PHASE",
     "-o is the text of this phase: flow, executable-targets"},
    {"torq-disable-host", 0, OPTION_SWITCH, NULL, "fails where something would run on the host"},
    {"torq-convert-dtypes", 0, OPTION_SWITCH, NULL, "f32 and f16 are computed as bf16, i64 as i32"},
    {"torq-convert-io-dtype", 0, OPTION_SWITCH, NULL,
     "with it: inputs and outputs are bf16 and i32 as well, without casts"},
    {"summary", 0, OPTION_SWITCH, NULL, "prints what 'opscope compile' prints"},
    NETWORK_INPUT_OPTIONS,
    {"torq-fake-reduce", 0, OPTION_SWITCH, NULL, NO_EFFECT},
    {"torq-disable-ndl-cycle-check", 0, OPTION_SWITCH, NULL, NO_EFFECT},
    {"torq-css-qemu", 0, OPTION_SWITCH, NULL, NO_EFFECT},
    {"iree-input-type", 0, OPTION_ONE, "TYPE", NO_EFFECT ": the file's content decides"},
    {"iree-hal-target-backends", 0, OPTION_EACH, "NAME", NO_EFFECT},
    {"iree-hal-target-device", 0, OPTION_EACH, "NAME", NO_EFFECT},
    {0},
};

const struct command COMMAND_TORQ_COMPILE = {
    .name = "torq-compile",
    .link = "torq-compile",
    .usage = "MODEL -o FILE [--torq-enable-profiling] [--torq-dump-profiling=FILE]",
    .summary = "compile a network for Torq, with the flags of Torq's compiler",
    .details = "Times in the profile are modelled, in cycles, one row for each piece of work, in\n"
               "order of their start. The last phase, executable-targets, is in Torq's own form.",
    .examples = "  torq-compile add.mlir -o model.vmfb --torq-enable-profiling \\\n"
                "      --torq-dump-profiling=./trace.csv --dump-compilation-phases-to=./phases\n"
                "  torq-compile add.mlir -o model.vmfb --torq-hw=0x0:1024:4:coral_v2:nss_v1",
    .options = OPTIONS,
    .run = torq_compile_command,
};
