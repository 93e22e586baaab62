// Completion for bash, zsh and fish. A value that is called "a|b|c" is one of those
// words; other values may be files.

#include <string.h>

#include "help.h"

static bool has_value(const struct option *option)
{
    return option->kind >= OPTION_ONE;
}

static bool is_choice(const struct option *option)
{
    return has_value(option) && strchr(option->value, '|') != NULL;
}

static void put_choices(struct output *output, const char *value)
{
    for (; *value != '\0'; value++)
        output_write(output, *value == '|' ? " " : value, 1);
}

static void put_called(struct output *output, const struct command *const *commands,
                       const char *between)
{
    output_text(output, "opscope");
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (commands[i]->link != NULL)
            output_format(output, "%s%s", between, commands[i]->link);
    }
}

// Text within single quotes; bytes of `escaped` get a backslash.
static void help_completion_put_quoted(struct output *output, const char *text, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            output_text(output, "'\\''");
        else if (strchr(escaped, *text) != NULL)
            output_format(output, "\\%c", *text);
        else
            output_write(output, text, 1);
    }
}

// bash ----------------------------------------------------------------------------------

static void put_bash_choices(struct output *output, const struct command *command)
{
    const struct option *option;
    for (size_t i = 0; (option = help_option(command, i)) != NULL; i++) {
        if (!is_choice(option))
            continue;
        output_format(output, "        --%s) words='", option->name);
        put_choices(output, option->value);
        output_text(output, "' ;;\n");
    }
}

static bool has_choices(const struct command *command)
{
    const struct option *option;
    for (size_t i = 0; (option = help_option(command, i)) != NULL; i++) {
        if (is_choice(option))
            return true;
    }
    return false;
}

static void put_bash_command(struct output *output, const struct command *command)
{
    output_format(output, "    %s)\n        words='", command->name);
    const struct option *option;
    for (size_t i = 0; (option = help_option(command, i)) != NULL; i++)
        output_format(output, "%s--%s", i == 0 ? "" : " ", option->name);
    output_text(output, "'\n");
    if (has_choices(command)) {
        output_text(output, "        case $before in\n");
        put_bash_choices(output, command);
        output_text(output, "        esac\n");
    }
    output_text(output, "        ;;\n");
}

static void put_bash(struct output *output, const struct command *const *commands)
{
    output_text(output,
                "# Completion of opscope for bash.\n"
                "_opscope() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    local command=${COMP_WORDS[0]##*/} words=\n"
                "    COMPREPLY=()\n"
                "    if [ \"$word\" = '=' ]; then word=; fi\n"
                "    if [ \"$before\" = '=' ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                "    if [ \"$command\" = opscope ]; then\n"
                "        if [ \"$COMP_CWORD\" = 1 ]; then\n"
                "            COMPREPLY=($(compgen -W '");
    for (size_t i = 0; commands[i] != NULL; i++)
        output_format(output, "%s ", commands[i]->name);
    output_text(output, "--help --version' -- \"$word\"))\n"
                        "            return\n"
                        "        fi\n"
                        "        command=${COMP_WORDS[1]}\n"
                        "    fi\n"
                        "    case $command in\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        put_bash_command(output, commands[i]);
    output_text(output, "    esac\n"
                        "    case $word in -*) ;; *) case $words in -*) return ;; esac ;; esac\n"
                        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                        "}\n"
                        "complete -o default -F _opscope ");
    put_called(output, commands, " ");
    output_text(output, "\n");
}

// zsh -----------------------------------------------------------------------------------

static void put_zsh_option(struct output *output, const struct option *option, const char *name)
{
    output_format(output, " \\\n        '%s%s%s[", option->kind >= OPTION_EACH ? "*" : "", name,
                  has_value(option) ? "=" : "");
    help_completion_put_quoted(output, option->help, "[]\\");
    output_text(output, "]");
    if (has_value(option)) {
        output_text(output, ":");
        help_completion_put_quoted(output, option->value, ":\\");
        output_text(output, ":");
        if (is_choice(option)) {
            output_text(output, "(");
            put_choices(output, option->value);
            output_text(output, ")");
        } else {
            output_text(output, "_files");
        }
    }
    output_text(output, "'");
}

static void put_zsh_command(struct output *output, const struct command *command)
{
    output_format(output, "    %s) _arguments", command->name);
    const struct option *option;
    for (size_t i = 0; (option = help_option(command, i)) != NULL; i++) {
        char name[128] = "--";
        strncat(name, option->name, sizeof name - 3);
        put_zsh_option(output, option, name);
        const char letter[] = {'-', option->letter, '\0'};
        if (option->letter != 0)
            put_zsh_option(output, option, letter);
    }
    output_text(output, " \\\n        '*:file:_files' ;;\n");
}

static void put_zsh(struct output *output, const struct command *const *commands)
{
    output_text(output, "#compdef ");
    put_called(output, commands, " ");
    output_text(output, "\n# Completion of opscope for zsh.\n"
                        "_opscope() {\n"
                        "    local command=${words[1]:t}\n"
                        "    local -a commands\n"
                        "    if [[ $command == opscope ]]; then\n"
                        "        if (( CURRENT == 2 )); then\n"
                        "            commands=(\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        output_format(output, "                '%s:", commands[i]->name);
        help_completion_put_quoted(output, commands[i]->summary, "");
        output_text(output, "'\n");
    }
    output_text(output, "            )\n"
                        "            _describe command commands\n"
                        "            return\n"
                        "        fi\n"
                        "        command=${words[2]}\n"
                        "        shift words\n"
                        "        (( CURRENT-- ))\n"
                        "    fi\n"
                        "    case $command in\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        put_zsh_command(output, commands[i]);
    output_text(output, "    esac\n}\n"
                        "if [[ ${funcstack[1]} == _opscope ]]; then _opscope \"$@\"; else compdef "
                        "_opscope ");
    put_called(output, commands, " ");
    output_text(output, "; fi\n");
}

// fish ----------------------------------------------------------------------------------

static void put_fish_option(struct output *output, const struct option *option, const char *called,
                            const char *condition)
{
    output_format(output, "complete -c %s%s%s -l %s", called, condition[0] != '\0' ? " -n " : "",
                  condition, option->name);
    if (option->letter != 0)
        output_format(output, " -s %c", option->letter);
    if (is_choice(option)) {
        output_text(output, " -x -a '");
        put_choices(output, option->value);
        output_text(output, "'");
    } else if (has_value(option)) {
        output_text(output, " -r");
    }
    output_text(output, " -d '");
    help_completion_put_quoted(output, option->help, "");
    output_text(output, "'\n");
}

static void put_fish_command(struct output *output, const struct command *command)
{
    output_format(output, "complete -c opscope -n __fish_use_subcommand -f -a %s -d '",
                  command->name);
    help_completion_put_quoted(output, command->summary, "");
    output_text(output, "'\n");
    char condition[160] = "'__fish_seen_subcommand_from ";
    strncat(condition, command->name, 100);
    strcat(condition, "'");
    const struct option *option;
    for (size_t i = 0; (option = help_option(command, i)) != NULL; i++) {
        put_fish_option(output, option, "opscope", condition);
        if (command->link != NULL)
            put_fish_option(output, option, command->link, "");
    }
}

static void put_fish(struct output *output, const struct command *const *commands)
{
    output_text(output, "# Completion of opscope for fish.\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        put_fish_command(output, commands[i]);
}

void help_completion(struct output *output, enum help_shell shell,
                     const struct command *const *commands)
{
    if (shell == HELP_BASH)
        put_bash(output, commands);
    else if (shell == HELP_ZSH)
        put_zsh(output, commands);
    else
        put_fish(output, commands);
}
