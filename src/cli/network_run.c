#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "analysis/statistics.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "base/sort.h"
#include "network_run.h"
#include "network/tensor_file.h"
#include "network/tensor_text.h"
#include "network_input.h"
#include "paths.h"
#include "tensor_summary.h"
#include "wire/json.h"
#include "base/letters.h"

struct running {
    const struct network *network;
    const struct network_graph *graph;
    const struct network_run *run;
    struct datum **inputs;
    struct datum **outputs;
    uint64_t *times_ns; // of each iteration
};

static int by_size(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return sort_compare(a, b);
}

static void network_run_release_all(struct datum **data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        datum_release(data[i]);
        data[i] = NULL;
    }
}

static const struct network_value *output_value(const struct running *running, uint32_t index)
{
    return network_value(running->network, running->graph->outputs[index]);
}

// Computing -------------------------------------------------------------------

static status network_run_iterations(struct running *running)
{
    if (running->run->prepare != NULL)
        STATUS_TRY(running->run->prepare(running->run->context, running->inputs,
                                         running->graph->input_count));
    for (unsigned i = 0; i < running->run->iterations; i++) {
        network_run_release_all(running->outputs, running->graph->output_count);
        const uint64_t start = monotonic_ns();
        STATUS_TRY(running->run->compute(running->run->context, running->inputs,
                                         running->graph->input_count, running->outputs));
        running->times_ns[i] = monotonic_ns() - start;
    }
    sort_items(running->times_ns, running->run->iterations, sizeof *running->times_ns, by_size);
    return STATUS_OK;
}

// Printing --------------------------------------------------------------------

// "@x.npy", "+x.npy" and "x.npy" are the file; NULL is the text on the standard output.
static const char *target_file(const struct running *running, uint32_t index)
{
    if (index >= running->run->target_count || strcmp(running->run->targets[index], "-") == 0)
        return NULL;
    const char *target = running->run->targets[index];
    return target[0] == '@' || target[0] == '+' ? target + 1 : target;
}

// "+x.npy": after what the file has.
static bool target_appends(const struct running *running, uint32_t index)
{
    return running->run->targets[index][0] == '+';
}

// With --output only the outputs that are asked for, else all. IREE ignores one by an empty
// name.
static bool wanted(const struct running *running, uint32_t index)
{
    const struct network_run *run = running->run;
    if (run->function != NULL && index < run->target_count && run->targets[index][0] == '\0')
        return false;
    return run->target_count == 0 || index < run->target_count;
}

static void append_output(struct bytes *text, const struct running *running, uint32_t index)
{
    const struct datum *datum = running->outputs[index];
    const bool brief = running->run->brief && index >= running->run->target_count;
    const unsigned shown = running->run->shown;
    if (brief && datum->kind == DATUM_TENSOR && tensor_count(&datum->tensor) > TENSOR_SUMMARY_LARGE)
        tensor_summary_append(text, &datum->tensor);
    else
        tensor_text_append_datum(
            text, datum, brief && shown > TENSOR_SUMMARY_LARGE ? TENSOR_SUMMARY_LARGE : shown);
}

static void print_output(const struct running *running, uint32_t index)
{
    struct bytes text = {0};
    const struct view name = running->run->function != NULL ? VIEW_LITERAL("hal.buffer_view")
                                                            : output_value(running, index)->name;
    bytes_append_format(&text, "result[%u]: %.*s\n", index, VIEW_ARGUMENTS(name));
    append_output(&text, running, index);
    bytes_append(&text, "\n", 1);
    letters_hide((char *)text.data, text.size);
    fwrite(text.data, 1, text.size, stdout);
    bytes_free(&text);
}

static double milliseconds(uint64_t ns)
{
    return (double)ns * 1e-6;
}

static void print_results(const struct running *running)
{
    for (uint32_t i = 0; i < running->graph->output_count; i++) {
        if (!running->run->quiet && wanted(running, i) && target_file(running, i) == NULL)
            print_output(running, i);
    }
    if (running->run->iterations > 1 && !running->run->untimed)
        printf("%u iterations on this machine: median %.3f ms, least %.3f ms, most %.3f ms\n",
               running->run->iterations,
               milliseconds(statistics_median_whole(running->times_ns, running->run->iterations)),
               milliseconds(running->times_ns[0]),
               milliseconds(running->times_ns[running->run->iterations - 1]));
    if (running->run->report != NULL)
        running->run->report(running->run->context, NULL);
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

static void network_run_write_datum(struct json_writer *json, const struct datum *datum,
                                    unsigned shown);

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

static void network_run_write_datum(struct json_writer *json, const struct datum *datum,
                                    unsigned shown)
{
    if (datum->kind == DATUM_TENSOR) {
        write_tensor(json, &datum->tensor, shown);
        return;
    }
    json_text(json, "type", view_of(datum->kind == DATUM_NOTHING ? "nothing" : "sequence"));
    json_open_array(json, "items");
    for (size_t i = 0; i < datum->count; i++) {
        json_open_object(json, NULL);
        network_run_write_datum(json, datum->items[i], shown);
        json_close(json);
    }
    json_close(json);
}

static status network_run_write_json(const struct running *running)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_open_array(&json, "outputs");
    for (uint32_t i = 0; i < running->graph->output_count; i++) {
        if (!wanted(running, i))
            continue;
        json_open_object(&json, NULL);
        json_text(&json, "name", output_value(running, i)->name);
        if (target_file(running, i) != NULL)
            json_text(&json, "file", view_of(target_file(running, i)));
        else
            network_run_write_datum(&json, running->outputs[i], running->run->shown);
        json_close(&json);
    }
    json_close(&json);
    json_uint(&json, "iterations", running->run->iterations);
    if (!running->run->untimed) {
        json_real(
            &json, "median_ms",
            milliseconds(statistics_median_whole(running->times_ns, running->run->iterations)));
        json_real(&json, "least_ms", milliseconds(running->times_ns[0]));
    }
    if (running->run->report != NULL)
        running->run->report(running->run->context, &json);
    json_close(&json);
    return output_close(output);
}

static status network_run_write_files(const struct running *running)
{
    for (uint32_t i = 0; i < running->graph->output_count; i++) {
        const char *path = wanted(running, i) ? target_file(running, i) : NULL;
        const struct network_value *value = output_value(running, i);
        if (path != NULL)
            STATUS_TRY(tensor_file_write(path, target_appends(running, i), value->name,
                                         &value->type, running->outputs[i]));
    }
    return STATUS_OK;
}

// Running ---------------------------------------------------------------------

// Wrong targets are refused before anything is computed.
static status network_run_check_targets(const struct running *running)
{
    if (running->run->target_count > running->graph->output_count)
        return status_make(STATUS_USAGE, "%s: %zu times --output, but the network has %u outputs",
                           running->run->command, running->run->target_count,
                           running->graph->output_count);
    for (uint32_t i = 0; i < running->run->target_count; i++) {
        const char *path = wanted(running, i) ? target_file(running, i) : NULL;
        if (path != NULL && !tensor_file_named(view_of(path)))
            return status_make(STATUS_USAGE,
                               "%s: --output %s: give - or a file called .npy, .bin or .pb",
                               running->run->command, path);
        if (path == NULL)
            continue;
        STATUS_TRY(network_input_check_output(running->network, running->run->command, path));
        STATUS_TRY(paths_check_writable(running->run->command, path));
    }
    return STATUS_OK;
}

static status read_seed(const struct arguments *arguments, const char *command, uint64_t *out_seed)
{
    const char *text = arguments_value(arguments, "seed");
    *out_seed = 0;
    if (text != NULL && !view_to_u64(view_of(text), out_seed))
        return status_make(STATUS_USAGE, "%s: --seed: '%s' is not a whole number", command, text);
    return STATUS_OK;
}

// IREE fills in nothing.
static status network_run_check_inputs(const struct running *running)
{
    const struct network_run *run = running->run;
    uint32_t open = 0;
    struct bytes types = {0};
    for (uint32_t i = 0; i < running->graph->input_count; i++) {
        const struct network_value *value =
            network_value(running->network, running->graph->inputs[i]);
        if (value->constant != NULL)
            continue;
        bytes_append_format(&types, open++ == 0 ? "" : ", ");
        tensor_text_append_value_type(&types, &value->type);
    }
    const status failure =
        run->input_count == open
            ? STATUS_OK
            : status_make(STATUS_USAGE, "%s: %zu times --input, but @%s takes %u (%.*s)",
                          run->command, run->input_count, run->function, open,
                          VIEW_ARGUMENTS(bytes_view(&types)));
    bytes_free(&types);
    return failure;
}

static status run_with_inputs(struct running *running)
{
    const struct network_run *run = running->run;
    if (run->function != NULL) {
        printf("EXEC @%s\n", run->function);
        fflush(stdout);
    }
    STATUS_TRY(network_run_iterations(running));
    if (run->check != NULL)
        STATUS_TRY(run->check(run->context, running->outputs, running->graph->output_count));
    STATUS_TRY(network_run_write_files(running));
    if (run->json)
        return network_run_write_json(running);
    print_results(running);
    return STATUS_OK;
}

status network_run_given(const struct network_run *run)
{
    const struct network *network = run->network;
    struct running running = {.run = run, .network = network, .graph = network_graph(network, 0)};
    const uint32_t input_count = running.graph->input_count;
    const uint32_t output_count = running.graph->output_count;
    STATUS_TRY(network_run_check_targets(&running));
    if (run->function != NULL)
        STATUS_TRY(network_run_check_inputs(&running));

    running.inputs = memory_allocate_zeroed(input_count + 1, sizeof *running.inputs);
    running.outputs = memory_allocate_zeroed(output_count + 1, sizeof *running.outputs);
    running.times_ns = memory_allocate_zeroed(run->iterations, sizeof *running.times_ns);
    status result =
        network_input_read(network, run->inputs, run->input_count, run->seed, running.inputs);
    if (result == STATUS_OK) {
        result = run_with_inputs(&running);
        network_run_release_all(running.inputs, input_count);
        network_run_release_all(running.outputs, output_count);
    }
    free(running.inputs);
    free(running.outputs);
    free(running.times_ns);
    return result;
}

static status read_shown(const struct arguments *arguments, struct network_run *run)
{
    const bool full = arguments_flag(arguments, "full");
    const bool limited = arguments_value(arguments, "max-elements") != NULL;
    if (full && limited)
        return status_make(STATUS_USAGE, "%s: give only one of --full and --max-elements",
                           run->command);
    run->brief = !full && !limited;
    STATUS_TRY(
        arguments_number(arguments, "max-elements", NETWORK_RUN_ELEMENTS_SHOWN, &run->shown));
    if (full)
        run->shown = UINT_MAX;
    return STATUS_OK;
}

status network_run(const struct arguments *arguments, struct network_run *run)
{
    run->inputs = arguments_values(arguments, "input", &run->input_count);
    run->targets = arguments_values(arguments, "output", &run->target_count);
    run->json = arguments_flag(arguments, "json");
    STATUS_TRY(read_seed(arguments, run->command, &run->seed));
    STATUS_TRY(arguments_number(arguments, "iterations", 1, &run->iterations));
    STATUS_TRY(read_shown(arguments, run));
    return network_run_given(run);
}
