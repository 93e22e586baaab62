#include "trial.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "base/output.h"
#include "base/path.h"
#include "cache.h"
#include "network/network.h"
#include "network/tensor_text.h"

enum { VALUES_MOST = 16, DONE_WITH_LOSS = 3, NOT_STARTED = 127 };

struct running {
    const struct trial *trial;
    const struct trial_settings *settings;
    struct trial_result *result;
    struct board board;
    char *log;
    char *program; // in the cache
    char *phases;
    char *profile;
    char *dump;                // "" where there is none
    struct plan_texts inputs;  // values as the runner takes them
    struct plan_texts outputs; // paths here
    uint64_t deadline;
};

static const char *const STATUS_NAMES[] = {"pass", "fail", "error"};

const char *trial_status_name(enum trial_status number)
{
    return STATUS_NAMES[number];
}

// Texts -----------------------------------------------------------------------------------

static char *trial_joined(const char *folder, const char *name)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%s/%s", folder, name);
    char *text = view_copy(bytes_view(&path));
    bytes_free(&path);
    return text;
}

static void log_line(const struct running *running, const char *text)
{
    FILE *log = fopen(running->log, "a");
    if (log == NULL)
        return;
    fprintf(log, "%s\n", text);
    fclose(log);
}

// The last line of the log that is not empty, which is what a command said last; to free.
static char *last_said(const struct running *running)
{
    struct input *input;
    const status failure = input_open(running->log, &input);
    if (failure != STATUS_OK) {
        status_free(failure);
        return view_copy(VIEW_LITERAL("nothing"));
    }
    struct view text = input->bytes;
    while (text.size > 0 && strchr(" \r\n", text.data[text.size - 1]) != NULL)
        text.size--;
    const size_t at = view_find_last(text, '\n');
    char *line =
        view_copy(view_shortened(at < text.size ? view_slice(text, at + 1, text.size) : text, 500));
    input_close(input);
    return line[0] == '$' ? (free(line), view_copy(VIEW_LITERAL("it said nothing"))) : line;
}

// Commands --------------------------------------------------------------------------------

struct names {
    struct command_value values[VALUES_MOST];
    const char *singles[VALUES_MOST];
    size_t count;
};

static void name_one(struct names *names, const char *name, const char *text)
{
    names->singles[names->count] = text;
    names->values[names->count] = (struct command_value){name, &names->singles[names->count], 1};
    names->count++;
}

static void name_many(struct names *names, const char *name, const char *const *texts, size_t count)
{
    names->values[names->count++] = (struct command_value){name, texts, count};
}

static void name_common(struct names *names, const struct running *running)
{
    name_one(names, "opscope", running->settings->opscope);
    name_one(names, "model", running->trial->model);
    name_one(names, "target", running->trial->target);
    name_one(names, "hardware", running->settings->hardware);
}

static status judge(const struct running *running, const struct process_result *result,
                    const char *command)
{
    char text[64];
    if (!result->late && result->signal == 0 &&
        (result->code == 0 || result->code == DONE_WITH_LOSS))
        return STATUS_OK;
    process_text(result, text, sizeof text);
    if (result->late)
        return status_make(STATUS_LIMIT, "took longer than %g s", running->trial->timeout);
    char *said = last_said(running);
    const status failure = status_make(result->code == NOT_STARTED ? STATUS_USAGE : STATUS_DATA,
                                       "%s: %s: %s", path_base_name(command), text, said);
    free(said);
    return failure;
}

static status run_here(const struct running *running, const char *text, const struct names *names,
                       uint64_t *out_wall)
{
    struct command_words words;
    struct process_result result;
    STATUS_TRY(command_expand(text, names->values, names->count, &words));
    const struct process_request request = {
        .words = words.words, .log = running->log, .deadline = running->deadline};
    status failure = process_run(&request, &result);
    if (failure == STATUS_OK)
        failure = judge(running, &result, words.words[0]);
    *out_wall = result.wall_ns;
    command_words_free(&words);
    return failure;
}

// The network -----------------------------------------------------------------------------

static status take_input(struct running *running, const struct network_value *value)
{
    struct bytes text = {0};
    if (!value_type_static(&value->type))
        return status_make(STATUS_DATA,
                           "%s: input '%.*s' has no shape that is known before it runs; give it: "
                           "input = 1x3xf32=1",
                           running->trial->model, VIEW_ARGUMENTS(value->name));
    tensor_text_append_type(&text, value->type.element, &value->type.shape);
    bytes_append_format(&text, "=1");
    plan_texts_add(&running->inputs, bytes_view(&text));
    bytes_free(&text);
    return STATUS_OK;
}

// Ones for every input, where the plan has none, and a file for every output.
static status trial_look_at(struct running *running, const struct network *network,
                            struct digest *digest)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (size_t i = 0; i < network->external_count; i++)
        STATUS_TRY(cache_digest_file(digest, network->externals[i]->path));
    for (uint32_t i = 0; i < graph->input_count && running->trial->networks->inputs.count == 0;
         i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        if (value->constant == NULL)
            STATUS_TRY(take_input(running, value));
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "output.%" PRIu32 ".npy", i);
        char *path = trial_joined(running->trial->folder, name);
        plan_texts_add(&running->outputs, view_of(path));
        free(path);
    }
    return STATUS_OK;
}

// A network of another kind, for a compiler of the user's own, is none of our business.
static status trial_open_network(struct running *running, struct digest *digest)
{
    const struct plan_texts *given = &running->trial->networks->inputs;
    struct network *network;
    for (size_t i = 0; i < given->count; i++)
        plan_texts_add(&running->inputs, view_of(given->items[i]));
    status failure = network_open(running->trial->model, NULL, &network);
    if (failure != STATUS_OK && running->trial->networks->compile != NULL &&
        status_code_of(failure) != STATUS_NOT_FOUND && status_code_of(failure) != STATUS_IO) {
        status_free(failure);
        return STATUS_OK;
    }
    STATUS_TRY(failure);
    failure = trial_look_at(running, network, digest);
    network_free(network);
    return failure;
}

// Compiling -------------------------------------------------------------------------------

static const char *compile_text(const struct trial *trial)
{
    return trial->networks->compile != NULL ? trial->networks->compile : trial->kind->compile;
}

static status digest_all(const struct running *running, struct digest *digest)
{
    const char *texts[] = {compile_text(running->trial), running->trial->target};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        digest_add(digest, texts[i], strlen(texts[i]) + 1);
    STATUS_TRY(cache_digest_file(digest, running->trial->model));
    return cache_digest_file(digest, running->settings->opscope);
}

static status compile_into(const struct running *running, const char *folder)
{
    struct names names = {0};
    uint64_t wall;
    char *program = trial_joined(folder, running->trial->kind->program);
    char *phases = trial_joined(folder, "phases");
    name_common(&names, running);
    name_one(&names, "program", program);
    name_one(&names, "phases", phases);
    status failure = run_here(running, compile_text(running->trial), &names, &wall);
    if (failure == STATUS_OK && access(program, R_OK) != 0)
        failure = status_make(STATUS_DATA, "it left no program");
    free(program);
    free(phases);
    return failure;
}

static void trial_find_dump(struct running *running)
{
    const char *pattern = running->trial->kind->dump;
    glob_t found = {0};
    char *path = trial_joined(running->phases, pattern != NULL ? pattern : "");
    if (pattern != NULL && glob(path, 0, NULL, &found) == 0)
        running->dump = view_copy(view_of(found.gl_pathv[0]));
    else
        running->dump = view_copy(VIEW_LITERAL(""));
    globfree(&found);
    free(path);
}

static status compile(struct running *running, const struct digest *digest)
{
    char *folder = cache_folder(running->settings->cache, digest);
    char *made = NULL;
    status failure = STATUS_OK;
    running->program = trial_joined(folder, running->trial->kind->program);
    running->phases = trial_joined(folder, "phases");
    if (running->settings->recompute)
        failure = folder_remove(folder);
    running->result->cached = failure == STATUS_OK && access(running->program, R_OK) == 0;
    if (running->result->cached) {
        log_line(running, "compiled before");
    } else if (failure == STATUS_OK) {
        failure = folder_make(running->settings->cache);
        if (failure == STATUS_OK)
            failure = cache_begin(folder, &made);
        if (failure == STATUS_OK)
            failure = compile_into(running, made);
        if (failure == STATUS_OK)
            failure = cache_finish(folder, made);
        else if (made != NULL)
            cache_give_up(made);
    }
    free(folder);
    if (failure == STATUS_OK)
        trial_find_dump(running);
    return failure;
}

// Running ---------------------------------------------------------------------------------

static const char *run_text(const struct trial *trial)
{
    return trial->networks->run != NULL ? trial->networks->run : trial->kind->run;
}

static void add_words(struct plan_texts *to, const char *option, const struct plan_texts *values)
{
    for (size_t i = 0; i < values->count; i++) {
        struct bytes word = {0};
        bytes_append_format(&word, "%s%s", option, values->items[i]);
        plan_texts_add(to, bytes_view(&word));
        bytes_free(&word);
    }
}

// Names of a run, here or on a board; the texts belong to `inputs` and `outputs`.
static void name_run(struct names *names, const struct running *running,
                     const struct plan_texts *inputs, const struct plan_texts *outputs)
{
    name_common(names, running);
    name_many(names, "inputs", (const char *const *)inputs->items, inputs->count);
    name_many(names, "outputs", (const char *const *)outputs->items, outputs->count);
}

static status run_local(struct running *running)
{
    const char *runner[] = {running->settings->opscope, running->trial->kind->command};
    struct plan_texts inputs = {0}, outputs = {0};
    struct names names = {0};
    add_words(&inputs, "--input=", &running->inputs);
    add_words(&outputs, "--output=@", &running->outputs);
    name_run(&names, running, &inputs, &outputs);
    name_many(&names, "runner", runner, runner[1] != NULL ? 2 : 1);
    name_one(&names, "program", running->program);
    name_one(&names, "profile", running->profile);
    const status failure =
        run_here(running, run_text(running->trial), &names, &running->result->wall_ns);
    running->result->has_wall_time = failure == STATUS_OK;
    plan_networks_free(&(struct plan_networks){.inputs = inputs, .models = outputs});
    return failure;
}

// What runs there: a file that was given, or opscope where it is made for that processor.
static status put_runner(struct running *running)
{
    const char *runner = running->settings->runner;
    struct utsname here;
    char *machine, *other = NULL;
    STATUS_TRY(board_machine(&running->board, &machine));
    status failure = STATUS_OK;
    if (runner == NULL && uname(&here) == 0 && strcmp(here.machine, machine) == 0)
        runner = running->settings->opscope;
    if (runner == NULL) {
        // Beside the build for this machine lies the one for the other, if there is one.
        const char *own = running->settings->opscope;
        struct bytes path = {0};
        bytes_append_format(&path, "%.*s/../build-%s/opscope", (int)(path_base_name(own) - own),
                            own, machine);
        other = view_copy(bytes_view(&path));
        bytes_free(&path);
        if (access(other, R_OK) == 0)
            runner = other;
    }
    if (runner == NULL)
        failure = status_make(STATUS_NOT_FOUND,
                              "board %s: it is %s, and there is no runner for that: make board, or "
                              "give one",
                              running->board.address, machine);
    if (failure == STATUS_OK)
        failure = board_put(&running->board, runner, running->trial->kind->runner, "755");
    free(other);
    free(machine);
    return failure;
}

// Files of the board belong to their network: "matmul.input.0.npy".
static char *name_there(const struct running *running, const char *what, size_t index,
                        const char *end)
{
    struct bytes name = {0};
    bytes_append_format(&name, "%s.%s.%zu%s", running->trial->name, what, index, end);
    char *text = view_copy(bytes_view(&name));
    bytes_free(&name);
    return text;
}

// Values as they are; files, "@x.npy" or "1x3xf32=@x.bin", are copied.
static status put_inputs(struct running *running, struct plan_texts *out_words)
{
    for (size_t i = 0; i < running->inputs.count; i++) {
        const char *value = running->inputs.items[i];
        const char *file = strchr(value, '@');
        struct bytes word = {0};
        status failure = STATUS_OK;
        if (file != NULL) {
            const char *end = strrchr(path_base_name(file + 1), '.');
            char *name = name_there(running, "input", i, end != NULL ? end : "");
            failure = board_put(&running->board, file + 1, name, "644");
            bytes_append_format(&word, "--input=%.*s@%s", (int)(file - value), value, name);
            free(name);
        } else {
            bytes_append_format(&word, "--input=%s", value);
        }
        plan_texts_add(out_words, bytes_view(&word));
        bytes_free(&word);
        STATUS_TRY(failure);
    }
    return STATUS_OK;
}

struct there {
    struct plan_texts inputs;  // words
    struct plan_texts outputs; // words
    struct plan_texts files;   // that the run leaves: the profile, then the outputs
    char *program;
};

static status fetch_files(struct running *running, const struct there *there)
{
    STATUS_TRY(board_get(&running->board, there->files.items[0], running->profile));
    for (size_t i = 0; i < running->outputs.count; i++)
        STATUS_TRY(
            board_get(&running->board, there->files.items[i + 1], running->outputs.items[i]));
    return STATUS_OK;
}

static status run_there(struct running *running, const struct there *there)
{
    struct names names = {0};
    struct command_words words;
    struct board_times times;
    char runner[64];
    snprintf(runner, sizeof runner, "./%s", running->trial->kind->runner);
    name_run(&names, running, &there->inputs, &there->outputs);
    name_one(&names, "runner", runner);
    name_one(&names, "program", there->program);
    name_one(&names, "profile", there->files.items[0]);
    STATUS_TRY(command_expand(run_text(running->trial), names.values, names.count, &words));
    status failure = board_run(&running->board, &words, (const char *const *)there->files.items,
                               there->files.count, &times);
    if (failure == STATUS_OK && times.code != 0 && times.code != DONE_WITH_LOSS) {
        char *said = last_said(running);
        failure = status_make(STATUS_DATA, "%s on the board: exit %d: %s", words.words[0],
                              times.code, said);
        free(said);
    }
    command_words_free(&words);
    STATUS_TRY(failure);
    running->result->has_wall_time = true;
    running->result->wall_ns = times.wall_ns;
    running->result->has_board_time = times.has_own;
    running->result->board_ns = times.own_ns;
    return fetch_files(running, there);
}

static status prepare_there(struct running *running, struct there *there)
{
    const bool own = strstr(run_text(running->trial), "{runner}") != NULL;
    const char *end = strrchr(running->trial->kind->program, '.');
    struct bytes name = {0};
    bytes_append_format(&name, "%s%s", running->trial->name, end);
    there->program = view_copy(bytes_view(&name));
    name.size = 0;
    bytes_append_format(&name, "%s%s", running->trial->name,
                        strrchr(running->trial->kind->profile, '.'));
    plan_texts_add(&there->files, bytes_view(&name));
    for (size_t i = 0; i < running->outputs.count; i++) {
        char *output = name_there(running, "output", i, ".npy");
        name.size = 0;
        bytes_append_format(&name, "--output=@%s", output);
        plan_texts_add(&there->outputs, bytes_view(&name));
        plan_texts_add(&there->files, view_of(output));
        free(output);
    }
    bytes_free(&name);
    if (running->settings->update && own)
        STATUS_TRY(put_runner(running));
    STATUS_TRY(board_put(&running->board, running->program, there->program, "644"));
    return put_inputs(running, &there->inputs);
}

static status run_on_board(struct running *running)
{
    struct there there = {0};
    char *errors = trial_joined(running->trial->folder, "ssh.txt");
    running->board = *running->settings->board;
    running->board.log = running->log;
    running->board.errors = errors;
    running->board.deadline = running->deadline;
    status failure = prepare_there(running, &there);
    if (failure == STATUS_OK)
        failure = run_there(running, &there);
    running->result->lost = running->board.lost;
    unlink(errors);
    free(errors);
    free(there.program);
    plan_networks_free(&(struct plan_networks){
        .inputs = there.inputs, .models = there.outputs, .targets = there.files});
    return failure;
}

static status write_seconds(const struct running *running, const char *name, uint64_t ns)
{
    struct output *output;
    char *path = trial_joined(running->trial->folder, name);
    status result = output_open(path, &output);
    free(path);
    STATUS_TRY(result);
    output_format(output, "%.3f\n", (double)ns / 1e9);
    return output_close(output);
}

static status trial_run_program(struct running *running)
{
    struct trial_result *result = running->result;
    char text[64];
    STATUS_TRY(running->settings->board != NULL ? run_on_board(running) : run_local(running));
    if (access(running->profile, R_OK) != 0)
        return status_make(STATUS_DATA, "it left no profile");
    snprintf(text, sizeof text, "Wall time: %.3fs", (double)result->wall_ns / 1e9);
    log_line(running, text);
    STATUS_TRY(write_seconds(running, "wall_time.txt", result->wall_ns));
    if (!result->has_board_time)
        return STATUS_OK;
    snprintf(text, sizeof text, "Wall time without ssh: %.3fs", (double)result->board_ns / 1e9);
    log_line(running, text);
    return write_seconds(running, "wall_time_board.txt", result->board_ns);
}

static status make_reports(struct running *running)
{
    uint64_t wall;
    struct names names = {0};
    name_common(&names, running);
    name_one(&names, "program", running->program);
    name_one(&names, "profile", running->profile);
    name_one(&names, "folder", running->trial->folder);
    // Without a dump the program says what ran.
    name_one(&names, "dump", running->dump[0] != '\0' ? running->dump : running->program);
    for (size_t i = 0; running->trial->kind->reports[i] != NULL; i++)
        STATUS_TRY(run_here(running, running->trial->kind->reports[i], &names, &wall));
    return STATUS_OK;
}

// All of it -------------------------------------------------------------------------------

static status take_steps(struct running *running, const char **step)
{
    struct digest digest = digest_start();
    *step = "prepare";
    STATUS_TRY(folder_remove(running->trial->folder));
    STATUS_TRY(folder_make(running->trial->folder));
    *step = "compile";
    STATUS_TRY(trial_open_network(running, &digest));
    STATUS_TRY(digest_all(running, &digest));
    STATUS_TRY(compile(running, &digest));
    *step = "run";
    STATUS_TRY(trial_run_program(running));
    *step = "report";
    STATUS_TRY(make_reports(running));
    *step = "";
    return STATUS_OK;
}

static void take_failure(struct trial_result *result, status failure, const char *step)
{
    const enum status_code code = status_code_of(failure);
    result->status = code == STATUS_NOT_FOUND || code == STATUS_IO || code == STATUS_USAGE
                         ? TRIAL_ERROR
                         : TRIAL_FAIL;
    snprintf(result->step, sizeof result->step, "%s", step);
    snprintf(result->reason, sizeof result->reason, "%s", status_message(failure));
    status_free(failure);
}

void trial_run(const struct trial *trial, const struct trial_settings *settings,
               struct trial_result *out_result)
{
    const uint64_t begun = monotonic_ns();
    const char *step = "";
    *out_result = (struct trial_result){0};
    struct running running = {.trial = trial,
                              .settings = settings,
                              .result = out_result,
                              .log = trial_joined(trial->folder, "log.txt"),
                              .profile = trial_joined(trial->folder, trial->kind->profile),
                              .deadline = begun + (uint64_t)(trial->timeout * 1e9)};
    const status failure = take_steps(&running, &step);
    if (failure != STATUS_OK) {
        take_failure(out_result, failure, step);
        log_line(&running, out_result->reason);
    }
    out_result->total_ns = monotonic_ns() - begun;
    free(running.log);
    free(running.program);
    free(running.phases);
    free(running.profile);
    free(running.dump);
    plan_networks_free(
        &(struct plan_networks){.inputs = running.inputs, .models = running.outputs});
}
