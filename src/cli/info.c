// `opscope info FILE...`: what a file is and what it holds.

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "commands.h"
#include "file_kinds.h"
#include "formats/format.h"
#include "formats/trace/engine_names.h"
#include "ledger_text.h"
#include "network/network.h"
#include "plain_text.h"
#include "profile/track_order.h"
#include "reports/overview_rows.h"

enum { NAME_WIDTH = 34, INDENT_MOST = 16 };

struct counts {
    uint64_t spans, instants, samples;
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

static void print_track(const struct profile *profile, uint32_t id, unsigned depth)
{
    const struct track *track = profile_track(profile, id);
    const struct view name = profile_text(profile, track->name);
    char number[LEDGER_NUMBER_ROOM];
    const uint64_t events = track->spans + track->instants + track->samples;
    const int indent = (int)(2 * depth);
    const bool heading = track->kind == TRACK_GROUP || track->kind == TRACK_PROCESS;
    printf("  %*s", indent, "");
    plain_text_print(stdout, name, heading ? 0 : NAME_WIDTH - indent);
    if (heading)
        printf("\n");
    else
        printf(" %14s  %s\n", ledger_number(events, number), provenance_name(track->provenance));
}

static void print_tracks(const struct profile *profile)
{
    const uint32_t count = profile->tracks.count;
    uint32_t *order = memory_allocate_zeroed(count, sizeof *order);
    unsigned *depth = memory_allocate_zeroed(count, sizeof *depth); // by track; the root's is 0
    track_order(profile, order);
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t parent = profile_track(profile, order[i])->parent;
        depth[order[i]] = parent == 0 ? 0 : depth[parent] + 1;
        print_track(profile, order[i],
                    depth[order[i]] < INDENT_MOST ? depth[order[i]] : INDENT_MOST);
    }
    free(order);
    free(depth);
}

static void print_profile(const char *path, const struct profile *profile, struct view format)
{
    const struct counts sum = info_count(profile);
    char spans[LEDGER_NUMBER_ROOM];
    char duration[OVERVIEW_DURATION_ROOM];
    plain_text_put(view_of(path));
    printf(": ");
    plain_text_print(stdout, format, 0);
    printf("\n");
    printf("%s spans", ledger_number(sum.spans, spans));
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
    print_tracks(profile);
    ledger_print(stdout, profile);
}

// Of an engine that is known the name says it all.
static void write_engine(struct json_writer *json, const struct profile *profile,
                         const struct track *track)
{
    const struct view engine = profile_text(profile, track->engine);
    json_text(json, "engine", track->engine != 0 ? engine : view_of("none"));
    const enum role known = engine_names_role(engine);
    if (track->role == known && (known != ROLE_NONE || track->engine == 0))
        return;
    json_text(json, "role", view_of(role_name(track->role)));
    if (track->device != 0)
        json_uint(json, "device", track->device - 1);
    if (track->core != 0)
        json_uint(json, "core", track->core - 1);
    if (track->queue != 0)
        json_text(json, "queue", profile_text(profile, track->queue));
}

static void write_tracks(struct json_writer *json, const struct profile *profile)
{
    json_open_array(json, "tracks");
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        json_open_object(json, NULL);
        json_uint(json, "id", i);
        json_uint(json, "parent", track->parent);
        json_text(json, "name", profile_text(profile, track->name));
        write_engine(json, profile, track);
        json_text(json, "provenance", view_of(provenance_name(track->provenance)));
        json_uint(json, "spans", track->spans);
        json_uint(json, "instants", track->instants);
        json_uint(json, "samples", track->samples);
        if (track->ledger.expected == LEDGER_UNKNOWN)
            json_null(json, "expected");
        else
            json_uint(json, "expected", track->ledger.expected);
        json_uint(json, "lost", track->ledger.lost);
        json_uint(json, "impossible", track->ledger.impossible);
        json_close(json);
    }
    json_close(json);
}

// What the profile says of itself; a key may come more than once.
static void write_facts(struct json_writer *json, const struct profile *profile)
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

static void write_profile(struct json_writer *json, const char *path, const struct profile *profile,
                          struct view format)
{
    const struct counts sum = info_count(profile);
    json_open_object(json, NULL);
    json_text(json, "file", view_of(path));
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
    write_tracks(json, profile);
    write_facts(json, profile);
    ledger_json(json, "ledger", profile);
    json_close(json);
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

// What is no profile is named, with the command that shows it.
static status show_other(const char *path, const struct file_kind *kind, struct json_writer *json)
{
    struct about about = {.path = path, .kind = kind};
    if (kind == &FILE_ONNX || kind == &FILE_TOSA)
        STATUS_TRY(network_open(path, NULL, &about.network));
    if (json != NULL)
        write_about(json, &about);
    else
        print_about(&about);
    network_free(about.network);
    return STATUS_OK;
}

static bool is_plain_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

// Reads a profile, opening the file once: a packed one unfolds as it is opened. `out_other`:
// what it is when it is none.
static status info_read(const char *path, struct profile *profile,
                        const struct file_kind **out_other)
{
    const struct format_options options = {0};
    struct input *input;
    if (!is_plain_file(path))
        return format_read(path, &options, profile);
    STATUS_TRY(input_open(path, &input));
    const struct file_kind *kind = file_kind_of_bytes(input->bytes);
    if (kind == NULL || kind == &FILE_PROFILE || kind->commands[0] == NULL)
        return format_read_input(input, &options, profile);
    *out_other = kind;
    input_close(input);
    return STATUS_OK;
}

static status info_show(const char *path, struct json_writer *json, int *out_exit)
{
    const struct file_kind *other = NULL;
    struct profile *profile = profile_create();
    status result = info_read(path, profile, &other);
    if (result == STATUS_OK && other != NULL) {
        result = show_other(path, other, json);
    } else if (result == STATUS_OK) {
        char text[256];
        const struct view format = info_describe(profile, text, sizeof text);
        if (json != NULL)
            write_profile(json, path, profile, format);
        else
            print_profile(path, profile, format);
        if (ledger_exit(profile) != EXIT_DONE)
            *out_exit = EXIT_LOSS;
    }
    profile_free(profile);
    return result;
}

static status info_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count == 0)
        return status_make(STATUS_USAGE, "info: give a file: opscope info trace.pb");
    if (!arguments_flag(arguments, "json")) {
        for (size_t i = 0; i < count; i++)
            STATUS_TRY(info_show(words[i], NULL, out_exit));
        return STATUS_OK;
    }
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    status result = STATUS_OK;
    json_open_array(&json, NULL);
    for (size_t i = 0; i < count && result == STATUS_OK; i++)
        result = info_show(words[i], &json, out_exit);
    json_close(&json);
    return output_finish(output, result);
}

static const struct option OPTIONS[] = {
    {"json", 0, OPTION_FLAG, NULL, "as JSON"},
    {0},
};

const struct command COMMAND_INFO = {
    .name = "info",
    .usage = "FILE... [--json]",
    .summary = "what a file is: format, tracks, spans, time range, ledger",
    .details = "Networks and programs are named, with the command that shows them.",
    .examples = "  opscope info trace.pb\n  opscope info runtime.csv --json",
    .options = OPTIONS,
    .run = info_command,
};
