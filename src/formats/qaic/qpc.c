#include "qpc.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    HEADER_SIZE = 40,
    ENTRY_SIZE = 32,
    SLOW_PATH = 1, // of files; what is in memory alone has 0
    ALIGNMENT = 64,
    SEGMENTS_MOST = 1 << 20,
};

static const unsigned char MAGIC[4] = {0x7c, 0xcd, 0xa1, 0x00};

static uint64_t number_at(struct view bytes, size_t at)
{
    uint64_t number;
    memcpy(&number, bytes.data + at, sizeof number);
    return number;
}

bool qpc_recognise(struct view bytes)
{
    return bytes.size >= HEADER_SIZE && memcmp(bytes.data, MAGIC, sizeof MAGIC) == 0;
}

// Pointers are relative to `base`, and may wrap around.
static bool qpc_range_of(struct view bytes, uint64_t pointer, uint64_t base, uint64_t size,
                         struct view *out_part)
{
    const uint64_t at = pointer - base;
    if (at > bytes.size || size > bytes.size - at)
        return false;
    *out_part = view_slice(bytes, (size_t)at, (size_t)(at + size));
    return true;
}

static bool name_at(struct view bytes, uint64_t pointer, uint64_t base, struct view *out_name)
{
    const uint64_t at = pointer - base;
    if (at >= bytes.size)
        return false;
    const struct view rest = view_slice(bytes, (size_t)at, bytes.size);
    const size_t end = view_find(rest, '\0');
    *out_name = view_slice(rest, 0, end);
    return end < rest.size;
}

static status qpc_read_entry(struct qpc *qpc, struct view entries, size_t index, uint64_t base)
{
    const struct view bytes = qpc->input->bytes;
    struct qpc_segment *segment = &qpc->segments[index];
    const size_t at = index * ENTRY_SIZE;
    segment->offset = number_at(entries, at + 8);
    if (!name_at(bytes, number_at(entries, at + 16), base, &segment->name) ||
        !qpc_range_of(bytes, number_at(entries, at + 24), base, number_at(entries, at),
                      &segment->bytes) ||
        segment->offset > segment->bytes.size)
        return status_make(STATUS_DATA,
                           "%s: segment %zu lies outside the file: it was cut off or damaged",
                           qpc->input->path, index);
    return STATUS_OK;
}

static status read_container(struct qpc *qpc)
{
    const struct view bytes = qpc->input->bytes;
    struct view entries;
    if (!qpc_recognise(bytes))
        return status_make(STATUS_DATA, "%s: is no program container (programqpc.bin)",
                           qpc->input->path);
    const uint64_t size = number_at(bytes, 8), base = number_at(bytes, 16);
    const uint64_t count = number_at(bytes, 24);
    if (size != bytes.size)
        return status_make(STATUS_DATA,
                           "%s: has %zu bytes where its header says %" PRIu64
                           ": it was cut off or damaged",
                           qpc->input->path, bytes.size, size);
    if (bytes.data[6] == 0 && bytes.data[7] == 0)
        return status_make(STATUS_DATA, "%s: is a copy of memory, which cannot be loaded",
                           qpc->input->path);
    if (count > SEGMENTS_MOST ||
        !qpc_range_of(bytes, number_at(bytes, 32), base, count * ENTRY_SIZE, &entries))
        return status_make(STATUS_DATA, "%s: its list of segments lies outside the file",
                           qpc->input->path);
    qpc->count = (size_t)count;
    qpc->segments = memory_allocate_zeroed(qpc->count + 1, sizeof *qpc->segments);
    for (size_t i = 0; i < qpc->count; i++)
        STATUS_TRY(qpc_read_entry(qpc, entries, i, base));
    return STATUS_OK;
}

status qpc_read(struct input *input, struct qpc **out_qpc)
{
    struct qpc *qpc = memory_allocate_zeroed(1, sizeof *qpc);
    qpc->input = input;
    const status failure = read_container(qpc);
    if (failure != STATUS_OK) {
        qpc_free(qpc);
        return failure;
    }
    *out_qpc = qpc;
    return STATUS_OK;
}

status qpc_open(const char *path, struct qpc **out_qpc)
{
    struct input *input;
    STATUS_TRY(input_open(path, &input));
    return qpc_read(input, out_qpc);
}

void qpc_free(struct qpc *qpc)
{
    if (qpc == NULL)
        return;
    input_close(qpc->input);
    free(qpc->segments);
    free(qpc);
}

const struct qpc_segment *qpc_find(const struct qpc *qpc, const char *name)
{
    for (size_t i = 0; i < qpc->count; i++) {
        if (view_is(qpc->segments[i].name, name))
            return &qpc->segments[i];
    }
    return NULL;
}

// Writing ------------------------------------------------------------------------------

static status check_segments(const char *path, const struct qpc_segment *segments, size_t count)
{
    bool has_network = false;
    for (size_t i = 0; i < count; i++) {
        has_network |= view_is(segments[i].name, "network.elf");
        for (size_t k = 0; k < i; k++) {
            if (view_equal(segments[i].name, segments[k].name))
                return status_make(STATUS_USAGE, "%s: segment '%.*s' is there twice", path,
                                   VIEW_ARGUMENTS(segments[i].name));
        }
    }
    return has_network ? STATUS_OK
                       : status_make(STATUS_USAGE, "%s: there is no segment 'network.elf'", path);
}

static uint64_t padded(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void write_number(struct output *output, uint64_t number)
{
    output_write(output, &number, sizeof number);
}

static void qpc_write_padding(struct output *output, uint64_t from, uint64_t to)
{
    static const char ZEROS[ALIGNMENT] = {0};
    output_write(output, ZEROS, (size_t)(to - from));
}

static void write_header(struct output *output, uint64_t size, size_t count)
{
    const unsigned char versions[4] = {0, 1, SLOW_PATH, 0};
    output_write(output, MAGIC, sizeof MAGIC);
    output_write(output, versions, sizeof versions);
    write_number(output, size);
    write_number(output, 0); // pointers are offsets in the file
    write_number(output, count);
    write_number(output, HEADER_SIZE);
}

static void write_segment(struct output *output, const struct qpc_segment *segments, size_t index,
                          const struct qpc_source *source)
{
    const struct view bytes = segments[index].bytes;
    if (bytes.data == NULL && bytes.size > 0)
        source->write(source->context, index, output);
    else
        output_write(output, bytes.data, bytes.size);
    qpc_write_padding(output, bytes.size, padded(bytes.size));
}

status qpc_write(const char *path, const struct qpc_segment *segments, size_t count)
{
    return qpc_write_from(path, segments, count, NULL);
}

status qpc_write_from(const char *path, const struct qpc_segment *segments, size_t count,
                      const struct qpc_source *source)
{
    struct output *output;
    STATUS_TRY(check_segments(path, segments, count));
    STATUS_TRY(output_open(path, &output));
    const uint64_t first_name = HEADER_SIZE + ENTRY_SIZE * (uint64_t)count;
    uint64_t first_data = first_name;
    for (size_t i = 0; i < count; i++)
        first_data += segments[i].name.size + 1;
    uint64_t size = padded(first_data);
    for (size_t i = 0; i < count; i++)
        size += padded(segments[i].bytes.size);
    write_header(output, size, count);
    uint64_t name = first_name, data = padded(first_data);
    for (size_t i = 0; i < count; i++) {
        write_number(output, segments[i].bytes.size);
        write_number(output, segments[i].offset);
        write_number(output, name);
        write_number(output, data);
        name += segments[i].name.size + 1;
        data += padded(segments[i].bytes.size);
    }
    for (size_t i = 0; i < count; i++) {
        output_write(output, segments[i].name.data, segments[i].name.size);
        output_write(output, "", 1);
    }
    qpc_write_padding(output, first_data, padded(first_data));
    for (size_t i = 0; i < count; i++)
        write_segment(output, segments, i, source);
    return output_finish(output, source != NULL ? source->agree(source->context) : STATUS_OK);
}
