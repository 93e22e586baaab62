#include "json.h"

#include <math.h>
#include <stdio.h>

static void put_escaped(struct output *output, unsigned char byte)
{
    static const char *const short_forms[128] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t",
    };
    if (short_forms[byte] != NULL)
        output_text(output, short_forms[byte]);
    else
        output_format(output, "\\u%04x", byte);
}

static void wire_json_put_string(struct output *output, struct view text)
{
    output_text(output, "\"");
    size_t plain = 0;
    for (size_t at = 0; at < text.size;) {
        const unsigned char byte = (unsigned char)text.data[at];
        const size_t size = view_character_size(text, at);
        if (size > 0 && byte >= 0x20 && byte != '"' && byte != '\\') {
            at += size;
            continue;
        }
        output_write(output, text.data + plain, at - plain);
        if (size == 0)
            output_text(output, "\xef\xbf\xbd");
        else
            put_escaped(output, byte);
        plain = ++at;
    }
    output_write(output, text.data + plain, text.size - plain);
    output_text(output, "\"");
}

static void put_indent(struct json_writer *json)
{
    if (json->line)
        return;
    output_text(json->output, "\n");
    for (unsigned i = 0; i < json->depth; i++)
        output_text(json->output, "  ");
}

static void wire_json_put_key(struct json_writer *json, const char *key)
{
    if (json->depth > 0) {
        if (json->filled[json->depth - 1])
            output_text(json->output, json->line ? ", " : ",");
        json->filled[json->depth - 1] = true;
        put_indent(json);
    }
    if (key != NULL) {
        wire_json_put_string(json->output, view_of(key));
        output_text(json->output, ": ");
    }
}

static void open(struct json_writer *json, const char *key, const char *opening, char closing)
{
    wire_json_put_key(json, key);
    output_text(json->output, opening);
    if (json->depth < JSON_DEPTH_MOST) {
        json->filled[json->depth] = false;
        json->closing[json->depth++] = closing;
    }
}

void json_open_object(struct json_writer *json, const char *key)
{
    open(json, key, "{", '}');
}

void json_open_array(struct json_writer *json, const char *key)
{
    open(json, key, "[", ']');
}

void json_close(struct json_writer *json)
{
    if (json->depth == 0)
        return;
    json->depth--;
    if (json->filled[json->depth])
        put_indent(json);
    output_write(json->output, &json->closing[json->depth], 1);
    if (json->depth == 0)
        output_text(json->output, "\n");
}

void json_text(struct json_writer *json, const char *key, struct view text)
{
    wire_json_put_key(json, key);
    wire_json_put_string(json->output, text);
}

void json_uint(struct json_writer *json, const char *key, uint64_t number)
{
    wire_json_put_key(json, key);
    output_format(json->output, "%llu", (unsigned long long)number);
}

void json_real(struct json_writer *json, const char *key, double number)
{
    if (!isfinite(number)) {
        json_null(json, key);
        return;
    }
    wire_json_put_key(json, key);
    output_format(json->output, "%.15g", number);
}

void json_raw(struct json_writer *json, const char *key, struct view value)
{
    wire_json_put_key(json, key);
    output_write(json->output, value.data, value.size);
}

void json_bool(struct json_writer *json, const char *key, bool value)
{
    wire_json_put_key(json, key);
    output_text(json->output, value ? "true" : "false");
}

void json_null(struct json_writer *json, const char *key)
{
    wire_json_put_key(json, key);
    output_text(json->output, "null");
}
