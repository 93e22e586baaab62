#include "test_case.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "executor.h"
#include "network/tensor_file.h"

static const char MODEL_NAME[] = "model.onnx";

enum { PATH_ROOM = 4096 };

const char *test_case_status_name(enum test_case_status outcome)
{
    static const char *const names[] = {"pass", "fail", "error", "skip"};
    return names[outcome];
}

// Finding ---------------------------------------------------------------------

static bool test_case_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static bool is_file(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static void add_case(struct test_case_list *list, const char *path)
{
    list->paths = memory_grow(list->paths, list->count, &list->capacity, sizeof *list->paths);
    list->paths[list->count++] = view_copy(view_of(path));
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static bool test_case_join_path(char path[PATH_ROOM], const char *folder, const char *name)
{
    const size_t size = strlen(folder);
    const bool slash = size > 0 && folder[size - 1] == '/';
    return snprintf(path, PATH_ROOM, "%s%s%s", folder, slash ? "" : "/", name) < PATH_ROOM;
}

static status find_below(const char *folder, unsigned depth, struct test_case_list *list)
{
    char path[PATH_ROOM];
    if (!test_case_join_path(path, folder, MODEL_NAME))
        return status_make(STATUS_LIMIT, "%s: the path is too long", folder);
    if (is_file(path)) {
        add_case(list, folder);
        return STATUS_OK;
    }
    if (depth == TEST_CASE_DEPTH_MOST)
        return STATUS_OK;
    struct dirent **entries;
    const int count = scandir(folder, &entries, not_hidden, by_bytes);
    if (count < 0)
        return status_system(errno, folder, "cannot list");
    status result = STATUS_OK;
    for (int i = 0; i < count; i++) {
        if (result == STATUS_OK && test_case_join_path(path, folder, entries[i]->d_name) &&
            test_case_is_folder(path))
            result = find_below(path, depth + 1, list);
        free(entries[i]);
    }
    free(entries);
    return result;
}

status test_case_find(const char *folder, struct test_case_list *list)
{
    if (!test_case_is_folder(folder))
        return status_make(STATUS_NOT_FOUND, "%s: there is no such folder", folder);
    return find_below(folder, 0, list);
}

void test_case_list_free(struct test_case_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct test_case_list){0};
}

// Running ---------------------------------------------------------------------

struct running {
    const struct test_case_options *options;
    const struct network *network;
    const struct network_graph *graph;
    const struct test_case_engine *engine;
    void *context; // of the engine
    struct comparison comparison;
    unsigned outputs; // compared
};

static status open_plain(struct network *network, unsigned threads, void **out_context)
{
    struct executor *executor;
    STATUS_TRY(executor_create(network, &(struct executor_options){.threads = threads}, &executor));
    *out_context = executor;
    return STATUS_OK;
}

static status run_plain(void *context, struct datum *const *inputs, size_t input_count,
                        struct datum **out_outputs)
{
    return executor_run(context, inputs, input_count, out_outputs);
}

static void close_plain(void *context)
{
    executor_free(context);
}

static const struct test_case_engine PLAIN = {open_plain, run_plain, close_plain};

// ONNX's tests of version 1.12 and before keep the bits of bf16 as u16.
static void read_bits_as_declared(const struct value_type *type, struct datum *datum)
{
    if (type->kind == VALUE_TENSOR && type->element == ELEMENT_BF16 &&
        datum->kind == DATUM_TENSOR && datum->tensor.element == ELEMENT_U16)
        datum->tensor.element = ELEMENT_BF16;
}

static status test_case_read_value(const char *folder, const char *kind, uint32_t index,
                                   const struct network_value *value, struct datum **out_datum)
{
    char name[32];
    char path[PATH_ROOM];
    snprintf(name, sizeof name, "%s_%u.pb", kind, index);
    *out_datum = NULL;
    if (!test_case_join_path(path, folder, name) || !is_file(path))
        return STATUS_OK;
    STATUS_TRY(tensor_file_read(path, &value->type, out_datum));
    read_bits_as_declared(&value->type, *out_datum);
    return STATUS_OK;
}

static void test_case_release_all(struct datum **data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        datum_release(data[i]);
    free(data);
}

static status test_case_read_inputs(struct running *run, const char *folder, struct datum **inputs)
{
    for (uint32_t i = 0; i < run->graph->input_count; i++) {
        const struct network_value *value = network_value(run->network, run->graph->inputs[i]);
        STATUS_TRY(test_case_read_value(folder, "input", i, value, &inputs[i]));
        if (inputs[i] == NULL && value->constant == NULL)
            return status_make(STATUS_DATA, "%s: there is no input_%u.pb for input '%.*s'", folder,
                               i, VIEW_ARGUMENTS(value->name));
    }
    return STATUS_OK;
}

// Adds the output's name in front of the first difference.
static void test_case_compare_output(struct running *run, uint32_t index, const struct datum *got,
                                     const struct datum *want)
{
    const struct view name = network_value(run->network, run->graph->outputs[index])->name;
    struct comparison one = {0};
    compare_data(got, want, &run->options->tolerance, &one);
    struct comparison *all = &run->comparison;
    if (one.different && !all->different)
        snprintf(all->reason, sizeof all->reason, "output %u '%.*s': %.300s", index,
                 (int)(name.size < 80 ? name.size : 80), name.data, one.reason);
    all->different = all->different || one.different;
    all->max_abs = one.max_abs > all->max_abs ? one.max_abs : all->max_abs;
    all->max_rel = one.max_rel > all->max_rel ? one.max_rel : all->max_rel;
    run->outputs++;
}

static status test_case_compare_outputs(struct running *run, const char *folder,
                                        struct datum **outputs)
{
    for (uint32_t i = 0; i < run->graph->output_count; i++) {
        const struct network_value *value = network_value(run->network, run->graph->outputs[i]);
        struct datum *want;
        STATUS_TRY(test_case_read_value(folder, "output", i, value, &want));
        if (want == NULL)
            continue;
        test_case_compare_output(run, i, outputs[i], want);
        datum_release(want);
    }
    return STATUS_OK;
}

static status run_data_set(struct running *run, const char *folder)
{
    const uint32_t input_count = run->graph->input_count;
    const uint32_t output_count = run->graph->output_count;
    struct datum **inputs = memory_allocate_zeroed(input_count + 1, sizeof *inputs);
    struct datum **outputs = memory_allocate_zeroed(output_count + 1, sizeof *outputs);
    status result = test_case_read_inputs(run, folder, inputs);
    if (result == STATUS_OK)
        result = run->engine->run(run->context, inputs, input_count, outputs);
    if (result == STATUS_OK)
        result = test_case_compare_outputs(run, folder, outputs);
    test_case_release_all(inputs, input_count);
    test_case_release_all(outputs, output_count);
    return result;
}

// Data sets are numbered from 0 without gaps.
static status run_data_sets(struct running *run, const char *folder, unsigned *out_count)
{
    char name[32];
    char path[PATH_ROOM];
    for (unsigned i = 0;; i++) {
        snprintf(name, sizeof name, "test_data_set_%u", i);
        if (!test_case_join_path(path, folder, name) || !test_case_is_folder(path)) {
            *out_count = i;
            return STATUS_OK;
        }
        STATUS_TRY(run_data_set(run, path));
    }
}

static status run_network(struct running *run, const char *folder, unsigned *out_data_sets)
{
    char path[PATH_ROOM];
    if (!test_case_join_path(path, folder, MODEL_NAME))
        return status_make(STATUS_LIMIT, "%s: the path is too long", folder);
    struct network *network;
    const struct network_options options = {.conversion = run->options->conversion};
    STATUS_TRY(network_open(path, &options, &network));
    run->network = network;
    run->graph = network_graph(network, 0);
    run->engine = run->options->engine != NULL ? run->options->engine : &PLAIN;
    status result = run->engine->open(network, run->options->threads, &run->context);
    if (result == STATUS_OK) {
        result = run_data_sets(run, folder, out_data_sets);
        run->engine->close(run->context);
    }
    network_free(network);
    return result;
}

void test_case_run(const char *folder, const struct test_case_options *options,
                   struct test_case_result *out_result)
{
    struct running run = {.options = options};
    *out_result = (struct test_case_result){.status = TEST_CASE_PASS};
    const status failure = run_network(&run, folder, &out_result->data_sets);
    out_result->compared = run.outputs > 0;
    out_result->max_abs = run.comparison.max_abs;
    out_result->max_rel = run.comparison.max_rel;
    const char *reason = "";
    if (failure != STATUS_OK) {
        out_result->status = TEST_CASE_ERROR;
        reason = status_message(failure);
    } else if (run.outputs == 0) {
        out_result->status = TEST_CASE_SKIP;
        reason =
            out_result->data_sets == 0 ? "there is no test_data_set_0" : "there are no output_K.pb";
    } else if (run.comparison.different) {
        out_result->status = TEST_CASE_FAIL;
        reason = run.comparison.reason;
    }
    snprintf(out_result->reason, sizeof out_result->reason, "%s", reason);
    status_free(failure);
}
