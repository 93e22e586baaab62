#include "tensor_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "real.h"

enum { NUMBER_MOST = 400 }; // digits of a number, more than any double has

// Types -----------------------------------------------------------------------

static size_t digits_at(struct view text)
{
    size_t count = 0;
    while (count < text.size && text.data[count] >= '0' && text.data[count] <= '9')
        count++;
    return count;
}

status tensor_text_type(struct view text, enum element *out_element, struct shape *out_shape)
{
    struct view rest = view_trim(text);
    struct shape shape = {0};
    for (size_t digits; (digits = digits_at(rest)) > 0 && digits < rest.size;
         rest = view_slice(rest, digits + 1, rest.size)) {
        int64_t length;
        if (rest.data[digits] != 'x')
            break;
        if (!view_to_i64(view_slice(rest, 0, digits), &length))
            return status_make(STATUS_USAGE, "'%.*s': a dimension is too large",
                               VIEW_ARGUMENTS(text));
        if (shape.rank == SHAPE_RANK_MOST)
            return status_make(STATUS_USAGE, "'%.*s' has more than %d dimensions",
                               VIEW_ARGUMENTS(text), SHAPE_RANK_MOST);
        shape.dims[shape.rank++] = length;
    }
    *out_element = element_named(rest);
    if (*out_element == ELEMENT_NONE)
        return status_make(STATUS_USAGE, "'%.*s' is not a type like 1x3xf32", VIEW_ARGUMENTS(text));
    *out_shape = shape;
    return STATUS_OK;
}

// Elements --------------------------------------------------------------------

static status not_a_number(struct view token, enum element element)
{
    return status_make(STATUS_USAGE, "'%.*s' is not a value of type %s", VIEW_ARGUMENTS(token),
                       element_name(element));
}

// strtod and the like want a NUL after the number.
static bool number_text(struct view token, char text[NUMBER_MOST])
{
    if (token.size == 0 || token.size >= NUMBER_MOST)
        return false;
    memcpy(text, token.data, token.size);
    text[token.size] = '\0';
    return true;
}

static bool parse_f64(struct view token, double *out_number)
{
    char text[NUMBER_MOST];
    char *end;
    if (!number_text(token, text))
        return false;
    *out_number = strtod(text, &end);
    return *end == '\0';
}

static bool parse_f32(struct view token, float *out_number)
{
    char text[NUMBER_MOST];
    char *end;
    if (!number_text(token, text))
        return false;
    *out_number = strtof(text, &end);
    return *end == '\0';
}

static bool parse_unsigned(struct view token, uint64_t *out_number)
{
    char text[NUMBER_MOST];
    char *end;
    if (!number_text(token, text) || text[0] < '0' || text[0] > '9')
        return false;
    const bool hexadecimal = text[0] == '0' && (text[1] | 32) == 'x';
    errno = 0;
    *out_number = strtoull(text, &end, hexadecimal ? 16 : 10);
    return *end == '\0' && errno == 0;
}

static bool parse_integer(struct view token, enum element element, int64_t *out_number)
{
    const bool negative = token.size > 0 && token.data[0] == '-';
    const bool sign = negative || (token.size > 0 && token.data[0] == '+');
    uint64_t magnitude;
    if (!parse_unsigned(view_slice(token, sign, token.size), &magnitude))
        return false;
    if (element == ELEMENT_U64) {
        *out_number = (int64_t)magnitude;
        return !negative || magnitude == 0;
    }
    const uint64_t most =
        negative ? -(uint64_t)element_lowest(element) : (uint64_t)element_highest(element);
    *out_number = (int64_t)(negative ? -magnitude : magnitude);
    return magnitude <= most;
}

static bool parse_bool(struct view token, uint8_t *out_bool)
{
    *out_bool = view_is(token, "1") || view_is_ignoring_case(token, "true");
    return *out_bool != 0 || view_is(token, "0") || view_is_ignoring_case(token, "false");
}

// "1", "1+2i", "-1e3-2.5i": the sign that parts them follows no exponent.
static bool parse_complex(struct view token, double out_parts[2])
{
    out_parts[1] = 0;
    const char last = token.size > 0 ? token.data[token.size - 1] : '\0';
    if (last != 'i' && last != 'j')
        return parse_f64(token, &out_parts[0]);
    size_t at = token.size - 1;
    while (at > 0 && !((token.data[at] == '+' || token.data[at] == '-') &&
                       (token.data[at - 1] | 32) != 'e' && (token.data[at - 1] | 32) != 'p'))
        at--;
    return at > 0 && parse_f64(view_slice(token, 0, at), &out_parts[0]) &&
           parse_f64(view_slice(token, at, token.size - 1), &out_parts[1]);
}

static void store_integer(struct tensor *tensor, uint64_t index, int64_t number)
{
    const size_t size = element_size(tensor->element);
    // The low bytes come first.
    memcpy((char *)tensor->data + index * size, &number, size);
}

static bool store_number(struct tensor *tensor, uint64_t index, struct view token)
{
    int64_t integer;
    double real[2];
    switch (tensor->element) {
    case ELEMENT_F32:
        return parse_f32(token, (float *)tensor->data + index);
    case ELEMENT_F64:
        return parse_f64(token, (double *)tensor->data + index);
    case ELEMENT_F16:
        if (!parse_f64(token, real))
            return false;
        ((uint16_t *)tensor->data)[index] = real_f16_of_double(real[0]);
        return true;
    case ELEMENT_BF16:
        if (!parse_f64(token, real))
            return false;
        ((uint16_t *)tensor->data)[index] = real_to_bf16(real_to_odd(real[0]));
        return true;
    case ELEMENT_F8E4M3FN:
    case ELEMENT_F8E4M3FNUZ:
    case ELEMENT_F8E5M2:
    case ELEMENT_F8E5M2FNUZ:
        if (!parse_f64(token, real))
            return false;
        ((uint8_t *)tensor->data)[index] = real_to_f8(tensor->element, real_to_odd(real[0]), true);
        return true;
    case ELEMENT_BOOL:
        return parse_bool(token, (uint8_t *)tensor->data + index);
    case ELEMENT_C64:
        if (!parse_complex(token, real))
            return false;
        ((float *)tensor->data)[2 * index] = (float)real[0];
        ((float *)tensor->data)[2 * index + 1] = (float)real[1];
        return true;
    case ELEMENT_C128:
        return parse_complex(token, (double *)tensor->data + 2 * index);
    default:
        if (!parse_integer(token, tensor->element, &integer))
            return false;
        store_integer(tensor, index, integer);
        return true;
    }
}

static bool parts(char byte)
{
    return byte == '[' || byte == ']' || byte == ',' || byte == ' ' || byte == '\t' ||
           byte == '\n' || byte == '\r';
}

// A text in quotes: \" \\ and \n stand for what they stand for in C.
static bool tensor_text_take_quoted(struct view *rest, struct arena *arena, struct view *out_text)
{
    size_t end = 1;
    while (end < rest->size && rest->data[end] != '"')
        end += rest->data[end] == '\\' ? 2 : 1;
    if (end >= rest->size)
        return false;
    char *text = arena_allocate(arena, end);
    size_t size = 0;
    for (size_t i = 1; i < end; i++) {
        const bool escaped = rest->data[i] == '\\';
        i += escaped;
        text[size++] = escaped && rest->data[i] == 'n' ? '\n' : rest->data[i];
    }
    *out_text = (struct view){text, size};
    *rest = view_slice(*rest, end + 1, rest->size);
    return true;
}

static struct view take_token(struct view *rest)
{
    size_t end = 0;
    while (end < rest->size && !parts(rest->data[end]))
        end++;
    const struct view token = view_slice(*rest, 0, end);
    *rest = view_slice(*rest, end, rest->size);
    return token;
}

static status take_element(struct datum *datum, uint64_t index, struct view *rest)
{
    struct tensor *tensor = &datum->tensor;
    if (tensor->element == ELEMENT_TEXT) {
        if (rest->data[0] == '"' &&
            tensor_text_take_quoted(rest, &datum->texts, (struct view *)tensor->data + index))
            return STATUS_OK;
        return status_make(STATUS_USAGE, "'%.*s' is not a text in double quotes",
                           VIEW_ARGUMENTS(*rest));
    }
    const struct view token = take_token(rest);
    return store_number(tensor, index, token) ? STATUS_OK : not_a_number(token, tensor->element);
}

static void skip_parting(struct view *rest)
{
    size_t at = 0;
    while (at < rest->size && parts(rest->data[at]))
        at++;
    *rest = view_slice(*rest, at, rest->size);
}

// Repeats the first element over the whole tensor, doubling what is there.
static void splat(struct tensor *tensor)
{
    const uint64_t whole = tensor_bytes(tensor);
    char *data = tensor->data;
    for (uint64_t done = element_size(tensor->element); done < whole; done *= 2)
        memcpy(data + done, data, done <= whole - done ? done : whole - done);
}

static status parse_elements(struct datum *datum, struct view text)
{
    const uint64_t count = tensor_count(&datum->tensor);
    struct view rest = text;
    uint64_t found = 0;
    for (skip_parting(&rest); rest.size > 0; skip_parting(&rest)) {
        if (found == count)
            return status_make(STATUS_USAGE, "more than the %" PRIu64 " values of the type", count);
        STATUS_TRY(take_element(datum, found++, &rest));
    }
    if (found == 1)
        splat(&datum->tensor);
    else if (found < count)
        return status_make(STATUS_USAGE, "%" PRIu64 " values instead of %" PRIu64, found, count);
    return STATUS_OK;
}

status tensor_text_parse(struct view text, uint64_t most_bytes, struct datum **out_datum)
{
    const size_t equals = view_find(text, '=');
    enum element element;
    struct shape shape;
    uint64_t count;
    STATUS_TRY(tensor_text_type(view_slice(text, 0, equals), &element, &shape));
    STATUS_TRY(shape_elements(&shape, &count));
    if (count > most_bytes / element_size(element))
        return status_make(STATUS_LIMIT, "'%.*s' is too large: at most %" PRIu64 " bytes",
                           VIEW_ARGUMENTS(view_slice(text, 0, equals)), most_bytes);
    struct datum *datum;
    STATUS_TRY(datum_tensor(element, &shape, &datum));
    status result = STATUS_OK;
    if (equals < text.size)
        result = parse_elements(datum, view_slice(text, equals + 1, text.size));
    else
        memset(datum->tensor.data, 0, tensor_bytes(&datum->tensor));
    if (result != STATUS_OK) {
        datum_release(datum);
        return result;
    }
    *out_datum = datum;
    return STATUS_OK;
}

// Printing --------------------------------------------------------------------

void tensor_text_append_type(struct bytes *text, enum element element, const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0)
            bytes_append(text, "?x", 2);
        else
            bytes_append_format(text, "%" PRId64 "x", shape->dims[i]);
    }
    if (element == ELEMENT_BOOL)
        bytes_append(text, "i1", 2);
    else if (element_is_integer(element) && !element_is_signed(element))
        bytes_append_format(text, "ui%u", element_bits(element));
    else
        bytes_append_format(text, "%s", element_name(element));
}

// The fewest digits, from six on, that read back as the same number.
static void tensor_text_append_real(struct bytes *text, double number, enum element element)
{
    char digits[40];
    const bool wide = element == ELEMENT_F64 || element == ELEMENT_C128;
    const bool narrow = element_bits(element) <= 16; // six digits are always enough
    const int most = wide ? 17 : narrow ? 6 : 9;
    for (int precision = 6; precision <= most; precision++) {
        snprintf(digits, sizeof digits, "%.*G", precision, number);
        const double back = wide ? strtod(digits, NULL) : (double)strtof(digits, NULL);
        if (back == number)
            break;
    }
    bytes_append_format(text, "%s", isnan(number) ? "NAN" : digits);
}

static void tensor_text_append_quoted(struct bytes *text, struct view item)
{
    bytes_append(text, "\"", 1);
    for (size_t i = 0; i < item.size; i++) {
        const char byte = item.data[i];
        if (byte == '\n')
            bytes_append(text, "\\n", 2);
        else if (byte == '"' || byte == '\\')
            bytes_append_format(text, "\\%c", byte);
        else
            bytes_append(text, &byte, 1);
    }
    bytes_append(text, "\"", 1);
}

static void append_complex(struct bytes *text, const struct tensor *tensor, uint64_t index)
{
    struct constant constant = {.tensor = *tensor};
    constant.tensor.element = tensor->element == ELEMENT_C64 ? ELEMENT_F32 : ELEMENT_F64;
    const double imaginary = constant_real(&constant, 2 * index + 1);
    tensor_text_append_real(text, constant_real(&constant, 2 * index), tensor->element);
    if (isnan(imaginary) || !signbit(imaginary))
        bytes_append(text, "+", 1);
    tensor_text_append_real(text, imaginary, tensor->element);
    bytes_append(text, "i", 1);
}

void tensor_text_append_element(struct bytes *text, const struct tensor *tensor, uint64_t index)
{
    const struct constant constant = {.tensor = *tensor};
    if (tensor->element == ELEMENT_TEXT)
        tensor_text_append_quoted(text, ((const struct view *)tensor->data)[index]);
    else if (tensor->element == ELEMENT_C64 || tensor->element == ELEMENT_C128)
        append_complex(text, tensor, index);
    else if (element_is_float(tensor->element))
        tensor_text_append_real(text, constant_real(&constant, index), tensor->element);
    else if (tensor->element == ELEMENT_U64)
        bytes_append_format(text, "%" PRIu64, (uint64_t)constant_integer(&constant, index));
    else
        bytes_append_format(text, "%" PRId64, constant_integer(&constant, index));
}

struct printing {
    struct bytes *text;
    const struct tensor *tensor;
    uint64_t at; // elements printed
    uint64_t most;
};

static void print_dimension(struct printing *printing, uint32_t dimension)
{
    const struct shape *shape = &printing->tensor->shape;
    const bool innermost = dimension + 1 >= shape->rank;
    for (int64_t i = 0; i < shape->dims[dimension]; i++) {
        if (printing->at == printing->most) {
            bytes_append(printing->text, "...", 3);
            return;
        }
        if (innermost) {
            tensor_text_append_element(printing->text, printing->tensor, printing->at++);
            if (i + 1 < shape->dims[dimension])
                bytes_append(printing->text, " ", 1);
        } else {
            bytes_append(printing->text, "[", 1);
            print_dimension(printing, dimension + 1);
            bytes_append(printing->text, "]", 1);
        }
    }
}

void tensor_text_append(struct bytes *text, const struct tensor *tensor, uint64_t most)
{
    struct printing printing = {text, tensor, 0, most};
    tensor_text_append_type(text, tensor->element, &tensor->shape);
    bytes_append(text, "=", 1);
    if (tensor->shape.rank == 0)
        tensor_text_append_element(text, tensor, 0);
    else if (tensor_count(tensor) > 0)
        print_dimension(&printing, 0);
}

void tensor_text_append_datum(struct bytes *text, const struct datum *datum, uint64_t most)
{
    if (datum->kind == DATUM_TENSOR) {
        tensor_text_append(text, &datum->tensor, most);
        return;
    }
    if (datum->kind == DATUM_NOTHING) {
        bytes_append_format(text, "nothing");
        return;
    }
    bytes_append(text, "[", 1);
    for (size_t i = 0; i < datum->count; i++) {
        if (i > 0)
            bytes_append(text, ", ", 2);
        tensor_text_append_datum(text, datum->items[i], most);
    }
    bytes_append(text, "]", 1);
}

void tensor_text_append_value_type(struct bytes *text, const struct value_type *type)
{
    if (type->optional)
        bytes_append_format(text, "optional ");
    if (type->kind == VALUE_UNKNOWN)
        bytes_append_format(text, "?");
    else if (type->kind == VALUE_SEQUENCE)
        bytes_append_format(text, "sequence of %s", element_name(type->element));
    else if (!type->ranked)
        bytes_append_format(text, "*x%s", element_name(type->element));
    else
        tensor_text_append_type(text, type->element, &type->shape);
}
