// Types, names, loops and locations of a dump.

#include <inttypes.h>

#include "dump_writing.h"
#include "program/location.h"

static const char *mlir_name(enum element element)
{
    switch (element) {
    case ELEMENT_U8:
        return "ui8";
    case ELEMENT_U16:
        return "ui16";
    case ELEMENT_U32:
        return "ui32";
    case ELEMENT_U64:
        return "ui64";
    case ELEMENT_U4:
        return "ui4";
    case ELEMENT_BOOL:
        return "i1";
    case ELEMENT_C64:
        return "complex<f32>";
    case ELEMENT_C128:
        return "complex<f64>";
    case ELEMENT_F8E4M3FN:
        return "f8E4M3FN";
    case ELEMENT_F8E4M3FNUZ:
        return "f8E4M3FNUZ";
    case ELEMENT_F8E5M2:
        return "f8E5M2";
    case ELEMENT_F8E5M2FNUZ:
        return "f8E5M2FNUZ";
    case ELEMENT_NONE:
    case ELEMENT_TEXT:
        return "i8"; // of no size that the device knows
    default:
        return element_name(element);
    }
}

void dump_append_type(const struct dump_writing *writing, uint32_t buffer, struct bytes *to)
{
    const struct program_buffer *item = &writing->program->buffers[buffer];
    const bool code = item->kind == PROGRAM_BUFFER_CODE;
    bytes_append_format(to, "memref<");
    if (item->rank > SHAPE_RANK_MOST || item->kind == PROGRAM_BUFFER_DYNAMIC)
        bytes_append_format(to, "*x");
    else
        for (uint32_t i = 0; i < item->rank; i++)
            bytes_append_format(to, item->dims[i] < 0 ? "?x" : "%" PRId64 "x", item->dims[i]);
    bytes_append_format(to, "%s", code ? "i8" : mlir_name((enum element)item->element));
    if (writing->target->memories[item->memory].local)
        bytes_append_format(to, ", #torq_hl<enc mem_space = %s>",
                            writing->target->memories[item->memory].name);
    bytes_append_format(to, ">");
}

bool dump_is_port(const struct dump_writing *writing, uint32_t buffer)
{
    const uint16_t kind = writing->program->buffers[buffer].kind;
    return kind == PROGRAM_BUFFER_INPUT || kind == PROGRAM_BUFFER_OUTPUT;
}

void dump_append_global(const struct dump_writing *writing, uint32_t buffer, struct bytes *to)
{
    const struct program_buffer *item = &writing->program->buffers[buffer];
    const char *name = "intermediate";
    if (item->kind == PROGRAM_BUFFER_CONSTANT)
        name = "const_global";
    else if (item->kind == PROGRAM_BUFFER_CODE && !writing->target->memories[item->memory].local)
        name = "const_descriptor";
    bytes_append_format(to, "@__%s_%" PRIu32, name, writing->order[buffer]);
}

void dump_append_get_global(const struct dump_writing *writing, uint32_t value, uint32_t buffer,
                            struct bytes *to)
{
    bytes_append_format(to, "%%%" PRIu32 " = memref.get_global ", value);
    dump_append_global(writing, buffer, to);
    bytes_append_format(to, " : ");
    dump_append_type(writing, buffer, to);
    bytes_append(to, "\n", 1);
}

void dump_append_quoted(struct view text, struct bytes *to)
{
    bytes_append(to, "\"", 1);
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        if (byte < 32 || byte == '"' || byte == '\\' || byte >= 127)
            bytes_append_format(to, "\\%02X", byte);
        else
            bytes_append(to, &byte, 1);
    }
    bytes_append(to, "\"", 1);
}

void dump_append_symbol(struct view name, struct bytes *to)
{
    bytes_append(to, "@", 1);
    for (size_t i = 0; i < name.size; i++) {
        const char byte = name.data[i];
        const bool letter = (byte | 32) >= 'a' && (byte | 32) <= 'z';
        const bool digit = byte >= '0' && byte <= '9';
        bytes_append(to, letter || (digit && i > 0) || (byte == '.' && i > 0) ? &byte : "_", 1);
    }
    if (name.size == 0)
        bytes_append(to, "_", 1);
}

// Loops ----------------------------------------------------------------------------

static bool has_loops(const struct program_buffer *buffer, const struct program_operand *box)
{
    return buffer->rank <= SHAPE_RANK_MOST && box->rank == buffer->rank;
}

uint64_t dump_box_address(const struct dump_writing *writing, const struct program_operand *box)
{
    const struct program_buffer *buffer = &writing->program->buffers[box->buffer];
    uint64_t stride = element_size((enum element)buffer->element);
    uint64_t address = buffer->address;
    for (uint32_t i = has_loops(buffer, box) ? box->rank : 0; i-- > 0;) {
        address += (uint64_t)box->from[i] * stride;
        stride *= (uint64_t)buffer->dims[i];
    }
    return address;
}

// Innermost first; dimensions that lie without a gap one after another are one.
void dump_append_ndl(const struct dump_writing *writing, const struct program_operand *box,
                     uint64_t bytes, struct bytes *to)
{
    const struct program_buffer *buffer = &writing->program->buffers[box->buffer];
    uint64_t run = element_size((enum element)buffer->element);
    uint64_t stride = run; // of dimension i, in bytes
    uint64_t product = run;
    uint64_t counts[SHAPE_RANK_MOST], strides[SHAPE_RANK_MOST];
    uint32_t loops = 0;
    for (uint32_t i = has_loops(buffer, box) ? box->rank : 0; i-- > 0;) {
        const uint64_t size = (uint64_t)box->size[i];
        product *= size;
        const uint64_t last = loops == 0 ? run : counts[loops - 1] * strides[loops - 1];
        if (loops == 0 && stride == run)
            run *= size;
        else if (loops > 0 && stride == last)
            counts[loops - 1] *= size;
        else if (size != 1) {
            counts[loops] = size;
            strides[loops++] = stride;
        }
        stride *= (uint64_t)buffer->dims[i];
    }
    bytes_append_format(to, "#torq_hw<dma_ndl{dims = [[%" PRIu64 ", 1]",
                        product == bytes ? run : bytes);
    for (uint32_t i = 0; i < loops && product == bytes; i++)
        bytes_append_format(to, ", [%" PRIu64 ", %" PRIu64 "]", counts[i], strides[i]);
    bytes_append_format(to, "]}>");
}

// Locations ------------------------------------------------------------------------

void dump_append_group_location(const struct dump_writing *writing, uint32_t group,
                                struct bytes *to)
{
    if (!writing->locations || group == PROGRAM_NONE)
        return;
    const size_t before = to->size;
    bytes_append(to, " ", 1);
    program_group_location(writing->program, group, to);
    if (view_is(view_slice(bytes_view(to), before + 1, to->size), "loc(unknown)"))
        to->size = before;
}

void dump_append_action_location(const struct dump_writing *writing,
                                 const struct program_action *action, struct bytes *to)
{
    const struct view text = view_of(program_text(writing->program, action->location));
    if (!view_starts_with(text, "loc(") || !view_ends_with(text, ")")) {
        dump_append_group_location(writing, program_action_group(writing->program, action), to);
        return;
    }
    if (!writing->locations)
        return;
    bytes_append_format(to, " ");
    bytes_append(to, text.data, text.size);
}

void dump_flush(struct dump_writing *writing, struct bytes *text)
{
    output_write(writing->output, text->data, text->size);
    text->size = 0;
}
