#include "file_kinds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/folder.h"
#include "base/input.h"
#include "base/memory.h"
#include "formats/qaic/qpc.h"
#include "formats/readers.h"
#include "formats/torq/dump_reader.h"
#include "program/program.h"
#include "wire/npy.h"
#include "wire/protobuf.h"

static const char *const NETWORK_COMMANDS[] = {"model", "infer",        "compile", "score",
                                               "check", "torq-compile", "info",    NULL};
static const char *const DUMP_COMMANDS[] = {"estimate", "annotate", "annotate_profiling", "info",
                                            NULL};
static const char *const PROGRAM_COMMANDS[] = {"program",
                                               "run",
                                               "verify",
                                               "estimate",
                                               "annotate",
                                               "annotate_profiling",
                                               "torq-run-module",
                                               "iree-run-module",
                                               "info",
                                               NULL};
static const char *const PROFILE_COMMANDS[] = {"info",
                                               "overview",
                                               "operators",
                                               "top",
                                               "sql",
                                               "diff",
                                               "gate",
                                               "explain",
                                               "whatif",
                                               "timeline",
                                               "convert",
                                               "merge",
                                               "annotate",
                                               "perfetto_logger",
                                               "annotate_profiling",
                                               "tt-report",
                                               "tt-perf",
                                               "tt-perf-report",
                                               "process_ops_logs",
                                               NULL};
static const char *const CONTAINER_COMMANDS[] = {"info", "qaic-runner", "qaic-opstats", NULL};
static const char *const TENSOR_COMMANDS[] = {NULL};
// These take their files as values of options.
static const char *const OPTION_COMMANDS[] = {
    "perfetto_logger", "torq-run-module", "iree-run-module", "qaic-runner", "qaic-opstats", NULL};

const struct file_kind FILE_ONNX = {"a network (ONNX)", NETWORK_COMMANDS};
const struct file_kind FILE_TOSA = {"a network (TOSA)", NETWORK_COMMANDS};
const struct file_kind FILE_DUMP = {"a dump of executable targets", DUMP_COMMANDS};
const struct file_kind FILE_PROGRAM = {"a compiled program", PROGRAM_COMMANDS};
const struct file_kind FILE_PROFILE = {"a profile", PROFILE_COMMANDS};
const struct file_kind FILE_CONTAINER = {"a program container of Cloud AI (QPC)",
                                         CONTAINER_COMMANDS};
const struct file_kind FILE_TENSOR = {"a tensor", TENSOR_COMMANDS};

// Recognising ------------------------------------------------------------------------

// A model: fields that it may have, of their types, a graph among them. Of a beginning only what
// is there counts.
static bool is_onnx(struct view bytes, bool beginning)
{
    enum { VERSION = 1, MODEL_VERSION = 5, GRAPH = 7, OPSETS = 8, METADATA = 14, TRAINING = 20 };
    enum { FUNCTIONS = 25 };
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    bool graph = false;
    while (protobuf_next(&reader, &field)) {
        const bool number = field.number == VERSION || field.number == MODEL_VERSION;
        if (field.type != (number ? PROTOBUF_VARINT : PROTOBUF_BYTES) || field.number == 0 ||
            (field.number > OPSETS && field.number != METADATA && field.number != TRAINING &&
             field.number != FUNCTIONS))
            return false;
        graph = graph || field.number == GRAPH;
    }
    return beginning ? bytes.size > 0 && reader.ending != PROTOBUF_MALFORMED
                     : graph && reader.ending == PROTOBUF_WHOLE;
}

static bool is_tosa(struct view bytes)
{
    enum { LOOKED_AT = 1 << 20 };
    const struct view start = view_slice(bytes, 0, bytes.size < LOOKED_AT ? bytes.size : LOOKED_AT);
    return memchr(start.data, '\0', start.size) == NULL &&
           view_find_text(start, "tosa.") < start.size &&
           view_find_text(start, "func.func") < start.size;
}

const struct file_kind *file_kind_of_bytes(struct view bytes)
{
    if (bytes.size == 0)
        return NULL;
    if (program_recognise(bytes))
        return &FILE_PROGRAM;
    if (qpc_recognise(bytes))
        return &FILE_CONTAINER;
    if (npy_recognise(bytes))
        return &FILE_TENSOR;
    if (is_onnx(bytes, false))
        return &FILE_ONNX;
    // Before what has to be looked for: profiles are large.
    if (format_reader_find(bytes) != NULL)
        return &FILE_PROFILE;
    if (torq_dump_recognise(bytes))
        return &FILE_DUMP;
    return is_tosa(bytes) ? &FILE_TOSA : NULL;
}

bool file_kind_may_be(struct view beginning)
{
    return format_reader_may_know(beginning) || file_kind_of_bytes(beginning) != NULL ||
           is_onnx(beginning, true) || view_find_text(beginning, "func.func") < beginning.size;
}

const struct file_kind *file_kind_of(const char *path)
{
    struct stat about;
    struct input *input;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return NULL;
    const status failure = input_open_known(path, file_kind_may_be, &input);
    if (failure != STATUS_OK) {
        status_free(failure);
        return NULL;
    }
    const struct file_kind *kind = file_kind_of_bytes(input->bytes);
    input_close(input);
    return kind;
}

static bool file_kinds_is_among(const char *command, const char *const *commands)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i], command) == 0)
            return true;
    }
    return false;
}

// What failed --------------------------------------------------------------------------

// The word, or the value of "--option=value", that a message begins with; NULL: none is.
static const char *find_path(int count, char **words, status failure)
{
    const char *message = status_message(failure);
    for (int i = 0; i < count; i++) {
        const char *equals = strchr(words[i], '=');
        const char *path = words[i][0] == '-' && equals != NULL ? equals + 1 : words[i];
        const size_t size = strlen(path);
        if (size > 0 && strncmp(message, path, size) == 0 && message[size] == ':')
            return path;
    }
    return NULL;
}

status file_kinds_explain(const char *command, int count, char **words, status failure)
{
    if (status_code_of(failure) != STATUS_DATA)
        return failure;
    const char *path = find_path(count, words, failure);
    const struct file_kind *kind = path != NULL ? file_kind_of(path) : NULL;
    if (kind == NULL || kind->commands[0] == NULL || file_kinds_is_among(command, kind->commands))
        return failure;
    // What is wanted of a network is said already.
    if (kind->commands == NETWORK_COMMANDS &&
        strstr(status_message(failure), "opscope compile") != NULL)
        return failure;
    status_free(failure);
    return status_make(STATUS_DATA, "%s: is %s, which '%s' does not read; 'opscope %s %s' shows it",
                       path, kind->called, command, kind->commands[0], path);
}

// Folders ------------------------------------------------------------------------------

enum { FILES_SHOWN = 5, FILES_LOOKED_AT = 1000 };

struct listing {
    const char *command;
    uint32_t looked_at;
    uint32_t found;
};

static int file_kinds_is_plain(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void file_kinds_show(struct listing *listing, const char *path)
{
    const struct file_kind *kind = file_kind_of(path);
    if (kind == NULL || kind->commands[0] == NULL)
        return;
    if (listing->found++ >= FILES_SHOWN)
        return;
    if (listing->found == 1)
        fprintf(stderr, "opscope reads in it:\n");
    const bool asked = file_kinds_is_among(listing->command, kind->commands) &&
                       !file_kinds_is_among(listing->command, OPTION_COMMANDS);
    fprintf(stderr, "  opscope %s %s\n", asked ? listing->command : kind->commands[0], path);
}

static void file_kinds_list(struct listing *listing, const char *folder, bool deeper)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, file_kinds_is_plain, alphasort);
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    for (int i = 0; i < count; i++) {
        struct bytes path = {0};
        bytes_append_format(&path, "%s%s%s", folder, slash, entries[i]->d_name);
        bytes_append(&path, "", 1);
        const char *text = (const char *)path.data;
        if (deeper && folder_is(text))
            file_kinds_list(listing, text, false);
        else if (!deeper && listing->looked_at++ < FILES_LOOKED_AT)
            file_kinds_show(listing, text);
        bytes_free(&path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void file_kinds_print_folder(const char *command, int count, char **words, status failure)
{
    const char *path = find_path(count, words, failure);
    if (path == NULL || !folder_is(path))
        return;
    struct listing listing = {.command = command};
    file_kinds_list(&listing, path, false);
    if (listing.found == 0)
        file_kinds_list(&listing, path, true);
    if (listing.found > FILES_SHOWN)
        fprintf(stderr, "  and %u more\n", listing.found - FILES_SHOWN);
}
