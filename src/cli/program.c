// `opscope program FILE`: a compiled program, readably.

#include "commands.h"
#include "program/print.h"
#include "program_json.h"

static const struct {
    const char *name;
    unsigned part;
} PARTS[] = {
    {"operators", PROGRAM_PRINT_OPERATORS},
    {"groups", PROGRAM_PRINT_GROUPS},
    {"values", PROGRAM_PRINT_VALUES},
    {"buffers", PROGRAM_PRINT_BUFFERS},
    {"tasks", PROGRAM_PRINT_TASKS},
    {"steps", PROGRAM_PRINT_STEPS},
    {"all", PROGRAM_PRINT_ALL},
};

static unsigned chosen_parts(const struct arguments *arguments)
{
    unsigned parts = 0;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        if (arguments_flag(arguments, PARTS[i].name))
            parts |= PARTS[i].part;
    }
    return parts;
}

static status program_command_print(const struct arguments *arguments,
                                    const struct program *program, const struct target *target)
{
    const unsigned parts = chosen_parts(arguments);
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    if (arguments_flag(arguments, "json"))
        program_json_write(program, target, parts != 0 ? parts : PROGRAM_PRINT_ALL, output);
    else {
        output_for_people(output);
        program_print(program, target, parts != 0 ? parts : PROGRAM_PRINT_GROUPS, output);
    }
    return output_close(output);
}

static status program_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    (void)out_exit;
    if (count != 1)
        return status_make(STATUS_USAGE, "program: give one program: opscope program FILE.opx");
    struct program *program;
    struct target *target;
    STATUS_TRY(program_open(words[0], &program));
    status result = target_parse(words[0], program->target_text, &target);
    if (result == STATUS_OK) {
        result = program_command_print(arguments, program, target);
        target_free(target);
    }
    program_free(program);
    return result;
}

static const struct option OPTIONS[] = {
    {"operators", 0, OPTION_FLAG, NULL, "of the network, with the group that each is part of"},
    {"groups", 0, OPTION_FLAG, NULL, "with their engine and why (shown when nothing is chosen)"},
    {"values", 0, OPTION_FLAG, NULL, "what flows between operators"},
    {"buffers", 0, OPTION_FLAG, NULL, "addresses, sizes and lifetimes"},
    {"tasks", 0, OPTION_FLAG, NULL, "engine, operands and dependencies of each"},
    {"steps", 0, OPTION_FLAG, NULL, "what the host and the controller do, in order"},
    {"all", 0, OPTION_FLAG, NULL, "all of these"},
    {"json", 0, OPTION_FLAG, NULL, "as JSON: all tables, or those chosen"},
    {0},
};

const struct command COMMAND_PROGRAM = {
    .name = "program",
    .usage = "FILE [--tasks] [--buffers] [--steps] ... [--json]",
    .summary = "print a compiled program",
    .examples = "  opscope program model.opx\n"
                "  opscope program model.opx --buffers --steps\n"
                "  opscope program model.opx --json",
    .options = OPTIONS,
    .run = program_command,
};
