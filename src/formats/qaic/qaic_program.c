#include "qaic_program.h"

#include <opscope/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/folder.h"
#include "base/memory.h"

// What other readers of such a file expect, and what ours does.
#define SEGMENT_NETWORK "networkdesc.bin"
#define SEGMENT_PROGRAM "opscope.opx"
#define SEGMENT_SYMBOLS "opscope.symbols"
#define SEGMENT_RETAINED "opscope.retained"
#define SEGMENT_RECIPE "opscope.recipe"

enum { ELF_HEADER = 52, MACHINE_HEXAGON = 164 }; // of 32 bits
enum { SEGMENT_NAME_MOST = 64, SEGMENTS_ONCE = 6 };

static uint32_t qaic_program_checksum_of(struct view bytes)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)bytes.data, bytes.size);
}

// Reading ------------------------------------------------------------------------------

// Segments of the first specialization have the usual names, those of others a number before them.
static void name_of(char *name, size_t room, const char *segment, size_t part)
{
    if (part == 0)
        snprintf(name, room, "%s", segment);
    else
        snprintf(name, room, "specialization%zu/%s", part, segment);
}

static const struct qpc_segment *segment_of(const struct qpc *qpc, const char *segment, size_t part)
{
    char name[SEGMENT_NAME_MOST];
    name_of(name, sizeof name, segment, part);
    return qpc_find(qpc, name);
}

static status read_own(struct qaic_program *program, size_t index, struct qaic_part *part)
{
    const struct qpc_segment *own = segment_of(program->qpc, SEGMENT_PROGRAM, index);
    const struct qpc_segment *symbols = segment_of(program->qpc, SEGMENT_SYMBOLS, index);
    part->symbols = symbols != NULL ? symbols->bytes : VIEW_LITERAL("");
    if (own == NULL)
        return STATUS_OK;
    const char *path = program->qpc->input->path;
    STATUS_TRY(program_read(input_over(path, own->bytes), &part->program));
    return index > 0 ? STATUS_OK : target_parse(path, part->program->target_text, &program->target);
}

static status read_part(struct qaic_program *program, const struct qpc_segment *described)
{
    const size_t index = program->part_count;
    struct qaic_part *part = &program->parts[program->part_count++];
    *part = (struct qaic_part){.checksum = qaic_program_checksum_of(described->bytes)};
    STATUS_TRY(qaic_network_read(program->qpc->input->path, described->bytes, &part->network));
    return read_own(program, index, part);
}

// Of several devices each has its own cores.
static void slice_part(struct qaic_part *part, const struct target *target)
{
    const bool several = target != NULL && target->plan.devices && target->device_count > 1;
    part->devices = several ? target->device_count : 1;
    if (!several || part->network->cores % part->devices != 0) {
        part->devices = 1;
        return;
    }
    part->slices = memory_allocate_zeroed(part->devices, sizeof *part->slices);
    for (uint32_t i = 0; i < part->devices; i++)
        part->slices[i] =
            qaic_network_slice(part->network, i, part->network->cores / part->devices);
}

const struct qaic_network *qaic_part_network(const struct qaic_part *part, uint32_t device)
{
    if (part->slices == NULL)
        return device == 0 ? part->network : NULL;
    return device > 0 && device <= part->devices ? part->slices[device - 1] : NULL;
}

// All were compiled for the same machine.
static status check_parts(const struct qaic_program *program)
{
    for (size_t i = 1; i < program->part_count; i++) {
        const struct program *own = program->parts[i].program;
        if ((own == NULL) != (program->program == NULL) ||
            (own != NULL && !view_equal(own->target_text, program->program->target_text)))
            return status_make(STATUS_DATA,
                               "%s: specialization %zu is of another target than the first one",
                               program->qpc->input->path, i);
    }
    return STATUS_OK;
}

static status qaic_program_read_all(const char *path, struct qaic_program *program)
{
    char file[4096];
    size_t capacity = 0;
    const struct qpc_segment *described;
    const int size =
        snprintf(file, sizeof file, folder_is(path) ? "%s/%s" : "%s", path, QAIC_PROGRAM_FILE);
    if (size < 0 || (size_t)size >= sizeof file)
        return status_make(STATUS_USAGE, "the path '%.60s...' is too long", path);
    STATUS_TRY(qpc_open(file, &program->qpc));
    while ((described = segment_of(program->qpc, SEGMENT_NETWORK, program->part_count)) != NULL) {
        program->parts =
            memory_grow(program->parts, program->part_count, &capacity, sizeof *program->parts);
        STATUS_TRY(read_part(program, described));
    }
    if (program->part_count == 0)
        return status_make(STATUS_DATA, "%s: has no segment %s: it describes no network", file,
                           SEGMENT_NETWORK);
    for (size_t i = 0; i < program->part_count; i++)
        slice_part(&program->parts[i], program->target);
    program->retained = qpc_find(program->qpc, SEGMENT_RETAINED) != NULL;
    const struct qpc_segment *recipe = qpc_find(program->qpc, SEGMENT_RECIPE);
    program->recipe = recipe != NULL ? recipe->bytes : VIEW_LITERAL("");
    program->network = program->parts[0].network;
    program->checksum = program->parts[0].checksum;
    program->program = program->parts[0].program;
    return check_parts(program);
}

status qaic_program_open(const char *path, struct qaic_program *out_program)
{
    *out_program = (struct qaic_program){0};
    const status failure = qaic_program_read_all(path, out_program);
    if (failure != STATUS_OK)
        qaic_program_free(out_program);
    return failure;
}

const struct qaic_part *qaic_program_find(const struct qaic_program *program, uint32_t checksum)
{
    for (size_t i = 0; i < program->part_count; i++) {
        if (program->parts[i].checksum == checksum)
            return &program->parts[i];
    }
    return NULL;
}

void qaic_program_free(struct qaic_program *program)
{
    for (size_t i = 0; i < program->part_count; i++) {
        for (uint32_t k = 0; program->parts[i].slices != NULL && k < program->parts[i].devices; k++)
            qaic_network_slice_free(program->parts[i].slices[k]);
        free(program->parts[i].slices);
        program_free(program->parts[i].program);
        qaic_network_free(program->parts[i].network);
    }
    free(program->parts);
    target_free(program->target);
    qpc_free(program->qpc);
    *program = (struct qaic_program){0};
}

// Writing ------------------------------------------------------------------------------

// An image without code: the program for the simulated device is a segment of its own.
static void make_elf(unsigned char header[ELF_HEADER])
{
    static const unsigned char IDENTITY[] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    memset(header, 0, ELF_HEADER);
    memcpy(header, IDENTITY, sizeof IDENTITY);
    header[16] = 2; // an executable
    header[18] = MACHINE_HEXAGON;
    header[20] = 1;
    header[40] = ELF_HEADER;
}

// What a part is written from, until the container is closed.
struct written {
    struct bytes described;
    char names[3][SEGMENT_NAME_MOST];
};

static void prepare_part(size_t index, const struct qaic_made_part *part, struct written *written)
{
    static const char *const SEGMENTS[] = {SEGMENT_NETWORK, SEGMENT_PROGRAM, SEGMENT_SYMBOLS};
    for (size_t i = 0; i < sizeof SEGMENTS / sizeof SEGMENTS[0]; i++)
        name_of(written->names[i], sizeof written->names[i], SEGMENTS[i], index);
    qaic_network_write(part->network, &written->described);
}

// Programs go into the container as they are, by segment.
struct programs {
    const struct program **items;
    const struct qaic_made *made;
};

static void write_own(const void *context, size_t segment, struct output *output)
{
    program_write_into(((const struct programs *)context)->items[segment], output);
}

static status agree(const void *context)
{
    const struct qaic_made *made = ((const struct programs *)context)->made;
    return made->agree != NULL ? made->agree(made->context) : STATUS_OK;
}

static void add_segment(struct qpc_segment *segments, size_t *count, const char *name,
                        struct view bytes)
{
    segments[(*count)++] = (struct qpc_segment){view_of(name), bytes, 0};
}

static status write_container(const char *path, const struct qaic_made *made,
                              const struct written *written)
{
    unsigned char elf[ELF_HEADER];
    static const char SIZES[24] = {0}; // of constants: they are in the program
    size_t count = 0;
    const size_t most = SEGMENTS_ONCE + 3 * made->part_count;
    struct qpc_segment *segments = memory_allocate_zeroed(most, sizeof *segments);
    struct programs programs = {memory_allocate_zeroed(most, sizeof *programs.items), made};
    const struct qpc_source source = {&programs, write_own, agree};
    make_elf(elf);
    add_segment(segments, &count, "network.elf", (struct view){(const char *)elf, sizeof elf});
    add_segment(segments, &count, "constantsdesc.bin", (struct view){SIZES, sizeof SIZES});
    add_segment(segments, &count, "opscope.command", made->made_by);
    add_segment(segments, &count, "opscope.version", view_of(OPSCOPE_VERSION));
    if (made->retained)
        add_segment(segments, &count, SEGMENT_RETAINED, VIEW_LITERAL("_RetainedState"));
    if (made->recipe.size > 0)
        add_segment(segments, &count, SEGMENT_RECIPE, made->recipe);
    for (size_t i = 0; i < made->part_count; i++) {
        add_segment(segments, &count, written[i].names[0], bytes_view(&written[i].described));
        programs.items[count] = made->parts[i].program;
        add_segment(segments, &count, written[i].names[1],
                    (struct view){NULL, program_file_size(made->parts[i].program)});
        if (made->parts[i].symbols.size > 0)
            add_segment(segments, &count, written[i].names[2], made->parts[i].symbols);
    }
    const status result = qpc_write_from(path, segments, count, &source);
    free(segments);
    free(programs.items);
    return result;
}

status qaic_program_write(const char *folder, const struct qaic_made *made)
{
    char path[4096];
    STATUS_TRY(folder_make(folder));
    const int size = snprintf(path, sizeof path, "%s/%s", folder, QAIC_PROGRAM_FILE);
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "the path '%.60s...' is too long", folder);
    struct written *written = memory_allocate_zeroed(made->part_count + 1, sizeof *written);
    for (size_t i = 0; i < made->part_count; i++)
        prepare_part(i, &made->parts[i], &written[i]);
    const status result = write_container(path, made, written);
    for (size_t i = 0; i < made->part_count; i++)
        bytes_free(&written[i].described);
    free(written);
    return result;
}
