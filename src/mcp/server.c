#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/monotonic.h"

// Replies to the messages of one array, which go out together.
struct batch {
    size_t expected; // replies that are still to come
    struct reply *replies;
    size_t count, capacity;
};

struct call {
    struct call *next;
    struct mcp_id id;
    enum mcp_version version;
    const struct mcp_tool *tool;
    struct mcp_words words;
    struct batch *batch; // NULL: alone
    uint64_t deadline;   // 0: it waits
    bool cancelled, late;
};

struct server {
    const struct mcp_server_options *options;
    struct mcp_lines lines;
    struct keeper keeper;
    struct call *calls; // the first one is being done
    size_t call_count;
    bool begun;               // "initialize" came
    enum mcp_version version; // that it agreed on
    bool input_ended;
    bool output_ended;
    status failure; // of reading
    uint64_t grace_ends;
};

// Sending -------------------------------------------------------------------------------------

static void finish_output(struct server *server, struct output *output)
{
    const status failure = output_close(output);
    server->output_ended = server->output_ended || failure != STATUS_OK;
    status_free(failure);
}

static bool start_output(struct server *server, struct output **out_output)
{
    const status failure = output_open("-", out_output);
    server->output_ended = server->output_ended || failure != STATUS_OK;
    status_free(failure);
    return !server->output_ended;
}

static void send_batch(struct server *server, struct batch *batch)
{
    struct output *output;
    if (batch->count > 0 && start_output(server, &output)) {
        struct json_writer json = json_write_lines(output);
        json_open_array(&json, NULL);
        for (size_t i = 0; i < batch->count; i++)
            reply_write(&batch->replies[i], &server->options->facts, &json);
        json_close(&json);
        finish_output(server, output);
    }
    for (size_t i = 0; i < batch->count; i++)
        reply_free(&batch->replies[i]);
    free(batch->replies);
    free(batch);
}

// A reply of a batch has come, or never will.
static void count_down(struct server *server, struct batch *batch)
{
    if (batch != NULL && --batch->expected == 0)
        send_batch(server, batch);
}

// Takes the reply over.
static void server_send(struct server *server, struct batch *batch, struct reply reply)
{
    struct output *output;
    if (batch != NULL) {
        batch->replies =
            memory_grow(batch->replies, batch->count, &batch->capacity, sizeof *batch->replies);
        batch->replies[batch->count++] = reply;
        count_down(server, batch);
        return;
    }
    if (start_output(server, &output)) {
        struct json_writer json = json_write_lines(output);
        reply_write(&reply, &server->options->facts, &json);
        finish_output(server, output);
    }
    reply_free(&reply);
}

static void server_refuse(struct server *server, struct batch *batch, const struct mcp_id *id,
                          int code, const char *why)
{
    struct reply reply = {.kind = REPLY_ERROR, .id = *id, .code = code};
    bytes_append_format(&reply.text, "%s", why);
    server_send(server, batch, reply);
}

// Calls ---------------------------------------------------------------------------------------

static void call_free(struct call *call)
{
    mcp_words_free(&call->words);
    free(call);
}

static struct call *take_first(struct server *server)
{
    struct call *call = server->calls;
    server->calls = call->next;
    server->call_count--;
    return call;
}

static struct reply reply_to_call(const struct call *call, enum reply_kind kind)
{
    return (struct reply){
        .kind = kind, .id = call->id, .version = call->version, .tool = call->tool};
}

static void call_failed(struct server *server, const struct call *call, struct view why)
{
    struct reply reply = reply_to_call(call, REPLY_FAILURE);
    if (why.size > 0)
        bytes_append(&reply.text, why.data, why.size);
    else
        bytes_append_format(&reply.text, "%s: failed, and said nothing of why", call->tool->name);
    server_send(server, call->batch, reply);
}

static void call_failed_with(struct server *server, const struct call *call, status failure)
{
    call_failed(server, call, view_of(status_message(failure)));
    status_free(failure);
}

// What the command said, without the name of the program in front of it.
static struct view said(const struct keeper *keeper)
{
    struct view text = bytes_view(&keeper->streams[KEEPER_ERR]);
    while (text.size > 0 && text.data[text.size - 1] == '\n')
        text.size--;
    return view_starts_with(text, "opscope: ") ? view_slice(text, strlen("opscope: "), text.size)
                                               : text;
}

static bool call_is_over(const struct keeper *keeper)
{
    return keeper->over[KEEPER_OUT] || keeper->over[KEEPER_SIDE];
}

static bool call_is_good(const struct keeper *keeper, enum keeper_event event)
{
    const int state = keeper->wait_status;
    return event == KEEPER_ENDED && WIFEXITED(state) &&
           (WEXITSTATUS(state) == 0 || WEXITSTATUS(state) == 3) &&
           keeper->streams[KEEPER_OUT].size > 0;
}

static void call_answer(struct server *server, const struct call *call)
{
    struct keeper *keeper = &server->keeper;
    struct reply reply = reply_to_call(call, REPLY_ANSWER);
    reply.out = keeper->streams[KEEPER_OUT];
    reply.side = keeper->streams[KEEPER_SIDE];
    reply.loss = WEXITSTATUS(keeper->wait_status) == 3;
    keeper->streams[KEEPER_OUT] = keeper->streams[KEEPER_SIDE] = (struct bytes){0};
    server_send(server, call->batch, reply);
}

static void call_explain(struct server *server, const struct call *call)
{
    const struct keeper *keeper = &server->keeper;
    if (call->late)
        call_failed_with(server, call,
                         status_make(STATUS_LIMIT,
                                     "%s: took longer than %g s and was ended: ask for less, or "
                                     "start 'opscope mcp' with --call-time",
                                     call->tool->name, (double)server->options->call_ns * 1e-9));
    else if (call_is_over(keeper))
        call_failed_with(server, call,
                         status_make(STATUS_LIMIT,
                                     "%s: the answer is more than %d KiB: ask for fewer rows or "
                                     "columns, or for less text in each",
                                     call->tool->name, MCP_ANSWER_MOST >> 10));
    else if (WIFSIGNALED(keeper->wait_status))
        call_failed_with(server, call,
                         status_make(STATUS_DATA, "%s: ended by signal %d (%s)", call->tool->name,
                                     WTERMSIG(keeper->wait_status),
                                     strsignal(WTERMSIG(keeper->wait_status))));
    else
        call_failed(server, call, said(keeper));
}

static status start_call(struct server *server, struct call *call)
{
    const struct keeper_job job = {call->tool, call->words.files, call->words.file_count,
                                   call->words.items, call->words.count};
    if (call->deadline == 0)
        call->deadline = monotonic_ns() + server->options->call_ns;
    server->keeper.most[KEEPER_OUT] = MCP_ANSWER_MOST;
    server->keeper.most[KEEPER_ERR] = MCP_MESSAGE_MOST;
    server->keeper.most[KEEPER_SIDE] = call->tool->draws ? MCP_PICTURE_MOST : MCP_ANSWER_MOST;
    return keeper_start(&server->keeper, &job);
}

// The first call has ended, or its process has.
static void call_ended(struct server *server, enum keeper_event event)
{
    struct call *call = server->calls;
    if (call == NULL)
        return;
    if (!call->cancelled && !call->late && call_is_over(&server->keeper) &&
        mcp_words_halve(&call->words)) {
        const status failure = start_call(server, call);
        if (failure == STATUS_OK)
            return;
        status_free(failure);
    }
    take_first(server);
    if (call->cancelled)
        count_down(server, call->batch);
    else if (!call->late && !call_is_over(&server->keeper) && call_is_good(&server->keeper, event))
        call_answer(server, call);
    else
        call_explain(server, call);
    call_free(call);
}

static void stop_first(struct server *server)
{
    const bool reading = server->keeper.state == KEEPER_READING;
    keeper_stop(&server->keeper);
    if (reading)
        call_ended(server, KEEPER_DIED);
}

static void start_calls(struct server *server)
{
    while (server->calls != NULL && server->calls->deadline == 0) {
        const status failure = start_call(server, server->calls);
        if (failure == STATUS_OK)
            return;
        struct call *call = take_first(server);
        call_failed_with(server, call, failure);
        call_free(call);
    }
}

static void server_cancel(struct server *server, const struct json_value *params)
{
    struct mcp_id id;
    if (!mcp_id_of(json_find(params, "requestId"), &id))
        return;
    for (struct call **at = &server->calls; *at != NULL; at = &(*at)->next) {
        struct call *call = *at;
        if (!mcp_id_equal(&call->id, &id))
            continue;
        if (call->deadline != 0) {
            call->cancelled = true;
            stop_first(server);
            return;
        }
        *at = call->next;
        server->call_count--;
        count_down(server, call->batch);
        call_free(call);
        return;
    }
}

// Requests ------------------------------------------------------------------------------------

static const struct mcp_tool *find_tool(const struct server *server, struct view name)
{
    const struct mcp_server_facts *facts = &server->options->facts;
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (view_is(name, facts->tools[i].name))
            return &facts->tools[i];
    }
    return NULL;
}

static void server_call(struct server *server, struct batch *batch,
                        const struct mcp_message *message, enum mcp_version version)
{
    const struct json_value *name = json_find(message->params, "name");
    const struct mcp_tool *tool = find_tool(server, json_text_of(name));
    if (tool == NULL) {
        server_refuse(server, batch, &message->id, MCP_ERROR_PARAMETERS,
                      "unknown tool; tools/list names them");
        return;
    }
    if (server->call_count == MCP_CALLS_MOST) {
        server_refuse(server, batch, &message->id, MCP_ERROR_INTERNAL,
                      "too many calls wait: wait for their answers first");
        return;
    }
    struct call *call = memory_allocate_zeroed(1, sizeof *call);
    call->id = message->id;
    call->version = version;
    call->tool = tool;
    call->batch = batch;
    const status failure = mcp_tool_words(tool, json_find(message->params, "arguments"),
                                          server->options->place, &call->words);
    if (failure != STATUS_OK) {
        call_failed_with(server, call, failure);
        call_free(call);
        return;
    }
    struct call **end = &server->calls;
    while (*end != NULL)
        end = &(*end)->next;
    *end = call;
    server->call_count++;
}

static void server_begin(struct server *server, struct batch *batch,
                         const struct mcp_message *message)
{
    enum mcp_version version;
    const struct json_value *asked = json_find(message->params, "protocolVersion");
    if (asked == NULL || asked->kind != JSON_TEXT) {
        server_refuse(server, batch, &message->id, MCP_ERROR_PARAMETERS,
                      "initialize: \"protocolVersion\" is missing");
        return;
    }
    if (!mcp_version_find(asked->text, &version) || version > MCP_2025_11_25)
        version = MCP_2025_11_25;
    server->begun = true;
    server->version = version;
    server_send(server, batch,
                (struct reply){.kind = REPLY_INITIALIZE, .id = message->id, .version = version});
}

// The revision that a request is of: its own, or what was agreed on. Answers it if there is none.
static bool find_version(struct server *server, struct batch *batch,
                         const struct mcp_message *message, enum mcp_version *out_version)
{
    const struct json_value *meta = json_find(message->params, "_meta");
    const struct json_value *own = json_find(meta, "io.modelcontextprotocol/protocolVersion");
    *out_version = server->version;
    if (own == NULL && (server->begun || view_is(message->method, "ping")))
        return true;
    if (own == NULL) {
        server_refuse(server, batch, &message->id, MCP_ERROR_PARAMETERS,
                      "\"initialize\" comes first, or each request has "
                      "io.modelcontextprotocol/protocolVersion in its \"_meta\"");
        return false;
    }
    if (!mcp_version_find(json_text_of(own), out_version)) {
        struct reply reply = {.kind = REPLY_ERROR, .id = message->id, .code = MCP_ERROR_VERSION};
        bytes_append_format(&reply.text, "Unsupported protocol version");
        snprintf(reply.requested, sizeof reply.requested, "%.*s",
                 VIEW_ARGUMENTS(view_shortened(json_text_of(own), sizeof reply.requested - 1)));
        server_send(server, batch, reply);
        return false;
    }
    const struct json_value *abilities =
        json_find(meta, "io.modelcontextprotocol/clientCapabilities");
    if (*out_version >= MCP_2026_07_28 && (abilities == NULL || abilities->kind != JSON_OBJECT)) {
        server_refuse(server, batch, &message->id, MCP_ERROR_PARAMETERS,
                      "io.modelcontextprotocol/clientCapabilities is missing in \"_meta\"");
        return false;
    }
    return true;
}

static void server_request(struct server *server, struct batch *batch,
                           const struct mcp_message *message)
{
    enum mcp_version version;
    struct reply reply = {.kind = REPLY_EMPTY, .id = message->id};
    if (view_is(message->method, "initialize")) {
        server_begin(server, batch, message);
        return;
    }
    if (!find_version(server, batch, message, &version))
        return;
    reply.version = version;
    if (view_is(message->method, "tools/call")) {
        server_call(server, batch, message, version);
        return;
    }
    if (view_is(message->method, "tools/list"))
        reply.kind = REPLY_TOOLS;
    else if (view_is(message->method, "server/discover"))
        reply.kind = REPLY_DISCOVER;
    else if (!view_is(message->method, "ping"))
        reply.kind = REPLY_ERROR;
    if (reply.kind == REPLY_ERROR)
        server_refuse(server, batch, &message->id, MCP_ERROR_METHOD, "there is no such method");
    else if (reply.kind == REPLY_TOOLS && json_find(message->params, "cursor") != NULL)
        server_refuse(server, batch, &message->id, MCP_ERROR_PARAMETERS,
                      "\"cursor\": all tools are on the first page");
    else
        server_send(server, batch, reply);
}

static void server_message(struct server *server, struct batch *batch,
                           const struct mcp_message *message)
{
    if (message->kind == MCP_REQUEST)
        server_request(server, batch, message);
    else if (message->kind == MCP_WRONG)
        server_refuse(server, batch, &message->id, MCP_ERROR_REQUEST, message->method.data);
    else if (message->kind == MCP_NOTIFICATION &&
             view_is(message->method, "notifications/cancelled"))
        server_cancel(server, message->params);
}

static void server_batch(struct server *server, const struct json_value *items)
{
    static const struct mcp_id NOBODY;
    const bool has_batches = server->begun && server->version <= MCP_2025_03_26;
    if (!has_batches || items->count == 0 || items->count > MCP_BATCH_MOST) {
        server_refuse(server, NULL, &NOBODY, MCP_ERROR_REQUEST,
                      !has_batches ? "this revision of the protocol has no batches"
                                   : "a batch has 1 to 64 messages");
        return;
    }
    // Counts itself, so that it goes out when all of it was looked at.
    struct batch *batch = memory_allocate_zeroed(1, sizeof *batch);
    batch->expected = 1;
    for (const struct json_value *item = items->first; item != NULL; item = item->next) {
        struct mcp_message message;
        mcp_message_read(item, &message);
        batch->expected += message.kind == MCP_REQUEST || message.kind == MCP_WRONG;
        server_message(server, batch, &message);
    }
    count_down(server, batch);
}

static void server_line(struct server *server, struct view line)
{
    static const struct mcp_id NOBODY;
    struct arena arena = {0};
    const struct json_value *value;
    const status failure = json_read(line, &arena, &value);
    if (failure != STATUS_OK) {
        server_refuse(server, NULL, &NOBODY, MCP_ERROR_PARSE, status_message(failure));
        status_free(failure);
    } else if (value->kind == JSON_ARRAY) {
        server_batch(server, value);
    } else {
        struct mcp_message message;
        mcp_message_read(value, &message);
        server_message(server, NULL, &message);
    }
    arena_free(&arena);
}

// The loop ------------------------------------------------------------------------------------

static void server_read(struct server *server)
{
    static const struct mcp_id NOBODY;
    char piece[65536];
    struct view line;
    bool too_long;
    const ssize_t got = read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got < 0)
        server->failure = status_system(errno, "stdin", "cannot read");
    if (got <= 0) {
        server->input_ended = true;
        server->grace_ends = monotonic_ns() + MCP_GRACE_NS;
        return;
    }
    mcp_lines_add(&server->lines, piece, (size_t)got);
    while (!server->output_ended && mcp_lines_next(&server->lines, &line, &too_long)) {
        if (too_long)
            server_refuse(server, NULL, &NOBODY, MCP_ERROR_REQUEST,
                          "a message is at most 4 MiB long");
        else if (view_trim(line).size > 0)
            server_line(server, line);
    }
}

// Milliseconds until something has to be done; -1: nothing has.
static int patience(const struct server *server)
{
    const struct call *call = server->calls;
    const bool stopped = call == NULL || call->late || call->cancelled;
    uint64_t until = stopped ? 0 : call->deadline;
    if (server->input_ended && (until == 0 || server->grace_ends < until))
        until = server->grace_ends;
    if (until == 0)
        return -1;
    const uint64_t now = monotonic_ns();
    return now >= until ? 0 : (int)((until - now) / 1000000 + 1);
}

static void check_first(struct server *server)
{
    struct call *call = server->calls;
    if (call == NULL || call->deadline == 0)
        return;
    if (monotonic_ns() >= call->deadline && !call->late) {
        call->late = true;
        stop_first(server);
    } else if (call_is_over(&server->keeper) && server->keeper.state == KEEPER_RUNNING) {
        keeper_stop(&server->keeper);
    }
}

static bool is_done(const struct server *server)
{
    if (server->output_ended)
        return true;
    return server->input_ended && (server->calls == NULL || monotonic_ns() >= server->grace_ends);
}

static void server_step(struct server *server)
{
    enum { INPUT, OUTPUT, KEEPER, POLLS = KEEPER + KEEPER_POLLS };
    struct pollfd polls[POLLS] = {
        [INPUT] = {.fd = server->input_ended ? -1 : STDIN_FILENO, .events = POLLIN},
        [OUTPUT] = {.fd = STDOUT_FILENO}, // nobody reads it any more
    };
    keeper_poll(&server->keeper, &polls[KEEPER]);
    if (poll(polls, POLLS, patience(server)) < 0)
        return;
    if ((polls[OUTPUT].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
        server->output_ended = true;
        return;
    }
    const enum keeper_event event = keeper_take(&server->keeper, &polls[KEEPER]);
    if (event != KEEPER_NOTHING)
        call_ended(server, event);
    if (polls[INPUT].revents != 0)
        server_read(server);
    check_first(server);
    start_calls(server);
}

status mcp_serve(const struct mcp_server_options *options)
{
    struct server server = {.options = options,
                            .keeper = {.tools = options->facts.tools, .work = &options->work}};
    signal(SIGPIPE, SIG_IGN);
    while (!is_done(&server))
        server_step(&server);
    keeper_end(&server.keeper);
    while (server.calls != NULL) {
        struct call *call = take_first(&server);
        count_down(&server, call->batch);
        call_free(call);
    }
    mcp_lines_free(&server.lines);
    return server.failure;
}
