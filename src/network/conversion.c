#include "conversion.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "block.h"
#include "operators.h"
#include "real.h"

static const uint32_t CONVERTIBLE_REALS = ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_BF16) |
                                          ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F64);

// The list --------------------------------------------------------------------------------

enum element conversion_of(const struct conversion *conversion, enum element element)
{
    for (uint32_t i = 0; i < conversion->count; i++) {
        if (conversion->pairs[i].from == element)
            return conversion->pairs[i].to;
    }
    return element;
}

static bool conversion_is_possible(struct conversion_pair pair)
{
    const bool reals = (CONVERTIBLE_REALS >> pair.from & 1) != 0 &&
                       ((CONVERTIBLE_REALS >> pair.to & 1) != 0 || element_is_block(pair.to));
    const bool integers = pair.from == ELEMENT_I64 && pair.to == ELEMENT_I32;
    return pair.from != pair.to && (reals || integers);
}

static status conversion_add(struct conversion *conversion, const char *text, struct view item)
{
    const size_t equals = view_find(item, '=');
    const struct conversion_pair pair = {
        element_named(view_slice(item, 0, equals)),
        equals < item.size ? element_of_machine(view_slice(item, equals + 1, item.size))
                           : ELEMENT_NONE};
    if (!conversion_is_possible(pair))
        return status_make(
            STATUS_USAGE,
            "'%.*s' is no conversion: f16, bf16, f32 and f64 can become one "
            "another, bfp8_b or bfp4_b, i64 can become i32, and weights mxfp6, as in "
            "f32=bf16,i64=i32",
            VIEW_ARGUMENTS(item));
    for (uint32_t i = 0; i < conversion->count; i++) {
        const struct conversion_pair other = conversion->pairs[i];
        if (other.from == pair.from || other.from == pair.to || other.to == pair.from)
            return status_make(STATUS_USAGE, "'%s': %s=%s and %s=%s exclude each other", text,
                               element_name(other.from), element_name(other.to),
                               element_name(pair.from), element_name(pair.to));
    }
    // Pairs begin with different elements, and there are five of these.
    conversion->pairs[conversion->count++] = pair;
    return STATUS_OK;
}

status conversion_parse(const char *text, struct conversion *out_conversion)
{
    struct view rest = view_of(text);
    *out_conversion = (struct conversion){0};
    for (;;) {
        const size_t comma = view_find(rest, ',');
        const struct view item = view_slice(rest, 0, comma);
        if (view_is(item, "ports"))
            out_conversion->ports = true;
        else if (view_is(item, "weights=mxfp6"))
            out_conversion->weights = true;
        else
            STATUS_TRY(conversion_add(out_conversion, text, item));
        if (comma == rest.size)
            break;
        rest = view_slice(rest, comma + 1, rest.size);
    }
    for (uint32_t i = 0; i < out_conversion->count && out_conversion->ports; i++) {
        if (element_is_block(out_conversion->pairs[i].to))
            return status_make(STATUS_USAGE,
                               "'%s': inputs and outputs cannot be of %s: leave 'ports' out", text,
                               element_name(out_conversion->pairs[i].to));
    }
    return out_conversion->count > 0 || out_conversion->weights
               ? STATUS_OK
               : status_make(STATUS_USAGE, "'%s' says nothing to convert: f32=bf16,i64=i32", text);
}

double conversion_tolerance(const struct conversion *conversion)
{
    double tolerance = conversion->weights ? 0x1p-4 : 0;
    for (uint32_t i = 0; i < conversion->count; i++) {
        const enum element to = conversion->pairs[i].to;
        const double own = to == ELEMENT_BFP4_B   ? 0x1p-1
                           : to == ELEMENT_BFP8_B ? 0x1p-4
                           : to == ELEMENT_BF16   ? 0x1p-5
                           : to == ELEMENT_F16    ? 0x1p-8
                           : to == ELEMENT_F32    ? 0x1p-20
                                                  : 0;
        tolerance = fmax(tolerance, own);
    }
    return tolerance;
}

// Constants -------------------------------------------------------------------------------

static void write_real(enum element element, void *data, uint64_t index, double real)
{
    switch (element) {
    case ELEMENT_F16:
        ((uint16_t *)data)[index] = real_f16_of_double(real);
        break;
    case ELEMENT_BF16:
        ((uint16_t *)data)[index] = real_to_bf16(real_to_odd(real));
        break;
    case ELEMENT_F32:
        ((float *)data)[index] = (float)real;
        break;
    default:
        ((double *)data)[index] = real;
    }
}

// Numbers of one constant that became infinite.
struct beyond {
    uint64_t count;
    double greatest;
};

static void count_beyond(struct beyond *beyond, double real)
{
    beyond->count++;
    if (fabs(real) > fabs(beyond->greatest))
        beyond->greatest = real;
}

// What nearly all networks are made of, at the speed of reading them.
static void round_floats(const struct constant *constant, enum element element, uint16_t *to,
                         struct beyond *beyond)
{
    const uint64_t count = tensor_count(&constant->tensor);
    const char *from = constant->tensor.data;
    const uint16_t infinity = element == ELEMENT_F16 ? 0x7c00 : 0x7f80;
    for (uint64_t i = 0; i < count; i++) {
        float real;
        memcpy(&real, from + i * sizeof real, sizeof real);
        to[i] = element == ELEMENT_F16 ? real_to_f16(real) : real_to_bf16(real);
        if ((to[i] & 0x7fff) == infinity && !isinf(real))
            count_beyond(beyond, (double)real);
    }
}

static void round_reals(const struct constant *constant, enum element element, void *to,
                        struct beyond *beyond)
{
    const uint64_t count = tensor_count(&constant->tensor);
    const struct constant made = {{element, constant->tensor.shape, to}, false, 0};
    for (uint64_t i = 0; i < count; i++) {
        const double real = constant_real(constant, i);
        write_real(element, to, i, real);
        if (!isinf(real) && isinf(constant_real(&made, i)))
            count_beyond(beyond, real);
    }
}

static void round_blocks(const struct constant *constant, enum element element, uint16_t *to,
                         struct beyond *beyond)
{
    const uint64_t count = tensor_count(&constant->tensor);
    float *floats = memory_allocate_zeroed(count + 1, sizeof *floats);
    for (uint64_t i = 0; i < count; i++) {
        const double real = constant_real(constant, i);
        floats[i] = (float)real;
        if (isinf(floats[i]) && !isinf(real))
            count_beyond(beyond, real);
    }
    block_round_floats(element, &constant->tensor.shape, floats, to);
    free(floats);
}

static status narrow_integers(const struct constant *constant, struct view name, int32_t *to)
{
    const uint64_t count = tensor_count(&constant->tensor);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t number = constant_integer(constant, i);
        if (number < INT32_MIN || number > INT32_MAX)
            return status_make(STATUS_DATA,
                               "constant '%.*s': element %" PRIu64 ", %" PRId64
                               ", does not fit i32: leave i64=i32 out",
                               VIEW_ARGUMENTS(name), i, number);
        to[i] = (int32_t)number;
    }
    return STATUS_OK;
}

static void conversion_note(struct conversion_record *record, struct view name,
                            const struct beyond *beyond)
{
    record->constants++;
    record->beyond += beyond->count;
    if (beyond->count == 0)
        return;
    if (record->beyond_constants++ == 0)
        record->beyond_first = name;
    if (fabs(beyond->greatest) > fabs(record->beyond_greatest))
        record->beyond_greatest = beyond->greatest;
}

status conversion_constant(struct network *network, const struct constant *constant,
                           struct view name, enum element element,
                           const struct constant **out_constant)
{
    struct constant *made = arena_allocate(&network->arena, sizeof *made);
    struct beyond beyond = {0};
    *made = (struct constant){.tensor = {element, constant->tensor.shape, NULL},
                              .blocked = constant->blocked};
    made->bytes = tensor_bytes(&made->tensor);
    // Aligned as kernels want it, so that nobody has to copy it again.
    const uintptr_t room =
        (uintptr_t)arena_allocate(&network->arena, made->bytes + TENSOR_ALIGNMENT);
    made->tensor.data =
        (void *)((room + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT);
    if (element == ELEMENT_I32)
        STATUS_TRY(narrow_integers(constant, name, made->tensor.data));
    else if (element_is_block(element))
        round_blocks(constant, element, made->tensor.data, &beyond);
    else if (constant->tensor.element == ELEMENT_F32 && element != ELEMENT_F64)
        round_floats(constant, element, made->tensor.data, &beyond);
    else
        round_reals(constant, element, made->tensor.data, &beyond);
    conversion_note(&network->conversion, name, &beyond);
    *out_constant = made;
    return STATUS_OK;
}
