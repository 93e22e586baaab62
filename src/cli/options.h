// Commands and their options, each described once: parsing, help, manual pages and
// completion (help.h) come from the same table.
//
// `--name value`, `--name=value` and, as the vendors' tools take them,
// `-name value` are alike. `--` ends the options. Names may be cut
// short as Python's tools take them, of options that a command says `abbreviated`.

#ifndef OPSCOPE_CLI_OPTIONS_H
#define OPSCOPE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"

enum option_kind {
    OPTION_FLAG,   // no value
    OPTION_SWITCH, // no value, or =true or =false as LLVM's tools take it
    OPTION_ONE,    // one value; the last one given counts
    OPTION_EACH,   // one value, and may be repeated
    OPTION_MANY,   // takes every word up to the next option, and may be repeated
};

struct option {
    const char *name; // long, without dashes
    char letter;      // 0: none
    enum option_kind kind;
    const char *value; // what the value is called in the help text
    const char *help;
};

// Exits of a tool of a vendor's that knows no code for lost data.
#define EXITS_WITHOUT_LOSS "0 done, also when data was lost (stderr says it), 1 failed, 2 wrong use"

struct arguments;
struct table_form;

struct command {
    const char *name;
    const char *link;  // further name under which the program acts as this command
    bool script;       // and one with .py after it
    const char *usage; // after the name
    const char *summary;
    const char *details;          // NULL: none
    const char *examples;         // lines, NULL: none
    const char *exits;            // further exit codes: "4 this, 5 that"; NULL: none
    const char *own_exits;        // all of them, where they are not those of others
    const struct option *options; // ends with a NULL name
    size_t abbreviated;           // of so many of the first ones the beginning is enough: --no-adv
    // What its rows are made of (table_options.h), up to a NULL; NULL: it prints no rows.
    const struct table_form *const *tables;
    bool no_files; // it reads none: without what every command that does takes
    // As the vendor's tool does it: what it says of an option that it does not know, on a line of
    // its own (NULL: as here), and the exit code of any failure (0: 1, and 2 for wrong use). After
    // a refusal that is STATUS_NOT_FOUND the help follows, and nothing counts as failed.
    status (*refuse)(struct view option);
    int failure_exit;
    // Returns the exit code through `*out_exit` (0, or 3 when data was lost).
    status (*run)(const struct arguments *arguments, int *out_exit);
};

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_LOSS = 3,
    EXIT_REGRESSED = 4, // of gate
    EXIT_UNDECIDED = 5, // of gate --strict
};

// The options of a command and, after them, those of all commands; NULL at the end.
const struct option *command_option(const struct command *command, size_t index);

status arguments_parse(const struct command *command, int count, char **words,
                       struct arguments **out_arguments);
void arguments_free(struct arguments *arguments);

bool arguments_flag(const struct arguments *arguments, const char *name);

// NULL when it was not given.
const char *arguments_value(const struct arguments *arguments, const char *name);
const char *const *arguments_values(const struct arguments *arguments, const char *name,
                                    size_t *out_count);

// Where value `index` of an option stands among all words and values.
size_t arguments_position(const struct arguments *arguments, const char *name, size_t index);

// A positive whole number; `fallback` when the option was not given.
status arguments_number(const struct arguments *arguments, const char *name, unsigned fallback,
                        unsigned *out_number);

// The name of the command.
const char *arguments_command(const struct arguments *arguments);

// The command line that was parsed, as a shell would take it.
void arguments_print(const struct arguments *arguments, struct bytes *to);

// Words that belong to no option.
const char *const *arguments_words(const struct arguments *arguments, size_t *out_count);

#endif
