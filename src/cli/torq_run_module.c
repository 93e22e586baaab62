// `torq-run-module` and `iree-run-module --device=torq`: runs a compiled program on this
// machine, by the names and flags of Torq's and IREE's tools.

#include <opscope/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/figures.h"
#include "base/folder.h"
#include "base/memory.h"
#include "commands.h"
#include "device/device.h"
#include "formats/torq/run_actions.h"
#include "network/compare.h"
#include "network/tensor_file.h"
#include "network_run.h"
#include "program/location.h"
#include "program/print.h"
#include "run_profiles.h"

static const char COMMAND[] = "torq-run-module";
static const char DEVICE[] = "torq";

struct module_run {
    const struct arguments *arguments;
    const char *path; // of the module
    struct program *program;
    struct target *target;
    char *function;
    struct recorder *recorder; // NULL: nothing is recorded
    struct device *device;
    struct run_profiles profiles;
    struct device_watch watch;
    const char *const *expected; // of --expected_output
    size_t expected_count;
    bool different; // from what was expected
};

// Flags -------------------------------------------------------------------------------------

static status check_device(const struct arguments *arguments)
{
    const char *device = arguments_value(arguments, "device");
    const char *hardware = arguments_value(arguments, "torq_hw_type");
    if (device != NULL && strcmp(device, DEVICE) != 0)
        return status_make(STATUS_USAGE, "%s: --device=%s: only %s is here", COMMAND, device,
                           DEVICE);
    if (hardware != NULL && strcmp(hardware, "sim") != 0)
        return status_make(STATUS_USAGE,
                           "%s: --torq_hw_type=%s: there is no such hardware here; sim runs the "
                           "program on this machine",
                           COMMAND, hardware);
    return STATUS_OK;
}

// The last module is run; those before it are what it would import: a program imports nothing.
static status open_modules(struct module_run *run)
{
    size_t count, word_count;
    const char *const *modules = arguments_values(run->arguments, "module", &count);
    const char *const *words = arguments_words(run->arguments, &word_count);
    if (word_count > 0)
        return status_make(STATUS_USAGE, "%s: '%s' belongs to no flag; a module is --module=%s",
                           COMMAND, words[0], words[0]);
    if (count == 0)
        return status_make(STATUS_USAGE, "%s: say what to run: --module=model.vmfb", COMMAND);
    for (size_t i = 0; i < count; i++) {
        program_free(run->program);
        run->program = NULL;
        run->path = modules[i];
        STATUS_TRY(program_open(run->path, &run->program));
    }
    return target_parse(run->path, run->program->target_text, &run->target);
}

// A program has one function, whose name its dispatches begin with.
static char *function_of(const struct program *program)
{
    static const char MARK[] = "_dispatch_";
    const char *name =
        program->dispatch_count > 0 ? program_text(program, program->dispatches[0].name) : "";
    const char *end = strstr(name, MARK);
    return view_copy(end != NULL ? (struct view){name, (size_t)(end - name)}
                                 : VIEW_LITERAL("main"));
}

static status choose_function(struct module_run *run)
{
    const char *wanted = arguments_value(run->arguments, "function");
    run->function = function_of(run->program);
    if (wanted == NULL || wanted[0] == '\0')
        return STATUS_OK;
    const char *name = strncmp(wanted, "module.", 7) == 0 ? wanted + 7 : wanted;
    if (strcmp(name, run->function) != 0)
        return status_make(STATUS_USAGE, "%s: %s has no function '%s'; it has: %s", COMMAND,
                           run->path, wanted, run->function);
    return STATUS_OK;
}

// Outputs -----------------------------------------------------------------------------------

static status torq_run_module_compute_outputs(void *context, struct datum *const *inputs,
                                              size_t input_count, struct datum **out_outputs)
{
    const struct module_run *run = context;
    return device_run(run->device, inputs, input_count, out_outputs);
}

// As IREE's; of a converted network as much more as its elements want.
static status torq_run_module_tolerance(const struct network *network,
                                        struct compare_tolerance *out_tolerance)
{
    struct conversion conversion;
    *out_tolerance = (struct compare_tolerance){.atol = 1e-4};
    if (network->conversion.text.size == 0)
        return STATUS_OK;
    STATUS_TRY(conversion_parse(network->conversion.text.data, &conversion));
    out_tolerance->of_largest = conversion_tolerance(&conversion);
    return STATUS_OK;
}

static status torq_run_module_compare_output(const struct network_value *value, const char *text,
                                             uint32_t index, const struct datum *output,
                                             const struct compare_tolerance *tolerance,
                                             bool *different)
{
    struct comparison comparison = {0};
    struct datum *wanted;
    if (strcmp(text, "(ignored)") == 0)
        return STATUS_OK;
    STATUS_TRY(status_within(tensor_file_read_input(view_of(text), &value->type, &wanted),
                             "%s: --expected_output %u", COMMAND, index));
    compare_data(output, wanted, tolerance, &comparison);
    datum_release(wanted);
    if (comparison.different) {
        printf("[FAILED] result[%u]: %s\n", index, comparison.reason);
        *different = true;
    }
    return STATUS_OK;
}

static status torq_run_module_compare_outputs(void *context, struct datum *const *outputs,
                                              uint32_t count)
{
    struct module_run *run = context;
    const struct network *network = device_network(run->device);
    if (run->expected_count == 0)
        return STATUS_OK;
    if (run->expected_count != count)
        return status_make(STATUS_USAGE, "%s: %zu times --expected_output, but @%s has %u outputs",
                           COMMAND, run->expected_count, run->function, count);
    struct compare_tolerance tolerance;
    STATUS_TRY(torq_run_module_tolerance(network, &tolerance));
    for (uint32_t i = 0; i < count; i++) {
        const struct network_value *value =
            network_value(network, network_graph(network, 0)->outputs[i]);
        STATUS_TRY(torq_run_module_compare_output(value, run->expected[i], i, outputs[i],
                                                  &tolerance, &run->different));
    }
    if (!run->different)
        printf("[SUCCESS] all function outputs matched their expected values.\n");
    return STATUS_OK;
}

// Running -----------------------------------------------------------------------------------

// Debugging -----------------------------------------------------------------------------------

static void torq_run_module_print_action(const struct program *program,
                                         const struct program_action *action)
{
    const char *what = program_action_kind_name(action->kind);
    const bool job =
        action->kind == PROGRAM_ACTION_JOB_START || action->kind == PROGRAM_ACTION_JOB_WAIT;
    struct bytes location = {0};
    program_action_location(program, action, &location);
    fprintf(stderr, "torq_debug:   action %u: %s", action->number, what);
    if (job)
        fprintf(stderr, " %s (job %u)", program_text(program, program->jobs[action->subject].name),
                program->jobs[action->subject].number);
    fprintf(stderr, " %.*s\n", (int)location.size, (const char *)location.data);
    bytes_free(&location);
}

static void torq_run_module_print_debug(const struct module_run *run)
{
    const struct program *program = run->program;
    fprintf(stderr, "torq_debug: %s: for %s, %u dispatches, %u actions, %u jobs, %u tasks\n",
            run->path, run->target->name, program->dispatch_count, program->action_count,
            program->job_count, program->task_count);
    for (uint32_t i = 0; i < program->dispatch_count; i++) {
        const struct program_dispatch *dispatch = &program->dispatches[i];
        fprintf(stderr, "torq_debug: dispatch %s\n", program_text(program, dispatch->name));
        for (uint32_t k = 0; k < dispatch->action_count; k++)
            torq_run_module_print_action(program, &program->actions[dispatch->first_action + k]);
    }
}

// DIR/DISPATCH_ACTION_bufferN.npy; of several iterations the last one stays.
static status dump_buffer(void *context, uint32_t id, uint32_t buffer, const struct datum *datum)
{
    const struct module_run *run = context;
    const struct program *program = run->program;
    uint32_t dispatch = 0;
    while (dispatch + 1 < program->dispatch_count &&
           program->dispatches[dispatch + 1].first_action <= id)
        dispatch++;
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s/%s_action%u_buffer%u.npy",
                              arguments_value(run->arguments, "torq_dump_buffers_dir"),
                              program_text(program, program->dispatches[dispatch].name),
                              program->actions[id].number, buffer);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "%s: a path in --torq_dump_buffers_dir is too long",
                           COMMAND);
    return tensor_file_write(path, false, VIEW_LITERAL(""), &(struct value_type){0}, datum);
}

// The recording has a span for it: Torq's INIT.
static status torq_run_module_make_device(struct module_run *run)
{
    struct device_options options = {0};
    run->watch = (struct device_watch){run, dump_buffer};
    if (arguments_value(run->arguments, "torq_dump_buffers_dir") != NULL) {
        STATUS_TRY(status_within(
            folder_make(arguments_value(run->arguments, "torq_dump_buffers_dir")), "%s", COMMAND));
        options.watch = &run->watch;
    }
    STATUS_TRY(arguments_number(run->arguments, "threads", 0, &options.threads));
    const uint32_t lane = opscope_lane(RUN_ACTIONS_INIT);
    const uint32_t name = opscope_text(RUN_ACTIONS_INIT);
    const uint64_t begun = opscope_begin();
    STATUS_TRY(
        status_within(device_load(&DEVICE_HOST, run->program, run->target, &options, &run->device),
                      "%s", run->path));
    if (run->recorder != NULL)
        device_profile(run->device, run->recorder);
    opscope_end(begun, lane, name, 0);
    return STATUS_OK;
}

static status run_function(struct module_run *run)
{
    STATUS_TRY(torq_run_module_make_device(run));
    const struct network *network = device_network(run->device);
    struct network_run request = {.command = COMMAND,
                                  .network = network,
                                  .context = run,
                                  .compute = torq_run_module_compute_outputs,
                                  .check = torq_run_module_compare_outputs,
                                  .function = run->function};
    STATUS_TRY(arguments_number(run->arguments, "iterations", 1, &request.iterations));
    STATUS_TRY(arguments_number(run->arguments, "output_max_element_count",
                                NETWORK_RUN_ELEMENTS_SHOWN, &request.shown));
    request.inputs = arguments_values(run->arguments, "input", &request.input_count);
    request.targets = arguments_values(run->arguments, "output", &request.target_count);
    run->expected = arguments_values(run->arguments, "expected_output", &run->expected_count);
    request.quiet = run->expected_count > 0;
    return network_run_given(&request);
}

static void warn(void)
{
    fprintf(stderr,
            "warning: a simulation on this machine, which is not cycle accurate: its times say\n"
            "nothing about the real performance; for modelled cycles: opscope estimate\n");
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void print_statistics(void)
{
    struct rusage usage;
    char resident[FIGURES_ROOM], tensors[FIGURES_ROOM];
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr,
            "statistics of this machine: CPU %.3f s user, %.3f s system; peak memory %s, of which "
            "tensors %s\n",
            seconds(usage.ru_utime), seconds(usage.ru_stime),
            figures_bytes((uint64_t)usage.ru_maxrss * 1024, resident),
            figures_bytes(datum_peak_bytes(), tensors));
}

static status run_module(struct module_run *run)
{
    STATUS_TRY(check_device(run->arguments));
    STATUS_TRY(open_modules(run));
    STATUS_TRY(choose_function(run));
    STATUS_TRY(run_profiles_choose(run->arguments, COMMAND, &run->path, 1, &run->profiles));
    if (run->profiles.count > 0)
        warn();
    if (arguments_flag(run->arguments, "torq_debug"))
        torq_run_module_print_debug(run);
    STATUS_TRY(run_profiles_start(&run->profiles, run->target, &run->recorder));
    const status result = run_profiles_finish(&run->profiles, run->program, run_function(run));
    if (result == STATUS_OK && arguments_flag(run->arguments, "print_statistics"))
        print_statistics();
    return result;
}

static status torq_run_module_command(const struct arguments *arguments, int *out_exit)
{
    if (arguments_flag(arguments, "list_devices") || arguments_flag(arguments, "list_drivers")) {
        printf("%s\n", DEVICE);
        return STATUS_OK;
    }
    struct module_run module = {.arguments = arguments};
    const status result = run_module(&module);
    *out_exit = module.different ? EXIT_FAILED : EXIT_DONE;
    run_profiles_free(&module.profiles);
    device_free(module.device);
    program_free(module.program);
    target_free(module.target);
    free(module.function);
    return result;
}

static const struct option OPTIONS[] = {
    {"module", 0, OPTION_EACH, "FILE", "the program (.vmfb, .opx); of several the last one runs"},
    {"function", 0, OPTION_ONE, "NAME", "of the program (it has one)"},
    {"input", 0, OPTION_EACH, "VALUE", "the next input: 1x4xi8=1, 2x2xi32=[[1 2][3 4]], @x.npy"},
    {"output", 0, OPTION_EACH, "FILE", "the next output: @x.npy, +x.npy after it, -, or nothing"},
    {"expected_output", 0, OPTION_EACH, "VALUE", "compared with the next output, or (ignored)"},
    {"output_max_element_count", 0, OPTION_ONE, "N", "of each output that are shown (1024)"},
    RUN_PROFILES_OPTIONS,
    {"iterations", 0, OPTION_ONE, "N", "runs it N times"},
    {"threads", 0, OPTION_ONE, "N", "workers (one for each CPU); results do not depend on it"},
    {"print_statistics", 0, OPTION_SWITCH, NULL, "memory and CPU time of this machine, on stderr"},
    {"torq_debug", 0, OPTION_SWITCH, NULL, "what the program does, on the standard error"},
    {"torq_dump_buffers_dir", 0, OPTION_ONE, "DIR", "what each action left in XRAM, as .npy"},
    {"device", 0, OPTION_ONE, "torq", "what it runs on"},
    {"torq_hw_type", 0, OPTION_ONE, "sim", "the same: there are no boards here"},
    {"list_devices", 0, OPTION_SWITCH, NULL, "lists them"},
    {"list_drivers", 0, OPTION_SWITCH, NULL, "the same"},
    {0},
};

#define DETAILS                                                                                    \
    "Runs what torq-compile wrote, on this machine and with real numbers. Times are this\n"        \
    "machine's: a simulation that is not cycle accurate. Every input must be given. A\n"           \
    "profile also prints the time of each block; 'opscope annotate' joins it with the program."

const struct command COMMAND_TORQ_RUN_MODULE = {
    .name = "torq-run-module",
    .link = "torq-run-module",
    .usage = "--module=FILE [--input=VALUE]... [--output=FILE]... [--torq_profile_host=FILE]",
    .summary = "run a program, with the flags of Torq's runtime",
    .details = DETAILS,
    .examples =
        "  torq-run-module --module=model.vmfb --input=\"1x56x56x24xi8=1\" \\\n"
        "      --torq_profile_host=./runtime.csv\n"
        "  torq-run-module --module=model.vmfb --input=@x.npy --output=@y.npy --iterations=20 \\\n"
        "      --torq_profile=jobs.csv --torq_profile_events=events.csv --print_statistics",
    .options = OPTIONS,
    .run = torq_run_module_command,
};

const struct command COMMAND_IREE_RUN_MODULE = {
    .name = "iree-run-module",
    .link = "iree-run-module",
    .usage = "--device=torq --module=FILE [--input=VALUE]... [--torq_profile=FILE]",
    .summary = "the same under IREE's name",
    .details = DETAILS,
    .examples = "  iree-run-module --device=torq --module=model.vmfb --function=main \\\n"
                "      --input=@in.npy --output=@out.npy --torq_profile=./runtime.csv",
    .options = OPTIONS,
    .run = torq_run_module_command,
};
