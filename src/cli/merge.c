// `opscope merge A B ... -o OUT`: several profiles on one time axis.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"
#include "commands.h"
#include "formats/format.h"
#include "formats/writers.h"
#include "ledger_text.h"
#include "merge_report.h"
#include "table_options.h"
#include "paths.h"
#include "units.h"

// Names -----------------------------------------------------------------------

static struct merge_source *find_source(struct merge *merge, struct view name)
{
    for (size_t i = 0; i < merge->count; i++) {
        if (merge->sources[i].name != NULL && view_is(name, merge->sources[i].name))
            return &merge->sources[i];
    }
    return NULL;
}

// The file's name without its extensions; of a folder, its name.
static struct view stem_of(const char *path)
{
    struct view whole = view_of(path);
    while (whole.size > 1 && whole.data[whole.size - 1] == '/')
        whole.size--;
    const size_t slash = view_find_last(whole, '/');
    struct view name =
        path_unpacked_name(view_slice(whole, slash + 1 < whole.size ? slash + 1 : 0, whole.size));
    const size_t dot = view_find_last(name, '.');
    if (dot > 0 && dot < name.size)
        name.size = dot;
    return name;
}

// "a", then "a-2" for the second of that name.
static char *cli_merge_unique_name(struct merge *merge, struct view wanted)
{
    char *name = view_copy(wanted);
    for (unsigned number = 2; find_source(merge, view_of(name)) != NULL; number++) {
        struct bytes text = {0};
        bytes_append_format(&text, "%.*s-%u", VIEW_ARGUMENTS(wanted), number);
        free(name);
        name = view_copy(bytes_view(&text));
        bytes_free(&text);
    }
    return name;
}

// NAME=FILE, unless a file is called just that.
static void split_word(const char *word, struct view *out_name, const char **out_path)
{
    const struct view text = view_of(word);
    const size_t equals = view_find(text, '=');
    const size_t slash = view_find(text, '/');
    *out_name = VIEW_LITERAL("");
    *out_path = word;
    if (equals == 0 || equals == text.size || slash < equals || access(word, F_OK) == 0)
        return;
    *out_name = view_slice(text, 0, equals);
    *out_path = word + equals + 1;
}

static status name_sources(const struct arguments *arguments, struct merge *merge)
{
    size_t words_count;
    size_t names_count;
    const char *const *words = arguments_words(arguments, &words_count);
    const char *const *names = arguments_values(arguments, "name", &names_count);
    if (names_count > words_count)
        return status_make(STATUS_USAGE, "merge: %zu names for %zu files", names_count,
                           words_count);
    for (size_t i = 0; i < words_count; i++) {
        struct merge_source *source = &merge->sources[i];
        struct view name;
        split_word(words[i], &name, &source->path);
        const bool given = i < names_count || name.size > 0;
        if (i < names_count)
            name = view_of(names[i]);
        if (given && find_source(merge, name) != NULL)
            return status_make(STATUS_USAGE, "merge: two profiles are called '%.*s'",
                               VIEW_ARGUMENTS(name));
        source->name =
            given ? view_copy(name) : cli_merge_unique_name(merge, stem_of(source->path));
    }
    return STATUS_OK;
}

// What the user knows ---------------------------------------------------------

static status cli_merge_refuse_name(struct merge *merge, const char *option, const char *text)
{
    struct bytes names = {0};
    for (size_t i = 0; i < merge->count; i++)
        bytes_append_format(&names, "%s%s", i > 0 ? ", " : "", merge->sources[i].name);
    const status failure = status_make(
        STATUS_USAGE, "merge: --%s '%s': expected the name of a profile in front (%.*s)", option,
        text, VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

// Each NAME=VALUE of an option.
static status read_offsets(const struct arguments *arguments, struct merge *merge,
                           const char *option, bool drift)
{
    size_t count;
    const char *const *texts = arguments_values(arguments, option, &count);
    for (size_t i = 0; i < count; i++) {
        const struct view text = view_of(texts[i]);
        const size_t equals = view_find_last(text, '=');
        struct merge_source *source = find_source(merge, view_slice(text, 0, equals));
        if (equals == text.size || source == NULL)
            return cli_merge_refuse_name(merge, option, texts[i]);
        const struct view value = view_slice(text, equals + 1, text.size);
        const bool good = drift ? units_drift(value, &source->drift_ppb)
                                : units_signed_time(value, &source->offset_ns);
        if (!good)
            return status_make(STATUS_USAGE, "merge: --%s '%s': '%.*s' is no %s", option, texts[i],
                               VIEW_ARGUMENTS(value),
                               drift ? "drift such as +20ppm" : "time such as +1.5ms");
        *(drift ? &source->has_drift : &source->has_offset) = true;
    }
    return STATUS_OK;
}

// "NAME:" in front of `text`.
static struct merge_source *source_before_colon(struct merge *merge, struct view text,
                                                struct view *out_event)
{
    const size_t colon = view_find(text, ':');
    *out_event = view_slice(text, colon < text.size ? colon + 1 : colon, text.size);
    return colon < text.size ? find_source(merge, view_slice(text, 0, colon)) : NULL;
}

// A:EVENT=B:EVENT. Events may hold = and :, so that every = is tried.
static status cli_merge_read_pair(struct merge *merge, const char *text,
                                  struct merge_pair *out_pair)
{
    const struct view whole = view_of(text);
    const struct merge_source *a = source_before_colon(merge, whole, &out_pair->event_a);
    if (a == NULL)
        return cli_merge_refuse_name(merge, "align", text);
    for (size_t i = 0; i < whole.size; i++) {
        if (whole.data[i] != '=')
            continue;
        const struct merge_source *b =
            source_before_colon(merge, view_slice(whole, i + 1, whole.size), &out_pair->event_b);
        if (b == NULL || b == a)
            continue;
        out_pair->event_a.size = (size_t)(whole.data + i - out_pair->event_a.data);
        out_pair->source_a = (size_t)(a - merge->sources);
        out_pair->source_b = (size_t)(b - merge->sources);
        return STATUS_OK;
    }
    return status_make(STATUS_USAGE,
                       "merge: --align '%s': expected 'A:EVENT=B:EVENT' with the names of two "
                       "profiles",
                       text);
}

// The first file has its place; an offset gives one.
static bool is_placed(const struct merge *merge, size_t index)
{
    return index == 0 || merge->sources[index].has_offset;
}

static status cli_merge_read_pairs(const struct arguments *arguments, struct merge *merge)
{
    size_t count;
    const char *const *texts = arguments_values(arguments, "align", &count);
    merge->pairs = memory_allocate_zeroed(count + 1, sizeof *merge->pairs);
    merge->pair_count = count;
    for (size_t i = 0; i < count; i++) {
        STATUS_TRY(cli_merge_read_pair(merge, texts[i], &merge->pairs[i]));
        if (is_placed(merge, merge->pairs[i].source_a) &&
            is_placed(merge, merge->pairs[i].source_b))
            return status_make(
                STATUS_USAGE,
                "merge: --align '%s': both have a place already, by --offset or as the first",
                texts[i]);
    }
    return STATUS_OK;
}

// -----------------------------------------------------------------------------

static status read_sources(struct merge *merge, const char *out)
{
    const struct format_options options = {0};
    for (size_t i = 0; i < merge->count; i++) {
        struct merge_source *source = &merge->sources[i];
        STATUS_TRY(paths_check("merge", out, &source->path, 1));
        source->profile = profile_create();
        STATUS_TRY(format_read(source->path, &options, source->profile));
    }
    return STATUS_OK;
}

static status cli_merge_write_json(const struct merge *merge, struct table *table, const char *out,
                                   const struct profile *merged)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    merge_report_json(&json, merge, table, out, merged);
    return output_close(output);
}

// On stderr, and as a table on the standard output where that is asked for.
static status cli_merge_report(const struct table_options *options, const struct merge *merge,
                               struct table *table, const char *out, const struct profile *merged)
{
    merge_report_print(merge, out, merged);
    ledger_warn(merged);
    status result = table_options_apply(options, &table, 1);
    if (result == STATUS_OK && options->json)
        result = cli_merge_write_json(merge, table, out, merged);
    else if (result == STATUS_OK && options->csv)
        result = table_options_write_csv(table);
    else if (result == STATUS_OK && options->columns != NULL)
        table_options_print(table, stdout);
    return result;
}

static status merge_write_profile(struct merge *merge, const char *out, struct profile *merged)
{
    STATUS_TRY(read_sources(merge, out));
    STATUS_TRY(merge_place(merge));
    return merge_fill(merge, merged);
}

static status merge_files(const struct arguments *arguments, struct merge *merge,
                          struct profile *merged)
{
    const char *out = arguments_value(arguments, "output");
    const char *to = arguments_value(arguments, "to");
    const struct write_options options = {.no_arguments = arguments_flag(arguments, "no-args")};
    const struct format_writer *writer;
    struct table_options table_options;
    STATUS_TRY(table_options_read(arguments, 0, &table_options));
    STATUS_TRY(
        status_within(format_writer_find(to, out, &writer), to != NULL ? "merge: --to" : "merge"));
    STATUS_TRY(name_sources(arguments, merge));
    STATUS_TRY(read_offsets(arguments, merge, "offset", false));
    STATUS_TRY(read_offsets(arguments, merge, "drift", true));
    STATUS_TRY(cli_merge_read_pairs(arguments, merge));
    struct table *table = table_create(&MERGE_FORM, merge, merge->count);
    status result = table_options_check(&table_options, &table, 1);
    if (result == STATUS_OK)
        result = merge_write_profile(merge, out, merged);
    if (result == STATUS_OK)
        result = writer->write(writer, merged, out, &options);
    if (result == STATUS_OK)
        result = cli_merge_report(&table_options, merge, table, out, merged);
    table_free(table);
    return result;
}

static status merge_command(const struct arguments *arguments, int *out_exit)
{
    struct merge merge = {0};
    arguments_words(arguments, &merge.count);
    const char *out = arguments_value(arguments, "output");
    if (merge.count < 2 || out == NULL)
        return status_make(STATUS_USAGE, "merge: give two files or more and -o OUT: opscope merge "
                                         "host.prof device.csv -o both.pb");
    const char *wants = arguments_flag(arguments, "json")               ? "json"
                        : arguments_flag(arguments, "csv")              ? "csv"
                        : arguments_value(arguments, "columns") != NULL ? "columns"
                                                                        : NULL;
    if (strcmp(out, "-") == 0 && wants != NULL)
        return status_make(STATUS_USAGE, "merge: -o - and --%s both want the standard output",
                           wants);
    merge.sources = memory_allocate_zeroed(merge.count, sizeof *merge.sources);
    struct profile *merged = profile_create();
    const status result = merge_files(arguments, &merge, merged);
    if (result == STATUS_OK)
        *out_exit = ledger_exit(merged);
    profile_free(merged);
    for (size_t i = 0; i < merge.count; i++)
        merge_source_free(&merge.sources[i]);
    free(merge.sources);
    free(merge.pairs);
    return result;
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE", "what to write, in any format that convert writes"},
    {"to", 0, OPTION_ONE, "FORMAT", "if the extension does not say it: as for convert"},
    {"name", 0, OPTION_EACH, "NAME", "of the first file, of the second ...; also NAME=FILE"},
    {"offset", 0, OPTION_EACH, "NAME=TIME", "add this to its times: dev=+1.5ms; 0s keeps them"},
    {"drift", 0, OPTION_EACH, "NAME=PPM", "its seconds are this much too short: dev=+20ppm"},
    {"align", 0, OPTION_EACH, "A:EVENT=B:EVENT",
     "the same moment in both; two show the drift too; EVENT#3: the third"},
    {"no-args", 0, OPTION_FLAG, NULL, "Perfetto, Chrome: leave out the arguments of events"},
    TABLE_OPTIONS("how each was placed, as JSON on the standard output", "the same as CSV",
                  "how many profiles (all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&MERGE_FORM, NULL};

const struct command COMMAND_MERGE = {
    .name = "merge",
    .usage = "[NAME=]FILE [NAME=]FILE... -o OUT [options]",
    .summary = "several profiles on one time axis",
    .details =
        "Each file becomes a process with its name. The first one's times stay; the others are\n"
        "placed by --offset, by --align, by a clock that they say they share, or by what they\n"
        "have in common: flows from one to the other, events whose name occurs once in each,\n"
        "correlation ids. How wrong that may be is said on stderr, and kept in a .prof as facts.",
    .examples = "  opscope merge host=runtime.prof device=timeline.csv -o both.pb\n"
                "  opscope merge a.csv b.csv -o both.pb --offset b=+1.5ms\n"
                "  opscope merge a.csv b.csv -o both.prof --drift b=-20ppm --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = merge_command,
};
