// `opscope completion SHELL`: what makes a shell complete commands and options.

#include <string.h>

#include "commands.h"
#include "help.h"

static const char *const SHELLS[] = {
    [HELP_BASH] = "bash", [HELP_ZSH] = "zsh", [HELP_FISH] = "fish"};

static status find_shell(const char *name, enum help_shell *out_shell)
{
    for (size_t i = 0; i < sizeof SHELLS / sizeof *SHELLS; i++) {
        if (strcmp(SHELLS[i], name) == 0) {
            *out_shell = (enum help_shell)i;
            return STATUS_OK;
        }
    }
    return status_make(STATUS_USAGE, "completion: '%s' is not bash, zsh or fish", name);
}

static status completion_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "completion: give one shell: bash, zsh or fish");
    enum help_shell shell;
    STATUS_TRY(find_shell(words[0], &shell));
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    help_completion(output, shell, COMMANDS);
    *out_exit = EXIT_DONE;
    return output_close(output);
}

static const struct option OPTIONS[] = {{0}};

const struct command COMMAND_COMPLETION = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "print what makes a shell complete commands and options",
    .details = "'make install' puts the three where the shells find them.",
    .examples = "  source <(opscope completion bash)\n"
                "  opscope completion zsh > ~/.zfunc/_opscope\n"
                "  opscope completion fish > ~/.config/fish/completions/opscope.fish",
    .options = OPTIONS,
    .no_files = true,
    .run = completion_command,
};
