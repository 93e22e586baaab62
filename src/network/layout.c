// Operators that lay values out anew, between rows, tiles and packed weights. Networks have none:
// the compiler puts them where a value lies otherwise than an engine needs it. What they give is
// what they take; only its place is another.

#include "operator_tables.h"

#define LAYS_OUT(...)                                                                              \
    {                                                                                              \
        .class = OPERATOR_LAYOUT, .inputs = {1, 1}, .outputs = {1, 1},                             \
        .infer = inference_same_as_first, .tiling = TILED_AS_ELEMENTS,                             \
        .price = PRICED_AS_MOVEMENT, __VA_ARGS__                                                   \
    }

static const struct operator_definition OPERATORS[] = {
    LAYS_OUT(.name = "layout.to_tiles", .function = COMPUTES_TILES),
    LAYS_OUT(.name = "layout.weights_to_tiles", .function = COMPUTES_WEIGHT_TILES),
    LAYS_OUT(.name = "layout.from_tiles", .function = COMPUTES_ROWS),
    LAYS_OUT(.name = "layout.from_mxfp6", .function = COMPUTES_UNPACKED),
};

const struct operator_table LAYOUT_OPERATORS = OPERATOR_TABLE(OPERATORS);
