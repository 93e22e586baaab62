// The JSON of an operation as cells of a report.

#include <stdlib.h>

#include "formats/tenstorrent/python_text.h"
#include "logs_report.h"

struct describer {
    struct report *report;
    size_t row;
    struct bytes text;
};

static struct view python_of(struct describer *to, const struct json_value *value)
{
    to->text.size = 0;
    python_text_append(&to->text, value);
    return bytes_view(&to->text);
}

static void set_python(struct describer *to, enum column_kind kind, const struct json_value *value)
{
    if (value != NULL)
        report_set(to->report, to->row, kind, python_of(to, value));
}

// Plain keys ------------------------------------------------------------------

// "op_code" as "OP CODE"; false when it is no column's name.
static bool column_of_key(struct view key, const char *unit, enum column_kind *out_kind)
{
    char name[COLUMN_NAME_ROOM];
    if (key.size + strlen(unit) >= sizeof name)
        return false;
    for (size_t i = 0; i < key.size; i++) {
        const char byte = key.data[i];
        name[i] = byte == '_' ? ' ' : byte >= 'a' && byte <= 'z' ? (char)(byte - 32) : byte;
    }
    strcpy(name + key.size, unit);
    *out_kind = column_from_name(view_of(name)).kind;
    return *out_kind != COLUMN_OTHER && !column_is_tensor(*out_kind);
}

static void set_plain(struct describer *to, const struct json_value *json)
{
    for (const struct json_value *item = json->first; item != NULL; item = item->next) {
        enum column_kind kind;
        if (column_of_key(item->key, "", &kind))
            set_python(to, kind, item);
    }
}

// Kernels ---------------------------------------------------------------------

static void append_listed(struct bytes *text, const struct json_value *kernels, const char *key)
{
    bytes_append(text, "[", 1);
    for (const struct json_value *item = kernels->first; item != NULL; item = item->next) {
        const struct json_value *value = json_find(item, key);
        if (item != kernels->first)
            bytes_append(text, "; ", 2);
        if (value != NULL)
            python_text_append_nested(text, value);
        else
            bytes_append(text, "''", 2);
    }
    bytes_append(text, "]", 1);
}

static void set_listed(struct describer *to, enum column_kind kind,
                       const struct json_value *kernels, const char *key)
{
    to->text.size = 0;
    append_listed(&to->text, kernels, key);
    report_set(to->report, to->row, kind, bytes_view(&to->text));
}

static void logs_describe_set_kernels(struct describer *to, const struct json_value *info)
{
    const struct json_value *compute = json_find(info, "compute_kernels");
    const struct json_value *movement = json_find(info, "datamovement_kernels");
    if (compute != NULL) {
        set_listed(to, COLUMN_COMPUTE_SOURCE, compute, "source");
        set_listed(to, COLUMN_COMPUTE_HASH, compute, "name");
        for (const struct json_value *item = compute->first; item != NULL; item = item->next)
            set_python(to, COLUMN_MATH_FIDELITY, json_find(item, "math_fidelity"));
    }
    if (movement != NULL) {
        set_listed(to, COLUMN_DATA_MOVEMENT_SOURCE, movement, "source");
        set_listed(to, COLUMN_DATA_MOVEMENT_HASH, movement, "name");
    }
    const struct json_value *sizes = json_find(info, "kernel_sizes");
    for (const struct json_value *item = sizes != NULL ? sizes->first : NULL; item != NULL;
         item = item->next) {
        enum column_kind kind;
        if (column_of_key(item->key, " [B]", &kind))
            set_python(to, kind, item);
    }
}

// Tensors ---------------------------------------------------------------------

struct tensor {
    bool output;
    uint32_t index;
};

static void logs_describe_set_field(struct describer *to, struct tensor tensor,
                                    enum column_kind kind, const struct json_value *value)
{
    if (value != NULL)
        report_set_tensor(to->report, to->row, tensor.output, tensor.index, kind,
                          python_of(to, value));
}

static void append_upper(struct bytes *text, struct view from)
{
    for (size_t i = 0; i < from.size; i++) {
        const char byte = from.data[i];
        const char upper = byte >= 'a' && byte <= 'z' ? (char)(byte - 32) : byte;
        bytes_append(text, &upper, 1);
    }
}

// DEV_<device>_<buffer type>_<memory layout>, or where a host tensor lies.
static void set_memory(struct describer *to, struct tensor tensor, const struct json_value *storage)
{
    const struct json_value *config = json_find(storage, "memory_config");
    const struct json_value *device = json_find(storage, "device_id");
    if (config == NULL || device == NULL) {
        if (storage != NULL && storage->kind == JSON_TEXT)
            logs_describe_set_field(to, tensor, COLUMN_TENSOR_MEMORY, storage);
        return;
    }
    to->text.size = 0;
    bytes_append(&to->text, "DEV_", 4);
    python_text_append(&to->text, device);
    bytes_append(&to->text, "_", 1);
    append_upper(&to->text, json_text_of(json_find(config, "buffer_type")));
    bytes_append(&to->text, "_", 1);
    append_upper(&to->text, json_text_of(json_find(config, "memory_layout")));
    report_set_tensor(to->report, to->row, tensor.output, tensor.index, COLUMN_TENSOR_MEMORY,
                      bytes_view(&to->text));
}

static uint32_t logs_describe_set_tensors(struct describer *to, const struct json_value *list,
                                          bool output, uint32_t from)
{
    for (const struct json_value *item = list != NULL ? list->first : NULL; item != NULL;
         item = item->next, from++) {
        const struct tensor tensor = {output, from};
        const struct json_value *shape = json_find(item, "shape");
        logs_describe_set_field(to, tensor, COLUMN_TENSOR_W, json_find(shape, "W"));
        logs_describe_set_field(to, tensor, COLUMN_TENSOR_Z, json_find(shape, "Z"));
        logs_describe_set_field(to, tensor, COLUMN_TENSOR_Y, json_find(shape, "Y"));
        logs_describe_set_field(to, tensor, COLUMN_TENSOR_X, json_find(shape, "X"));
        logs_describe_set_field(to, tensor, COLUMN_TENSOR_LAYOUT, json_find(item, "layout"));
        logs_describe_set_field(to, tensor, COLUMN_TENSOR_DATATYPE, json_find(item, "dtype"));
        set_memory(to, tensor, json_find(item, "storage_type"));
    }
    return from;
}

void logs_report_describe(struct report *report, size_t row, const struct json_value *json)
{
    struct describer to = {.report = report, .row = row};
    set_plain(&to, json);
    const struct json_value *info = json_find(json, "kernel_info");
    if (info != NULL)
        logs_describe_set_kernels(&to, info);
    const uint32_t inputs =
        logs_describe_set_tensors(&to, json_find(json, "input_tensors"), false, 0);
    logs_describe_set_tensors(&to, json_find(json, "optional_input_tensors"), false, inputs);
    logs_describe_set_tensors(&to, json_find(json, "output_tensors"), true, 0);
    const struct json_value *model = json_find(json, "performance_model");
    set_python(&to, COLUMN_PM_IDEAL, json_find(model, "ideal_ns"));
    set_python(&to, COLUMN_PM_COMPUTE, json_find(model, "compute_ns"));
    set_python(&to, COLUMN_PM_BANDWIDTH, json_find(model, "bandwidth_ns"));
    set_python(&to, COLUMN_PM_INPUT_BANDWIDTH, json_find(model, "input_bws"));
    set_python(&to, COLUMN_PM_OUTPUT_BANDWIDTH, json_find(model, "output_bws"));
    bytes_free(&to.text);
}
