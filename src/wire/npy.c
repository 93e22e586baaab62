#include "npy.h"

#include <inttypes.h>

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, VERSION_SIZE = 2 };

bool npy_recognise(struct view bytes)
{
    return bytes.size >= MAGIC_SIZE && memcmp(bytes.data, MAGIC, MAGIC_SIZE) == 0;
}

// The dictionary, a line of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
static status find_dictionary(struct view bytes, struct view *out_text, size_t *out_size)
{
    if (!npy_recognise(bytes))
        return status_make(STATUS_DATA, "is no .npy file: it does not start with \\x93NUMPY");
    if (bytes.size < MAGIC_SIZE + VERSION_SIZE)
        return status_make(STATUS_DATA, "the header is cut off");
    const unsigned char *data = (const unsigned char *)bytes.data;
    const unsigned major = data[MAGIC_SIZE];
    if (major < 1 || major > 3)
        return status_make(STATUS_UNSUPPORTED, "version %u.%u of .npy is not known", major,
                           data[MAGIC_SIZE + 1]);
    const size_t length_size = major == 1 ? 2 : 4;
    const size_t start = MAGIC_SIZE + VERSION_SIZE + length_size;
    uint64_t length = 0;
    for (size_t i = 0; i < length_size && start <= bytes.size; i++)
        length |= (uint64_t)data[MAGIC_SIZE + VERSION_SIZE + i] << (8 * i);
    if (start > bytes.size || length > bytes.size - start)
        return status_make(STATUS_DATA, "the header is cut off");
    *out_size = start + (size_t)length;
    *out_text = view_slice(bytes, start, *out_size);
    return STATUS_OK;
}

static void npy_skip_blanks(struct view *rest)
{
    size_t at = 0;
    while (at < rest->size && (rest->data[at] == ' ' || rest->data[at] == '\n'))
        at++;
    *rest = view_slice(*rest, at, rest->size);
}

static bool npy_accept_byte(struct view *rest, char byte)
{
    npy_skip_blanks(rest);
    if (rest->size == 0 || rest->data[0] != byte)
        return false;
    *rest = view_slice(*rest, 1, rest->size);
    return true;
}

static bool npy_take_text(struct view *rest, struct view *out_text)
{
    npy_skip_blanks(rest);
    if (rest->size == 0 || (rest->data[0] != '\'' && rest->data[0] != '"'))
        return false;
    const struct view inside = view_slice(*rest, 1, rest->size);
    const size_t end = view_find(inside, rest->data[0]);
    if (end == inside.size)
        return false;
    *out_text = view_slice(inside, 0, end);
    *rest = view_slice(inside, end + 1, inside.size);
    return true;
}

static bool take_bool(struct view *rest, bool *out_bool)
{
    npy_skip_blanks(rest);
    *out_bool = view_starts_with(*rest, "True");
    if (!*out_bool && !view_starts_with(*rest, "False"))
        return false;
    *rest = view_slice(*rest, *out_bool ? 4 : 5, rest->size);
    return true;
}

static bool npy_take_number(struct view *rest, uint64_t *out_number)
{
    npy_skip_blanks(rest);
    size_t digits = 0;
    while (digits < rest->size && rest->data[digits] >= '0' && rest->data[digits] <= '9')
        digits++;
    if (!view_to_u64(view_slice(*rest, 0, digits), out_number))
        return false;
    *rest = view_slice(*rest, digits, rest->size);
    // Python 2 wrote long integers as "3L".
    if (rest->size > 0 && rest->data[0] == 'L')
        *rest = view_slice(*rest, 1, rest->size);
    return true;
}

// "()", "(3,)", "(3, 4)"
static bool take_shape(struct view *rest, struct npy_header *header)
{
    if (!npy_accept_byte(rest, '('))
        return false;
    header->rank = 0;
    while (!npy_accept_byte(rest, ')')) {
        if (header->rank == NPY_RANK_MOST || !npy_take_number(rest, &header->dims[header->rank++]))
            return false;
        if (!npy_accept_byte(rest, ','))
            return npy_accept_byte(rest, ')');
    }
    return true;
}

static status take_type(struct view *rest, struct npy_header *header)
{
    struct view type;
    if (!npy_take_text(rest, &type) || type.size == 0)
        return status_make(STATUS_UNSUPPORTED, "structured elements are not supported: 'descr' "
                                               "must be a plain type like '<f4'");
    const char order = type.data[0];
    const bool ordered = order == '<' || order == '>' || order == '|' || order == '=';
    header->big_endian = order == '>';
    header->type = view_slice(type, ordered, type.size);
    return STATUS_OK;
}

static status bad_header(struct view text)
{
    return status_make(STATUS_DATA, "'%.*s' is no header of a .npy file", VIEW_ARGUMENTS(text));
}

status npy_header_read(struct view bytes, struct npy_header *out_header)
{
    enum { TYPE = 1, ORDER = 2, SHAPE = 4 };
    struct npy_header header = {0};
    struct view text;
    STATUS_TRY(find_dictionary(bytes, &text, &header.size));
    struct view rest = text;
    unsigned found = 0;
    if (!npy_accept_byte(&rest, '{'))
        return bad_header(text);
    while (!npy_accept_byte(&rest, '}')) {
        struct view key;
        if (!npy_take_text(&rest, &key) || !npy_accept_byte(&rest, ':'))
            return bad_header(text);
        if (view_is(key, "descr")) {
            STATUS_TRY(take_type(&rest, &header));
            found |= TYPE;
        } else if (view_is(key, "fortran_order") && take_bool(&rest, &header.fortran_order)) {
            found |= ORDER;
        } else if (view_is(key, "shape") && take_shape(&rest, &header)) {
            found |= SHAPE;
        } else {
            return bad_header(text);
        }
        npy_accept_byte(&rest, ',');
    }
    if (found != (TYPE | ORDER | SHAPE))
        return bad_header(text);
    *out_header = header;
    return STATUS_OK;
}

void npy_header_append(struct bytes *file, const char *type, const uint64_t *dims, unsigned rank)
{
    const size_t start = file->size;
    bytes_append(file, MAGIC, MAGIC_SIZE);
    bytes_append(file, "\1\0\0\0", 4);
    bytes_append_format(file, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (unsigned i = 0; i < rank; i++)
        bytes_append_format(file, "%s%" PRIu64 "%s", i > 0 ? " " : "", dims[i],
                            i + 1 < rank || rank == 1 ? "," : "");
    bytes_append_format(file, "), }");
    while ((file->size - start) % NPY_ALIGNMENT != NPY_ALIGNMENT - 1)
        bytes_append(file, " ", 1);
    bytes_append(file, "\n", 1);
    const size_t length = file->size - start - MAGIC_SIZE - 4;
    file->data[start + MAGIC_SIZE + 2] = (unsigned char)length;
    file->data[start + MAGIC_SIZE + 3] = (unsigned char)(length >> 8);
}
