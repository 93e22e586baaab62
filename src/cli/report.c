// `opscope report FILE... -o report.html`: a page about profiles, one file.

#include "commands.h"
#include "page_sources.h"
#include "paths.h"

static status write_report(const struct page_sources *sources, const struct page_options *options,
                           const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    return output_finish(output, page_write(sources->items, sources->count, options, output));
}

static status report_command(const struct arguments *arguments, int *out_exit)
{
    const struct page_options options = {.title = arguments_value(arguments, "title")};
    const char *output = arguments_value(arguments, "output");
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    if (count == 0)
        return status_make(STATUS_USAGE,
                           "report: give a file: opscope report trace.pb -o report.html");
    if (count > PAGE_PROFILES_MOST)
        return status_make(STATUS_USAGE, "report: at most %d files in a page", PAGE_PROFILES_MOST);
    if (output == NULL)
        return status_make(STATUS_USAGE, "report: say where the page goes: -o report.html");
    STATUS_TRY(paths_check("report", output, paths, count));
    struct page_sources sources;
    status result = page_sources_read(arguments, paths, count, &sources);
    if (result == STATUS_OK)
        result = write_report(&sources, &options, output);
    *out_exit = sources.exit;
    page_sources_free(&sources);
    return result;
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE", "the page: report.html, or report.html.gz"},
    {"title", 0, OPTION_ONE, "TEXT", "of the browser's window, instead of the network's or file's"},
    PEAKS_OPTIONS,
    {0},
};

const struct command COMMAND_REPORT = {
    .name = "report",
    .usage = "FILE... -o report.html",
    .summary = "a page to look at and to pass on: timeline, tables, flame graph, what changed",
    .details =
        "One file of HTML that holds all it needs and asks nothing of the network: the verdict in "
        "three\nsentences, the breakdown, what takes the time, the timeline with zoom, pan, search "
        "and flows, the\nflame graph, critical path, roofline, memory and the ledger. With two "
        "files, what changed from the first "
        "to "
        "the second. Keys and\nmouse are those of Perfetto; ? lists them. The page has 8 MB at "
        "most, "
        "whatever the profile has:\nwhere spans are too many, short ones are added up and said to "
        "be. 'opscope view' shows every one.",
    .examples = "  opscope report run.prof -o report.html\n"
                "  opscope report trace.json.gz -o report.html\n"
                "  opscope report yesterday.prof today.prof -o changed.html",
    .options = OPTIONS,
    .run = report_command,
};
