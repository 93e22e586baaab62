// What the elements of a tensor are.
//
// In memory a 4-bit integer takes a byte and a 48-bit integer takes eight, so
// that every element has an address; files may pack them (tensor_proto.h). A
// text is a `struct view`. A number of a block format takes two: those of the
// bf16 that it is, which carries every one of them (block.h).

#ifndef OPSCOPE_NETWORK_ELEMENT_H
#define OPSCOPE_NETWORK_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/view.h"

// The numbers up to ELEMENT_I4 are those of ONNX's TensorProto.DataType.
enum element {
    ELEMENT_NONE = 0,
    ELEMENT_F32 = 1,
    ELEMENT_U8 = 2,
    ELEMENT_I8 = 3,
    ELEMENT_U16 = 4,
    ELEMENT_I16 = 5,
    ELEMENT_I32 = 6,
    ELEMENT_I64 = 7,
    ELEMENT_TEXT = 8,
    ELEMENT_BOOL = 9, // a byte, 0 or 1
    ELEMENT_F16 = 10,
    ELEMENT_F64 = 11,
    ELEMENT_U32 = 12,
    ELEMENT_U64 = 13,
    ELEMENT_C64 = 14, // two f32
    ELEMENT_C128 = 15,
    ELEMENT_BF16 = 16,
    ELEMENT_F8E4M3FN = 17,
    ELEMENT_F8E4M3FNUZ = 18,
    ELEMENT_F8E5M2 = 19,
    ELEMENT_F8E5M2FNUZ = 20,
    ELEMENT_U4 = 21,
    ELEMENT_I4 = 22,
    ELEMENT_I48 = 23, // TOSA's accumulator: sign-extended to eight bytes
    // What no file has, and values become by conversion alone: sixteen neighbours share an
    // exponent, and each has a sign and 7 or 3 bits.
    ELEMENT_BFP8_B = 24,
    ELEMENT_BFP4_B = 25,
};

enum {
    ELEMENT_COUNT = 24, // of those that files have
    ELEMENT_ALL = 26,
};

// Bytes that one element takes in memory.
size_t element_size(enum element element);

// Bits that one element takes where it is packed: in files and in figures of work.
unsigned element_bits(enum element element);

// "f32", "i8", "bf16", "bool", "text" ...
const char *element_name(enum element element);

// The element of a name: ours, MLIR's ("i1", "ui8", "si8"), IREE's or numpy's
// ("float32"). ELEMENT_NONE when there is none, and for block formats, which files do not have.
enum element element_named(struct view name);

// The same where block formats may be named as well: of targets and conversions.
enum element element_of_machine(struct view name);

bool element_is_block(enum element element); // bfp8_b, bfp4_b

// What it lies in memory as, and is computed in: bf16 of a block format, else itself.
enum element element_carrier(enum element element);

bool element_is_float(enum element element);   // f8 to f64 and block formats, no complex
bool element_is_signed(enum element element);  // signed integers
bool element_is_integer(enum element element); // without bool

// Of an integer: its smallest and largest value (u64's largest does not fit and
// is INT64_MAX). 0 for what is no integer; 0 and 255 for bools.
long long element_lowest(enum element element);
long long element_highest(enum element element);

#endif
