// Elementwise loops whose row function depends on the element.

#ifndef OPSCOPE_KERNELS_CORE_TYPED_H
#define OPSCOPE_KERNELS_CORE_TYPED_H

#include "broadcast.h"

// One row function for each element that has one.
typedef broadcast_row typed_rows[ELEMENT_COUNT];

// What a row function takes, in two spellings that CORE_CLONES wants.
#define TYPED_PARAMETERS                                                                           \
    (const void *context, void *out, const void *const *in, const uint8_t *steps, uint64_t count)
#define TYPED_ARGUMENTS (context, out, in, steps, count)

// Entries of a table whose functions are called name_f32, name_i8 ...
#define TYPED_REALS(name) [ELEMENT_F32] = name##_f32, [ELEMENT_F64] = name##_f64
#define TYPED_SIGNED(name)                                                                         \
    [ELEMENT_I8] = name##_i8, [ELEMENT_I16] = name##_i16, [ELEMENT_I32] = name##_i32,              \
    [ELEMENT_I64] = name##_i64
#define TYPED_UNSIGNED(name)                                                                       \
    [ELEMENT_U8] = name##_u8, [ELEMENT_U16] = name##_u16, [ELEMENT_U32] = name##_u32,              \
    [ELEMENT_U64] = name##_u64
#define TYPED_NUMBERS(name) TYPED_REALS(name), TYPED_SIGNED(name), TYPED_UNSIGNED(name)

// Makes the functions of such entries, whose names the caller spells out so that a search
// finds them: `row(name, type, bits, ...)` is a macro that makes one; `bits` is an unsigned
// type of at least the size in which nothing overflows.
#define TYPED_REAL_ROWS(row, f32, f64, ...)                                                        \
    row(f32, float, uint32_t, __VA_ARGS__) row(f64, double, uint64_t, __VA_ARGS__)
#define TYPED_SIGNED_ROWS(row, i8, i16, i32, i64, ...)                                             \
    row(i8, int8_t, uint32_t, __VA_ARGS__) row(i16, int16_t, uint32_t, __VA_ARGS__)                \
        row(i32, int32_t, uint32_t, __VA_ARGS__) row(i64, int64_t, uint64_t, __VA_ARGS__)
#define TYPED_UNSIGNED_ROWS(row, u8, u16, u32, u64, ...)                                           \
    row(u8, uint8_t, uint32_t, __VA_ARGS__) row(u16, uint16_t, uint32_t, __VA_ARGS__)              \
        row(u32, uint32_t, uint32_t, __VA_ARGS__) row(u64, uint64_t, uint64_t, __VA_ARGS__)

// Runs them. An element without a function of its own goes through a wider one: narrow
// floats through f32, integers through f64, rounded once at the end by the rules of
// convert.h. All inputs are of `element`; the output is so too, or of bools, which the
// rows write (comparisons). Fails for elements that there are no rows for.
status typed_run(struct parallel *parallel, const struct tensor *out,
                 const struct broadcast_input *inputs, uint32_t input_count, enum element element,
                 const typed_rows rows, const void *context);

// The same over whole tensors of one element.
status typed_run_tensors(struct parallel *parallel, const struct tensor *out,
                         const struct tensor *const *inputs, uint32_t input_count,
                         const typed_rows rows, const void *context);

#endif
