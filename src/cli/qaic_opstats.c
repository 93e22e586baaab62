// `qaic-opstats --qpc FILE --input-dir DIR`: summaries and traces of statistics buffers.

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "commands.h"
#include "formats/qaic/qaic_program.h"
#include "reports/qaic/opstats.h"

static const char PREFIX[] = "aic-profiling-program-";
static const char MARK[] = "-aiccyclecounts";

struct request {
    const struct arguments *arguments;
    const char *input, *output;
    bool summary, trace;
    struct opstats_trace options;
    bool *cores; // of --select-cores; NULL: all
    struct qaic_program program;
    char **names; // of buffers, in order
    size_t count;
    size_t failed;
    struct bytes written[2]; // paths of summaries and traces
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
    const uint32_t cores = request->program.network->cores;
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

static status qaic_opstats_check_devices(const struct arguments *arguments)
{
    const char *text = arguments_value(arguments, "select-devices");
    if (text != NULL && strcmp(text, "0") != 0)
        return status_make(
            STATUS_USAGE, "qaic-opstats: --select-devices %s: programs run on one device, 0", text);
    return STATUS_OK;
}

static status read_request(struct request *request)
{
    const struct arguments *arguments = request->arguments;
    const char *qpc = arguments_value(arguments, "qpc");
    request->input = arguments_value(arguments, "input-dir");
    request->output = arguments_value(arguments, "output-dir");
    request->output = request->output != NULL ? request->output : ".";
    request->summary = arguments_flag(arguments, "summary");
    request->trace = arguments_flag(arguments, "trace");
    request->options.merge_threads = true;
    request->options.barriers = arguments_flag(arguments, "show-barrier-events");
    bool merge_queues = true;
    if (qpc == NULL || request->input == NULL)
        return status_make(STATUS_USAGE, "qaic-opstats: say of which program and which folder: "
                                         "--qpc programqpc.bin --input-dir DIR");
    if (!request->summary && !request->trace)
        return status_make(STATUS_USAGE,
                           "qaic-opstats: say what to make: --summary, --trace or both");
    STATUS_TRY(read_answer(arguments, "merge-thread-groups", &request->options.merge_threads));
    STATUS_TRY(read_answer(arguments, "merge-mq-traces", &merge_queues));
    STATUS_TRY(read_flows(arguments, &request->options.flows));
    STATUS_TRY(qaic_opstats_check_devices(arguments));
    STATUS_TRY(qaic_program_open(qpc, &request->program));
    return qaic_opstats_read_cores(request);
}

// Buffers ------------------------------------------------------------------------------

static int qaic_opstats_by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static status list_buffers(struct request *request)
{
    DIR *folder = opendir(request->input);
    if (folder == NULL)
        return status_make(STATUS_IO, "%s: cannot be read: %s", request->input, strerror(errno));
    size_t capacity = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        const struct view name = view_of(entry->d_name);
        if (!view_starts_with(name, PREFIX) || !view_ends_with(name, ".bin") ||
            view_find_text(name, MARK) == name.size)
            continue;
        request->names =
            memory_grow(request->names, request->count, &capacity, sizeof *request->names);
        request->names[request->count++] = view_copy(name);
    }
    closedir(folder);
    if (request->count == 0)
        return status_make(STATUS_NOT_FOUND,
                           "%s: holds no statistics buffer (%s*%s.bin): run qaic-runner with "
                           "--aic-profiling-type=raw_device_stats",
                           request->input, PREFIX, MARK);
    qsort(request->names, request->count, sizeof *request->names, qaic_opstats_by_name);
    return STATUS_OK;
}

static status qaic_opstats_check_level(const struct opstats *opstats, const char *path)
{
    if (opstats->stats->level >= QAIC_LEVEL_OPERATIONS)
        return STATUS_OK;
    return status_make(STATUS_DATA,
                       "%s: was recorded at level %u, which has no operations: compile with "
                       "-stats-level=%d and run again",
                       path, opstats->stats->level, QAIC_LEVEL_OPERATIONS);
}

// "DIR/aic-...-QAicGraph.qaic-opstats.summary.txt": the buffer's name without its mark.
static void output_path(const struct request *request, const char *name, const char *ending,
                        struct bytes *to)
{
    const size_t mark = view_find_text(view_of(name), MARK);
    to->size = 0;
    bytes_append_format(to, "%s/%.*s.qaic-opstats.%s", request->output, (int)mark, name, ending);
    bytes_append(to, "", 1);
}

static status qaic_opstats_write_outputs(struct request *request, const struct opstats *opstats,
                                         const char *name)
{
    struct bytes path = {0};
    struct output *output;
    status result = STATUS_OK;
    if (request->summary) {
        output_path(request, name, "summary.txt", &path);
        result = output_open((const char *)path.data, &output);
        if (result == STATUS_OK) {
            struct qaic_summary *summary = opstats_summarise(opstats);
            qaic_summary_write(summary, output);
            qaic_summary_free(summary);
            result = output_close(output);
            bytes_append_format(&request->written[0], " %s\n", (const char *)path.data);
        }
    }
    if (request->trace && result == STATUS_OK) {
        output_path(request, name, "trace.json", &path);
        result = output_open((const char *)path.data, &output);
        if (result == STATUS_OK) {
            opstats_trace_write(opstats, &request->options, output);
            result = output_close(output);
            bytes_append_format(&request->written[1], " %s\n", (const char *)path.data);
        }
    }
    bytes_free(&path);
    return result;
}

static status process_buffer(struct request *request, const char *name)
{
    struct bytes path = {0};
    struct input *input = NULL;
    struct qaic_raw_stats stats;
    bytes_append_format(&path, "%s/%s", request->input, name);
    bytes_append(&path, "", 1);
    const char *text = (const char *)path.data;
    struct opstats opstats = {.stats = &stats};
    status result = input_open(text, &input);
    if (result == STATUS_OK && !qaic_raw_recognise(input->bytes))
        result = status_make(STATUS_UNSUPPORTED,
                             "%s: is no buffer of opscope's; the layout of the card's own is not "
                             "public: use the vendor's qaic-opstats, whose summary and trace "
                             "'opscope info' and 'opscope convert' take",
                             text);
    if (result == STATUS_OK)
        result = qaic_raw_read(input, &stats);
    const struct qaic_part *part =
        result == STATUS_OK ? qaic_program_find(&request->program, stats.program) : NULL;
    if (part != NULL) {
        opstats.network = part->network;
        opstats.program = part->program;
    } else if (result == STATUS_OK)
        result = status_make(STATUS_DATA,
                             "%s: belongs to another program than this: give the "
                             "programqpc.bin that was run",
                             text);
    if (result == STATUS_OK)
        result = opstats_check(&opstats, text);
    if (result == STATUS_OK)
        result = qaic_opstats_check_level(&opstats, text);
    if (result == STATUS_OK && stats.cut > 0) {
        fprintf(stderr, "qaic-opstats: %s: is cut off: %llu operations are lost\n", text,
                (unsigned long long)stats.cut);
        request->failed++;
    }
    if (result == STATUS_OK)
        result = qaic_opstats_write_outputs(request, &opstats, name);
    if (input != NULL)
        input_close(input);
    bytes_free(&path);
    return result;
}

// What cannot be processed is named; the rest is.
static status process_all(struct request *request)
{
    size_t done = 0;
    STATUS_TRY(folder_make(request->output));
    for (size_t i = 0; i < request->count; i++) {
        const status failure = process_buffer(request, request->names[i]);
        if (failure == STATUS_OK) {
            done++;
            continue;
        }
        if (request->count == 1)
            return failure;
        fprintf(stderr, "qaic-opstats: %s\n", status_message(failure));
        status_free(failure);
        request->failed++;
    }
    if (done == 0)
        return status_make(STATUS_DATA, "%s: none of its %zu buffers could be processed",
                           request->input, request->count);
    return STATUS_OK;
}

static void print_written(const struct request *request)
{
    static const char *const TITLES[2] = {"Generated summary outputs:", "Generated trace outputs:"};
    for (int i = 0; i < 2; i++) {
        if (request->written[i].size > 0)
            printf("%s\n%.*s", TITLES[i], VIEW_ARGUMENTS(bytes_view(&request->written[i])));
    }
}

static status qaic_opstats_command(const struct arguments *arguments, int *out_exit)
{
    struct request request = {.arguments = arguments};
    status result = read_request(&request);
    if (result == STATUS_OK)
        result = list_buffers(&request);
    if (result == STATUS_OK)
        result = process_all(&request);
    if (result == STATUS_OK)
        print_written(&request);
    if (result == STATUS_OK && request.failed > 0)
        *out_exit = EXIT_LOSS;
    for (size_t i = 0; i < request.count; i++)
        free(request.names[i]);
    free(request.names);
    free(request.cores);
    bytes_free(&request.written[0]);
    bytes_free(&request.written[1]);
    qaic_program_free(&request.program);
    return result;
}

static const struct option OPTIONS[] = {
    {"qpc", 'q', OPTION_ONE, "FILE", "the program that was run: programqpc.bin"},
    {"input-dir", 'i', OPTION_ONE, "DIR", "where the runner wrote its buffers"},
    {"output-dir", 'o', OPTION_ONE, "DIR", "where results go (.); made if it is not there"},
    {"summary", 0, OPTION_FLAG, NULL, "a summary of each buffer"},
    {"trace", 0, OPTION_FLAG, NULL, "a trace of each, for Perfetto and chrome://tracing"},
    {"select-cores", 'c', OPTION_ONE, "LIST", "only these cores in traces: 0,5,1"},
    {"select-devices", 'd', OPTION_ONE, "LIST", "only these devices in traces: 0"},
    {"flow-events", 0, OPTION_ONE, "none|full", "arrows along dependencies (none)"},
    {"merge-thread-groups", 0, OPTION_ONE, "true|false", "one track for a group's threads (true)"},
    {"merge-mq-traces", 0, OPTION_ONE, "true|false",
     "taken; there is one queue to a device (true)"},
    {"show-barrier-events", 0, OPTION_FLAG, NULL, "waits after operations, on tracks of their own"},
    {"verbose", 'v', OPTION_FLAG, NULL, "taken: what is wrong is said without it"},
    {0},
};

const struct command COMMAND_QAIC_OPSTATS = {
    .name = "qaic-opstats",
    .link = "qaic-opstats",
    .usage = "--qpc FILE --input-dir DIR --summary --trace [--output-dir DIR]",
    .summary = "summaries and traces of a card's statistics, as Cloud AI's tool makes them",
    .details = "Reads the buffers that qaic-runner --aic-profiling-type=raw_device_stats wrote.\n"
               "A buffer that cannot be processed is named, the others are processed: exit 3.",
    .examples = "  qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats \\\n"
                "      --output-dir ./stats-out --summary --trace --flow-events full\n"
                "  qaic-opstats -q ./binaries/programqpc.bin -i ./stats --trace --select-cores 0,1",
    .options = OPTIONS,
    .run = qaic_opstats_command,
};
