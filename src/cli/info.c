// `opscope info FILE...`: what a file is and what it holds.

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "commands.h"
#include "file_kinds.h"
#include "formats/format.h"
#include "info_container.h"
#include "ledger_text.h"
#include "network/network.h"
#include "opened.h"
#include "plain_text.h"
#include "profile/track_order.h"
#include "reports/overview_rows.h"
#include "reports/tracks.h"
#include "table_options.h"

struct counts {
    uint64_t spans, instants, samples;
    uint64_t derived; // of the spans: the ledger has none of them, nor has top
    uint32_t tracks;
    bool any;
    uint64_t first_ns, last_ns;
};

static struct counts info_count(const struct profile *profile)
{
    struct counts sum = {0};
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const struct clock_domain *domain = profile_clock(profile, track->clock);
        sum.tracks += track->kind == TRACK_LANE || track->kind == TRACK_COUNTER;
        sum.spans += track->spans;
        sum.derived += track->provenance == PROVENANCE_DERIVED ? track->spans : 0;
        sum.instants += track->instants;
        sum.samples += track->samples;
        if (track->spans + track->instants + track->samples == 0)
            continue;
        const uint64_t first = clock_to_ns(domain, track->first);
        const uint64_t last = clock_to_ns(domain, track->last);
        sum.first_ns = !sum.any || first < sum.first_ns ? first : sum.first_ns;
        sum.last_ns = !sum.any || last > sum.last_ns ? last : sum.last_ns;
        sum.any = true;
    }
    return sum;
}

// What is asked for of every file.
struct info {
    struct table_options options;
    struct format_options reading;
    struct json_writer *json; // NULL: text or CSV
    struct output *csv;       // NULL: text or JSON
    bool has_head;            // CSV's first line is written
    bool all;                 // also tracks without events
};

// How deep each track lies below the root, whose depth is 0.
static unsigned *measure_depths(const struct profile *profile, const uint32_t *order)
{
    unsigned *depth = memory_allocate_zeroed(profile->tracks.count, sizeof *depth);
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const uint32_t parent = profile_track(profile, order[i])->parent;
        depth[order[i]] = parent == 0 ? 0 : depth[parent] + 1;
    }
    return depth;
}

// Tracks with something in them, or in one below; what was lost is something.
static bool *find_used(const struct profile *profile)
{
    bool *used = memory_allocate_zeroed(profile->tracks.count, sizeof *used);
    for (uint32_t i = profile->tracks.count - 1; i > 0; i--) {
        const struct track *track = profile_track(profile, i);
        used[i] |= track->spans + track->instants + track->samples > 0 ||
                   track->ledger.lost + track->ledger.impossible > 0;
        used[track->parent] |= used[i];
    }
    return used;
}

// The rows of those tracks, or of `all`, in order; rows count from 0.
static uint32_t keep_used(const struct profile *profile, bool all, uint32_t *order)
{
    bool *used = find_used(profile);
    uint32_t kept = 0;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        if (all || used[order[i]])
            order[kept++] = order[i] - 1;
    }
    free(used);
    return kept;
}

// As a tree, unless another order is asked for.
static status print_tracks(const struct info *info, struct tracks_report *report)
{
    const uint32_t count = report->profile->tracks.count;
    uint32_t *order = memory_allocate_zeroed(count, sizeof *order);
    track_order(report->profile, order);
    unsigned *depth = measure_depths(report->profile, order);
    report->depth = info->options.sort == NULL ? depth : NULL;
    const uint32_t used = keep_used(report->profile, info->all, order);
    struct table *table = table_create(&TRACKS_FORM, report, count - 1);
    table_order(table, order, used);
    const status result = table_options_apply(&info->options, &table, 1);
    if (result == STATUS_OK)
        table_options_print(table, stdout);
    if (result == STATUS_OK && used < count - 1)
        printf("  %u more without events: --all\n", count - 1 - used);
    table_free(table);
    free(order);
    free(depth);
    return result;
}

// The rest of what is asked for.
static status info_write_tracks(struct info *info, const struct tracks_report *report)
{
    struct table *table = table_create(&TRACKS_FORM, report, report->profile->tracks.count - 1);
    const status result = table_options_apply(&info->options, &table, 1);
    if (result == STATUS_OK && info->json != NULL)
        table_json_rows(table, info->json, "tracks");
    if (result == STATUS_OK && info->csv != NULL) {
        if (!info->has_head)
            table_csv_head(table, info->csv);
        info->has_head = true;
        table_csv_rows(table, info->csv);
    }
    table_free(table);
    return result;
}

static status print_profile(const struct info *info, struct tracks_report *report,
                            struct view format)
{
    const struct profile *profile = report->profile;
    const struct counts sum = info_count(profile);
    char spans[LEDGER_NUMBER_ROOM];
    char duration[OVERVIEW_DURATION_ROOM];
    plain_text_put(view_of(report->path));
    printf(": ");
    plain_text_print(stdout, format, 0);
    printf("\n");
    printf("%s spans", ledger_number(sum.spans, spans));
    if (sum.derived > 0)
        printf(" (%s of them derived)", ledger_number(sum.derived, spans));
    if (sum.instants > 0)
        printf(", %s instants", ledger_number(sum.instants, spans));
    if (sum.samples > 0)
        printf(", %s samples", ledger_number(sum.samples, spans));
    printf(" on %u tracks", sum.tracks);
    if (sum.any) {
        overview_format_duration(sum.last_ns - sum.first_ns, duration);
        printf(", %s long, from %llu to %llu ns", duration, (unsigned long long)sum.first_ns,
               (unsigned long long)sum.last_ns);
    }
    printf("\n");
    STATUS_TRY(print_tracks(info, report));
    ledger_print(stdout, profile);
    return STATUS_OK;
}

// What the profile says of itself; a key may come more than once.
static void info_write_facts(struct json_writer *json, const struct profile *profile)
{
    json_open_array(json, "facts");
    for (uint32_t i = 0; i < profile->facts.count; i++) {
        const struct profile_fact *fact = segments_get(&profile->facts, i);
        json_open_object(json, NULL);
        json_text(json, "key", profile_text(profile, fact->key));
        json_text(json, "text", profile_text(profile, fact->text));
        json_close(json);
    }
    json_close(json);
}

static status info_write_profile(struct info *info, const struct tracks_report *report,
                                 struct view format)
{
    struct json_writer *json = info->json;
    const struct profile *profile = report->profile;
    const struct counts sum = info_count(profile);
    json_open_object(json, NULL);
    json_text(json, "file", view_of(report->path));
    json_text(json, "format", format);
    json_uint(json, "spans", sum.spans);
    json_uint(json, "instants", sum.instants);
    json_uint(json, "samples", sum.samples);
    if (sum.any) {
        json_uint(json, "first_ns", sum.first_ns);
        json_uint(json, "last_ns", sum.last_ns);
    } else {
        json_null(json, "first_ns");
        json_null(json, "last_ns");
    }
    STATUS_TRY(info_write_tracks(info, report));
    info_write_facts(json, profile);
    ledger_json(json, "ledger", profile);
    json_close(json);
    return STATUS_OK;
}

// What the file is; a profile also says what it was made from.
static struct view info_describe(const struct profile *profile, char *text, size_t room)
{
    const struct view format = profile_fact(profile, "format");
    if (profile->source == NULL)
        return format;
    const struct view source = profile_fact(profile, "source");
    if (source.size == 0)
        snprintf(text, room, "opscope profile");
    else
        snprintf(text, room, "opscope profile of %.*s (%.*s)", VIEW_ARGUMENTS(source),
                 VIEW_ARGUMENTS(format));
    return view_of(text);
}

// Other files --------------------------------------------------------------------------

struct about {
    const char *path;
    const struct file_kind *kind;
    struct network *network; // of a network
};

static void print_about(const struct about *about)
{
    plain_text_put(view_of(about->path));
    printf(": %s", about->kind->called);
    if (about->network != NULL) {
        const struct network_graph *graph = network_graph(about->network, 0);
        printf(": %u operators, %u input%s, %u output%s", graph->node_count, graph->input_count,
               graph->input_count == 1 ? "" : "s", graph->output_count,
               graph->output_count == 1 ? "" : "s");
    }
    printf("\n'opscope %s ", about->kind->commands[0]);
    plain_text_put(view_of(about->path));
    printf("' shows it\n");
}

static void write_about(struct json_writer *json, const struct about *about)
{
    char command[64];
    snprintf(command, sizeof command, "opscope %s", about->kind->commands[0]);
    json_open_object(json, NULL);
    json_text(json, "file", view_of(about->path));
    json_text(json, "format", view_of(about->kind->called));
    if (about->network != NULL) {
        const struct network_graph *graph = network_graph(about->network, 0);
        json_uint(json, "operators", graph->node_count);
        json_uint(json, "inputs", graph->input_count);
        json_uint(json, "outputs", graph->output_count);
    }
    json_text(json, "see", view_of(command));
    json_close(json);
}

// What is no profile is named, with the command that shows it; it has no rows for CSV.
static status show_other(const char *path, const struct file_kind *kind, struct info *info)
{
    struct about about = {.path = path, .kind = kind};
    if (info->csv != NULL)
        return STATUS_OK;
    if (kind == &FILE_CONTAINER)
        return info_container_show(path, &info->options, info->json);
    if (kind == &FILE_ONNX || kind == &FILE_TOSA)
        STATUS_TRY(network_open(path, NULL, &about.network));
    if (info->json != NULL)
        write_about(info->json, &about);
    else
        print_about(&about);
    network_free(about.network);
    return STATUS_OK;
}

static bool info_is_plain_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static const struct input_beginnings BEGINNINGS = {file_kind_may_be, format_reader_in_parts};

// Reads a profile, opening the file once: a packed one unfolds as it is opened. `out_other`:
// what it is when it is none.
static status info_read(const char *path, const struct format_options *options,
                        struct profile **out_profile, const struct file_kind **out_other)
{
    struct input *input;
    if (opened_find(path) != NULL || !info_is_plain_file(path))
        return opened_read(path, options, out_profile);
    *out_profile = profile_create();
    STATUS_TRY(input_open_ahead(path, &BEGINNINGS, &input));
    const struct file_kind *kind = file_kind_of_bytes(input->bytes);
    if (kind == NULL || kind == &FILE_PROFILE || kind->commands[0] == NULL)
        return format_read_input(input, options, *out_profile);
    *out_other = kind;
    input_close(input);
    return STATUS_OK;
}

static status show_profile(const char *path, const struct profile *profile, struct info *info)
{
    char text[256];
    const struct view format = info_describe(profile, text, sizeof text);
    struct tracks_report report = {.path = path, .profile = profile};
    if (info->json != NULL)
        return info_write_profile(info, &report, format);
    return info->csv != NULL ? info_write_tracks(info, &report)
                             : print_profile(info, &report, format);
}

static status info_show(const char *path, struct info *info, int *out_exit)
{
    const struct file_kind *other = NULL;
    struct profile *profile = NULL;
    status result = info_read(path, &info->reading, &profile, &other);
    if (result == STATUS_OK)
        result = other != NULL ? show_other(path, other, info) : show_profile(path, profile, info);
    if (result == STATUS_OK && other == NULL && ledger_exit(profile) != EXIT_DONE)
        *out_exit = EXIT_LOSS;
    opened_close(profile);
    return result;
}

static status info_show_each(const char *const *paths, size_t count, struct info *info,
                             int *out_exit)
{
    for (size_t i = 0; i < count; i++)
        STATUS_TRY(info_show(paths[i], info, out_exit));
    return STATUS_OK;
}

static status info_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    struct info info = {0};
    struct output *output;
    const char *const *words = arguments_words(arguments, &count);
    STATUS_TRY(table_options_read(arguments, 0, &info.options));
    info.reading.program = arguments_value(arguments, "qpc");
    info.all = arguments_flag(arguments, "all");
    if (count == 0)
        return status_make(STATUS_USAGE, "info: give a file: opscope info trace.pb");
    if (!info.options.json && !info.options.csv)
        return info_show_each(words, count, &info, out_exit);
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    if (info.options.csv)
        info.csv = output;
    else
        info.json = &json;
    if (info.json != NULL)
        json_open_array(&json, NULL);
    const status result = info_show_each(words, count, &info, out_exit);
    if (info.json != NULL)
        json_close(&json);
    return output_finish(output, result);
}

static const struct option OPTIONS[] = {
    {"qpc", 0, OPTION_ONE, "FILE", "Cloud AI's statistics: the programqpc.bin that was run"},
    {"all", 0, OPTION_FLAG, NULL, "tracks without events, too, as --json and --csv have them"},
    TABLE_OPTIONS("as JSON", "the tracks as CSV", "how many tracks to list (all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&TRACKS_FORM, &CONTAINER_FORM,
                                                  &CONTAINER_SEGMENTS_FORM, NULL};

const struct command COMMAND_INFO = {
    .name = "info",
    .usage = "FILE... [--json|--csv]",
    .summary = "what a file is: format, tracks, spans, time range, ledger",
    .details =
        "Networks and programs are named, with the command that shows them. Of a container of\n"
        "Cloud AI (programqpc.bin): how it was made, its networks and their operations.",
    .examples = "  opscope info trace.pb\n  opscope info runtime.csv --json\n"
                "  opscope info binaries/programqpc.bin",
    .options = OPTIONS,
    .tables = TABLES,
    .run = info_command,
};
