// What a command says of itself, from its table: the text of `--help`, its manual
// page and its completion in shells.

#ifndef OPSCOPE_CLI_HELP_H
#define OPSCOPE_CLI_HELP_H

#include <stdio.h>

#include "base/output.h"
#include "options.h"

// `called`: the name by which the user knows the command, "opscope run".
void help_print(const struct command *command, const char *called);

// What `opscope --help` prints: all commands.
void help_print_program(FILE *file, const struct command *const *commands);

// A command by its name. The failure says which ones are spelled like it.
status help_find(const struct command *const *commands, const char *name,
                 const struct command **out_command);

// Option `index` of a command: its own in their order, then --help. NULL after that.
const struct option *help_option(const struct command *command, size_t index);

// Pages of section 1: of a command, called `page`, and of the program with all its
// commands.
void help_manual_command(struct output *output, const struct command *command, const char *page);
void help_manual_program(struct output *output, const struct command *const *commands);

enum help_shell { HELP_BASH, HELP_ZSH, HELP_FISH };

void help_completion(struct output *output, enum help_shell shell,
                     const struct command *const *commands);

#endif
