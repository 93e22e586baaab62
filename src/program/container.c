// The file of a program: a header, a list of sections, and the sections, each
// aligned, with a checksum of its own. docs/formats/program.md

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OPSCOPE_ISAL
#include <isa-l/crc.h>
#else
#include <zlib.h>
#endif

#include "base/memory.h"
#include "base/output.h"
#include "tables.h"
#include "validate.h"
#include "version1.h"

enum {
    CONTAINER_VERSION = 2,
    CONVERTED_VERSION = 3, // of a converted network: with a section more, at the end
    LAID_OUT_VERSION = 4,  // with that section, and values that lie in tiles
    CONTAINER_ALIGNMENT = 64,
    EXTRA_SECTIONS = 4, // target, source, texts, constants
    CONSTANTS = 3,      // of the extra sections
    SECTION_COUNT = PROGRAM_TABLE_COUNT + EXTRA_SECTIONS,
    SECTIONS_MOST = SECTION_COUNT + 1,
};

static_assert((int)VERSION1_TABLE_COUNT <= (int)PROGRAM_TABLE_COUNT,
              "sections are kept in one array");

static const char MAGIC[8] = {'O', 'P', 'X', 'P', 'R', 'O', 'G', '\n'};

struct container_header {
    char magic[8];
    uint32_t version;
    uint32_t sections;
    uint64_t size;     // of the file
    uint32_t checksum; // of the list of sections
    uint32_t reserved;
};

struct container_section {
    char name[16];
    uint64_t offset;
    uint64_t size;
    uint32_t item_size;
    uint32_t checksum;
};

struct content {
    const char *name;
    uint32_t item_size;
    struct view bytes;
};

static struct content content_at(const struct program *program, size_t index)
{
    switch (index) {
    case 0:
        return (struct content){"target", 1, program->target_text};
    case 1:
        return (struct content){"source", 1, program->source};
    case 2:
        return (struct content){"texts", 1, program->texts};
    case 3:
        return (struct content){"constants", 1, program->constants};
    case SECTION_COUNT:
        return (struct content){"conversion", 1, program->conversion};
    default: {
        const struct program_table *table = &PROGRAM_TABLES[index - EXTRA_SECTIONS];
        const size_t size = (size_t)program_table_size(program, table) * table->item_size;
        return (struct content){
            table->name, table->item_size, {program_table_items(program, table), size}};
    }
    }
}

static uint64_t container_aligned(uint64_t offset)
{
    return (offset + CONTAINER_ALIGNMENT - 1) / CONTAINER_ALIGNMENT * CONTAINER_ALIGNMENT;
}

static uint32_t checksum_go_on(uint32_t checksum, const void *data, uint64_t size)
{
#ifdef OPSCOPE_ISAL
    return crc32_gzip_refl(checksum, data, size);
#else
    return (uint32_t)crc32_z(checksum, data, size);
#endif
}

static uint32_t program_container_checksum_of(const void *data, uint64_t size)
{
    return checksum_go_on(0, data, size);
}

// Constants that were not copied to their section stand in it all the same: it is put together
// from them, which lie in it in order, and from what is between them.
struct constants_walk {
    const struct program *program;
    size_t piece; // the next
    uint64_t at;  // in the section
};

// The next bytes of the section; empty at its end.
static struct view constants_next(struct constants_walk *walk)
{
    const struct program *program = walk->program;
    const uint64_t from = walk->at;
    if (from == program->constants.size)
        return (struct view){0};
    const bool last = walk->piece == program->piece_count;
    const uint64_t end = last ? program->constants.size : program->pieces[walk->piece].at;
    if (from < end) {
        walk->at = end;
        return view_slice(program->constants, from, end);
    }
    const struct view bytes = program->pieces[walk->piece++].bytes;
    walk->at = from + bytes.size;
    return bytes;
}

static bool has_tiles(const struct program *program)
{
    for (uint32_t i = 0; i < program->value_count; i++) {
        if (program->values[i].layout != PROGRAM_ROWS)
            return true;
    }
    return false;
}

static uint32_t version_of(const struct program *program)
{
    if (has_tiles(program))
        return LAID_OUT_VERSION;
    return program->conversion.size > 0 ? CONVERTED_VERSION : CONTAINER_VERSION;
}

static size_t section_count(uint32_t version)
{
    return version == 1                   ? (size_t)EXTRA_SECTIONS + VERSION1_TABLE_COUNT
           : version >= CONVERTED_VERSION ? SECTIONS_MOST
                                          : SECTION_COUNT;
}

static uint32_t checksum_of_section(const struct program *program, size_t index,
                                    const struct content *content)
{
    if (index != CONSTANTS)
        return program_container_checksum_of(content->bytes.data, content->bytes.size);
    struct constants_walk walk = {.program = program};
    struct view piece;
    uint32_t checksum = 0;
    while ((piece = constants_next(&walk)).size > 0)
        checksum = checksum_go_on(checksum, piece.data, piece.size);
    return checksum;
}

static void container_describe(const struct program *program, struct container_header *header,
                               struct container_section *sections)
{
    const size_t count = section_count(version_of(program));
    uint64_t offset = container_aligned(sizeof *header + count * sizeof *sections);
    for (size_t i = 0; i < count; i++) {
        const struct content content = content_at(program, i);
        sections[i] = (struct container_section){
            .offset = offset, .size = content.bytes.size, .item_size = content.item_size};
        snprintf(sections[i].name, sizeof sections[i].name, "%s", content.name);
        sections[i].checksum = checksum_of_section(program, i, &content);
        offset = container_aligned(offset + content.bytes.size);
    }
    *header = (struct container_header){
        .version = version_of(program), .sections = (uint32_t)count, .size = offset};
    memcpy(header->magic, MAGIC, sizeof MAGIC);
    header->checksum = program_container_checksum_of(sections, count * sizeof *sections);
}

static void program_container_write_padding(struct output *output)
{
    static const char zeros[CONTAINER_ALIGNMENT];
    const uint64_t written = output_size(output);
    output_write(output, zeros, (size_t)(container_aligned(written) - written));
}

uint64_t program_file_size(const struct program *program)
{
    const size_t count = section_count(version_of(program));
    uint64_t size = container_aligned(sizeof(struct container_header) +
                                      count * sizeof(struct container_section));
    for (size_t i = 0; i < count; i++)
        size += container_aligned(content_at(program, i).bytes.size);
    return size;
}

static void write_section(const struct program *program, size_t index, struct output *output)
{
    const struct view bytes = content_at(program, index).bytes;
    if (index != CONSTANTS) {
        output_write(output, bytes.data, bytes.size);
        return;
    }
    struct constants_walk walk = {.program = program};
    struct view piece;
    while ((piece = constants_next(&walk)).size > 0)
        output_write(output, piece.data, piece.size);
}

void program_write_into(const struct program *program, struct output *output)
{
    struct container_header header;
    struct container_section sections[SECTIONS_MOST];
    container_describe(program, &header, sections);
    output_write(output, &header, sizeof header);
    output_write(output, sections, header.sections * sizeof *sections);
    program_container_write_padding(output);
    for (size_t i = 0; i < header.sections; i++) {
        write_section(program, i, output);
        program_container_write_padding(output);
    }
}

status program_write(const struct program *program, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    program_write_into(program, output);
    return output_close(output);
}

static status container_damaged(const struct input *input, const char *what)
{
    return status_make(STATUS_DATA, "%s: not a program, or damaged: %s", input->path, what);
}

// A flatbuffer with IREE's name, with or without its size in front.
static bool is_iree_module(struct view bytes)
{
    return view_is(view_slice(bytes, 4, 8), "IREE") || view_is(view_slice(bytes, 8, 12), "IREE");
}

static status check_start(const struct input *input, const struct container_header *header)
{
    if (is_iree_module(input->bytes))
        return status_make(
            STATUS_UNSUPPORTED,
            "%s: a module of IREE's own compiler, which opscope does not run: compile "
            "the network with opscope",
            input->path);
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0)
        return container_damaged(
            input, "it does not start like one ('opscope compile' makes one of a network)");
    if (header->version == 0 || header->version > LAID_OUT_VERSION)
        return status_make(STATUS_UNSUPPORTED,
                           "%s: a program of version %" PRIu32 "; this opscope reads versions 1 "
                           "to %d, compile the network again",
                           input->path, header->version, LAID_OUT_VERSION);
    return STATUS_OK;
}

static status program_container_read_header(const struct input *input,
                                            struct container_header *out_header)
{
    struct container_header header;
    if (input->bytes.size < sizeof header)
        return container_damaged(input, "it is shorter than a header");
    memcpy(&header, input->bytes.data, sizeof header);
    STATUS_TRY(check_start(input, &header));
    const size_t end =
        sizeof header + section_count(header.version) * sizeof(struct container_section);
    if (header.size != input->bytes.size)
        return container_damaged(input, "its length is not what the header says");
    if (header.reserved != 0)
        return container_damaged(input, "a reserved field of the header is not 0");
    if (header.sections != section_count(header.version) || input->bytes.size < end)
        return container_damaged(input, "the number of sections is wrong");
    const struct view list = view_slice(input->bytes, sizeof header, end);
    if (program_container_checksum_of(list.data, list.size) != header.checksum)
        return container_damaged(input, "the checksum of the list of sections is wrong");
    *out_header = header;
    return STATUS_OK;
}

// What lies between two sections is 0: no byte of the file is without a meaning.
static bool is_padding(struct view bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        if (bytes.data[i] != 0)
            return false;
    }
    return true;
}

// The section that begins at `*offset`, which becomes that of the next one.
static status program_container_read_section(const struct input *input, size_t index,
                                             const struct content *expected, struct arena *kept,
                                             uint64_t *offset, struct view *out_bytes)
{
    struct container_section section;
    memcpy(&section, input->bytes.data + sizeof(struct container_header) + index * sizeof section,
           sizeof section);
    char what[96];
    if (strncmp(section.name, expected->name, sizeof section.name) != 0 ||
        section.item_size != expected->item_size || section.size % section.item_size != 0 ||
        section.size / section.item_size > UINT32_MAX - 1 || section.offset != *offset ||
        section.offset > input->bytes.size || section.size > input->bytes.size - section.offset ||
        container_aligned(section.offset + section.size) > input->bytes.size) {
        snprintf(what, sizeof what, "section '%s' is out of place", expected->name);
        return container_damaged(input, what);
    }
    *out_bytes = view_slice(input->bytes, section.offset, section.offset + section.size);
    // What is proved must not change afterwards, whatever becomes of the file.
    if (index != CONSTANTS && input_is_mapped(input))
        *out_bytes = arena_copy(kept, *out_bytes);
    if (program_container_checksum_of(out_bytes->data, out_bytes->size) != section.checksum) {
        snprintf(what, sizeof what, "the checksum of section '%s' is wrong", expected->name);
        return container_damaged(input, what);
    }
    *offset = container_aligned(section.offset + section.size);
    if (!is_padding(view_slice(input->bytes, section.offset + section.size, *offset))) {
        snprintf(what, sizeof what, "there is something after section '%s'", expected->name);
        return container_damaged(input, what);
    }
    return STATUS_OK;
}

// What a section must be called, and how large its items are.
static struct content expected_at(const struct program *program, uint32_t version, size_t index)
{
    if (version != 1 || index < EXTRA_SECTIONS)
        return content_at(program, index);
    const struct version1_table *table = &VERSION1_TABLES[index - EXTRA_SECTIONS];
    return (struct content){table->name, table->item_size, {0}};
}

static status program_container_read_sections(const struct input *input,
                                              const struct container_header *header,
                                              struct program *program, struct view *out_sections)
{
    const uint64_t list = sizeof *header + header->sections * sizeof(struct container_section);
    uint64_t offset = container_aligned(list);
    if (offset > input->bytes.size || !is_padding(view_slice(input->bytes, list, offset)))
        return container_damaged(input, "there is something after the list of sections");
    for (size_t i = 0; i < header->sections; i++) {
        const struct content expected = expected_at(program, header->version, i);
        STATUS_TRY(program_container_read_section(input, i, &expected, &program->kept, &offset,
                                                  &out_sections[i]));
    }
    return offset == input->bytes.size
               ? STATUS_OK
               : container_damaged(input, "there is something after the sections");
}

static void set_tables(const struct view *tables, struct program *program)
{
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++)
        program_table_set(program, &PROGRAM_TABLES[i], tables[i].data,
                          (uint32_t)(tables[i].size / PROGRAM_TABLES[i].item_size));
}

// What reads a program may rely on it.
static status read_conversion(const struct input *input, struct view text, struct program *program)
{
    struct conversion conversion;
    program->conversion = arena_copy(&program->kept, text); // with a NUL
    const status failure = conversion_parse(program->conversion.data, &conversion);
    const bool wrong = failure != STATUS_OK || memchr(text.data, '\0', text.size) != NULL;
    status_free(failure);
    return wrong ? container_damaged(input, "section 'conversion' is none") : STATUS_OK;
}

static status program_container_read_program(struct input *input, struct program *program)
{
    struct container_header header;
    struct view sections[SECTIONS_MOST];
    STATUS_TRY(program_container_read_header(input, &header));
    STATUS_TRY(program_container_read_sections(input, &header, program, sections));
    program->target_text = sections[0];
    program->source = sections[1];
    program->texts = sections[2];
    program->constants = sections[CONSTANTS];
    if (header.version == 1)
        version1_convert(sections + EXTRA_SECTIONS, program);
    else
        set_tables(sections + EXTRA_SECTIONS, program);
    if (header.version == CONVERTED_VERSION ||
        (header.version == LAID_OUT_VERSION && sections[SECTION_COUNT].size > 0))
        STATUS_TRY(read_conversion(input, sections[SECTION_COUNT], program));
    if ((header.version == LAID_OUT_VERSION) != has_tiles(program))
        return container_damaged(input, "values lie otherwise than its version says");
    STATUS_TRY(program_validate(program));
    return input_check(input);
}

status program_read(struct input *input, struct program **out_program)
{
    struct program *program = memory_allocate_zeroed(1, sizeof *program);
    program->source_file = input;
    const status failure = program_container_read_program(input, program);
    if (failure != STATUS_OK) {
        program_free(program);
        return failure;
    }
    *out_program = program;
    return STATUS_OK;
}

bool program_recognise(struct view bytes)
{
    return bytes.size >= sizeof MAGIC && memcmp(bytes.data, MAGIC, sizeof MAGIC) == 0;
}

status program_open(const char *path, struct program **out_program)
{
    struct input *input;
    STATUS_TRY(input_open(path, &input));
    return program_read(input, out_program);
}

void program_free(struct program *program)
{
    if (program == NULL)
        return;
    input_close(program->source_file);
    arena_free(&program->kept);
    free(program);
}
