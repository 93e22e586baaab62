// Operators of a profile from the rows of an operations report.

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report_profile.h"

static const struct {
    enum column_kind kind;
    const char *key;
} DESCRIPTION[] = {
    {COLUMN_OP_TYPE, "op_type"},
    {COLUMN_MATH_FIDELITY, "math_fidelity"},
    {COLUMN_STRATEGY, "parallelization_strategy"},
    {COLUMN_COMPUTE_SOURCE, "compute_kernel_source"},
    {COLUMN_COMPUTE_HASH, "compute_kernel_hash"},
    {COLUMN_DATA_MOVEMENT_SOURCE, "data_movement_kernel_source"},
    {COLUMN_DATA_MOVEMENT_HASH, "data_movement_kernel_hash"},
    {COLUMN_PROGRAM_HASH, "program_hash"},
    {COLUMN_SIZE_DM0, "tensix_dm_0_max_kernel_size"},
    {COLUMN_SIZE_DM1, "tensix_dm_1_max_kernel_size"},
    {COLUMN_SIZE_COMPUTE0, "tensix_compute_0_max_kernel_size"},
    {COLUMN_SIZE_COMPUTE1, "tensix_compute_1_max_kernel_size"},
    {COLUMN_SIZE_COMPUTE2, "tensix_compute_2_max_kernel_size"},
    {COLUMN_SIZE_ETH_DM0, "active_eth_dm_0_max_kernel_size"},
    {COLUMN_SIZE_ETH_DM1, "active_eth_dm_1_max_kernel_size"},
    {COLUMN_SIZE_IDLE_ETH_DM0, "idle_eth_dm_0_max_kernel_size"},
    {COLUMN_SIZE_IDLE_ETH_DM1, "idle_eth_dm_1_max_kernel_size"},
    {COLUMN_PM_IDEAL, "performance_model.ideal_ns"},
    {COLUMN_PM_COMPUTE, "performance_model.compute_ns"},
    {COLUMN_PM_BANDWIDTH, "performance_model.bandwidth_ns"},
    {COLUMN_PM_INPUT_BANDWIDTH, "performance_model.input_bws"},
    {COLUMN_PM_OUTPUT_BANDWIDTH, "performance_model.output_bws"},
    {COLUMN_CONST_EVAL_OP, "const_eval_op"},
    {COLUMN_PROGRAM_METADATA, "program_metadata"},
};

enum column_kind report_description_column(struct view key)
{
    for (size_t i = 0; i < sizeof DESCRIPTION / sizeof DESCRIPTION[0]; i++) {
        if (view_is(key, DESCRIPTION[i].key))
            return DESCRIPTION[i].kind;
    }
    return COLUMN_OTHER;
}

enum provenance report_row_provenance(const struct report *report, size_t row)
{
    return report_row_is_modelled(report, row) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
}

void report_value_add(struct profile *profile, struct bytes *values, const char *key,
                      struct view cell, enum provenance provenance)
{
    struct value value = {.key = profile_string(profile, view_of(key)), .provenance = provenance};
    int64_t number;
    if (cell.size == 0)
        return;
    if (view_to_u64(cell, &value.number)) {
        value.kind = VALUE_UINT;
    } else if (view_to_i64(cell, &number)) {
        value.kind = VALUE_INT;
        value.number = (uint64_t)number;
    } else if (view_to_double(cell, &value.real)) {
        value.kind = VALUE_REAL;
    } else {
        value.kind = VALUE_STRING;
        value.number = profile_string(profile, cell);
    }
    value_add(values, &value);
}

// Attributes -----------------------------------------------------------------

// Takes a text in single or double quotes, with what is escaped as it stands.
static bool report_operator_take_quoted(struct view *rest, struct view *out_text)
{
    if (rest->size == 0 || (rest->data[0] != '\'' && rest->data[0] != '"'))
        return false;
    const char quote = rest->data[0];
    for (size_t i = 1; i < rest->size; i++) {
        if (rest->data[i] == '\\') {
            i++;
        } else if (rest->data[i] == quote) {
            *out_text = view_slice(*rest, 1, i);
            *rest = view_slice(*rest, i + 1, rest->size);
            return true;
        }
    }
    return false;
}

static bool take_mark(struct view *rest, const char *mark)
{
    if (!view_starts_with(*rest, mark))
        return false;
    *rest = view_slice(*rest, strlen(mark), rest->size);
    return true;
}

static void add_named(struct report_operators *operators, const char *prefix, struct view name,
                      struct view text)
{
    operators->text.size = 0;
    bytes_append_format(&operators->text, "%s%.*s", prefix, VIEW_ARGUMENTS(name));
    bytes_append(&operators->text, "", 1);
    const char *key = (const char *)operators->text.data;
    // An attribute that is empty is one all the same.
    if (text.size == 0)
        value_add_string(&operators->values, profile_string(operators->profile, view_of(key)),
                         profile_string(operators->profile, text));
    else
        report_value_add(operators->profile, &operators->values, key, text, operators->provenance);
}

// {'a': 'x'; 'b': 'y'} as attributes.a and attributes.b; false when it is
// anything else.
static bool add_dictionary(struct report_operators *operators, struct view text)
{
    struct view rest = text;
    struct view name, value;
    if (!take_mark(&rest, "{"))
        return false;
    while (report_operator_take_quoted(&rest, &name) && take_mark(&rest, ": ") &&
           report_operator_take_quoted(&rest, &value)) {
        add_named(operators, "attributes.", name, value);
        if (!take_mark(&rest, "; "))
            break;
    }
    return view_is(rest, "}");
}

static void report_operator_add_attributes(struct report_operators *operators, size_t row)
{
    const struct view text = report_text(operators->report, row, COLUMN_ATTRIBUTES);
    const size_t before = operators->values.size;
    if (text.size == 0 || add_dictionary(operators, text))
        return;
    operators->values.size = before;
    report_value_add(operators->profile, &operators->values, "attributes", text,
                     operators->provenance);
}

// Tensors --------------------------------------------------------------------

static struct view tensor_cell(const struct report_operators *operators, size_t row, bool output,
                               uint32_t tensor, enum column_kind kind)
{
    return report_tensor_text(operators->report, row, output, tensor, kind);
}

// 1x1x32[7]x800
static void report_operator_add_shape(struct report_operators *operators, size_t row, bool output,
                                      uint32_t tensor)
{
    struct bytes shape = {0};
    for (unsigned i = COLUMN_TENSOR_W; i <= COLUMN_TENSOR_X; i++) {
        const struct view side = tensor_cell(operators, row, output, tensor, (enum column_kind)i);
        bytes_append_format(&shape, "%s%.*s", i > COLUMN_TENSOR_W ? "x" : "", VIEW_ARGUMENTS(side));
    }
    char key[64];
    snprintf(key, sizeof key, "%s_%u.shape", output ? "output" : "input", tensor);
    report_value_add(operators->profile, &operators->values, key, bytes_view(&shape),
                     operators->provenance);
    bytes_free(&shape);
}

static void report_operator_add_tensor(struct report_operators *operators, size_t row, bool output,
                                       uint32_t tensor)
{
    static const struct {
        enum column_kind kind;
        const char *name;
    } fields[] = {{COLUMN_TENSOR_LAYOUT, "layout"},
                  {COLUMN_TENSOR_DATATYPE, "datatype"},
                  {COLUMN_TENSOR_MEMORY, "memory"}};
    if (tensor_cell(operators, row, output, tensor, COLUMN_TENSOR_X).size == 0)
        return;
    report_operator_add_shape(operators, row, output, tensor);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s_%u.%s", output ? "output" : "input", tensor, fields[i].name);
        report_value_add(operators->profile, &operators->values, key,
                         tensor_cell(operators, row, output, tensor, fields[i].kind),
                         operators->provenance);
    }
}

// Finding --------------------------------------------------------------------

static bool describes(enum column_kind kind)
{
    if (column_is_tensor(kind) || kind == COLUMN_OP_CODE || kind == COLUMN_ATTRIBUTES ||
        kind == COLUMN_LOC)
        return true;
    for (size_t i = 0; i < sizeof DESCRIPTION / sizeof DESCRIPTION[0]; i++) {
        if (DESCRIPTION[i].kind == kind)
            return true;
    }
    return false;
}

static uint32_t hash_row(const struct report *report, size_t row)
{
    uint32_t hash = 0;
    for (uint32_t i = 0; i < report->column_count; i++) {
        const struct view cell = report_cell(report, row, i);
        if (describes(report->columns[i].kind))
            hash = hash * 31 + hash_bytes(cell.data, cell.size);
    }
    return hash;
}

static bool rows_agree(const struct report *report, size_t a, size_t b)
{
    for (uint32_t i = 0; i < report->column_count; i++) {
        if (describes(report->columns[i].kind) &&
            !view_equal(report_cell(report, a, i), report_cell(report, b, i)))
            return false;
    }
    return true;
}

static uint32_t report_operator_add_operator(struct report_operators *operators, size_t row)
{
    const struct report *report = operators->report;
    operators->values.size = 0;
    operators->provenance = report_row_provenance(report, row);
    for (size_t i = 0; i < sizeof DESCRIPTION / sizeof DESCRIPTION[0]; i++)
        report_value_add(operators->profile, &operators->values, DESCRIPTION[i].key,
                         report_text(report, row, DESCRIPTION[i].kind), operators->provenance);
    for (uint32_t i = 0; i < report->tensor_counts[false]; i++)
        report_operator_add_tensor(operators, row, false, i);
    for (uint32_t i = 0; i < report->tensor_counts[true]; i++)
        report_operator_add_tensor(operators, row, true, i);
    report_operator_add_attributes(operators, row);
    const uint32_t code =
        profile_string(operators->profile, report_text(report, row, COLUMN_OP_CODE));
    const struct operator_description description = {
        .name = code,
        .type = code,
        .location = profile_string(operators->profile, report_text(report, row, COLUMN_LOC)),
        .values = bytes_view(&operators->values)};
    return profile_operator_add(operators->profile, &description);
}

uint32_t report_operators_add(struct report_operators *operators, size_t row)
{
    const uint32_t hash = hash_row(operators->report, row);
    uint32_t id;
    for (uint32_t at = hash_first(&operators->index, hash);
         (id = hash_next(&operators->index, hash, &at)) != HASH_NONE;) {
        if (rows_agree(operators->report, operators->items[id].row, row))
            return operators->items[id].id;
    }
    operators->items = memory_grow(operators->items, operators->count, &operators->capacity,
                                   sizeof *operators->items);
    operators->items[operators->count] =
        (struct report_operator){row, report_operator_add_operator(operators, row)};
    hash_add(&operators->index, hash, (uint32_t)operators->count);
    return operators->items[operators->count++].id;
}

void report_operators_free(struct report_operators *operators)
{
    hash_free(&operators->index);
    free(operators->items);
    bytes_free(&operators->values);
    bytes_free(&operators->text);
}
