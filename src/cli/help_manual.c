// Manual pages in the language of man(7).

#include <opscope/version.h>

#include <stdio.h>
#include <string.h>

#include "base/view.h"
#include "help.h"

static const char RELEASED[] = "2026-11-15"; // this version

// Text as it is: a backslash, a dash that is typed, and what would be a request at
// the beginning of a line are escaped.
static void help_manual_put_text(struct output *output, struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char byte = text.data[i];
        if (i == 0 && (byte == '.' || byte == '\''))
            output_text(output, "\\&");
        if (byte == '\\')
            output_text(output, "\\e");
        else if (byte == '-')
            output_text(output, "\\-");
        else
            output_write(output, &byte, 1);
    }
}

static void help_manual_put_line(struct output *output, struct view text)
{
    help_manual_put_text(output, text);
    output_text(output, "\n");
}

static bool help_manual_next_line(struct view *text, struct view *out_line)
{
    if (text->size == 0)
        return false;
    const size_t end = view_find(*text, '\n');
    *out_line = view_slice(*text, 0, end);
    *text = view_slice(*text, end < text->size ? end + 1 : end, text->size);
    return true;
}

// Paragraphs are filled; lines that begin with a blank stand as they are.
static void put_paragraphs(struct output *output, const char *words)
{
    struct view text = view_of(words);
    struct view line;
    bool as_is = false;
    while (help_manual_next_line(&text, &line)) {
        const bool wants = line.size > 0 && line.data[0] == ' ';
        if (wants != as_is && line.size > 0) {
            output_text(output, wants ? ".nf\n" : ".fi\n");
            as_is = wants;
        }
        if (line.size == 0)
            output_text(output, as_is ? ".sp\n" : ".PP\n");
        else
            help_manual_put_line(output, line);
    }
    if (as_is)
        output_text(output, ".fi\n");
}

static void put_heading(struct output *output, const char *name)
{
    output_text(output, ".TH ");
    help_manual_put_text(output, view_of(name));
    output_format(output, " 1 %s \"opscope %s\" \"opscope\"\n", RELEASED, OPSCOPE_VERSION);
}

static void put_option(struct output *output, const struct option *option)
{
    output_text(output, ".TP\n.B ");
    if (option->letter != 0)
        output_format(output, "\\-%c, ", option->letter);
    output_text(output, "\\-\\-");
    help_manual_put_text(output, view_of(option->name));
    if (option->value != NULL) {
        output_text(output, " \\fI");
        help_manual_put_text(output, view_of(option->value));
        output_text(output, option->kind >= OPTION_EACH ? "\\fR ..." : "\\fR");
    }
    output_text(output, "\n");
    help_manual_put_line(output, view_of(option->help));
}

static void put_exit(struct output *output, const struct command *command)
{
    if (command != NULL && command->own_exits != NULL) {
        output_text(output, ".SH EXIT STATUS\n");
        help_manual_put_line(output, view_of(command->own_exits));
        return;
    }
    if (command != NULL && command->failure_exit != 0) {
        output_format(output, ".SH EXIT STATUS\n0 done, %d failed.\n", command->failure_exit);
        return;
    }
    output_text(output, ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong use, 3 done but data was lost: "
                        "the ledger in the report says what.\n");
}

static void put_synopsis(struct output *output, const char *name, const char *usage)
{
    output_text(output, ".B ");
    help_manual_put_line(output, view_of(name));
    help_manual_put_line(output, view_of(usage));
}

void help_manual_command(struct output *output, const struct command *command, const char *page)
{
    char called[80];
    snprintf(called, sizeof called, "opscope %s", command->name);
    put_heading(output, page);
    output_text(output, ".SH NAME\n");
    help_manual_put_text(output, view_of(page));
    output_text(output, " \\- ");
    help_manual_put_line(output, view_of(command->summary));
    output_text(output, ".SH SYNOPSIS\n");
    put_synopsis(output, called, command->usage);
    if (command->link != NULL) {
        output_text(output, ".br\n");
        put_synopsis(output, command->link, command->usage);
    }
    if (command->details != NULL) {
        output_text(output, ".SH DESCRIPTION\n");
        put_paragraphs(output, command->details);
    }
    output_text(output, ".SH OPTIONS\n");
    const struct option *option;
    for (size_t i = 0; (option = help_option(command, i)) != NULL; i++)
        put_option(output, option);
    put_exit(output, command);
    if (command->examples != NULL) {
        output_text(output, ".SH EXAMPLES\n");
        put_paragraphs(output, command->examples);
    }
    output_text(output, ".SH SEE ALSO\n.BR opscope (1)\n");
}

void help_manual_program(struct output *output, const struct command *const *commands)
{
    put_heading(output, "opscope");
    output_text(output,
                ".SH NAME\nopscope \\- where the time of a neural network goes on an accelerator\n"
                ".SH SYNOPSIS\n.B opscope\nCOMMAND [options] FILES\n.SH DESCRIPTION\n"
                "Reads and writes the profiles of accelerators, computes and compiles networks, "
                "and explains where their time goes and where it was expected to go.\n"
                "Options are written as \\-\\-name value or \\-\\-name=value; "
                "\\-\\- ends them.\nWhat ends in .gz or .zst is packed.\n.SH COMMANDS\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        output_text(output, ".TP\n.BR opscope\\-");
        help_manual_put_text(output, view_of(commands[i]->name));
        output_text(output, " (1)\n");
        help_manual_put_line(output, view_of(commands[i]->summary));
    }
    put_exit(output, NULL);
}
