#include "phases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/recovery.h"
#include "compiler/print.h"
#include "formats/torq/dump_writer.h"
#include "network/print.h"
#include "program/listing.h"
#include "program/print.h"

enum { PHASE_GROUPS = 5, PHASE_PROGRAM = 8, PHASE_TARGETS = 9 };

// The folder under which MLIR puts the passes of a module without a name.
static const char TREE_FOLDER[] = "builtin_module_no-symbol-name";

static char *phases_path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *phases_path_of(const char *format, ...)
{
    char *path;
    va_list arguments;
    va_start(arguments, format);
    const int size = vasprintf(&path, format, arguments);
    va_end(arguments);
    if (size < 0)
        recovery_fail(0);
    return path;
}

status phases_make_folder(const char *command, const char *path)
{
    return status_within(folder_make(path), "%s", command);
}

// What stands in a phase's file ---------------------------------------------------

static status print_phase(const struct phases *phases, unsigned number, const struct plan *plan,
                          struct output *output)
{
    const struct compiling *compiling = phases->compiling;
    if (number == PHASE_TARGETS)
        return torq_dump_write(&compiling->program, compiling->target,
                               phases->profiled ? compiling->times : NULL, true, output);
    if (number < PHASE_GROUPS)
        network_print(plan->network, output);
    else
        plan_print(plan, output);
    if (number == PHASE_PROGRAM) {
        struct program program;
        program_builder_view(compiling->builder, &program);
        program_print(&program, compiling->target, PROGRAM_PRINT_ALL, output);
    }
    return STATUS_OK;
}

static status phases_write_phase(const struct phases *phases, unsigned number,
                                 const struct plan *plan, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    const status failure = print_phase(phases, number, plan, output);
    return output_finish(output, failure);
}

// "global-optimization" as MLIR calls a pass: "GlobalOptimization".
static void pass_name(const char *phase, char *name)
{
    bool upper = true;
    for (; *phase != '\0'; phase++) {
        if (*phase != '-')
            *name++ = (char)(upper && *phase >= 'a' ? *phase - 'a' + 'A' : *phase);
        upper = *phase == '-';
    }
    *name = '\0';
}

static void copy_to_stderr(int file)
{
    char bytes[16 * 1024];
    ssize_t size;
    off_t at = 0;
    while ((size = pread(file, bytes, sizeof bytes, at)) > 0) {
        fwrite(bytes, 1, (size_t)size, stderr);
        at += size;
    }
}

// By way of a file in memory: opening the standard error by its name would empty a
// file that it goes to.
static status print_to_stderr(const struct phases *phases, unsigned number, const char *phase,
                              const struct plan *plan)
{
    char name[64];
    char path[64];
    const int file = memfd_create("phase", MFD_CLOEXEC);
    if (file < 0)
        return status_system(errno, "stderr", "cannot print a phase");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const status failure = phases_write_phase(phases, number, plan, path);
    pass_name(phase, name);
    fprintf(stderr, "// -----// IR Dump After %s (%s) //----- //\n", name, phase);
    copy_to_stderr(file);
    fputc('\n', stderr);
    close(file);
    return failure;
}

static struct view model_name(const struct compiling *compiling)
{
    const struct view source =
        compiling->program.source.size > 0 ? compiling->program.source : compiling->builder->source;
    const size_t dot = view_find_last(source, '.');
    return view_slice(source, 0, dot > 0 ? dot : source.size);
}

static status phases_write_all(const struct phases *phases, unsigned number, const char *phase,
                               const struct plan *plan)
{
    status failure = STATUS_OK;
    if (phases->to != NULL && strcmp(phases->to, phase) == 0)
        STATUS_TRY(phases_write_phase(phases, number, plan, phases->to_path));
    if (phases->folder != NULL) {
        char *path = phases_path_of("%s/%.*s.%u.%s.mlir", phases->folder,
                                    VIEW_ARGUMENTS(model_name(phases->compiling)), number, phase);
        failure = phases_write_phase(phases, number, plan, path);
        free(path);
    }
    if (failure == STATUS_OK && phases->tree != NULL) {
        char *path =
            phases_path_of("%s/%s/%u_%s.mlir", phases->tree, TREE_FOLDER, number - 1, phase);
        failure = phases_write_phase(phases, number, plan, path);
        free(path);
    }
    // As in MLIR, the folder takes the place of the standard error.
    if (failure == STATUS_OK && phases->print && phases->tree == NULL)
        failure = print_to_stderr(phases, number, phase, plan);
    return failure;
}

static status observe(void *context, unsigned number, const char *phase, const struct plan *plan)
{
    return phases_write_all(context, number, phase, plan);
}

status phases_start(struct phases *phases, struct compile_observer *out_observer)
{
    const char *command = phases->compiling->command;
    *out_observer = (struct compile_observer){phases, observe};
    if (phases->folder != NULL)
        STATUS_TRY(phases_make_folder(command, phases->folder));
    if (phases->tree == NULL)
        return STATUS_OK;
    char *path = phases_path_of("%s/%s", phases->tree, TREE_FOLDER);
    const status failure = phases_make_folder(command, path);
    free(path);
    return failure;
}

// The text that locations name by its file, for annotate_profiling, wherever it runs; of a network
// without one, its listing.
static status write_source(const struct compiling *compiling, const char *folder)
{
    struct bytes listing = {0};
    struct view text = compiling->network->source->bytes;
    if (compiling->network->dialect != NETWORK_TOSA) {
        if (!program_is_listed(&compiling->program))
            return STATUS_OK;
        program_listing(&compiling->program, &listing);
        text = bytes_view(&listing);
    }
    struct output *output;
    char *path =
        phases_path_of("%s/%.*s.0.source.mlir", folder, VIEW_ARGUMENTS(model_name(compiling)));
    status failure = output_open(path, &output);
    if (failure == STATUS_OK) {
        output_write(output, text.data, text.size);
        failure = output_close(output);
    }
    free(path);
    bytes_free(&listing);
    return failure;
}

status phases_finish(const struct phases *phases)
{
    if (phases->folder != NULL)
        STATUS_TRY(write_source(phases->compiling, phases->folder));
    return phases_write_all(phases, PHASE_TARGETS, "executable-targets", phases->compiling->plan);
}

status phases_write_debug_info(const struct compiling *compiling, const char *folder)
{
    const struct phases phases = {.compiling = compiling, .profiled = true};
    STATUS_TRY(phases_make_folder(compiling->command, folder));
    STATUS_TRY(write_source(compiling, folder));
    char *path = phases_path_of("%s/%.*s.executable-targets.mlir", folder,
                                VIEW_ARGUMENTS(model_name(compiling)));
    const status failure = phases_write_phase(&phases, PHASE_TARGETS, compiling->plan, path);
    free(path);
    return failure;
}
