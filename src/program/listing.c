#include "listing.h"

#include "program.h"

#define SUFFIX ".onnx"

enum { FIRST_LINE = 3, COLUMN = 5 };

bool program_is_listed(const struct program *program)
{
    return program->source.size > strlen(SUFFIX) && view_ends_with(program->source, SUFFIX);
}

// A name in a line of its own: what would end a text or a line is left out.
static void append_plain(struct bytes *to, struct view name)
{
    for (size_t i = 0; i < name.size; i++) {
        const unsigned char byte = (unsigned char)name.data[i];
        if (byte >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\')
            bytes_append(to, &byte, 1);
    }
}

void program_listing_place(const struct program *program, uint32_t operator_id, struct bytes *to)
{
    bytes_append(to, "\"", 1);
    append_plain(to, view_slice(program->source, 0, program->source.size - strlen(SUFFIX)));
    bytes_append_format(to, ".mlir\":%llu:%d", (unsigned long long)operator_id + FIRST_LINE,
                        COLUMN);
}

static void listing_append_values(struct bytes *to, const uint32_t *values, uint32_t count)
{
    bool first = true;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == PROGRAM_NONE) // an input that is not given
            continue;
        bytes_append_format(to, "%s%%%u", first ? "" : ", ", values[i]);
        first = false;
    }
}

void program_listing(const struct program *program, struct bytes *to)
{
    bytes_append_format(to, "module {\n  func.func @main() {\n");
    for (uint32_t i = 0; i < program->operator_count; i++) {
        const struct program_operator *op = &program->operators[i];
        const uint32_t *inputs = program->operator_values + op->first_input;
        bytes_append_format(to, "    ");
        listing_append_values(to, inputs + op->input_count, op->output_count);
        bytes_append_format(to, "%storch.operator \"onnx.", op->output_count > 0 ? " = " : "");
        append_plain(to, view_of(program_text(program, op->type)));
        bytes_append_format(to, "\"(");
        listing_append_values(to, inputs, op->input_count);
        bytes_append_format(to, ") // ");
        append_plain(to, view_of(program_text(program, op->name)));
        bytes_append(to, "\n", 1);
    }
    bytes_append_format(to, "    return\n  }\n}\n");
}
