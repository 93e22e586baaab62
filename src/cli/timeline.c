// `opscope timeline FILE`: the timeline as a picture, or as text on the terminal.

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/path.h"
#include "commands.h"
#include "ledger_text.h"
#include "opened.h"
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
    if (plot_lane_is_rest(lane)) {
        if (lane->like != 0)
            json_text(json, "engine",
                      profile_text(profile, profile_track(profile, lane->like)->engine));
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
    json_uint(json, "folded", lane->folded);
    json_uint(json, "outside", lane->outside);
    json_uint(json, "instants", lane->instant_count);
    json_uint(json, "instants_outside", lane->instants_outside);
    json_uint(json, "samples", lane->sample_count);
    json_uint(json, "busy_ns", lane->busy);
    json_close(json);
}

static void write_memory(struct json_writer *json, const struct plot *plot,
                         const struct plot_lane *lane)
{
    json_open_object(json, NULL);
    json_text(json, "memory", profile_text(plot->profile, lane->memory));
    if (lane->device > 0)
        json_uint(json, "device", lane->device - 1);
    else
        json_null(json, "device");
    json_uint(json, "changes", lane->sample_count);
    json_uint(json, "most_bytes", lane->most > 0 ? (uint64_t)lane->most : 0);
    json_close(json);
}

static void write_lanes(struct json_writer *json, const struct plot *plot)
{
    json_open_array(json, "lanes");
    for (size_t i = 0; i < plot->lane_count; i++) {
        if (!plot->lanes[i].heading && !plot->lanes[i].is_memory)
            write_lane(json, plot, &plot->lanes[i]);
    }
    json_close(json);
    json_open_array(json, "memories");
    for (size_t i = 0; i < plot->lane_count; i++) {
        if (!plot->lanes[i].heading && plot->lanes[i].is_memory)
            write_memory(json, plot, &plot->lanes[i]);
    }
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
    write_lanes(json, plot);
    json_uint(json, "arrows", plot->arrows_found);
    json_uint(json, "arrows_drawn", plot->arrow_count);
    json_uint(json, "lanes_left_out", plot->hidden_lanes);
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

// As it is said, or by the name of the file.
static status cli_timeline_read_form(const struct arguments *arguments, struct request *request)
{
    const char *form = arguments_value(arguments, "form");
    request->picture.form = PICTURE_TEXT;
    if (form != NULL) {
        static const char *const FORMS[] = {
            [PICTURE_SVG] = "svg", [PICTURE_PNG] = "png", [PICTURE_TEXT] = "txt"};
        for (unsigned i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
            if (strcmp(form, FORMS[i]) == 0) {
                request->picture.form = (enum picture_form)i;
                return STATUS_OK;
            }
        }
        return status_make(STATUS_USAGE, "timeline: --form %s: expected svg, png or txt", form);
    }
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

static status read_depth(const struct arguments *arguments, struct plot_options *plot)
{
    STATUS_TRY(arguments_number(arguments, "depth", PLOT_DEPTH, &plot->depth));
    if (plot->depth == 0 || plot->depth > PLOT_DEPTH_MOST)
        return status_make(STATUS_USAGE, "timeline: --depth: expected 1 to %u rows",
                           (unsigned)PLOT_DEPTH_MOST);
    return STATUS_OK;
}

static status read_arrows(const struct arguments *arguments, struct plot_options *plot)
{
    const char *text = arguments_value(arguments, "arrows");
    if (text == NULL)
        return STATUS_OK;
    plot->arrows = strcmp(text, "launch") == 0 ? PLOT_LAUNCHES : PLOT_ALL_ARROWS;
    if (plot->arrows == PLOT_ALL_ARROWS && strcmp(text, "all") != 0)
        return status_make(STATUS_USAGE, "timeline: --arrows: expected launch or all, not '%s'",
                           text);
    return STATUS_OK;
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
    STATUS_TRY(read_depth(arguments, plot));
    STATUS_TRY(read_arrows(arguments, plot));
    STATUS_TRY(read_time(arguments, "from", &plot->from));
    STATUS_TRY(read_time(arguments, "to", &plot->to));
    STATUS_TRY(cli_timeline_read_form(arguments, request));
    request->picture.coloured =
        request->output == NULL && isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
    return read_width(arguments, request);
}

static status timeline_show(struct request *request, int *out_exit)
{
    const struct format_options options = {0};
    struct profile *profile;
    struct plot *plot = NULL;
    struct bytes file = {0};
    status result = opened_read(request->picture.source, &options, &profile);
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
    opened_close(profile);
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
    {"form", 0, OPTION_ONE, "FORM", "svg, png or txt, whatever the file is called"},
    {"width", 0, OPTION_ONE, "N", "points (1200); of text letters (the terminal's, or 100)"},
    {"from", 0, OPTION_ONE, "TIME", "after its start: 1.5ms, 2 (seconds), or a file with one"},
    {"to", 0, OPTION_ONE, "TIME", "ends here"},
    {"tracks", 0, OPTION_EACH, "NAME",
     "only tracks that have this in their name, or are under one"},
    {"depth", 0, OPTION_ONE, "N", "rows of a stack (8): what lies deeper is added up in the last"},
    {"arrows", 0, OPTION_ONE, "launch|all",
     "from the host's calls to the device's work; all flows"},
    {"title", 0, OPTION_ONE, "TEXT", "instead of the network's or the file's name"},
    {"json", 0, OPTION_FLAG, NULL, "prints what was drawn, as JSON"},
    {0},
};

const struct command COMMAND_TIMELINE = {
    .name = "timeline",
    .usage = "FILE [-o PICTURE] [options]",
    .summary = "the timeline as a picture (.svg, .png), or as text on the terminal",
    .details =
        "Takes whatever 'opscope info' reads. Spans are coloured by what they do (compute,\n"
        "copies by direction, communication, host ...); those that are too narrow are added up,\n"
        "column by column, frames that look like the one around them are folded into it, and\n"
        "all are counted: nothing is left out silently. Memory that was taken is a curve.\n"
        "A PNG has two pixels a point and letters of this machine's fonts.",
    .examples = "  opscope timeline run.prof\n"
                "  opscope timeline trace.pb -o timeline.svg\n"
                "  opscope timeline run.prof -o zoom.png --from 1.5ms --to 2ms --tracks SLICE\n"
                "  opscope timeline trace.json.gz -o step.png --from 1ms --to 3ms --arrows launch",
    .options = OPTIONS,
    .run = timeline_command,
};
