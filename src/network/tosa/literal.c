#include "literal.h"

#include <inttypes.h>

#include "network/real.h"
#include "wire/mlir_number.h"

enum { BATCH = 512 };

// A literal that is being read into `data`.
struct reader {
    struct tosa_literals *literals;
    const char *at;
    const char *end;
    enum element element;
    char *data;
};

static status tosa_literal_fail(const struct reader *reader, const char *expected)
{
    return mlir_failure(reader->literals->document, reader->at, "expected %s", expected);
}

static void literal_skip_blanks(struct reader *reader)
{
    reader->at = mlir_number_skip_blanks(reader->at, reader->end);
}

// One step after blanks, if it is this character.
static bool tosa_literal_accept_byte(struct reader *reader, char byte)
{
    literal_skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != byte)
        return false;
    reader->at++;
    return true;
}

static bool literal_take_word(struct reader *reader, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, word, size) != 0)
        return false;
    reader->at += size;
    return true;
}

// What a literal of the element may be: signless integers also take the
// unsigned values of their width.
static void limits(enum element element, int64_t *out_lowest, int64_t *out_highest)
{
    if (element == ELEMENT_BOOL) {
        *out_lowest = -1;
        *out_highest = 1;
        return;
    }
    *out_lowest = element_lowest(element);
    *out_highest = element_highest(element);
    if (element_is_signed(element) && *out_highest < INT64_MAX)
        *out_highest = *out_highest * 2 + 1;
    if (element == ELEMENT_I64 || element == ELEMENT_U64) {
        *out_lowest = INT64_MIN; // 64 bits hold whatever fits them
        *out_highest = INT64_MAX;
    }
}

static status literal_read_integer(struct reader *reader, int64_t *out_number)
{
    if (mlir_number_integer(&reader->at, reader->end, out_number))
        return STATUS_OK;
    if (literal_take_word(reader, "true")) {
        *out_number = 1;
        return STATUS_OK;
    }
    if (literal_take_word(reader, "false")) {
        *out_number = 0;
        return STATUS_OK;
    }
    return tosa_literal_fail(reader, "an integer that fits 64 bits");
}

// The value of a floating-point number from its bits.
static bool real_of_bits(enum element element, uint64_t bits, double *out_number)
{
    const unsigned width = element_bits(element);
    if (width < 64 && bits >> width != 0)
        return false;
    const struct constant constant = {.tensor = {.element = element, .data = &bits}};
    *out_number = constant_real(&constant, 0);
    return true;
}

static status literal_read_real(struct reader *reader, double *out_number)
{
    if (mlir_number_is_hex(reader->at, reader->end)) {
        const char *start = reader->at;
        int64_t bits;
        if (mlir_number_integer(&reader->at, reader->end, &bits) &&
            real_of_bits(reader->element, (uint64_t)bits, out_number))
            return STATUS_OK;
        reader->at = start;
        return tosa_literal_fail(reader, "not more bits than the element has");
    }
    if (mlir_number_real(&reader->at, reader->end, out_number))
        return STATUS_OK;
    return tosa_literal_fail(reader, "a number with a point");
}

static void store_reals(const struct reader *reader, const double *numbers, size_t count)
{
    float *singles = (float *)reader->data;
    uint16_t *halves = (uint16_t *)reader->data;
    uint8_t *bytes = (uint8_t *)reader->data;
    switch (reader->element) {
    case ELEMENT_F32:
        for (size_t i = 0; i < count; i++)
            singles[i] = (float)numbers[i];
        return;
    case ELEMENT_F64:
        memcpy(reader->data, numbers, count * sizeof *numbers);
        return;
    case ELEMENT_F16:
        for (size_t i = 0; i < count; i++)
            halves[i] = real_f16_of_double(numbers[i]);
        return;
    case ELEMENT_BF16:
        for (size_t i = 0; i < count; i++)
            halves[i] = real_to_bf16(real_to_odd(numbers[i]));
        return;
    default:
        for (size_t i = 0; i < count; i++)
            bytes[i] = real_to_f8(reader->element, real_to_odd(numbers[i]), false);
    }
}

#define STORE(type)                                                                                \
    do {                                                                                           \
        type *items = (type *)data;                                                                \
        for (size_t i = 0; i < count; i++)                                                         \
            items[i] = (type)numbers[i];                                                           \
    } while (0)

static void store_integers(enum element element, char *data, const int64_t *numbers, size_t count)
{
    if (element == ELEMENT_BOOL || element == ELEMENT_I4 || element == ELEMENT_U4) {
        for (size_t i = 0; i < count; i++) {
            const int low = (int)(numbers[i] & 15);
            data[i] = (char)(element == ELEMENT_BOOL ? low & 1
                             : element == ELEMENT_I4 ? (low ^ 8) - 8
                                                     : low);
        }
        return;
    }
    if (element == ELEMENT_I48) {
        int64_t *items = (int64_t *)data;
        for (size_t i = 0; i < count; i++)
            items[i] = (int64_t)((uint64_t)numbers[i] << 16) >> 16;
        return;
    }
    switch (element_size(element)) {
    case 1:
        STORE(uint8_t);
        return;
    case 2:
        STORE(uint16_t);
        return;
    case 4:
        STORE(uint32_t);
        return;
    default:
        STORE(uint64_t);
    }
}

// Up to BATCH numbers with commas between; *out_more: another comma follows.
static status read_batch(struct reader *reader, size_t room, bool *out_more)
{
    const bool real = element_is_float(reader->element);
    double reals[BATCH];
    int64_t integers[BATCH];
    int64_t lowest = 0, highest = 0;
    if (!real)
        limits(reader->element, &lowest, &highest);
    size_t count = 0;
    *out_more = true;
    while (*out_more && count < BATCH) {
        literal_skip_blanks(reader);
        if (count == room)
            return tosa_literal_fail(reader, "']': the list is longer than the dimension");
        const char *start = reader->at;
        if (real) {
            STATUS_TRY(literal_read_real(reader, &reals[count]));
        } else {
            STATUS_TRY(literal_read_integer(reader, &integers[count]));
            if (integers[count] < lowest || integers[count] > highest) {
                reader->at = start;
                return mlir_failure(reader->literals->document, start, "the number does not fit %s",
                                    element_name(reader->element));
            }
        }
        count++;
        *out_more = tosa_literal_accept_byte(reader, ',');
    }
    if (real)
        store_reals(reader, reals, count);
    else
        store_integers(reader->element, reader->data, integers, count);
    reader->data += count * element_size(reader->element);
    return STATUS_OK;
}

// The numbers of the innermost list.
static status literal_read_row(struct reader *reader, uint64_t length)
{
    const size_t size = element_size(reader->element);
    const char *end = reader->data + length * size;
    bool more = length > 0;
    while (more)
        STATUS_TRY(read_batch(reader, (size_t)(end - reader->data) / size, &more));
    return reader->data == end ? STATUS_OK
                               : tosa_literal_fail(reader, "as many numbers as the dimension");
}

// Lists in lists, as deep as the shape has dimensions. There is at least one element.
static status literal_read_lists(struct reader *reader, const struct shape *shape)
{
    int64_t counts[SHAPE_RANK_MOST] = {0};
    uint32_t depth = 0;
    for (;;) {
        while (depth < shape->rank) {
            if (!tosa_literal_accept_byte(reader, '['))
                return tosa_literal_fail(reader, "'['");
            counts[depth++] = 0;
        }
        STATUS_TRY(literal_read_row(reader, (uint64_t)shape->dims[depth - 1]));
        counts[depth - 1] = shape->dims[depth - 1];
        for (;;) {
            if (counts[depth - 1] != shape->dims[depth - 1])
                return tosa_literal_fail(reader, "as many items as the dimension");
            if (!tosa_literal_accept_byte(reader, ']'))
                return tosa_literal_fail(reader, "']'");
            if (--depth == 0)
                return STATUS_OK;
            counts[depth - 1]++;
            if (!tosa_literal_accept_byte(reader, ','))
                continue;
            if (counts[depth - 1] < shape->dims[depth - 1])
                break;
            return tosa_literal_fail(reader, "']': the list is longer than the dimension");
        }
    }
}

// Aligned, so that kernels can take it as it lies; with room for one element
// also where there is none.
static struct constant *new_constant(struct arena *arena, enum element element,
                                     const struct shape *shape, uint64_t bytes)
{
    struct constant *constant = arena_allocate(arena, sizeof *constant);
    *constant = (struct constant){.bytes = bytes};
    constant->tensor.element = element;
    constant->tensor.shape = *shape;
    char *data = arena_allocate(arena, bytes + TENSOR_ALIGNMENT + sizeof(uint64_t));
    constant->tensor.data = data + (-(uintptr_t)data & (TENSOR_ALIGNMENT - 1));
    return constant;
}

const struct constant *tosa_literal_of_integers(struct arena *arena, enum element element,
                                                const struct shape *shape, const int64_t *items)
{
    const uint64_t count = shape_count(shape);
    struct constant *constant = new_constant(arena, element, shape, count * element_size(element));
    store_integers(element, constant->tensor.data, items, count);
    return constant;
}

// Copies one element all over.
static void tosa_literal_spread(char *data, size_t size, uint64_t count)
{
    uint64_t done = 1;
    while (done < count) {
        const uint64_t step = done < count - done ? done : count - done;
        memcpy(data + done * size, data, step * size);
        done += step;
    }
}

static status new_splat(struct tosa_literals *literals, const char *at, enum element element,
                        const struct shape *shape, struct constant **out_constant)
{
    uint64_t count;
    STATUS_TRY(shape_elements(shape, &count));
    const uint64_t size = element_size(element);
    if (count > literals->splat_budget / size)
        return mlir_failure(literals->document, at,
                            "the splats of the text take too much memory with this one");
    literals->splat_budget -= count * size;
    *out_constant = new_constant(literals->arena, element, shape, count * size);
    return STATUS_OK;
}

static status read_splat(struct reader *reader, const struct shape *shape,
                         struct constant **out_constant)
{
    STATUS_TRY(new_splat(reader->literals, reader->at, reader->element, shape, out_constant));
    reader->data = (*out_constant)->tensor.data;
    bool more;
    STATUS_TRY(read_batch(reader, 1, &more));
    if (more)
        return tosa_literal_fail(reader, "one number, or a list");
    tosa_literal_spread((*out_constant)->tensor.data, element_size(reader->element),
                        shape_count(shape));
    return STATUS_OK;
}

// Bytes that one element takes in hexadecimal text.
static uint64_t file_size(enum element element)
{
    return element == ELEMENT_I48 ? 6 : element_size(element);
}

static void widen_bits(unsigned char *data, uint64_t count)
{
    for (uint64_t i = count; i-- > 0;)
        data[i] = (unsigned char)(data[i / 8] >> (i % 8) & 1);
}

static void widen_i48(unsigned char *data, uint64_t count)
{
    for (uint64_t i = count; i-- > 0;) {
        uint64_t bits = 0;
        memcpy(&bits, data + 6 * i, 6);
        const int64_t number = (int64_t)(bits << 16) >> 16;
        memcpy(data + 8 * i, &number, sizeof number);
    }
}

// Makes elements of the bytes of a file, in place.
static void tosa_literal_settle_order(enum element element, unsigned char *data, uint64_t count)
{
    if (element == ELEMENT_I48)
        widen_i48(data, count);
    for (uint64_t i = 0; element == ELEMENT_BOOL && i < count; i++)
        data[i] = data[i] != 0;
    for (uint64_t i = 0; element == ELEMENT_U4 && i < count; i++)
        data[i] &= 15;
    for (uint64_t i = 0; element == ELEMENT_I4 && i < count; i++)
        data[i] = (unsigned char)(((data[i] & 15) ^ 8) - 8);
}

static status literal_read_hex(struct tosa_literals *literals, struct view digits,
                               enum element element, const struct shape *shape,
                               struct constant **out_constant)
{
    uint64_t count;
    STATUS_TRY(shape_elements(shape, &count));
    const uint64_t bytes = digits.size / 2;
    const uint64_t size = file_size(element);
    const bool bits = element == ELEMENT_BOOL && bytes != count && bytes == (count + 7) / 8;
    const bool splat = !bits && bytes == size && count != 1;
    if (!bits && !splat && (count > UINT64_MAX / size || bytes != count * size))
        return mlir_failure(literals->document, digits.data,
                            "%" PRIu64 " bytes instead of %" PRIu64 " x %" PRIu64, bytes, count,
                            size);
    if (splat)
        STATUS_TRY(new_splat(literals, digits.data, element, shape, out_constant));
    else
        *out_constant =
            new_constant(literals->arena, element, shape, count * element_size(element));
    unsigned char *data = (*out_constant)->tensor.data;
    if (!mlir_number_bytes(digits, data))
        return mlir_failure(literals->document, digits.data, "expected hexadecimal bytes");
    if (bits)
        widen_bits(data, count);
    tosa_literal_settle_order(element, data, splat && count > 0 ? 1 : count);
    if (splat)
        tosa_literal_spread((char *)data, element_size(element), count);
    return STATUS_OK;
}

static status literal_read_list(struct reader *reader, const struct shape *shape,
                                struct constant **out_constant)
{
    uint64_t count;
    if (shape->rank == 0)
        return tosa_literal_fail(reader, "one number");
    STATUS_TRY(shape_elements(shape, &count));
    // Each element takes a character at least, so the text bounds the memory.
    if (count > (uint64_t)(reader->end - reader->at))
        return tosa_literal_fail(reader, "as many numbers as the type has");
    *out_constant = new_constant(reader->literals->arena, reader->element, shape,
                                 count * element_size(reader->element));
    reader->data = (*out_constant)->tensor.data;
    if (count > 0)
        return literal_read_lists(reader, shape);
    while (tosa_literal_accept_byte(reader, '[') || tosa_literal_accept_byte(reader, ']') ||
           tosa_literal_accept_byte(reader, ','))
        ;
    return STATUS_OK;
}

static status read_dense(struct tosa_literals *literals, struct view body, enum element element,
                         const struct shape *shape, struct constant **out_constant)
{
    struct reader reader = {literals, body.data, body.data + body.size, element, NULL};
    literal_skip_blanks(&reader);
    if (literal_take_word(&reader, "\"0x")) {
        const struct view rest = {reader.at, (size_t)(reader.end - reader.at)};
        return literal_read_hex(literals, view_slice(rest, 0, view_find(rest, '"')), element, shape,
                                out_constant);
    }
    if (reader.at == reader.end || *reader.at == '[')
        STATUS_TRY(literal_read_list(&reader, shape, out_constant));
    else
        STATUS_TRY(read_splat(&reader, shape, out_constant));
    literal_skip_blanks(&reader);
    return reader.at == reader.end ? STATUS_OK
                                   : tosa_literal_fail(&reader, "the end of the literal");
}

// "0x", four bytes of alignment, then the elements.
static status literal_read_resource(struct tosa_literals *literals,
                                    const struct mlir_attribute *attribute, enum element element,
                                    const struct shape *shape, struct constant **out_constant)
{
    struct view name = view_trim(attribute->body);
    if (name.size > 1 && name.data[0] == '"')
        name = view_slice(name, 1, name.size - 1);
    const struct mlir_attribute *resource = mlir_resource_find(literals->document, name);
    if (resource == NULL)
        return mlir_failure(literals->document, attribute->text.data, "there is no resource '%.*s'",
                            VIEW_ARGUMENTS(name));
    if (resource->kind != MLIR_TEXT || !view_starts_with(resource->text, "0x") ||
        resource->text.size < 10)
        return mlir_failure(literals->document, resource->text.data,
                            "expected \"0x\" and hexadecimal bytes");
    return literal_read_hex(literals, view_slice(resource->text, 10, resource->text.size), element,
                            shape, out_constant);
}

status tosa_literal_read(struct tosa_literals *literals, const struct mlir_attribute *attribute,
                         enum element element, const struct shape *shape,
                         const struct constant **out_constant)
{
    if (!element_is_float(element) && !element_is_integer(element) && element != ELEMENT_BOOL)
        return mlir_failure(literals->document, attribute->text.data,
                            "a literal of %s is not supported", element_name(element));
    struct constant *constant = NULL;
    const struct view text = attribute->text;
    struct reader reader = {literals, text.data, text.data + text.size, element, NULL};
    switch (attribute->kind) {
    case MLIR_DENSE:
        STATUS_TRY(read_dense(literals, attribute->body, element, shape, &constant));
        break;
    case MLIR_RESOURCE:
        STATUS_TRY(literal_read_resource(literals, attribute, element, shape, &constant));
        break;
    case MLIR_BOOL:
    case MLIR_INTEGER:
    case MLIR_REAL:
        STATUS_TRY(read_splat(&reader, shape, &constant));
        break;
    default:
        return mlir_failure(literals->document, text.data,
                            "expected dense<...>, dense_resource<...> or a number");
    }
    *out_constant = constant;
    return STATUS_OK;
}

// Lists of numbers that are attributes.
static status read_numbers(struct tosa_literals *literals, const struct mlir_attribute *numbers,
                           enum element element, const void **out_items, uint32_t *out_count)
{
    const struct view body = numbers->body;
    struct reader reader = {literals, body.data, body.data + body.size, element, NULL};
    literal_skip_blanks(&reader);
    uint64_t room = reader.at < reader.end ? 1 : 0;
    for (const char *at = reader.at; at < reader.end; at++)
        room += *at == ',';
    reader.data = arena_allocate(literals->arena, room * element_size(element));
    *out_items = reader.data;
    *out_count = (uint32_t)room;
    STATUS_TRY(literal_read_row(&reader, room));
    literal_skip_blanks(&reader);
    return reader.at == reader.end ? STATUS_OK : tosa_literal_fail(&reader, "',' or '>'");
}

status tosa_literal_integers(struct tosa_literals *literals, const struct mlir_attribute *numbers,
                             const int64_t **out_items, uint32_t *out_count)
{
    const void *items = NULL;
    STATUS_TRY(read_numbers(literals, numbers, ELEMENT_I64, &items, out_count));
    *out_items = items;
    return STATUS_OK;
}

status tosa_literal_reals(struct tosa_literals *literals, const struct mlir_attribute *numbers,
                          const double **out_items, uint32_t *out_count)
{
    const void *items = NULL;
    STATUS_TRY(read_numbers(literals, numbers, ELEMENT_F64, &items, out_count));
    *out_items = items;
    return STATUS_OK;
}

status tosa_literal_real(struct tosa_literals *literals, const struct mlir_attribute *attribute,
                         enum element element, double *out_number)
{
    const struct shape scalar = {0};
    const struct constant *constant;
    STATUS_TRY(tosa_literal_read(literals, attribute, element, &scalar, &constant));
    *out_number = constant_real(constant, 0);
    return STATUS_OK;
}
