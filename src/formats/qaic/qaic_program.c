#include "qaic_program.h"

#include <opscope/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "base/folder.h"

// What other readers of such a file expect, and what ours does.
#define SEGMENT_NETWORK "networkdesc.bin"
#define SEGMENT_PROGRAM "opscope.opx"

enum { ELF_HEADER = 52, MACHINE_HEXAGON = 164 }; // of 32 bits

static uint32_t qaic_program_checksum_of(struct view bytes)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)bytes.data, bytes.size);
}

// Reading ------------------------------------------------------------------------------

static status read_own(struct qaic_program *program)
{
    const struct qpc_segment *own = qpc_find(program->qpc, SEGMENT_PROGRAM);
    if (own == NULL)
        return STATUS_OK;
    STATUS_TRY(program_read(input_over(program->qpc->input->path, own->bytes), &program->program));
    return target_parse(program->qpc->input->path, program->program->target_text, &program->target);
}

static status qaic_program_read_all(const char *path, struct qaic_program *program)
{
    char file[4096];
    const int size =
        snprintf(file, sizeof file, folder_is(path) ? "%s/%s" : "%s", path, QAIC_PROGRAM_FILE);
    if (size < 0 || (size_t)size >= sizeof file)
        return status_make(STATUS_USAGE, "the path '%.60s...' is too long", path);
    STATUS_TRY(qpc_open(file, &program->qpc));
    const struct qpc_segment *described = qpc_find(program->qpc, SEGMENT_NETWORK);
    if (described == NULL)
        return status_make(STATUS_DATA, "%s: has no segment %s: it describes no network", file,
                           SEGMENT_NETWORK);
    program->checksum = qaic_program_checksum_of(described->bytes);
    STATUS_TRY(qaic_network_read(file, described->bytes, &program->network));
    return read_own(program);
}

status qaic_program_open(const char *path, struct qaic_program *out_program)
{
    *out_program = (struct qaic_program){0};
    const status failure = qaic_program_read_all(path, out_program);
    if (failure != STATUS_OK)
        qaic_program_free(out_program);
    return failure;
}

void qaic_program_free(struct qaic_program *program)
{
    program_free(program->program);
    target_free(program->target);
    qaic_network_free(program->network);
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

static status write_container(const char *path, const char *own, const struct qaic_network *network,
                              struct view made_by)
{
    struct bytes described = {0};
    unsigned char elf[ELF_HEADER];
    static const char SIZES[24] = {0}; // of constants: they are in the program
    struct input *program;
    make_elf(elf);
    STATUS_TRY(input_map(own, &program));
    qaic_network_write(network, &described);
    const struct qpc_segment segments[] = {
        {VIEW_LITERAL("network.elf"), {(const char *)elf, sizeof elf}, 0},
        {VIEW_LITERAL(SEGMENT_NETWORK), bytes_view(&described), 0},
        {VIEW_LITERAL("constantsdesc.bin"), {SIZES, sizeof SIZES}, 0},
        {VIEW_LITERAL("opscope.command"), made_by, 0},
        {VIEW_LITERAL("opscope.version"), view_of(OPSCOPE_VERSION), 0},
        {VIEW_LITERAL(SEGMENT_PROGRAM), program->bytes, 0},
    };
    const status result = qpc_write(path, segments, sizeof segments / sizeof segments[0]);
    input_close(program);
    bytes_free(&described);
    return result;
}

status qaic_program_write(const char *folder, const struct program *program,
                          const struct qaic_network *network, struct view made_by)
{
    char path[4096], own[4096];
    STATUS_TRY(folder_make(folder));
    const int size = snprintf(path, sizeof path, "%s/%s", folder, QAIC_PROGRAM_FILE);
    snprintf(own, sizeof own, "%.4000s/.program-%ld.opx", folder, (long)getpid());
    if (size < 0 || (size_t)size >= sizeof path)
        return status_make(STATUS_USAGE, "the path '%.60s...' is too long", folder);
    status result = program_write(program, own);
    if (result == STATUS_OK)
        result = write_container(path, own, network, made_by);
    unlink(own);
    return result;
}
