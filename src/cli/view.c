// `opscope view FILE`: the page about a profile, served on this machine, with every span.

#include "view/browser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"
#include "commands.h"
#include "formats/chrome/events.h"
#include "formats/perfetto/reader.h"
#include "formats/writers.h"
#include "page_sources.h"
#include "units.h"
#include "view/content.h"

static const char PERFETTO_ORIGIN[] = "https://ui.perfetto.dev";
enum { PERFETTO_PORT = 9001 }; // the one that Perfetto's page may connect to

struct view_request {
    const char *const *paths;
    size_t count;
    struct page_sources sources;
    uint16_t port;
    uint64_t idle;
    bool opens;
    bool perfetto;
};

static status read_view_request(const struct arguments *arguments, struct view_request *request)
{
    const char *idle = arguments_value(arguments, "idle");
    unsigned port;
    request->paths = arguments_words(arguments, &request->count);
    request->perfetto = arguments_flag(arguments, "perfetto");
    request->opens = !arguments_flag(arguments, "no-browser");
    request->idle = UINT64_MAX;
    if (request->count == 0)
        return status_make(STATUS_USAGE, "view: give a file: opscope view trace.pb");
    if (request->count > PAGE_PROFILES_MOST || (request->perfetto && request->count > 1))
        return status_make(STATUS_USAGE, "view: at most %d files in a page, one for --perfetto",
                           PAGE_PROFILES_MOST);
    STATUS_TRY(arguments_number(arguments, "port", PERFETTO_PORT, &port));
    if (port > UINT16_MAX)
        return status_make(STATUS_USAGE, "view: --port %u: a port is at most %d", port, UINT16_MAX);
    const bool any = !request->perfetto && arguments_value(arguments, "port") == NULL;
    request->port = any ? 0 : (uint16_t)port;
    if (idle != NULL)
        STATUS_TRY(units_time(idle, &request->idle));
    return STATUS_OK;
}

// Says where, and serves until the end.
static status serve(const struct view_request *request, struct view_server *server,
                    const char *address, uint64_t most)
{
    const bool opened = request->opens && browser_open(address);
    printf("%s%s\n", opened ? "" : "open ", address);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "Ctrl-C ends it\n");
    if (fflush(stdout) != 0)
        return status_system(errno, "stdout", "cannot write");
    return view_server_run(server, request->idle, most);
}

static status view_page(const struct view_request *request)
{
    struct page_content content = {0};
    struct view_server server;
    char address[128];
    status result =
        page_content_make(request->sources.items, request->sources.count, NULL, &content);
    if (result == STATUS_OK)
        result = view_server_open(&server, request->port, &content.content);
    if (result == STATUS_OK) {
        snprintf(address, sizeof address, "http://127.0.0.1:%u/%s/", server.port, server.token);
        result = serve(request, &server, address, 0);
        view_server_close(&server);
    }
    page_content_free(&content);
    return result;
}

// Perfetto's page -------------------------------------------------------------

// A trace that Perfetto reads, as a file that vanishes when it is closed.
static status make_trace(const struct view_request *request, struct input **out_input)
{
    const struct write_options options = {0};
    const struct format_writer *writer;
    const char *folder = getenv("TMPDIR");
    char path[4096];
    STATUS_TRY(format_writer_find("perfetto", request->paths[0], &writer));
    snprintf(path, sizeof path, "%s/opscope-view-XXXXXX",
             folder != NULL && folder[0] == '/' ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file < 0)
        return status_system(errno, path, "cannot create");
    close(file);
    status result = writer->write(writer, request->sources.items[0].profile, path, &options);
    if (result == STATUS_OK)
        result = input_map(path, out_input);
    unlink(path);
    return result;
}

// Letters that stand for themselves in an address; others become '_'.
static void address_name(const char *path, bool made, char *name, size_t room)
{
    snprintf(name, room, "%s%s", path_base_name(path), made ? ".pb" : "");
    for (char *letter = name; *letter != '\0'; letter++) {
        const bool plain = (*letter >= 'a' && *letter <= 'z') ||
                           (*letter >= 'A' && *letter <= 'Z') ||
                           (*letter >= '0' && *letter <= '9') || *letter == '.' || *letter == '-';
        if (!plain)
            *letter = '_';
    }
}

// Whether Perfetto reads the file as it is.
static bool is_perfettos(const char *path)
{
    return !view_has_extension(view_of(path), ".zst") &&
           (input_file_is(path, perfetto_recognise) || input_file_is(path, chrome_recognise));
}

static status view_in_perfetto(const struct view_request *request, bool made)
{
    const char *path = request->paths[0];
    struct input *input = NULL;
    struct view_server server;
    char name[200];
    char address[512];
    STATUS_TRY(made ? make_trace(request, &input) : input_map(path, &input));
    address_name(path, made, name, sizeof name);
    struct file_content content = file_content_of(view_of(name), input->bytes, PERFETTO_ORIGIN);
    status result = view_server_open(&server, request->port, &content.content);
    if (result == STATUS_OK) {
        snprintf(address, sizeof address,
                 "%s/#!/?url=http://127.0.0.1:%u/%s/%s&referrer=open_trace_in_ui", PERFETTO_ORIGIN,
                 server.port, server.token, name);
        result = serve(request, &server, address, 1);
        view_server_close(&server);
    }
    input_close(input);
    return result;
}

static status view_command(const struct arguments *arguments, int *out_exit)
{
    struct view_request request = {0};
    STATUS_TRY(read_view_request(arguments, &request));
    const bool as_it_is = request.perfetto && is_perfettos(request.paths[0]);
    status result =
        page_sources_read(arguments, request.paths, as_it_is ? 0 : request.count, &request.sources);
    if (result == STATUS_OK)
        result = request.perfetto ? view_in_perfetto(&request, !as_it_is) : view_page(&request);
    *out_exit = request.sources.exit;
    page_sources_free(&request.sources);
    return result;
}

static const struct option OPTIONS[] = {
    {"no-browser", 0, OPTION_FLAG, NULL, "only prints the address"},
    {"port", 0, OPTION_ONE, "N", "of 127.0.0.1 (any that is free; 9001 for --perfetto)"},
    {"idle", 0, OPTION_ONE, "TIME", "ends when nothing was asked for so long: 10min is 600s"},
    {"perfetto", 0, OPTION_FLAG, NULL, "in Perfetto's own page, ui.perfetto.dev"},
    PEAKS_OPTIONS,
    {0},
};

const struct command COMMAND_VIEW = {
    .name = "view",
    .usage = "FILE... [--no-browser] [--idle TIME] [--perfetto]",
    .summary = "the page of 'report' from this machine, with every span of however many",
    .details =
        "Serves the page on 127.0.0.1 and opens the browser. Whoever wants anything must know the "
        "secret in\nthe address that it prints; requests that name another host, and all that "
        "would change something,\nare refused. Where the page has sums of spans, it asks for the "
        "exact ones. Ctrl-C ends it.\nWith --perfetto the trace is handed to ui.perfetto.dev, "
        "which "
        "reads it in the browser, as\nPerfetto's own open_trace_in_ui does; what Perfetto does not "
        "read is converted. It ends when\nthe trace has been fetched.",
    .examples = "  opscope view run.prof\n"
                "  opscope view yesterday.prof today.prof\n"
                "  opscope view trace.json.gz --no-browser --idle 600s\n"
                "  opscope view run.prof --perfetto",
    .options = OPTIONS,
    .run = view_command,
};
