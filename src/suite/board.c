#include "board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "base/output.h"

enum { CONNECTION_LOST = 255, FIRST_PAUSE_MS = 250, NS_PER_MS = 1000000 };

// Before and after what the board says of a command's time.
static const char TIMES[] = "opscope-times ";

// What ssh is asked to do.
struct call {
    const char *script; // for the board's shell
    const char *input;  // a file that it reads; NULL: none
    bool held;
    const char *output; // a file for what it prints; NULL: the log
    const char *what;   // for messages: "copying model.vmfb"
};

// What ssh said ---------------------------------------------------------------------------

// The text of a small file, "" where there is none; to free.
static char *board_text_of(const char *path)
{
    struct input *input;
    const status failure = input_open(path, &input);
    if (failure != STATUS_OK) {
        status_free(failure);
        return view_copy(VIEW_LITERAL(""));
    }
    char *text = view_copy(input->bytes);
    input_close(input);
    return text;
}

static struct view last_line(const char *text)
{
    struct view rest = view_of(text);
    while (rest.size > 0 && strchr("\r\n", rest.data[rest.size - 1]) != NULL)
        rest.size--;
    const size_t at = view_find_last(rest, '\n');
    return at == rest.size ? rest : view_slice(rest, at + 1, rest.size);
}

static void append_to_log(const struct board *board, const char *text)
{
    FILE *log = fopen(board->log, "a");
    if (log == NULL)
        return;
    fputs(text, log);
    fclose(log);
}

static bool is_refused(const char *said)
{
    return strstr(said, "Permission denied") != NULL ||
           strstr(said, "Too many authentication failures") != NULL ||
           strstr(said, "Host key verification failed") != NULL ||
           strstr(said, "Bad configuration option") != NULL;
}

// Calling ---------------------------------------------------------------------------------

static struct command_words ssh_words(const struct board *board, const char *script)
{
    struct command_words words = {0};
    command_words_add(&words, "ssh");
    if (board->config != NULL) {
        command_words_add(&words, "-F");
        command_words_add(&words, board->config);
    }
    if (board->port != NULL) {
        command_words_add(&words, "-p");
        command_words_add(&words, board->port);
    }
    if (board->key != NULL) {
        command_words_add(&words, "-i");
        command_words_add(&words, board->key);
    }
    // Nobody is there to answer questions, and a board that is gone is noticed.
    static const char *const OPTIONS[] = {"BatchMode=yes", "ConnectTimeout=10",
                                          "ServerAliveInterval=5", "ServerAliveCountMax=3"};
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        command_words_add(&words, "-o");
        command_words_add(&words, OPTIONS[i]);
    }
    command_words_add(&words, board->address);
    command_words_add(&words, script);
    return words;
}

static status call_once(const struct board *board, const struct call *call,
                        struct process_result *out_result)
{
    struct command_words words = ssh_words(board, call->script);
    const struct process_request request = {.words = words.words,
                                            .input = call->input,
                                            .held = call->held,
                                            .log = board->log,
                                            .output = call->output,
                                            .errors = board->errors,
                                            .deadline = board->deadline};
    const status result = process_run(&request, out_result);
    command_words_free(&words);
    return result;
}

static status late(const struct board *board, const struct call *call)
{
    return status_make(STATUS_LIMIT, "board %s: %s took longer than its time", board->address,
                       call->what);
}

// False when the time is over before.
static bool pause_before(const struct board *board, unsigned attempt)
{
    const uint64_t pause = (uint64_t)FIRST_PAUSE_MS * NS_PER_MS << (attempt < 8 ? attempt : 8);
    if (monotonic_ns() + pause >= board->deadline)
        return false;
    struct timespec left = {(time_t)(pause / 1000000000), (long)(pause % 1000000000)};
    nanosleep(&left, NULL);
    return true;
}

// Until the board answers; `*out_said` is what came on the standard error, to free.
static status board_call(struct board *board, const struct call *call,
                         struct process_result *out_result, char **out_said)
{
    for (unsigned attempt = 1;; attempt++) {
        STATUS_TRY(call_once(board, call, out_result));
        char *said = board_text_of(board->errors);
        append_to_log(board, said);
        *out_said = said;
        if (!out_result->late && out_result->code != CONNECTION_LOST)
            return STATUS_OK;
        status failure = STATUS_OK;
        const struct view line = last_line(said);
        if (out_result->late)
            failure = late(board, call);
        else if (is_refused(said))
            failure = status_make(STATUS_NOT_FOUND, "board %s refuses: %.*s", board->address,
                                  VIEW_ARGUMENTS(line));
        else if (++board->lost, attempt >= board->attempts)
            failure = status_make(STATUS_NOT_FOUND,
                                  "board %s: no connection for %s, tried %u times: %.*s",
                                  board->address, call->what, attempt, VIEW_ARGUMENTS(line));
        else if (!pause_before(board, attempt - 1))
            failure = late(board, call);
        if (failure == STATUS_OK) {
            append_to_log(board, "connection lost, trying again\n");
            free(said);
            continue;
        }
        free(said);
        *out_said = NULL;
        return failure;
    }
}

// The same for what has to end with exit 0.
static status call_well(struct board *board, const struct call *call)
{
    struct process_result result;
    char *said = NULL;
    STATUS_TRY(board_call(board, call, &result, &said));
    status failure = STATUS_OK;
    if (result.code != 0) {
        char text[64];
        const struct view line = last_line(said);
        process_text(&result, text, sizeof text);
        failure = status_make(STATUS_IO, "board %s: %s: %.*s (%s)", board->address, call->what,
                              VIEW_ARGUMENTS(line), text);
    }
    free(said);
    return failure;
}

// Files -----------------------------------------------------------------------------------

// As POSIX's cksum computes it: a CRC over the bytes and their number.
static uint32_t board_checksum_of(struct view bytes)
{
    uint32_t table[256];
    uint32_t sum = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        table[byte] = byte << 24;
        for (int bit = 0; bit < 8; bit++)
            table[byte] =
                table[byte] & 0x80000000u ? table[byte] << 1 ^ 0x04c11db7u : table[byte] << 1;
    }
    for (size_t i = 0; i < bytes.size; i++)
        sum = sum << 8 ^ table[sum >> 24 ^ (unsigned char)bytes.data[i]];
    for (uint64_t length = bytes.size; length > 0; length >>= 8)
        sum = sum << 8 ^ table[sum >> 24 ^ (unsigned char)length];
    return ~sum;
}

static void append_path(struct bytes *to, const struct board *board, const char *name,
                        const char *end)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%s/%s%s", board->folder, name, end);
    bytes_append(&path, "", 1);
    command_append_quoted(to, (const char *)path.data);
    bytes_free(&path);
}

static char *put_script(const struct board *board, struct view bytes, const char *name,
                        const char *mode)
{
    struct bytes file = {0}, part = {0}, folder = {0}, script = {0};
    append_path(&file, board, name, "");
    append_path(&part, board, name, ".part");
    command_append_quoted(&folder, board->folder);
    bytes_append_format(
        &script,
        "umask 022; if [ \"$(cksum <%.*s 2>/dev/null)\" = '%" PRIu32 " %zu' ]; then chmod %s %.*s; "
        "exit; fi; mkdir -p %.*s && cat >%.*s && [ \"$(wc -c <%.*s)\" -eq %zu ] && chmod %s %.*s "
        "&& mv %.*s %.*s || { rm -f %.*s; exit 1; }",
        VIEW_ARGUMENTS(bytes_view(&file)), board_checksum_of(bytes), bytes.size, mode,
        VIEW_ARGUMENTS(bytes_view(&file)), VIEW_ARGUMENTS(bytes_view(&folder)),
        VIEW_ARGUMENTS(bytes_view(&part)), VIEW_ARGUMENTS(bytes_view(&part)), bytes.size, mode,
        VIEW_ARGUMENTS(bytes_view(&part)), VIEW_ARGUMENTS(bytes_view(&part)),
        VIEW_ARGUMENTS(bytes_view(&file)), VIEW_ARGUMENTS(bytes_view(&part)));
    char *text = view_copy(bytes_view(&script));
    bytes_free(&file);
    bytes_free(&part);
    bytes_free(&folder);
    bytes_free(&script);
    return text;
}

status board_put(struct board *board, const char *local, const char *name, const char *mode)
{
    struct input *input;
    char what[256];
    STATUS_TRY(input_map(local, &input));
    char *script = put_script(board, input->bytes, name, mode);
    input_close(input);
    snprintf(what, sizeof what, "copying %s to it", name);
    const status result =
        call_well(board, &(struct call){.script = script, .input = local, .what = what});
    free(script);
    return result;
}

status board_get(struct board *board, const char *name, const char *local)
{
    struct bytes script = {0};
    char what[256];
    bytes_append_format(&script, "cat ");
    append_path(&script, board, name, "");
    bytes_append(&script, "", 1);
    snprintf(what, sizeof what, "fetching %s", name);
    const status result = call_well(
        board, &(struct call){.script = (const char *)script.data, .output = local, .what = what});
    if (result != STATUS_OK)
        unlink(local); // what came of it
    bytes_free(&script);
    return result;
}

status board_machine(struct board *board, char **out_machine)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%s.machine", board->errors);
    bytes_append(&path, "", 1);
    const char *file = (const char *)path.data;
    status result = call_well(
        board, &(struct call){.script = "uname -m", .output = file, .what = "asking what it is"});
    if (result == STATUS_OK) {
        char *text = board_text_of(file);
        *out_machine = view_copy(view_trim(last_line(text)));
        free(text);
    }
    unlink(file);
    bytes_free(&path);
    return result;
}

// Running ---------------------------------------------------------------------------------

// The standard input of the shell is open as long as the connection is: when it ends, so does the
// command, with what it started where the board has setsid. Exit 255 is ssh's own, so a command
// that ends with it is said to have ended with 254.
static char *run_script(const struct board *board, const struct command_words *words,
                        const char *const *names, size_t count)
{
    struct bytes script = {0};
    bytes_append_format(&script, "cd ");
    command_append_quoted(&script, board->folder);
    bytes_append_format(&script, " || exit 1; ");
    for (size_t i = 0; i < count; i++) {
        bytes_append_format(&script, "rm -f ");
        command_append_quoted(&script, names[i]);
        bytes_append_format(&script, "; ");
    }
    bytes_append_format(
        &script, "now() { t=$(date +%%s%%N 2>/dev/null); case $t in ''|*[!0-9]*) "
                 "read -r t rest </proc/uptime; t=${t%%.*}${t#*.}0000000;; esac; echo \"$t\"; }; "
                 "exec 3<&0; from=$(now); $(command -v setsid) ");
    command_words_quote(words, &script);
    bytes_append_format(
        &script,
        " </dev/null 3<&- & run=$!; "
        "(cat <&3 >/dev/null; kill -9 -$run || kill -9 $run) >/dev/null 2>&1 & watch=$!; "
        "wait $run; code=$?; to=$(now); kill $watch 2>/dev/null; exec 3<&-; "
        "echo \"%s$from $to\" >&2; [ $code != 255 ] || code=254; exit $code",
        TIMES);
    char *text = view_copy(bytes_view(&script));
    bytes_free(&script);
    return text;
}

static void board_read_times(const char *said, struct board_times *times)
{
    const char *at = strstr(said, TIMES);
    uint64_t from, to;
    for (const char *next; at != NULL && (next = strstr(at + 1, TIMES)) != NULL;)
        at = next;
    if (at == NULL || sscanf(at + strlen(TIMES), "%" SCNu64 " %" SCNu64, &from, &to) != 2)
        return;
    // A clock that was set meanwhile says nothing.
    times->has_own = to >= from && to - from <= times->wall_ns;
    times->own_ns = times->has_own ? to - from : 0;
}

status board_run(struct board *board, const struct command_words *words, const char *const *names,
                 size_t name_count, struct board_times *out_times)
{
    struct process_result result;
    char *said = NULL;
    char *script = run_script(board, words, names, name_count);
    const status failure =
        board_call(board, &(struct call){.script = script, .held = true, .what = "running it"},
                   &result, &said);
    free(script);
    *out_times = (struct board_times){.wall_ns = result.wall_ns, .code = result.code};
    if (failure == STATUS_OK)
        board_read_times(said, out_times);
    free(said);
    return failure;
}
