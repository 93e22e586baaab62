// `qaic-opstats --qpc FILE --input-dir DIR`: summaries, traces and a report of statistics buffers.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/parts.h"
#include "commands.h"
#include "formats/qaic/qaic_program.h"
#include "qaic_buffers.h"
#include "qaic_report.h"
#include "reports/qaic/opstats.h"
#include "reports/qaic/opstats_host.h"

// A buffer that is open.
struct part {
    const struct qaic_buffer *buffer;
    struct input *input;
    struct qaic_raw_stats stats;
    struct opstats opstats;
    size_t number; // of the program's parts
};

// What buffers of a part of the program are held against.
struct part_plans {
    struct opstats_plan *whole;    // of all its devices
    struct opstats_plan **slices;  // of each of several; NULL: there is one
    struct opstats_report *report; // NULL: it has no buffers yet
};

// Buffers of one inference. Several groups are processed at a time; what they say and give is
// taken in order.
struct group {
    const struct request *request;
    size_t first, count; // of the folder's buffers
    struct part *parts;
    size_t open;
    status result;
    size_t failed;
    struct bytes said;       // for stderr
    struct bytes written[2]; // paths of summaries and traces
};

struct request {
    const struct arguments *arguments;
    const char *input, *output;
    bool summary, trace, report, verbose;
    bool merge_devices;
    struct opstats_trace options;
    bool *cores;         // of --select-cores; NULL: all
    const char *devices; // of --select-devices; NULL: all
    struct table_options tables;
    struct qaic_program program;
    struct part_plans *plans;  // by part of the program
    struct opstats_host *host; // NULL: none is given
    struct qaic_buffers buffers;
    size_t done, failed;
    struct bytes written[2]; // as of groups
};

// Options ------------------------------------------------------------------------------

static status read_answer(const struct arguments *arguments, const char *name, bool *answer)
{
    const char *text = arguments_value(arguments, name);
    if (text == NULL)
        return STATUS_OK;
    *answer = strcmp(text, "true") == 0;
    if (!*answer && strcmp(text, "false") != 0)
        return status_make(STATUS_USAGE, "qaic-opstats: --%s %s: expected true or false", name,
                           text);
    return STATUS_OK;
}

static status read_flows(const struct arguments *arguments, bool *flows)
{
    const char *text = arguments_value(arguments, "flow-events");
    *flows = text != NULL && strcmp(text, "full") == 0;
    if (text != NULL && !*flows && strcmp(text, "none") != 0)
        return status_make(STATUS_USAGE, "qaic-opstats: --flow-events %s: expected none or full",
                           text);
    return STATUS_OK;
}

// "0,5,1"
static status qaic_opstats_read_cores(struct request *request)
{
    const char *text = arguments_value(request->arguments, "select-cores");
    uint32_t cores = 0;
    for (size_t i = 0; i < request->program.part_count; i++) {
        const struct qaic_part *part = &request->program.parts[i];
        const uint32_t own = part->network->cores / part->devices;
        cores = own > cores ? own : cores;
    }
    if (text == NULL)
        return STATUS_OK;
    request->cores = memory_allocate_zeroed((size_t)cores + 1, sizeof *request->cores);
    request->options.cores = request->cores;
    for (struct view rest = view_of(text);;) {
        const size_t comma = view_find(rest, ',');
        uint64_t number;
        if (!view_to_u64(view_slice(rest, 0, comma), &number) || number >= cores)
            return status_make(STATUS_USAGE,
                               "qaic-opstats: --select-cores %s: the program has cores 0 to %u",
                               text, cores - 1);
        request->cores[number] = true;
        if (comma == rest.size)
            return STATUS_OK;
        rest = view_slice(rest, comma + 1, rest.size);
    }
}

// Whether a list "0,2" has the number.
static bool has_number(const char *list, uint64_t wanted)
{
    for (struct view rest = view_of(list);;) {
        const size_t comma = view_find(rest, ',');
        uint64_t number;
        if (view_to_u64(view_slice(rest, 0, comma), &number) && number == wanted)
            return true;
        if (comma == rest.size)
            return false;
        rest = view_slice(rest, comma + 1, rest.size);
    }
}

static bool is_selected(const struct request *request, const struct qaic_buffer *buffer)
{
    return request->devices == NULL ||
           has_number(request->devices, buffer->device > 0 ? buffer->device - 1 : 0);
}

// Every number of the list is that of a device that has buffers.
static status qaic_opstats_check_devices(const struct request *request)
{
    uint32_t most = 0;
    for (size_t i = 0; i < request->buffers.count; i++) {
        const uint32_t device = request->buffers.items[i].device;
        most = device > most + 1 ? device - 1 : most;
    }
    if (request->devices == NULL)
        return STATUS_OK;
    for (struct view rest = view_of(request->devices);;) {
        const size_t comma = view_find(rest, ',');
        uint64_t number;
        if (!view_to_u64(view_slice(rest, 0, comma), &number) || number > most)
            return status_make(STATUS_USAGE,
                               "qaic-opstats: --select-devices %s: there are buffers of device%s "
                               "%s%" PRIu32,
                               request->devices, most > 0 ? "s" : "", most > 0 ? "0 to " : "",
                               most);
        if (comma == rest.size)
            return STATUS_OK;
        rest = view_slice(rest, comma + 1, rest.size);
    }
}

static status read_outputs(struct request *request)
{
    const struct arguments *arguments = request->arguments;
    request->summary = arguments_flag(arguments, "summary");
    request->trace = arguments_flag(arguments, "trace");
    request->report = arguments_flag(arguments, "report");
    STATUS_TRY(table_options_read(arguments, QAIC_REPORT_TOP, &request->tables));
    if (!request->summary && !request->trace && !request->report)
        return status_make(STATUS_USAGE, "qaic-opstats: say what to make: --summary, --trace, "
                                         "--report or several of them");
    if ((request->tables.json || request->tables.csv) && !request->report)
        return status_make(STATUS_USAGE, "qaic-opstats: --json and --csv are for --report");
    return STATUS_OK;
}

static void make_plans(struct request *request)
{
    const size_t parts = request->program.part_count;
    request->plans = memory_allocate_zeroed(parts + 1, sizeof *request->plans);
    for (size_t i = 0; i < parts; i++) {
        const struct qaic_part *part = &request->program.parts[i];
        struct part_plans *plans = &request->plans[i];
        plans->whole = opstats_plan_make(part->network);
        if (part->slices == NULL)
            continue;
        plans->slices = memory_allocate_zeroed(part->devices, sizeof *plans->slices);
        for (uint32_t k = 0; k < part->devices; k++)
            plans->slices[k] = opstats_plan_make(part->slices[k]);
    }
}

static void free_plans(struct request *request)
{
    for (size_t i = 0; i < request->program.part_count && request->plans != NULL; i++) {
        struct part_plans *plans = &request->plans[i];
        for (uint32_t k = 0; plans->slices != NULL && k < request->program.parts[i].devices; k++)
            opstats_plan_free(plans->slices[k]);
        free(plans->slices);
        opstats_report_free(plans->report);
        opstats_plan_free(plans->whole);
    }
    free(request->plans);
}

static status read_request(struct request *request)
{
    const struct arguments *arguments = request->arguments;
    const char *qpc = arguments_value(arguments, "qpc");
    const char *host = arguments_value(arguments, "host-trace");
    request->input = arguments_value(arguments, "input-dir");
    request->output = arguments_value(arguments, "output-dir");
    request->output = request->output != NULL ? request->output : ".";
    request->devices = arguments_value(arguments, "select-devices");
    request->verbose = arguments_flag(arguments, "verbose");
    request->options.merge_threads = true;
    request->options.barriers = arguments_flag(arguments, "show-barrier-events");
    request->merge_devices = true;
    if (qpc == NULL || request->input == NULL)
        return status_make(STATUS_USAGE, "qaic-opstats: say of which program and which folder: "
                                         "--qpc programqpc.bin --input-dir DIR");
    STATUS_TRY(read_outputs(request));
    STATUS_TRY(read_answer(arguments, "merge-thread-groups", &request->options.merge_threads));
    STATUS_TRY(read_answer(arguments, "merge-mq-traces", &request->merge_devices));
    STATUS_TRY(read_flows(arguments, &request->options.flows));
    if (host != NULL && !request->trace)
        return status_make(STATUS_USAGE, "qaic-opstats: --host-trace is for --trace");
    STATUS_TRY(qaic_program_open(qpc, &request->program));
    make_plans(request);
    if (host != NULL)
        STATUS_TRY(opstats_host_read(host, &request->host));
    STATUS_TRY(qaic_opstats_read_cores(request));
    STATUS_TRY(qaic_buffers_list(request->input, &request->buffers));
    return qaic_opstats_check_devices(request);
}

// Buffers ------------------------------------------------------------------------------

// Says what a buffer lacks that can be processed otherwise.
static void say_lacks(struct group *group, const struct part *part, const char *path)
{
    if (part->stats.level < QAIC_LEVEL_OPERATIONS) {
        bytes_append_format(
            &group->said,
            "qaic-opstats: %s: was recorded at level %" PRIu32
            ", which has no cycles of operators: compile with -stats-level=%d and run again\n",
            path, part->stats.level, QAIC_LEVEL_OPERATIONS);
        group->failed++;
    }
    if (part->stats.cut > 0) {
        bytes_append_format(
            &group->said,
            "qaic-opstats: %s: is cut off: %" PRIu64
            " operations are lost; what is there is processed; run again for the rest\n",
            path, part->stats.cut);
        group->failed++;
    }
}

// Of the specializations in the container, the one that was run.
static status find_network(const struct request *request, struct part *part, const char *path)
{
    const struct qaic_part *found = qaic_program_find(&request->program, part->stats.program);
    const uint32_t device = part->stats.device;
    const struct qaic_network *network = found != NULL ? qaic_part_network(found, device) : NULL;
    if (network == NULL)
        return status_make(STATUS_DATA,
                           "%s: belongs to another program than this: give the programqpc.bin that "
                           "was run",
                           path);
    part->number = (size_t)(found - request->program.parts);
    const struct part_plans *plans = &request->plans[part->number];
    part->opstats.network = network;
    part->opstats.program = found->program;
    part->opstats.target = request->program.target;
    part->opstats.plan = device > 0 ? plans->slices[device - 1] : plans->whole;
    return STATUS_OK;
}

static status refuse_buffer(const char *path, struct view bytes)
{
    if (qaic_raw_is_cut(bytes))
        return status_make(STATUS_DATA, "%s: %s: run qaic-runner again", path,
                           bytes.size == 0 ? "is empty" : "is cut off within its first bytes");
    return status_make(STATUS_UNSUPPORTED,
                       "%s: is no buffer of opscope's; the layout of the card's own is not "
                       "public: use the vendor's qaic-opstats, whose summary and trace "
                       "'opscope info' and 'opscope convert' take",
                       path);
}

static status open_part(struct group *group, const struct qaic_buffer *buffer, struct part *part)
{
    const struct request *request = group->request;
    struct bytes path = {0};
    bytes_append_format(&path, "%s/%s", request->input, buffer->name);
    bytes_append(&path, "", 1);
    const char *text = (const char *)path.data;
    *part = (struct part){.buffer = buffer};
    part->opstats = (struct opstats){.stats = &part->stats};
    status result = input_open(text, &part->input);
    if (result == STATUS_OK && !qaic_raw_recognise(part->input->bytes))
        result = refuse_buffer(text, part->input->bytes);
    if (result == STATUS_OK)
        result = qaic_raw_read(part->input, &part->stats);
    if (result == STATUS_OK)
        result = find_network(request, part, text);
    if (result == STATUS_OK)
        result = opstats_check(&part->opstats, text);
    if (result == STATUS_OK && part->stats.thread_times == NULL)
        result =
            status_make(STATUS_DATA,
                        "%s: was recorded at level %" PRIu32
                        ", which has no statistics: compile with -stats-level=%d and run again",
                        text, part->stats.level, QAIC_LEVEL_OPERATIONS);
    if (result == STATUS_OK)
        say_lacks(group, part, text);
    if (result == STATUS_OK && request->verbose)
        bytes_append_format(&group->said, "qaic-opstats: %s: %zu operations\n", text,
                            part->stats.operation_count);
    if (result != STATUS_OK && part->input != NULL)
        input_close(part->input);
    bytes_free(&path);
    return result;
}

static status write_summary(struct group *group, const struct part *part)
{
    struct bytes path = {0};
    struct output *output;
    qaic_buffer_output(part->buffer, group->request->output, "summary.txt", false, &path);
    status result = output_open((const char *)path.data, &output);
    if (result == STATUS_OK) {
        struct qaic_summary *summary = opstats_summarise(&part->opstats);
        qaic_summary_write(summary, output);
        qaic_summary_free(summary);
        result = output_close(output);
        bytes_append_format(&group->written[0], " %s\n", (const char *)path.data);
    }
    bytes_free(&path);
    return result;
}

// Where the first of them starts: with the host, where that saw it begin.
static double start_us(struct group *group, const struct qaic_buffer *buffer)
{
    const struct opstats_host *host = group->request->host;
    double us = 0;
    if (host != NULL && !opstats_host_find(host, buffer->activation, buffer->inference, &us)) {
        bytes_append_format(&group->said,
                            "qaic-opstats: %s: the host's trace does not name inference %" PRIu64
                            ": both begin together in the trace\n",
                            buffer->name, buffer->inference);
        group->failed++;
    }
    return us;
}

// Of parts of one inference, on one clock.
static void write_parts(struct group *group, const struct part *parts, size_t count,
                        struct output *output)
{
    const struct request *request = group->request;
    struct opstats_trace options = request->options;
    struct opstats *all = memory_allocate_zeroed(count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = parts[i].opstats;
    options.part = true;
    options.offset_us = start_us(group, parts[0].buffer);
    output_text(output, "{\"traceEvents\":[\n");
    opstats_trace_write(all, count, &options, output);
    if (request->host != NULL)
        opstats_host_write(request->host, output);
    opstats_trace_end(all, count, output);
    free(all);
}

static status qaic_opstats_write_trace(struct group *group, const struct part *parts, size_t count)
{
    struct bytes path = {0};
    struct output *output;
    qaic_buffer_output(parts[0].buffer, group->request->output, "trace.json", count > 1, &path);
    status result = output_open((const char *)path.data, &output);
    if (result == STATUS_OK) {
        write_parts(group, parts, count, output);
        result = output_close(output);
        bytes_append_format(&group->written[1], " %s\n", (const char *)path.data);
    }
    bytes_free(&path);
    return result;
}

// Traces of the devices that are selected: one of all, or one of each.
static status write_traces(struct group *group)
{
    const struct request *request = group->request;
    const struct part *parts = group->parts;
    const size_t count = group->open;
    struct part *chosen = memory_allocate_zeroed(count + 1, sizeof *chosen);
    size_t chosen_count = 0;
    status result = STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        chosen[chosen_count] = parts[i];
        chosen_count += is_selected(request, parts[i].buffer);
    }
    for (size_t i = 0; i < chosen_count; i++)
        chosen[i].opstats.stats = &chosen[i].stats;
    const size_t together = request->merge_devices && chosen_count > 0 ? chosen_count : 1;
    for (size_t i = 0; i < chosen_count && result == STATUS_OK; i += together)
        result = qaic_opstats_write_trace(group, &chosen[i], together);
    free(chosen);
    return result;
}

static void add_to_report(struct request *request, const struct part *part)
{
    struct part_plans *plans = &request->plans[part->number];
    const struct qaic_part *own = &request->program.parts[part->number];
    const struct opstats whole = {
        .network = own->network, .program = own->program, .plan = plans->whole};
    if (plans->report == NULL)
        plans->report = opstats_report_make(&whole, request->program.target);
    opstats_report_add(plans->report, part->opstats.stats);
}

// What cannot be processed is named; the rest is.
static void open_group(struct group *group)
{
    const struct qaic_buffers *buffers = &group->request->buffers;
    group->parts = memory_allocate_zeroed(group->count + 1, sizeof *group->parts);
    for (size_t i = 0; i < group->count && group->result == STATUS_OK; i++) {
        const status failure =
            open_part(group, &buffers->items[group->first + i], &group->parts[group->open]);
        if (failure == STATUS_OK) {
            group->open++;
        } else if (buffers->count == 1) {
            group->result = failure;
        } else {
            bytes_append_format(&group->said, "qaic-opstats: %s\n", status_message(failure));
            status_free(failure);
            group->failed++;
        }
    }
    for (size_t i = 0; i < group->open; i++)
        group->parts[i].opstats.stats = &group->parts[i].stats;
}

// On any thread.
static void process_group(void *part)
{
    struct group *group = part;
    open_group(group);
    for (size_t i = 0; group->request->summary && i < group->open; i++) {
        if (group->result == STATUS_OK)
            group->result = write_summary(group, &group->parts[i]);
    }
    if (group->request->trace && group->open > 0 && group->result == STATUS_OK)
        group->result = write_traces(group);
}

static struct group *group_make(const struct request *request, size_t first)
{
    struct group *group = memory_allocate_zeroed(1, sizeof *group);
    group->request = request;
    group->first = first;
    group->count = qaic_buffers_together(&request->buffers, first);
    return group;
}

static void group_free(struct group *group)
{
    for (size_t i = 0; i < group->open; i++)
        input_close(group->parts[i].input);
    status_free(group->result);
    bytes_free(&group->said);
    bytes_free(&group->written[0]);
    bytes_free(&group->written[1]);
    free(group->parts);
    free(group);
}

static status take_group(struct request *request, struct group *group)
{
    const status result = group->result;
    group->result = STATUS_OK;
    if (group->said.size > 0)
        fwrite(group->said.data, 1, group->said.size, stderr);
    request->failed += group->failed;
    for (unsigned i = 0; i < 2; i++)
        bytes_append(&request->written[i], group->written[i].data, group->written[i].size);
    for (size_t i = 0; request->report && result == STATUS_OK && i < group->open; i++)
        add_to_report(request, &group->parts[i]);
    request->done += result == STATUS_OK ? group->open : 0;
    return result;
}

static status process_groups(struct request *request)
{
    struct parts *parts = parts_open(process_group);
    status result = STATUS_OK;
    for (size_t next = 0;;) {
        while (result == STATUS_OK && next < request->buffers.count && parts_room(parts)) {
            struct group *group = group_make(request, next);
            next += group->count;
            parts_put(parts, group);
        }
        struct group *group = parts_take(parts);
        if (group == NULL)
            break;
        if (result == STATUS_OK)
            result = take_group(request, group);
        group_free(group);
    }
    parts_close(parts);
    return result;
}

static status process_all(struct request *request)
{
    STATUS_TRY(folder_make(request->output));
    request->failed += qaic_buffers_say_missing(&request->buffers);
    STATUS_TRY(process_groups(request));
    if (request->done == 0)
        return status_make(STATUS_DATA, "%s: none of its %zu buffers could be processed",
                           request->input, request->buffers.count);
    return STATUS_OK;
}

// As JSON and CSV the report is all that goes to the standard output.
static void print_written(const struct request *request)
{
    static const char *const TITLES[2] = {"Generated summary outputs:", "Generated trace outputs:"};
    FILE *to = request->tables.json || request->tables.csv ? stderr : stdout;
    for (int i = 0; i < 2; i++) {
        if (request->written[i].size > 0)
            fprintf(to, "%s\n%.*s", TITLES[i], VIEW_ARGUMENTS(bytes_view(&request->written[i])));
    }
}

static void release(struct request *request)
{
    qaic_buffers_free(&request->buffers);
    free_plans(request);
    opstats_host_free(request->host);
    free(request->cores);
    bytes_free(&request->written[0]);
    bytes_free(&request->written[1]);
    qaic_program_free(&request->program);
}

static status qaic_opstats_command(const struct arguments *arguments, int *out_exit)
{
    struct request request = {.arguments = arguments};
    status result = read_request(&request);
    if (result == STATUS_OK)
        result = process_all(&request);
    if (result == STATUS_OK)
        print_written(&request);
    for (size_t i = 0; i < request.program.part_count && result == STATUS_OK; i++) {
        if (request.plans[i].report != NULL)
            result = qaic_report_show(request.plans[i].report, &request.tables);
    }
    if (result == STATUS_OK && request.failed > 0)
        *out_exit = EXIT_LOSS;
    release(&request);
    return result;
}

static const struct option OPTIONS[] = {
    {"qpc", 'q', OPTION_ONE, "FILE", "the program that was run: programqpc.bin"},
    {"input-dir", 'i', OPTION_ONE, "DIR", "where the runner wrote its buffers"},
    {"output-dir", 'o', OPTION_ONE, "DIR", "where results go (.); made if it is not there"},
    {"summary", 0, OPTION_FLAG, NULL, "a summary of each buffer"},
    {"trace", 0, OPTION_FLAG, NULL, "a trace of each, for Perfetto and chrome://tracing"},
    {"report", 0, OPTION_FLAG, NULL, "a page on all of them: bounds, blocks, cores, memory"},
    {"host-trace", 0, OPTION_ONE, "FILE", "the host's trace, merged into each on one clock"},
    {"select-cores", 'c', OPTION_ONE, "LIST", "only these cores in traces: 0,5,1"},
    {"select-devices", 'd', OPTION_ONE, "LIST", "only these devices in traces: 0,1"},
    {"flow-events", 0, OPTION_ONE, "none|full", "arrows along dependencies (none)"},
    {"merge-thread-groups", 0, OPTION_ONE, "true|false", "one track for a group's threads (true)"},
    {"merge-mq-traces", 0, OPTION_ONE, "true|false",
     "one trace of all devices of an inference (true)"},
    {"show-barrier-events", 0, OPTION_FLAG, NULL, "waits after operations, on tracks of their own"},
    {"verbose", 'v', OPTION_FLAG, NULL, "says which buffer is processed"},
    TABLE_OPTIONS("the report as JSON", "the report's nodes as CSV",
                  "how many nodes and blocks the report lists (10; 0: all)"),
    {0},
};

const struct command COMMAND_QAIC_OPSTATS = {
    .name = "qaic-opstats",
    .link = "qaic-opstats",
    .usage = "--qpc FILE --input-dir DIR --summary --trace [--output-dir DIR]",
    .summary = "summaries and traces of a card's statistics, as Cloud AI's tool makes them",
    .details = "Reads the buffers that qaic-runner --aic-profiling-type=raw_device_stats wrote.\n"
               "A buffer that cannot be processed, or is missing among the samples, is named, the\n"
               "others are processed: exit 3. --report, --json and what follows are opscope's own.",
    .examples =
        "  qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats \\\n"
        "      --output-dir ./stats-out --summary --trace --flow-events full\n"
        "  qaic-opstats -q ./binaries/programqpc.bin -i ./stats --trace --select-cores 0,1\n"
        "  qaic-opstats -q ./binaries/programqpc.bin -i ./stats --report",
    .options = OPTIONS,
    .tables = QAIC_REPORT_TABLES,
    .run = qaic_opstats_command,
};
