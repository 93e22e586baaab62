// `opscope timeline FILE`: the timeline as a picture, or as text on the terminal.

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/path.h"
#include "commands.h"
#include "formats/format.h"
#include "ledger_text.h"
#include "paths.h"
#include "reports/picture/picture.h"
#include "units.h"

struct request {
    const char *output; // NULL: text on the terminal
    bool as_json;
    struct picture_options picture;
};

// Output -----------------------------------------------------------------------------

static uint32_t cli_timeline_terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < PICTURE_LETTERS_LEAST)
        return PICTURE_LETTERS;
    return size.ws_col < PICTURE_LETTERS_MOST ? size.ws_col : PICTURE_LETTERS_MOST;
}

static status timeline_save_picture(const struct bytes *file, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    output_write(output, file->data, file->size);
    return output_close(output);
}

static void write_lane(struct json_writer *json, const struct plot *plot,
                       const struct plot_lane *lane)
{
    const struct profile *profile = plot->profile;
    json_open_object(json, NULL);
    if (lane->track == 0) {
        json_null(json, "name");
        json_uint(json, "lanes", lane->merged_lanes);
    } else {
        json_text(json, "name", profile_text(profile, profile_track(profile, lane->track)->name));
        json_uint(json, "lanes", 1);
    }
    json_uint(json, "track", lane->track);
    json_text(json, "kind", view_of(plot->kinds.names[lane->kind]));
    json_uint(json, "rows", lane->row_count);
    json_uint(json, "spans", lane->spans);
    json_uint(json, "drawn", lane->kept);
    json_uint(json, "merged", lane->merged);
    json_uint(json, "outside", lane->outside);
    json_uint(json, "instants", lane->instant_count);
    json_uint(json, "instants_outside", lane->instants_outside);
    json_uint(json, "samples", lane->sample_count);
    json_uint(json, "busy_ns", lane->busy);
    json_close(json);
}

static void cli_timeline_write_report(struct json_writer *json, const struct request *request,
                                      const struct plot *plot)
{
    json_open_object(json, NULL);
    json_text(json, "file", view_of(request->picture.source));
    json_uint(json, "from_ns", plot->from);
    json_uint(json, "to_ns", plot->to);
    json_open_array(json, "kinds");
    for (unsigned i = 0; i < PICTURE_KINDS; i++) {
        if (plot->totals[i].spans == 0)
            continue;
        json_open_object(json, NULL);
        json_text(json, "kind", view_of(plot->kinds.names[i]));
        json_uint(json, "lanes", plot->totals[i].lanes);
        json_uint(json, "spans", plot->totals[i].spans);
        json_uint(json, "busy_ns", plot->totals[i].busy);
        json_close(json);
    }
    json_close(json);
    json_open_array(json, "lanes");
    for (size_t i = 0; i < plot->lane_count; i++) {
        if (!plot->lanes[i].heading)
            write_lane(json, plot, &plot->lanes[i]);
    }
    json_close(json);
    json_uint(json, "tracks_without_events", plot->empty_tracks);
    json_uint(json, "tracks_not_chosen", plot->unchosen_tracks);
    ledger_json(json, "ledger", plot->profile);
    json_close(json);
}

static status timeline_report(const struct request *request, const struct plot *plot)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    cli_timeline_write_report(&json, request, plot);
    return output_close(output);
}

static status deliver(const struct request *request, const struct bytes *file,
                      const struct plot *plot)
{
    if (request->output != NULL)
        STATUS_TRY(timeline_save_picture(file, request->output));
    if (request->as_json)
        return timeline_report(request, plot);
    return request->output == NULL ? timeline_save_picture(file, "-") : STATUS_OK;
}

// Arguments --------------------------------------------------------------------------

static status cli_timeline_read_form(struct request *request)
{
    request->picture.form = PICTURE_TEXT;
    if (request->output == NULL)
        return STATUS_OK;
    const struct view name = view_of(request->output);
    if (view_has_extension(name, ".png"))
        request->picture.form = PICTURE_PNG;
    else if (view_has_extension(path_unpacked_name(name), ".svg"))
        request->picture.form = PICTURE_SVG;
    else if (!view_has_extension(name, ".txt") && !view_is(name, "-"))
        return status_make(STATUS_USAGE,
                           "timeline: %s: a picture is an .svg or a .png; .txt is text",
                           request->output);
    return STATUS_OK;
}

static status read_width(const struct arguments *arguments, struct request *request)
{
    const bool text = request->picture.form == PICTURE_TEXT;
    const unsigned least = text ? PICTURE_LETTERS_LEAST : PICTURE_WIDTH_LEAST;
    const unsigned most = text ? PICTURE_LETTERS_MOST : PICTURE_WIDTH_MOST;
    const unsigned usual = !text                     ? PICTURE_WIDTH
                           : request->output == NULL ? cli_timeline_terminal_width()
                                                     : PICTURE_LETTERS;
    STATUS_TRY(arguments_number(arguments, "width", usual, &request->picture.width));
    if (request->picture.width < least || request->picture.width > most)
        return status_make(STATUS_USAGE, "timeline: --width: expected %u to %u %s", least, most,
                           text ? "letters" : "points");
    return STATUS_OK;
}

static status read_time(const struct arguments *arguments, const char *name, uint64_t *out_ns)
{
    const char *text = arguments_value(arguments, name);
    return text != NULL ? units_time(text, out_ns) : STATUS_OK;
}

static status cli_timeline_read_arguments(const struct arguments *arguments,
                                          struct request *request)
{
    struct plot_options *plot = &request->picture.plot;
    plot->to = UINT64_MAX;
    plot->tracks = arguments_values(arguments, "tracks", &plot->track_count);
    request->output = arguments_value(arguments, "output");
    request->as_json = arguments_flag(arguments, "json");
    request->picture.title = arguments_value(arguments, "title");
    STATUS_TRY(read_time(arguments, "from", &plot->from));
    STATUS_TRY(read_time(arguments, "to", &plot->to));
    STATUS_TRY(cli_timeline_read_form(request));
    request->picture.coloured =
        request->output == NULL && isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
    return read_width(arguments, request);
}

static status timeline_show(struct request *request, int *out_exit)
{
    const struct format_options options = {0};
    struct profile *profile = profile_create();
    struct plot *plot = NULL;
    struct bytes file = {0};
    status result = format_read(request->picture.source, &options, profile);
    if (result == STATUS_OK)
        result = picture_draw(profile, &request->picture, &file, &plot);
    if (result == STATUS_OK)
        result = deliver(request, &file, plot);
    if (result == STATUS_OK) {
        ledger_warn(profile);
        *out_exit = ledger_exit(profile);
    }
    if (plot != NULL)
        plot_free(plot);
    bytes_free(&file);
    profile_free(profile);
    return result;
}

static status timeline_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    struct request request = {0};
    if (count != 1)
        return status_make(STATUS_USAGE,
                           "timeline: give one file: opscope timeline run.prof -o run.svg");
    STATUS_TRY(cli_timeline_read_arguments(arguments, &request));
    if (request.output != NULL)
        STATUS_TRY(paths_check("timeline", request.output, words, count));
    request.picture.source = words[0];
    return timeline_show(&request, out_exit);
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE", "the picture: .svg or .png (.txt: text)"},
    {"width", 0, OPTION_ONE, "N", "points (1200); of text letters (the terminal's, or 100)"},
    {"from", 0, OPTION_ONE, "TIME", "begins here after the start of the profile: 1.5ms, 20us"},
    {"to", 0, OPTION_ONE, "TIME", "ends here"},
    {"tracks", 0, OPTION_EACH, "NAME",
     "only tracks that have this in their name, or are under one"},
    {"title", 0, OPTION_ONE, "TEXT", "instead of the network's or the file's name"},
    {"json", 0, OPTION_FLAG, NULL, "prints what was drawn, as JSON"},
    {0},
};

const struct command COMMAND_TIMELINE = {
    .name = "timeline",
    .usage = "FILE [-o PICTURE] [options]",
    .summary = "the timeline as a picture (.svg, .png), or as text on the terminal",
    .details =
        "Takes whatever 'opscope info' reads. Spans are coloured by kind; those that are too\n"
        "narrow are added up, column by column, and counted: nothing is left out silently.\n"
        "A PNG has two pixels a point.",
    .examples = "  opscope timeline run.prof\n"
                "  opscope timeline trace.pb -o timeline.svg\n"
                "  opscope timeline run.prof -o zoom.png --from 1.5ms --to 2ms --tracks SLICE",
    .options = OPTIONS,
    .run = timeline_command,
};
