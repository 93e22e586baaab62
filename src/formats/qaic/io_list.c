#include "io_list.h"

#include <inttypes.h>

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

static status io_list_set(const struct reading *reading, uint64_t line, struct view key,
                          struct view value)
{
    struct network_port *item = &reading->list->items[reading->list->count - 1];
    if (view_is(key, "IOName")) {
        item->name = value;
        return STATUS_OK;
    }
    if (!view_is(key, "Precision"))
        return status_at(STATUS_UNSUPPORTED, reading->name, line,
                         "'%.*s': IOName and Precision are known here", VIEW_ARGUMENTS(key));
    if (view_is(value, "float16"))
        item->element = ELEMENT_F16;
    else if (view_is(value, "float32") || view_is(value, "float"))
        item->element = ELEMENT_F32;
    else
        return status_at(STATUS_UNSUPPORTED, reading->name, line,
                         "precision '%.*s': there are float16 and float32", VIEW_ARGUMENTS(value));
    return STATUS_OK;
}

static status io_list_end(const struct reading *reading, uint64_t line)
{
    const struct qaic_io_list *list = reading->list;
    const struct network_port *item = list->count > 0 ? &list->items[list->count - 1] : NULL;
    if (item == NULL || (item->name.size > 0 && item->element != ELEMENT_NONE))
        return STATUS_OK;
    return status_at(STATUS_DATA, reading->name, line, "the item before has no %s",
                     item->name.size == 0 ? "IOName" : "Precision");
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
