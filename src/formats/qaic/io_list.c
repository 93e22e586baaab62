#include "io_list.h"

#include <inttypes.h>
#include <math.h>

#include "wire/json_reader.h"

enum { ITEMS_MOST = 1 << 16 };

struct reading {
    const char *name;
    struct qaic_io_list *list;
    size_t capacity;
};

static status io_list_begin(struct reading *reading)
{
    struct qaic_io_list *list = reading->list;
    if (list->count == ITEMS_MOST)
        return status_make(STATUS_LIMIT, "%s: more than %d items", reading->name, ITEMS_MOST);
    if (list->count == reading->capacity) {
        const size_t capacity = reading->capacity > 0 ? 2 * reading->capacity : 16;
        struct network_port *items = arena_allocate(&list->arena, capacity * sizeof *items);
        if (list->count > 0)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        reading->capacity = capacity;
    }
    list->items[list->count++] = (struct network_port){.element = ELEMENT_NONE};
    return STATUS_OK;
}

static bool io_list_precision(struct view name, enum element *out_element)
{
    static const struct {
        const char *name;
        enum element element;
    } PRECISIONS[] = {{"float16", ELEMENT_F16},
                      {"float32", ELEMENT_F32},
                      {"float", ELEMENT_F32},
                      {"int8", ELEMENT_I8},
                      {"uint8", ELEMENT_U8}};
    for (size_t i = 0; i < sizeof PRECISIONS / sizeof PRECISIONS[0]; i++) {
        if (view_is(name, PRECISIONS[i].name)) {
            *out_element = PRECISIONS[i].element;
            return true;
        }
    }
    return false;
}

static status io_list_set(const struct reading *reading, uint64_t line, struct view key,
                          struct view value)
{
    struct network_port *item = &reading->list->items[reading->list->count - 1];
    if (view_is(key, "IOName")) {
        item->name = value;
        return STATUS_OK;
    }
    if (view_is(key, "Precision"))
        return io_list_precision(value, &item->element)
                   ? STATUS_OK
                   : status_at(STATUS_UNSUPPORTED, reading->name, line,
                               "precision '%.*s': there are float16, float32, int8 and uint8",
                               VIEW_ARGUMENTS(value));
    if (view_is(key, "Scale"))
        return view_to_double(value, &item->scale) && item->scale > 0 && isfinite(item->scale)
                   ? STATUS_OK
                   : status_at(STATUS_DATA, reading->name, line,
                               "Scale '%.*s': expected a number above 0", VIEW_ARGUMENTS(value));
    if (view_is(key, "Offset"))
        return view_to_i64(value, &item->offset) && item->offset >= -128 && item->offset <= 255
                   ? STATUS_OK
                   : status_at(STATUS_DATA, reading->name, line,
                               "Offset '%.*s': expected a number of the precision",
                               VIEW_ARGUMENTS(value));
    return status_at(STATUS_UNSUPPORTED, reading->name, line,
                     "'%.*s': IOName, Precision, Scale and Offset are known here",
                     VIEW_ARGUMENTS(key));
}

// Whether the offset is a number of the precision.
static bool offset_fits(const struct network_port *item)
{
    return item->element == ELEMENT_I8   ? item->offset <= 127
           : item->element == ELEMENT_U8 ? item->offset >= 0
                                         : item->offset == 0;
}

static status io_list_end(const struct reading *reading, uint64_t line)
{
    const struct qaic_io_list *list = reading->list;
    const struct network_port *item = list->count > 0 ? &list->items[list->count - 1] : NULL;
    if (item == NULL)
        return STATUS_OK;
    if (item->name.size == 0 || item->element == ELEMENT_NONE)
        return status_at(STATUS_DATA, reading->name, line, "the item before has no %s",
                         item->name.size == 0 ? "IOName" : "Precision");
    const bool integer = item->element == ELEMENT_I8 || item->element == ELEMENT_U8;
    if (integer != (item->scale > 0))
        return status_at(STATUS_DATA, reading->name, line,
                         integer ? "the item before has no Scale: which reals its integers are"
                                 : "the item before has a Scale, which is for int8 and uint8");
    if (!offset_fits(item))
        return status_at(STATUS_DATA, reading->name, line,
                         "the Offset of the item before is no number of its precision");
    return STATUS_OK;
}

// YAML ---------------------------------------------------------------------------------

// A value without what quotes it, or a comment after it.
static struct view bare_value(struct view value)
{
    value = view_trim(value);
    if (value.size >= 2 && (value.data[0] == '"' || value.data[0] == '\'')) {
        const struct view inside = view_slice(value, 1, value.size);
        return view_slice(inside, 0, view_find(inside, value.data[0]));
    }
    for (size_t i = 1; i < value.size; i++) {
        if (value.data[i] == '#' && value.data[i - 1] == ' ')
            return view_trim(view_slice(value, 0, i));
    }
    return value;
}

static status read_yaml_line(struct reading *reading, uint64_t number, struct view line)
{
    if (line.size == 0 || line.data[0] == '#' || view_is(line, "---"))
        return STATUS_OK;
    if (line.data[0] == '-') {
        STATUS_TRY(io_list_end(reading, number));
        STATUS_TRY(io_list_begin(reading));
        line = view_trim(view_slice(line, 1, line.size));
        if (line.size == 0)
            return STATUS_OK;
    }
    const size_t colon = view_find(line, ':');
    if (reading->list->count == 0 || colon == line.size)
        return status_at(STATUS_DATA, reading->name, number,
                         "expected '- IOName: NAME' and 'Precision: float16', not '%.*s'",
                         VIEW_ARGUMENTS(line));
    return io_list_set(reading, number, view_trim(view_slice(line, 0, colon)),
                       bare_value(view_slice(line, colon + 1, line.size)));
}

static status read_yaml(struct reading *reading, struct view text)
{
    uint64_t number = 0;
    while (text.size > 0) {
        const size_t end = view_find(text, '\n');
        STATUS_TRY(read_yaml_line(reading, ++number, view_trim(view_slice(text, 0, end))));
        text = view_slice(text, end < text.size ? end + 1 : end, text.size);
    }
    return io_list_end(reading, number);
}

// JSON ---------------------------------------------------------------------------------

static status read_json(struct reading *reading, struct view text)
{
    const struct json_value *root;
    uint64_t number = 0;
    STATUS_TRY(status_within(json_read(text, &reading->list->arena, &root), "%s", reading->name));
    for (const struct json_value *item = root->first; item != NULL; item = item->next) {
        STATUS_TRY(io_list_begin(reading));
        number++;
        for (const struct json_value *pair = item->first; pair != NULL; pair = pair->next)
            STATUS_TRY(io_list_set(reading, number, pair->key, json_text_of(pair)));
        STATUS_TRY(io_list_end(reading, number));
    }
    return STATUS_OK;
}

status qaic_io_list_read(const char *name, struct view text, struct qaic_io_list *out_list)
{
    *out_list = (struct qaic_io_list){0};
    struct reading reading = {.name = name, .list = out_list};
    const struct view trimmed = view_trim(text);
    status failure = trimmed.size > 0 && trimmed.data[0] == '[' ? read_json(&reading, text)
                                                                : read_yaml(&reading, text);
    if (failure == STATUS_OK && out_list->count == 0)
        failure = status_make(STATUS_DATA, "%s: has no items: '- IOName: NAME'", name);
    if (failure != STATUS_OK)
        qaic_io_list_free(out_list);
    return failure;
}

void qaic_io_list_free(struct qaic_io_list *list)
{
    arena_free(&list->arena);
    *list = (struct qaic_io_list){0};
}
