#include "arguments.h"

// How the trace that was read spells the value before, or that an event has no arguments.
static bool is_spelling(const struct value *value, uint32_t before)
{
    return value->provenance == PROVENANCE_DERIVED && value->kind == VALUE_JSON &&
           (value->key == before || view_is(value->text, "{}"));
}

enum argument argument_next(struct argument_reader *reader, struct value *out_value)
{
    while (value_next(&reader->values, out_value)) {
        const bool out = out_value->kind == VALUE_FLOW_OUT;
        const bool in = out_value->kind == VALUE_FLOW_IN;
        reader->of_flow =
            out || in || (reader->of_flow && out_value->provenance == PROVENANCE_DERIVED);
        const bool spells = is_spelling(out_value, reader->before);
        reader->before = out_value->key;
        if (out || in)
            return out ? ARGUMENT_FLOW_OUT : ARGUMENT_FLOW_IN;
        if (out_value->kind == VALUE_STRING && out_value->key == reader->category_key)
            return ARGUMENT_CATEGORY;
        if (reader->wanted && !reader->of_flow && !spells)
            return ARGUMENT_VALUE;
    }
    return ARGUMENT_NONE;
}
