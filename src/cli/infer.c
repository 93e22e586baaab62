// `opscope infer MODEL`: computes a network on this machine.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "commands.h"
#include "kernels/executor.h"
#include "network/tensor_file.h"
#include "network/tensor_text.h"
#include "network_input.h"
#include "wire/json.h"

enum { ELEMENTS_SHOWN = 1024 };

struct inferring {
    const struct network *network;
    const struct network_graph *graph;
    struct executor *executor;
    const char *const *targets; // of --output
    size_t target_count;
    unsigned iterations;
    unsigned shown; // elements of each output
    struct datum **inputs;
    struct datum **outputs;
    uint64_t *times_ns; // of each iteration
};

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int by_size(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void release_all(struct datum **data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        datum_release(data[i]);
        data[i] = NULL;
    }
}

static const struct network_value *output_value(const struct inferring *inferring, uint32_t index)
{
    return network_value(inferring->network, inferring->graph->outputs[index]);
}

// Computing -------------------------------------------------------------------

static status run_iterations(struct inferring *inferring)
{
    for (unsigned i = 0; i < inferring->iterations; i++) {
        release_all(inferring->outputs, inferring->graph->output_count);
        const uint64_t start = now_ns();
        STATUS_TRY(executor_run(inferring->executor, inferring->inputs,
                                inferring->graph->input_count, inferring->outputs));
        inferring->times_ns[i] = now_ns() - start;
    }
    qsort(inferring->times_ns, inferring->iterations, sizeof *inferring->times_ns, by_size);
    return STATUS_OK;
}

// Printing --------------------------------------------------------------------

// "@x.npy" and "x.npy" are the file; NULL is the text on the standard output.
static const char *target_file(const struct inferring *inferring, uint32_t index)
{
    if (index >= inferring->target_count || strcmp(inferring->targets[index], "-") == 0)
        return NULL;
    const char *target = inferring->targets[index];
    return target[0] == '@' ? target + 1 : target;
}

// With --output only the outputs that are asked for, else all.
static bool wanted(const struct inferring *inferring, uint32_t index)
{
    return inferring->target_count == 0 || index < inferring->target_count;
}

static void print_output(const struct inferring *inferring, uint32_t index)
{
    struct bytes text = {0};
    const struct view name = output_value(inferring, index)->name;
    bytes_append_format(&text, "result[%u]: %.*s\n", index, VIEW_ARGUMENTS(name));
    tensor_text_append_datum(&text, inferring->outputs[index], inferring->shown);
    bytes_append(&text, "\n", 1);
    fwrite(text.data, 1, text.size, stdout);
    bytes_free(&text);
}

static double milliseconds(uint64_t ns)
{
    return (double)ns * 1e-6;
}

static uint64_t median(const struct inferring *inferring)
{
    const unsigned count = inferring->iterations;
    const uint64_t upper = inferring->times_ns[count / 2];
    return count % 2 == 1 ? upper : (upper + inferring->times_ns[count / 2 - 1]) / 2;
}

static void print_results(const struct inferring *inferring)
{
    for (uint32_t i = 0; i < inferring->graph->output_count; i++) {
        if (wanted(inferring, i) && target_file(inferring, i) == NULL)
            print_output(inferring, i);
    }
    if (inferring->iterations > 1)
        printf("%u iterations on this machine: median %.3f ms, least %.3f ms, most %.3f ms\n",
               inferring->iterations, milliseconds(median(inferring)),
               milliseconds(inferring->times_ns[0]),
               milliseconds(inferring->times_ns[inferring->iterations - 1]));
}

// Numbers as numbers; texts, and what JSON has no number for, as texts.
static void write_element(struct json_writer *json, const struct tensor *tensor, uint64_t index)
{
    const struct constant constant = {.tensor = *tensor};
    struct bytes text = {0};
    if (tensor->element == ELEMENT_TEXT) {
        json_text(json, NULL, ((const struct view *)tensor->data)[index]);
        return;
    }
    tensor_text_append_element(&text, tensor, index);
    const char last = (char)text.data[text.size - 1];
    const bool complex = last == 'i';
    if (complex || last == 'F' || last == 'N') // INF, NAN
        json_text(json, NULL, bytes_view(&text));
    else if (element_is_float(tensor->element))
        json_real(json, NULL, constant_real(&constant, index));
    else if (tensor->element == ELEMENT_BOOL)
        json_bool(json, NULL, constant_integer(&constant, index) != 0);
    else
        json_raw(json, NULL, bytes_view(&text));
    bytes_free(&text);
}

static void write_datum(struct json_writer *json, const struct datum *datum, unsigned shown);

static void write_tensor(struct json_writer *json, const struct tensor *tensor, unsigned shown)
{
    struct bytes type = {0};
    const uint64_t count = tensor_count(tensor);
    tensor_text_append_type(&type, tensor->element, &tensor->shape);
    json_text(json, "type", bytes_view(&type));
    bytes_free(&type);
    json_open_array(json, "values");
    for (uint64_t i = 0; i < count && i < shown; i++)
        write_element(json, tensor, i);
    json_close(json);
    json_uint(json, "left_out", count > shown ? count - shown : 0);
}

static void write_datum(struct json_writer *json, const struct datum *datum, unsigned shown)
{
    if (datum->kind == DATUM_TENSOR) {
        write_tensor(json, &datum->tensor, shown);
        return;
    }
    json_text(json, "type", view_of(datum->kind == DATUM_NOTHING ? "nothing" : "sequence"));
    json_open_array(json, "items");
    for (size_t i = 0; i < datum->count; i++) {
        json_open_object(json, NULL);
        write_datum(json, datum->items[i], shown);
        json_close(json);
    }
    json_close(json);
}

static status write_json(const struct inferring *inferring)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_open_array(&json, "outputs");
    for (uint32_t i = 0; i < inferring->graph->output_count; i++) {
        if (!wanted(inferring, i))
            continue;
        json_open_object(&json, NULL);
        json_text(&json, "name", output_value(inferring, i)->name);
        if (target_file(inferring, i) != NULL)
            json_text(&json, "file", view_of(target_file(inferring, i)));
        else
            write_datum(&json, inferring->outputs[i], inferring->shown);
        json_close(&json);
    }
    json_close(&json);
    json_uint(&json, "iterations", inferring->iterations);
    json_real(&json, "median_ms", milliseconds(median(inferring)));
    json_real(&json, "least_ms", milliseconds(inferring->times_ns[0]));
    json_close(&json);
    return output_close(output);
}

static status write_files(const struct inferring *inferring)
{
    for (uint32_t i = 0; i < inferring->graph->output_count; i++) {
        const char *path = wanted(inferring, i) ? target_file(inferring, i) : NULL;
        const struct network_value *value = output_value(inferring, i);
        if (path != NULL)
            STATUS_TRY(tensor_file_write(path, value->name, &value->type, inferring->outputs[i]));
    }
    return STATUS_OK;
}

// Running ---------------------------------------------------------------------

// Wrong targets are refused before anything is computed.
static status check_targets(const struct inferring *inferring)
{
    if (inferring->target_count > inferring->graph->output_count)
        return status_make(STATUS_USAGE,
                           "infer: %zu times --output, but the network has %u outputs",
                           inferring->target_count, inferring->graph->output_count);
    for (uint32_t i = 0; i < inferring->target_count; i++) {
        const char *path = target_file(inferring, i);
        if (path != NULL && !tensor_file_named(view_of(path)))
            return status_make(STATUS_USAGE,
                               "infer: --output %s: give - or a file called .npy, .bin or .pb",
                               path);
        if (path != NULL)
            STATUS_TRY(network_input_check_output(inferring->network, "infer", path));
    }
    return STATUS_OK;
}

static status read_seed(const struct arguments *arguments, uint64_t *out_seed)
{
    const char *text = arguments_value(arguments, "seed");
    *out_seed = 0;
    if (text != NULL && !view_to_u64(view_of(text), out_seed))
        return status_make(STATUS_USAGE, "infer: --seed: '%s' is not a whole number", text);
    return STATUS_OK;
}

static status infer_with_inputs(const struct arguments *arguments, struct inferring *inferring)
{
    STATUS_TRY(run_iterations(inferring));
    STATUS_TRY(write_files(inferring));
    if (arguments_flag(arguments, "json"))
        return write_json(inferring);
    print_results(inferring);
    return STATUS_OK;
}

static status infer(const struct arguments *arguments, const struct network *network)
{
    struct inferring inferring = {.network = network, .graph = network_graph(network, 0)};
    const uint32_t input_count = inferring.graph->input_count;
    const uint32_t output_count = inferring.graph->output_count;
    struct executor_options options = {0};
    uint64_t seed;
    size_t given_count;
    const char *const *given = arguments_values(arguments, "input", &given_count);
    inferring.targets = arguments_values(arguments, "output", &inferring.target_count);
    STATUS_TRY(read_seed(arguments, &seed));
    STATUS_TRY(arguments_number(arguments, "iterations", 1, &inferring.iterations));
    STATUS_TRY(arguments_number(arguments, "max-elements", ELEMENTS_SHOWN, &inferring.shown));
    STATUS_TRY(arguments_number(arguments, "threads", 0, &options.threads));
    STATUS_TRY(check_targets(&inferring));
    // Before there are inputs: it bounds the memory that they may take.
    STATUS_TRY(executor_create(network, &options, &inferring.executor));

    inferring.inputs = memory_allocate_zeroed(input_count + 1, sizeof *inferring.inputs);
    inferring.outputs = memory_allocate_zeroed(output_count + 1, sizeof *inferring.outputs);
    inferring.times_ns = memory_allocate_zeroed(inferring.iterations, sizeof *inferring.times_ns);
    status result = network_input_read(network, given, given_count, seed, inferring.inputs);
    if (result == STATUS_OK) {
        result = infer_with_inputs(arguments, &inferring);
        release_all(inferring.inputs, input_count);
        release_all(inferring.outputs, output_count);
    }
    free(inferring.inputs);
    free(inferring.outputs);
    free(inferring.times_ns);
    executor_free(inferring.executor);
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
    {"input", 'i', OPTION_EACH, "[NAME=]VALUE", "the next input, or the one of that name"},
    {"output", 'o', OPTION_EACH, "FILE", "where the next output goes: -, or .npy, .bin, .pb"},
    NETWORK_INPUT_OPTIONS,
    {"threads", 0, OPTION_ONE, "N", "threads (one for each CPU); results do not depend on it"},
    {"iterations", 'n', OPTION_ONE, "N", "computes N times and prints the times"},
    {"seed", 0, OPTION_ONE, "N", "of the random inputs (0)"},
    {"max-elements", 0, OPTION_ONE, "N", "of each output that are shown (1024)"},
    {"json", 0, OPTION_FLAG, NULL, "as JSON"},
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
