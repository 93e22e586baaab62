#include "torq_program.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/recovery.h"
#include "program/listing.h"

// The dump in a folder of debug information, or of phases.
static status find_dump(struct torq_program *program)
{
    static const char SUFFIX[] = ".executable-targets.mlir";
    const char *folder = program->path;
    struct stat about;
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return STATUS_OK;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return status_system(errno, folder, "cannot list the folder");
    size_t found = 0, bytecode = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const struct view name = view_of(entry->d_name);
        bytecode += view_ends_with(name, ".mlirb");
        if (!view_ends_with(name, SUFFIX))
            continue;
        if (found++ == 0 && asprintf(&program->found_path, "%s/%s", folder, entry->d_name) < 0)
            recovery_fail(0);
    }
    closedir(entries);
    if (found != 1)
        return status_make(STATUS_DATA, "%s: has %zu files *%s, not one%s", folder, found, SUFFIX,
                           found > 1      ? ": name the one of the program that ran"
                           : bytecode > 0 ? "; .mlirb is bytecode that only Torq's own compiler "
                                            "reads: give the dump of --dump-compilation-phases-to"
                                          : "; torq-compile --torq-debug-info=DIR writes it");
    program->path = program->found_path;
    return STATUS_OK;
}

status torq_program_open(const char *path, struct torq_program *program)
{
    *program = (struct torq_program){.path = path};
    STATUS_TRY(find_dump(program));
    STATUS_TRY(input_open(program->path, &program->dump));
    if (torq_dump_recognise(program->dump->bytes)) {
        STATUS_TRY(target_open("torq-sl2610", &program->target));
        STATUS_TRY(torq_dump_read_names(program->dump, program->target, &program->builder,
                                        &program->names));
        program_builder_view(program->builder, &program->program);
        return STATUS_OK;
    }
    if (view_has_extension(view_of(program->path), ".mlir"))
        return status_make(STATUS_DATA,
                           "%s: is no dump of executable targets; torq-compile "
                           "--dump-compilation-phases-to=DIR writes NAME.9.executable-targets.mlir",
                           program->path);
    STATUS_TRY(program_open(program->path, &program->opened));
    program->program = *program->opened;
    return target_parse(program->path, program->program.target_text, &program->target);
}

// A compiled program has what its locations name.
static void add_listing(struct torq_program *program, struct annotate_source *source)
{
    struct bytes name = {0};
    const struct view file = program->opened->source;
    bytes_append(&name, file.data, file.size - strlen(".onnx"));
    bytes_append_format(&name, ".mlir");
    program_listing(program->opened, &program->listing);
    annotate_source_add(source, bytes_view(&name), bytes_view(&program->listing));
    bytes_free(&name);
}

struct annotate_source *torq_program_source(struct torq_program *program, const char *given)
{
    struct annotate_source *source = annotate_source_create(program->path, given);
    if (program->opened != NULL && program_is_listed(program->opened))
        add_listing(program, source);
    return source;
}

void torq_program_free(struct torq_program *program)
{
    program_builder_free(program->builder);
    program_free(program->opened);
    free(program->names);
    free(program->found_path);
    bytes_free(&program->listing);
    target_free(program->target);
    if (program->dump != NULL)
        input_close(program->dump);
}
