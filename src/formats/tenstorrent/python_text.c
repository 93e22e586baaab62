#include "python_text.h"

#include "report.h"

static void python_text_append_number(struct bytes *text, struct view number)
{
    double real;
    const bool whole = view_find(number, '.') == number.size &&
                       view_find(number, 'e') == number.size &&
                       view_find(number, 'E') == number.size;
    if (whole || !view_to_double(number, &real)) {
        bytes_append(text, number.data, number.size);
        return;
    }
    char room[REPORT_REAL_ROOM];
    const struct view shortest = view_of(report_real_text(real, room));
    bytes_append(text, shortest.data, shortest.size);
}

void python_text_append_nested(struct bytes *text, const struct json_value *value)
{
    if (value->kind == JSON_TEXT)
        report_append_quoted(text, value->text);
    else
        python_text_append(text, value);
}

static void append_items(struct bytes *text, const struct json_value *value)
{
    const bool object = value->kind == JSON_OBJECT;
    bytes_append(text, object ? "{" : "[", 1);
    for (const struct json_value *item = value->first; item != NULL; item = item->next) {
        if (item != value->first)
            bytes_append(text, "; ", 2);
        if (object) {
            report_append_quoted(text, item->key);
            bytes_append(text, ": ", 2);
        }
        python_text_append_nested(text, item);
    }
    bytes_append(text, object ? "}" : "]", 1);
}

void python_text_append(struct bytes *text, const struct json_value *value)
{
    switch (value->kind) {
    case JSON_NULL:
        bytes_append(text, "None", 4);
        break;
    case JSON_BOOL:
        bytes_append(text, value->truth ? "True" : "False", value->truth ? 4 : 5);
        break;
    case JSON_NUMBER:
        python_text_append_number(text, value->text);
        break;
    case JSON_TEXT:
        bytes_append(text, value->text.data, value->text.size);
        break;
    default:
        append_items(text, value);
        break;
    }
}
