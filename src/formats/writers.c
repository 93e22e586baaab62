#include "writers.h"

#include "base/bytes.h"
#include "base/path.h"
#include "format.h"
#include "formats/chrome/as_written_writer.h"
#include "formats/chrome/writer.h"
#include "formats/perfetto/writer.h"
#include "formats/table/spans_csv.h"
#include "formats/torq/engines.h"
#include "formats/tracy/writer.h"
#include "profile/file.h"
#include "sql/database.h"

static status write_perfetto(const struct format_writer *writer, struct profile *profile,
                             const char *path, const struct write_options *options)
{
    (void)writer;
    const struct perfetto_writer_options perfetto = {.no_arguments = options->no_arguments,
                                                     .calls = true};
    return perfetto_write(profile, path, &perfetto);
}

static status write_chrome(const struct format_writer *writer, struct profile *profile,
                           const char *path, const struct write_options *options)
{
    (void)writer;
    const struct chrome_writer_options chrome = {options->no_arguments, options->split};
    return chrome_write(profile, path, &chrome);
}

static status write_kineto(const struct format_writer *writer, struct profile *profile,
                           const char *path, const struct write_options *options)
{
    (void)writer;
    (void)options;
    if (!as_written_is_kept(profile))
        return status_make(STATUS_USAGE,
                           "%s: only what was read from PyTorch's profile can be written as one: "
                           "take the format chrome",
                           path);
    return as_written_write(profile, path);
}

// As it was read where the profile knows how that was, and all of it is wanted; else for viewers.
static status write_json(const struct format_writer *writer, struct profile *profile,
                         const char *path, const struct write_options *options)
{
    if (options->split == 0 && !options->no_arguments && as_written_is_kept(profile))
        return write_kineto(writer, profile, path, options);
    return write_chrome(writer, profile, path, options);
}

static status write_tracy(const struct format_writer *writer, struct profile *profile,
                          const char *path, const struct write_options *options)
{
    (void)writer;
    (void)options;
    return tracy_write(profile, path);
}

static status writers_write_profile(const struct format_writer *writer, struct profile *profile,
                                    const char *path, const struct write_options *options)
{
    (void)writer;
    (void)options;
    return profile_save(profile, path);
}

static status write_sqlite(const struct format_writer *writer, struct profile *profile,
                           const char *path, const struct write_options *options)
{
    (void)writer;
    (void)options;
    return sql_database_write(profile, path);
}

static status write_torq(const struct format_writer *writer, struct profile *profile,
                         const char *path, const struct write_options *options)
{
    (void)options;
    return torq_form_is_compile(writer->torq)
               ? torq_compile_write(profile, writer->torq, path)
               : torq_runtime_write(profile, writer->torq, TORQ_SINCE_FIRST, path);
}

// The documents' forms: C1 for what was modelled, R2 for what was measured, R1
// for what came as R1: it has nothing that R2 could hold.
static enum torq_form csv_form(const struct profile *profile)
{
    if (view_is(profile_fact(profile, "format"), "torq-r1"))
        return TORQ_R1;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->kind == TRACK_LANE && track->spans > 0 &&
            track->provenance == PROVENANCE_MODELLED)
            return TORQ_C1;
    }
    return TORQ_R2;
}

static status write_spans(const struct format_writer *writer, struct profile *profile,
                          const char *path, const struct write_options *options)
{
    (void)writer;
    return spans_csv_write(profile, path, options->no_arguments);
}

// Whether it comes from Torq's tools, or all that is said to work is a Torq NPU and its host.
static bool is_torq(const struct profile *profile)
{
    bool found = false;
    if (view_starts_with(profile_fact(profile, "format"), "torq-"))
        return true;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->kind != TRACK_LANE || track->spans == 0 ||
            track->provenance == PROVENANCE_DERIVED)
            continue;
        const struct torq_engine *engine = torq_engine_of_track(profile, track);
        if (engine == NULL && track->engine != 0)
            return false;
        found |= engine != NULL && engine->role != ROLE_HOST;
    }
    return found;
}

static status writers_write_csv(const struct format_writer *writer, struct profile *profile,
                                const char *path, const struct write_options *options)
{
    if (!is_torq(profile))
        return write_spans(writer, profile, path, options);
    struct format_writer chosen = *writer;
    chosen.torq = csv_form(profile);
    return write_torq(&chosen, profile, path, options);
}

static const struct format_writer WRITERS[] = {
    {"perfetto", ".pb .pftrace .perfetto-trace", write_perfetto, 0},
    {"json", ".json", write_json, 0},
    {"chrome", NULL, write_chrome, 0},
    {"kineto", NULL, write_kineto, 0},
    {"profile", ".prof", writers_write_profile, 0},
    {"tracy", ".tracy", write_tracy, 0},
    {"sqlite", ".db .sqlite .sqlite3", write_sqlite, 0},
    {"csv", ".csv", writers_write_csv, 0},
    {"spans", NULL, write_spans, 0},
    {"torq-c1", NULL, write_torq, TORQ_C1},
    {"torq-c2", NULL, write_torq, TORQ_C2},
    {"torq-c4", NULL, write_torq, TORQ_C4},
    {"torq-r1", NULL, write_torq, TORQ_R1},
    {"torq-r2", NULL, write_torq, TORQ_R2},
    {"torq-r4", NULL, write_torq, TORQ_R4},
};

enum { WRITER_COUNT = sizeof WRITERS / sizeof WRITERS[0] };

const struct format_writer *format_writer_next(const struct format_writer *writer)
{
    const size_t next = writer == NULL ? 0 : (size_t)(writer - WRITERS) + 1;
    return next < WRITER_COUNT ? &WRITERS[next] : NULL;
}

static bool writers_has_extension(struct view name, const char *extensions)
{
    if (extensions == NULL)
        return false;
    for (struct view left = view_of(extensions); left.size > 0;) {
        char extension[32] = "";
        const size_t size = view_find(left, ' ');
        if (size < sizeof extension)
            memcpy(extension, left.data, size);
        if (view_has_extension(name, extension))
            return true;
        left = view_slice(left, size < left.size ? size + 1 : size, left.size);
    }
    return false;
}

// "perfetto, profile, ..." or ".pb, .prof, ..."
static void list_writers(struct bytes *list, bool extensions)
{
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        const char *text = extensions ? WRITERS[i].extensions : WRITERS[i].name;
        if (text == NULL)
            continue;
        const struct view first = view_slice(view_of(text), 0, view_find(view_of(text), ' '));
        bytes_append_format(list, "%s%.*s", list->size > 0 ? ", " : "", VIEW_ARGUMENTS(first));
    }
}

static status writers_refuse_name(const char *name, const char *path)
{
    struct bytes list = {0};
    list_writers(&list, name == NULL);
    const status failure =
        name != NULL
            ? status_make(STATUS_USAGE, "'%s' is no format to write: expected %.*s", name,
                          VIEW_ARGUMENTS(bytes_view(&list)))
            : status_make(STATUS_USAGE,
                          "cannot tell the format from '%s': end it in one of %.*s, or name the "
                          "format",
                          path, VIEW_ARGUMENTS(bytes_view(&list)));
    bytes_free(&list);
    return failure;
}

status format_writer_find(const char *name, const char *path,
                          const struct format_writer **out_writer)
{
    const struct view file = path_unpacked_name(view_of(path));
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        const struct format_writer *writer = &WRITERS[i];
        if (name != NULL ? strcmp(writer->name, name) == 0
                         : writers_has_extension(file, writer->extensions)) {
            *out_writer = writer;
            return STATUS_OK;
        }
    }
    return writers_refuse_name(name, path);
}
