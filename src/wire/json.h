// Writes JSON text as it comes, indented or on a line, always valid: texts are
// escaped and bytes that are no UTF-8 are replaced.

#ifndef OPSCOPE_WIRE_JSON_H
#define OPSCOPE_WIRE_JSON_H

#include "base/output.h"

enum { JSON_DEPTH_MOST = 32 };

struct json_writer {
    struct output *output;
    bool line; // everything on one line
    unsigned depth;
    bool filled[JSON_DEPTH_MOST]; // something stands before in this object or array
    char closing[JSON_DEPTH_MOST];
};

static inline struct json_writer json_write(struct output *output)
{
    return (struct json_writer){.output = output};
}

// Each value at the top stands on a line of its own.
static inline struct json_writer json_write_lines(struct output *output)
{
    return (struct json_writer){.output = output, .line = true};
}

// `key` is NULL inside an array and at the top.
void json_open_object(struct json_writer *json, const char *key);
void json_open_array(struct json_writer *json, const char *key);
void json_close(struct json_writer *json);

void json_text(struct json_writer *json, const char *key, struct view text);
void json_uint(struct json_writer *json, const char *key, uint64_t number);
void json_real(struct json_writer *json, const char *key, double number);
// `value` is JSON already: a number that no C type holds.
void json_raw(struct json_writer *json, const char *key, struct view value);
void json_bool(struct json_writer *json, const char *key, bool value);
void json_null(struct json_writer *json, const char *key);

#endif
