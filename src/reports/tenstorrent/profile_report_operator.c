#include "profile_report_operator.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "modelled_columns.h"
#include "formats/tenstorrent/report_profile.h"

// A value as a report prints it; `room` is for numbers.
static struct view profile_report_operator_text_of(const struct profile *profile,
                                                   const struct value *value,
                                                   char room[REPORT_REAL_ROOM])
{
    switch (value->kind) {
    case VALUE_TEXT:
        return value->text;
    case VALUE_STRING:
        return profile_text(profile, (uint32_t)value->number);
    case VALUE_UINT:
        snprintf(room, REPORT_REAL_ROOM, "%llu", (unsigned long long)value->number);
        return view_of(room);
    case VALUE_INT:
        snprintf(room, REPORT_REAL_ROOM, "%lld", (long long)(int64_t)value->number);
        return view_of(room);
    case VALUE_REAL:
        return view_of(report_real_text(value->real, room));
    default:
        return VIEW_LITERAL("");
    }
}

// Columns that nobody knew when the report was read are values called as they are.
static bool is_unknown_column(struct view key)
{
    return report_description_column(key) == COLUMN_OTHER && !view_starts_with(key, "attributes") &&
           !view_starts_with(key, "input_") && !view_starts_with(key, "output_");
}

void profile_report_set_figures(const struct profile *profile, struct view values,
                                enum report_version version, struct report *report, size_t row)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        char room[REPORT_REAL_ROOM];
        const struct view key = profile_text(profile, value.key);
        const enum column_kind kind = report_figure_column(key);
        const struct view text = profile_report_operator_text_of(profile, &value, room);
        if (kind != COLUMN_OTHER && column_exists(kind, version))
            report_set(report, row, kind, text);
        else if (kind == COLUMN_OTHER && text.size > 0 && key.size > 0 && is_unknown_column(key))
            report_set_named(report, row, key, text);
    }
}

// Tensors ---------------------------------------------------------------------

static struct view profile_report_operator_type_name(struct view type, char room[64])
{
    static const char *const NAMES[][2] = {
        {"f32", "FLOAT32"},      {"float", "FLOAT32"},    {"float32", "FLOAT32"},
        {"bf16", "BFLOAT16"},    {"i32", "INT32"},        {"int32", "INT32"},
        {"u32", "UINT32"},       {"ui32", "UINT32"},      {"uint32", "UINT32"},
        {"i8", "INT8"},          {"u8", "UINT8"},         {"f16", "FLOAT16"},
        {"i16", "INT16"},        {"i64", "INT64"},        {"i1", "BOOL"},
        {"bfp8_b", "BFLOAT8_B"}, {"bfp4_b", "BFLOAT4_B"},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (view_is(type, NAMES[i][0]))
            return view_of(NAMES[i][1]);
    }
    size_t size = 0;
    for (; size < type.size && size < 63; size++)
        room[size] = (char)toupper((unsigned char)type.data[size]);
    return (struct view){room, size};
}

// Takes the sides in front: 1x1x32[7]x800, up to what does not begin with a digit.
enum { SIDES_MOST = 16 };
static size_t take_sides(struct view *rest, struct view sides[SIDES_MOST])
{
    size_t count = 0;
    while (rest->size > 0 && isdigit((unsigned char)rest->data[0]) && count < SIDES_MOST) {
        size_t end = 0;
        while (end < rest->size && (isdigit((unsigned char)rest->data[end]) ||
                                    rest->data[end] == '[' || rest->data[end] == ']'))
            end++;
        sides[count++] = view_slice(*rest, 0, end);
        *rest = view_slice(*rest, end, rest->size);
        if (rest->size == 0 || rest->data[0] != 'x')
            break;
        *rest = view_slice(*rest, 1, rest->size);
    }
    return count;
}

// W, Z, Y and X are the last four sides; those in front of them go into W.
static void set_sides(struct report *report, size_t row, bool output, uint32_t tensor,
                      const struct view *sides, size_t count)
{
    for (size_t i = 0; i < 4; i++) {
        const enum column_kind kind = (enum column_kind)(COLUMN_TENSOR_W + i);
        const size_t missing = count < 4 ? 4 - count : 0;
        if (i < missing) {
            report_set_tensor(report, row, output, tensor, kind, VIEW_LITERAL("1"));
            continue;
        }
        const size_t at = count < 4 ? i - missing : count - 4 + i;
        uint64_t size;
        char text[32];
        if (i > 0 || count <= 4 || !report_padded(sides[at], &size)) {
            report_set_tensor(report, row, output, tensor, kind, sides[at]);
            continue;
        }
        for (size_t k = 0; k < at; k++) {
            uint64_t more;
            if (report_padded(sides[k], &more) && __builtin_mul_overflow(size, more, &size))
                size = UINT64_MAX;
        }
        snprintf(text, sizeof text, "%llu", (unsigned long long)size);
        report_set_tensor(report, row, output, tensor, kind, view_of(text));
    }
}

static void profile_report_operator_set_tensor(struct report *report, size_t row, bool output,
                                               uint32_t tensor, struct view text)
{
    struct view sides[SIDES_MOST];
    char room[64];
    const size_t count = take_sides(&text, sides);
    const struct view type = view_trim(text);
    set_sides(report, row, output, tensor, sides, count);
    if (type.size > 0)
        report_set_tensor(report, row, output, tensor, COLUMN_TENSOR_DATATYPE,
                          profile_report_operator_type_name(type, room));
}

// "1x1x1x10xi8, 2xi64"
static void profile_report_operator_set_tensors(struct report *report, size_t row, bool output,
                                                struct view list)
{
    for (uint32_t tensor = 0; list.size > 0 && tensor < 64; tensor++) {
        const size_t end = view_find(list, ',');
        profile_report_operator_set_tensor(report, row, output, tensor,
                                           view_trim(view_slice(list, 0, end)));
        list = view_slice(list, end < list.size ? end + 1 : end, list.size);
    }
}

// input_0.shape, input_0.layout, input_0.datatype, input_0.memory
static bool set_tensor_field(struct report *report, size_t row, struct view key, struct view text)
{
    const bool output = view_starts_with(key, "output_");
    if (!output && !view_starts_with(key, "input_"))
        return false;
    const struct view rest = view_slice(key, output ? 7 : 6, key.size);
    const size_t dot = view_find(rest, '.');
    const struct view field = view_slice(rest, dot < rest.size ? dot + 1 : dot, rest.size);
    uint64_t tensor;
    if (!view_to_u64(view_slice(rest, 0, dot), &tensor) || tensor >= COLUMN_TENSORS_MOST)
        return false;
    const uint32_t index = (uint32_t)tensor;
    if (view_is(field, "shape"))
        profile_report_operator_set_tensor(report, row, output, index, text);
    else if (view_is(field, "layout"))
        report_set_tensor(report, row, output, index, COLUMN_TENSOR_LAYOUT, text);
    else if (view_is(field, "datatype"))
        report_set_tensor(report, row, output, index, COLUMN_TENSOR_DATATYPE, text);
    else if (view_is(field, "memory"))
        report_set_tensor(report, row, output, index, COLUMN_TENSOR_MEMORY, text);
    else
        return false;
    return true;
}

// Attributes ------------------------------------------------------------------

struct attribute {
    struct view key, text;
};

struct attributes {
    struct attribute *items;
    size_t count, capacity;
    struct arena arena;
};

static int compare_attributes(const void *left, const void *right)
{
    const struct view a = ((const struct attribute *)left)->key;
    const struct view b = ((const struct attribute *)right)->key;
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static void profile_report_operator_add_attribute(struct attributes *attributes, struct view key,
                                                  struct view text)
{
    attributes->items = memory_grow(attributes->items, attributes->count, &attributes->capacity,
                                    sizeof *attributes->items);
    attributes->items[attributes->count++] =
        (struct attribute){key, arena_copy(&attributes->arena, text)};
}

// {'a': 'x'; 'b': 'y'}, keys in order.
static void set_attributes(struct report *report, size_t row, struct attributes *attributes)
{
    struct bytes text = {0};
    if (attributes->count > 0)
        sort_items(attributes->items, attributes->count, sizeof *attributes->items,
                   compare_attributes);
    for (size_t i = 0; i < attributes->count; i++) {
        bytes_append_format(&text, "%s", i > 0 ? "; " : "{");
        report_append_quoted(&text, attributes->items[i].key);
        bytes_append(&text, ": ", 2);
        report_append_quoted(&text, attributes->items[i].text);
    }
    if (attributes->count > 0) {
        bytes_append(&text, "}", 1);
        report_set(report, row, COLUMN_ATTRIBUTES, bytes_view(&text));
    }
    bytes_free(&text);
    free(attributes->items);
    arena_free(&attributes->arena);
}

// All -------------------------------------------------------------------------

static void profile_report_operator_set_value(struct report *report, size_t row,
                                              enum report_version version, struct view key,
                                              struct view text, struct attributes *attributes)
{
    const enum column_kind kind = report_description_column(key);
    if (kind == COLUMN_CONST_EVAL_OP || kind == COLUMN_PROGRAM_METADATA)
        report_set_raw(report, row, kind, text);
    else if (kind != COLUMN_OTHER && column_exists(kind, version))
        report_set(report, row, kind, text);
    else if (view_is(key, "attributes"))
        report_set(report, row, COLUMN_ATTRIBUTES, text);
    else if (view_is(key, "inputs") || view_is(key, "outputs"))
        profile_report_operator_set_tensors(report, row, view_is(key, "outputs"), text);
    else if (kind == COLUMN_OTHER && !set_tensor_field(report, row, key, text))
        profile_report_operator_add_attribute(
            attributes, view_starts_with(key, "attributes.") ? view_slice(key, 11, key.size) : key,
            text);
}

void profile_report_describe(const struct profile *profile, uint32_t operator_id, bool tiled,
                             enum report_version version, struct report *report, size_t row)
{
    const struct operator_description *op = profile_operator(profile, operator_id);
    struct attributes attributes = {0};
    struct value_reader reader = value_read(op->values);
    struct value value;
    report_set(report, row, COLUMN_OP_CODE,
               profile_text(profile, op->type != 0 ? op->type : op->name));
    if (version == REPORT_V1) {
        report_set_raw(report, row, COLUMN_LOC, VIEW_LITERAL("loc(unknown)"));
        report_set_raw(report, row, COLUMN_CONST_EVAL_OP, VIEW_LITERAL("false"));
        report_set_raw(report, row, COLUMN_PROGRAM_METADATA, VIEW_LITERAL("{}"));
    }
    if (op->location != 0 && profile_text(profile, op->location).size > 0)
        report_set_raw(report, row, COLUMN_LOC, profile_text(profile, op->location));
    while (value_next(&reader, &value)) {
        char room[REPORT_REAL_ROOM];
        const struct view key = profile_text(profile, value.key);
        if (tiled && modelled_columns_read(key))
            continue;
        profile_report_operator_set_value(report, row, version, key,
                                          profile_report_operator_text_of(profile, &value, room),
                                          &attributes);
    }
    set_attributes(report, row, &attributes);
}
