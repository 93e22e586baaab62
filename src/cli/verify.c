// `opscope verify FILE`: proves that programs do what programs must.

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "commands.h"
#include "program/verify.h"
#include "wire/json.h"

// What is said of a program besides its proof.
enum { CONVERSION_ROOM = 128 };

static status verify_prove(const char *path, struct verify_counts *out_counts,
                           char out_conversion[CONVERSION_ROOM])
{
    struct program *program;
    struct target *target = NULL;
    STATUS_TRY(program_open(path, &program));
    snprintf(out_conversion, CONVERSION_ROOM, "%.*s", VIEW_ARGUMENTS(program->conversion));
    status failure = target_parse(path, program->target_text, &target);
    if (failure == STATUS_OK)
        failure = program_verify(program, target, out_counts);
    target_free(target);
    program_free(program);
    return status_within(failure, "%s", path);
}

static void cli_verify_print_line(uint64_t count, const char *what)
{
    char text[FIGURES_ROOM];
    printf("  %9s %s\n", figures_count(count, text), what);
}

static void print_proof(const char *path, const struct verify_counts *counts,
                        const char *conversion)
{
    printf("%s: proved\n", path);
    if (conversion[0] != '\0')
        printf("  converted %s\n", conversion);
    cli_verify_print_line(counts->tasks,
                          "tasks, none on a lane before the one before was waited for");
    if (counts->streams > 1) {
        cli_verify_print_line(counts->streams,
                              "streams, each with engines of its own queue and unit");
        cli_verify_print_line(counts->semaphore_steps,
                              "signals and awaits, none for what is not signalled before");
        cli_verify_print_line(
            counts->steps - counts->semaphore_steps,
            "starts and waits of tasks, each by the stream that started the task");
    } else {
        cli_verify_print_line(
            counts->steps,
            "steps of the controller, each a start or a wait of a task that was started");
    }
    cli_verify_print_line(counts->dependencies,
                          "dependencies, all waited for, and so is all that touches the same "
                          "bytes");
    cli_verify_print_line(counts->buffers,
                          "buffers, none over another in use, all inside their memory and "
                          "lifetime");
    cli_verify_print_line(counts->values,
                          "values, every element written exactly once and before it is read");
}

static void write_proof(struct json_writer *json, const char *path, status failure,
                        const struct verify_counts *counts, const char *conversion)
{
    json_open_object(json, NULL);
    json_text(json, "file", view_of(path));
    json_bool(json, "proved", failure == STATUS_OK);
    if (conversion[0] != '\0')
        json_text(json, "converted", view_of(conversion));
    if (failure != STATUS_OK) {
        json_text(json, "reason", view_of(status_message(failure)));
    } else {
        json_uint(json, "tasks", counts->tasks);
        json_uint(json, "steps", counts->steps);
        json_uint(json, "dependencies", counts->dependencies);
        json_uint(json, "buffers", counts->buffers);
        json_uint(json, "values", counts->values);
        if (counts->streams > 1) {
            json_uint(json, "streams", counts->streams);
            json_uint(json, "signals_and_awaits", counts->semaphore_steps);
        }
    }
    json_close(json);
}

static status prove_json(const char *const *paths, size_t count, int *out_exit)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_array(&json, NULL);
    for (size_t i = 0; i < count; i++) {
        struct verify_counts counts = {0};
        char conversion[CONVERSION_ROOM] = "";
        const status failure = verify_prove(paths[i], &counts, conversion);
        write_proof(&json, paths[i], failure, &counts, conversion);
        if (failure != STATUS_OK)
            *out_exit = EXIT_FAILED;
        status_free(failure);
    }
    json_close(&json);
    return output_close(output);
}

static void prove_text(const char *const *paths, size_t count, int *out_exit)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_counts counts = {0};
        char conversion[CONVERSION_ROOM] = "";
        const status failure = verify_prove(paths[i], &counts, conversion);
        if (failure == STATUS_OK) {
            print_proof(paths[i], &counts, conversion);
            continue;
        }
        fprintf(stderr, "opscope: %s\n", status_message(failure));
        *out_exit = EXIT_FAILED;
        status_free(failure);
    }
}

static status verify_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    if (count == 0)
        return status_make(STATUS_USAGE, "verify: give a program: opscope verify FILE.opx");
    if (arguments_flag(arguments, "json"))
        return prove_json(paths, count, out_exit);
    prove_text(paths, count, out_exit);
    return STATUS_OK;
}

static const struct option OPTIONS[] = {
    {"json", 0, OPTION_FLAG, NULL, "as JSON, one object for each file"},
    {0},
};

const struct command COMMAND_VERIFY = {
    .name = "verify",
    .usage = "FILE...",
    .summary = "prove that a compiled program is right",
    .details =
        "From the program's tables alone: no lane does two tasks at once, every dependency is\n"
        "waited for, no two buffers in use overlap, no memory is exceeded, every element is\n"
        "written exactly once; whatever streams do side by side, semaphores order it where it\n"
        "must be. The first thing that is wrong is named, and the exit is 1.",
    .examples = "  opscope verify model.opx\n"
                "  opscope verify *.opx --json",
    .options = OPTIONS,
    .run = verify_command,
};
