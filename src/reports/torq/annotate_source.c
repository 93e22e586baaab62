#include "annotate_source.h"

#include <stdlib.h>

#include "base/input.h"
#include "base/memory.h"
#include "wire/mlir.h"

enum { FILES_MOST = 64, DEPTH_MOST = 32 };

struct source_file {
    char *name; // as locations have it
    struct input *input;
    struct view text; // of the input, or given; no data: there is none
    size_t *lines;    // where each begins, and the end
    size_t line_count;
};

struct annotate_source {
    const char *dump;
    const char *given;
    struct source_file files[FILES_MOST];
    size_t file_count;
    struct bytes location;  // the one asked for last,
    struct bytes operators; // and what it gave
};

struct annotate_source *annotate_source_create(const char *dump, const char *given)
{
    struct annotate_source *source = memory_allocate_zeroed(1, sizeof *source);
    source->dump = dump;
    source->given = given;
    return source;
}

void annotate_source_free(struct annotate_source *source)
{
    if (source == NULL)
        return;
    for (size_t i = 0; i < source->file_count; i++) {
        free(source->files[i].name);
        free(source->files[i].lines);
        if (source->files[i].input != NULL)
            input_close(source->files[i].input);
    }
    bytes_free(&source->location);
    bytes_free(&source->operators);
    free(source);
}

// Files ------------------------------------------------------------------------------

static struct view base_of(struct view path)
{
    const size_t slash = view_find_last(path, '/');
    return slash < path.size ? view_slice(path, slash + 1, path.size) : path;
}

static struct input *try_open(const char *path)
{
    struct input *input = NULL;
    status_free(input_open(path, &input));
    return input;
}

// `stem` and `end` are the two parts of the file's name.
static struct input *annotate_source_open_beside(const char *dump, struct view stem,
                                                 const char *end)
{
    const struct view path = view_of(dump);
    const size_t folder = path.size - base_of(path).size;
    struct bytes beside = {0};
    bytes_append(&beside, dump, folder);
    bytes_append(&beside, stem.data, stem.size);
    bytes_append(&beside, end, strlen(end) + 1);
    struct input *input = try_open((const char *)beside.data);
    bytes_free(&beside);
    return input;
}

static struct input *annotate_source_open_file(const struct annotate_source *source,
                                               const char *name)
{
    if (source->given != NULL &&
        view_equal(base_of(view_of(name)), base_of(view_of(source->given))))
        return try_open(source->given);
    const struct view base = base_of(view_of(name));
    struct input *input = try_open(name);
    if (input == NULL)
        input = annotate_source_open_beside(source->dump, base, "");
    // What torq-compile leaves with the phases.
    if (input == NULL && view_ends_with(base, ".mlir"))
        input = annotate_source_open_beside(
            source->dump, view_slice(base, 0, base.size - strlen(".mlir")), ".0.source.mlir");
    return input;
}

static void find_lines(struct source_file *file)
{
    size_t capacity = 0;
    const struct view text = file->text;
    for (size_t at = 0; at <= text.size;) {
        file->lines = memory_grow(file->lines, file->line_count, &capacity, sizeof *file->lines);
        file->lines[file->line_count++] = at;
        at += view_find(view_slice(text, at, text.size), '\n') + 1;
    }
}

// NULL where it cannot be had; a file is tried once.
static const struct source_file *annotate_source_find_file(struct annotate_source *source,
                                                           struct view name)
{
    for (size_t i = 0; i < source->file_count; i++) {
        if (view_is(name, source->files[i].name))
            return source->files[i].text.data != NULL ? &source->files[i] : NULL;
    }
    if (source->file_count == FILES_MOST)
        return NULL;
    struct source_file *file = &source->files[source->file_count++];
    file->name = view_copy(name);
    file->input = annotate_source_open_file(source, file->name);
    if (file->input == NULL)
        return NULL;
    file->text = file->input->bytes;
    find_lines(file);
    return file->text.data != NULL ? file : NULL;
}

void annotate_source_add(struct annotate_source *source, struct view name, struct view text)
{
    struct source_file *file = &source->files[source->file_count++];
    file->name = view_copy(name);
    file->text = text;
    find_lines(file);
}

// Operators --------------------------------------------------------------------------

static bool annotate_source_is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
}

static struct view annotate_source_quoted(struct view text)
{
    if (text.size == 0 || text.data[0] != '"')
        return VIEW_LITERAL("");
    text = view_slice(text, 1, text.size);
    const size_t end = view_find(text, '"');
    return end < text.size ? view_slice(text, 0, end) : VIEW_LITERAL("");
}

struct view annotate_source_operator(struct view line)
{
    struct view text = view_trim(line);
    const size_t equals = view_find(text, '=');
    if (text.size > 0 && text.data[0] == '%' && equals < text.size)
        text = view_trim(view_slice(text, equals + 1, text.size));
    if (view_starts_with(text, "torch.operator"))
        return annotate_source_quoted(
            view_trim(view_slice(text, strlen("torch.operator"), text.size)));
    if (text.size > 0 && text.data[0] == '"')
        text = annotate_source_quoted(text);
    size_t size = 0;
    while (size < text.size && annotate_source_is_name(text.data[size]))
        size++;
    text = view_slice(text, 0, size);
    return view_starts_with(text, "tosa.") ? text : VIEW_LITERAL("");
}

static bool annotate_source_has_word(struct view rest, struct view word)
{
    while (rest.size > 0) {
        const size_t blank = view_find(rest, ' ');
        if (view_equal(view_slice(rest, 0, blank), word))
            return true;
        rest = view_slice(rest, blank < rest.size ? blank + 1 : blank, rest.size);
    }
    return false;
}

// The operator at a place in a file; "" where there is none, or no such file.
static struct view annotate_source_at(struct annotate_source *source,
                                      const struct mlir_location *at)
{
    const struct source_file *file = annotate_source_find_file(source, at->text);
    if (file == NULL || at->line == 0 || at->line > file->line_count)
        return VIEW_LITERAL("");
    const struct view text = file->text;
    const size_t start = file->lines[at->line - 1];
    const size_t end = at->line < file->line_count ? file->lines[at->line] - 1 : text.size;
    return annotate_source_operator(view_slice(text, start, end));
}

static void append_operator(struct annotate_source *source, const struct mlir_location *at,
                            struct bytes *to)
{
    const struct view name = annotate_source_at(source, at);
    if (name.size == 0)
        return;
    struct bytes word = {0};
    bytes_append(&word, name.data, name.size);
    bytes_append_format(&word, "@L%llu", (unsigned long long)at->line);
    if (!annotate_source_has_word(bytes_view(to), bytes_view(&word))) {
        bytes_append(to, " ", to->size > 0 ? 1 : 0);
        bytes_append(to, word.data, word.size);
    }
    bytes_free(&word);
}

// A place of a call is its callee, then its caller.
static void annotate_source_append_operators(struct annotate_source *source,
                                             const struct mlir_location *at, unsigned depth,
                                             struct bytes *to)
{
    if (at->kind == MLIR_AT_FILE)
        append_operator(source, at, to);
    for (uint32_t i = 0; i < at->count && depth < DEPTH_MOST; i++)
        annotate_source_append_operators(source, at->children[i], depth + 1, to);
}

// A location that was read; its texts lie in `text`.
struct parsed {
    struct bytes text;
    struct mlir_document *document;
    const struct mlir_location *location; // NULL where it cannot be read
};

static struct parsed parse_location(struct view location)
{
    const bool whole = view_starts_with(location, "loc(");
    struct parsed parsed = {0};
    bytes_append_format(&parsed.text, "\"a.b\"() : () -> () %s", whole ? "" : "loc(");
    bytes_append(&parsed.text, location.data, location.size);
    bytes_append_format(&parsed.text, whole ? "\n" : ")\n");
    const status result = mlir_read("location", bytes_view(&parsed.text), &parsed.document);
    if (result == STATUS_OK && parsed.document->top.operation_count > 0)
        parsed.location = parsed.document->top.operations[0].location;
    status_free(result);
    return parsed;
}

static void free_parsed(struct parsed *parsed)
{
    if (parsed->document != NULL)
        mlir_free(parsed->document);
    bytes_free(&parsed->text);
}

static void find_operators(struct annotate_source *source, struct view location,
                           struct bytes *out_text)
{
    struct parsed parsed = parse_location(location);
    if (parsed.location != NULL)
        annotate_source_append_operators(source, parsed.location, 0, out_text);
    free_parsed(&parsed);
}

static void annotate_source_append_place(const struct mlir_location *at, unsigned depth,
                                         struct bytes *to)
{
    const bool deeper = at->count > 0 && depth < DEPTH_MOST;
    if (at->kind == MLIR_AT_FILE) {
        bytes_append_format(to, "@L%lluC%llu", (unsigned long long)at->line,
                            (unsigned long long)at->column);
    } else if (at->kind == MLIR_AT_FUSED) {
        for (uint32_t i = 0; i < at->count && deeper; i++) {
            bytes_append(to, "+", i > 0 ? 1 : 0);
            annotate_source_append_place(at->children[i], depth + 1, to);
        }
    } else if (deeper) {
        annotate_source_append_place(at->children[0], depth + 1, to);
    } else {
        bytes_append(to, at->text.data, at->text.size);
    }
}

void annotate_source_place(struct view location, struct bytes *to)
{
    struct parsed parsed = {0};
    if (view_starts_with(location, "loc("))
        parsed = parse_location(location);
    if (parsed.location == NULL || parsed.location->kind == MLIR_AT_UNKNOWN)
        bytes_append(to, location.data, location.size);
    else
        annotate_source_append_place(parsed.location, 0, to);
    free_parsed(&parsed);
}

struct view annotate_source_operators(struct annotate_source *source, struct view location)
{
    if (view_equal(location, bytes_view(&source->location)))
        return bytes_view(&source->operators);
    source->location.size = 0;
    source->operators.size = 0;
    bytes_append(&source->location, location.data, location.size);
    find_operators(source, location, &source->operators);
    return bytes_view(&source->operators);
}

static void annotate_source_take_places(struct annotate_source *source,
                                        const struct mlir_location *at, unsigned depth,
                                        annotate_source_take *take, void *context)
{
    if (at->kind == MLIR_AT_FILE)
        take(context, &(struct annotate_place){.file = at->text,
                                               .line = at->line,
                                               .column = at->column,
                                               .op = annotate_source_at(source, at)});
    for (uint32_t i = 0; i < at->count && depth < DEPTH_MOST; i++)
        annotate_source_take_places(source, at->children[i], depth + 1, take, context);
}

void annotate_source_places(struct annotate_source *source, struct view location,
                            annotate_source_take *take, void *context)
{
    struct parsed parsed = parse_location(location);
    if (parsed.location != NULL)
        annotate_source_take_places(source, parsed.location, 0, take, context);
    free_parsed(&parsed);
}
