#include "sql_prompt.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "sql/schema.h"

struct prompt {
    struct sql_rows_printer *printer;
    struct sql_connection *connection;
    bool asks;         // somebody sits there
    struct bytes text; // of a statement that has not ended yet
    bool ended;
};

static void prompt_print_tables(void)
{
    for (size_t i = 0; i < SQL_TABLE_COUNT; i++)
        printf("%-20s %s\n", SQL_TABLES[i].name, SQL_TABLES[i].about);
    for (size_t i = 0; i < SQL_VIEW_COUNT; i++)
        printf("%-20s view: %s\n", SQL_VIEWS[i].name, SQL_VIEWS[i].about);
}

status sql_prompt_schema(const char *name)
{
    struct bytes text = {0};
    for (size_t i = 0; i < SQL_TABLE_COUNT; i++) {
        if (name == NULL || strcmp(name, SQL_TABLES[i].name) == 0)
            sql_schema_table(&SQL_TABLES[i], &text);
    }
    for (size_t i = 0; i < SQL_VIEW_COUNT; i++) {
        if (name == NULL || strcmp(name, SQL_VIEWS[i].name) == 0)
            sql_schema_view(&SQL_VIEWS[i], &text);
    }
    const bool found = text.size > 0;
    if (found)
        fwrite(text.data, 1, text.size, stdout);
    bytes_free(&text);
    return found ? STATUS_OK
                 : status_make(STATUS_USAGE, "sql: there is no table or view '%s': see .tables",
                               name);
}

static void print_help(void)
{
    puts("A query ends with ; and may go over several lines.\n"
         ".tables         tables and views\n"
         ".schema [NAME]  their columns\n"
         ".quit           the end, as is Ctrl-D");
}

static status prompt_command(struct prompt *prompt, struct view line)
{
    const size_t end = view_find(line, ' ');
    const struct view word = view_slice(line, 0, end);
    const struct view rest = view_trim(view_slice(line, end, line.size));
    if (view_is(word, ".tables")) {
        prompt_print_tables();
    } else if (view_is(word, ".help")) {
        print_help();
    } else if (view_is(word, ".quit") || view_is(word, ".exit")) {
        prompt->ended = true;
    } else if (view_is(word, ".schema")) {
        char *name = rest.size > 0 ? view_copy(rest) : NULL;
        const status result = sql_prompt_schema(name);
        free(name);
        return result;
    } else {
        return status_make(STATUS_USAGE, "sql: '%.*s' is no command: see .help",
                           VIEW_ARGUMENTS(word));
    }
    return STATUS_OK;
}

static bool is_blank_text(struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!isspace((unsigned char)text.data[i]))
            return false;
    }
    return true;
}

static status run_text(struct prompt *prompt)
{
    bytes_append(&prompt->text, "", 1);
    const status result =
        sql_rows_print(prompt->printer, prompt->connection, (const char *)prompt->text.data);
    prompt->text.size = 0;
    return result;
}

static status take_line(struct prompt *prompt, const char *line)
{
    const struct view text = view_of(line);
    const struct view words = view_slice(text, 0, text.size - (view_ends_with(text, "\n") ? 1 : 0));
    if (is_blank_text(bytes_view(&prompt->text)) && view_starts_with(words, ".")) {
        prompt->text.size = 0;
        return prompt_command(prompt, view_trim(words));
    }
    bytes_append(&prompt->text, text.data, text.size);
    if (prompt->text.size > SQL_QUERY_MOST) {
        prompt->text.size = 0;
        return status_make(STATUS_LIMIT, "sql: a query is longer than %d bytes", SQL_QUERY_MOST);
    }
    if (!view_ends_with(view_trim(words), ";"))
        return STATUS_OK;
    bytes_append(&prompt->text, "", 1);
    prompt->text.size--;
    return sql_text_is_complete((const char *)prompt->text.data) ? run_text(prompt) : STATUS_OK;
}

// What went wrong is said where somebody can say it better.
static status prompt_survive(const struct prompt *prompt, status result)
{
    if (result == STATUS_OK || !prompt->asks)
        return result;
    fprintf(stderr, "%s\n", status_message(result));
    status_free(result);
    return STATUS_OK;
}

static void prompt_ask(const struct prompt *prompt)
{
    if (!prompt->asks)
        return;
    fputs(is_blank_text(bytes_view(&prompt->text)) ? "opscope> " : "    ...> ", stdout);
    fflush(stdout);
}

static status read_lines(struct prompt *prompt, FILE *input)
{
    char *line = NULL;
    size_t room = 0;
    status result = STATUS_OK;
    prompt_ask(prompt);
    while (result == STATUS_OK && !prompt->ended && getline(&line, &room, input) >= 0) {
        result = prompt_survive(prompt, take_line(prompt, line));
        if (!prompt->ended)
            prompt_ask(prompt);
    }
    free(line);
    if (result == STATUS_OK && !prompt->ended && !is_blank_text(bytes_view(&prompt->text)))
        result = prompt_survive(prompt, run_text(prompt));
    return result;
}

status sql_prompt_run(FILE *input, struct sql_rows_printer *printer,
                      struct sql_connection *connection)
{
    struct prompt prompt = {.printer = printer,
                            .connection = connection,
                            .asks = isatty(fileno(input)) && isatty(STDOUT_FILENO)};
    if (prompt.asks)
        puts("SQL over the profile; .help says what there is.");
    const status result = read_lines(&prompt, input);
    if (prompt.asks && !prompt.ended)
        putchar('\n');
    bytes_free(&prompt.text);
    return result;
}
