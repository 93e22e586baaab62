#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/view.h"
#include "suggest.h"

struct word_list {
    const char **words;
    size_t *positions; // on the command line
    size_t count;
    size_t capacity;
    size_t position_capacity;
};

struct arguments {
    const struct command *command;
    struct word_list words;
    struct word_list *values; // by option
    bool *given;
    size_t taken; // words so far
    int line_count;
    char **line; // as it was given
};

static const struct option COMMON[] = {
    {"max-unpacked", 0, OPTION_ONE, "SIZE", "what a .gz or .zst may unpack to (500 times, 64 GiB)"},
};

const struct option *command_option(const struct command *command, size_t index)
{
    size_t own = 0;
    while (own < index && command->options[own].name != NULL)
        own++;
    if (command->options[own].name != NULL)
        return &command->options[own];
    const size_t common = index - own;
    return !command->no_files && common < sizeof COMMON / sizeof COMMON[0] ? &COMMON[common] : NULL;
}

static void add_word(struct arguments *arguments, struct word_list *list, const char *word)
{
    list->words = memory_grow(list->words, list->count, &list->capacity, sizeof *list->words);
    list->positions = memory_grow(list->positions, list->count, &list->position_capacity,
                                  sizeof *list->positions);
    list->positions[list->count] = arguments->taken++;
    list->words[list->count++] = word;
}

static size_t option_count(const struct command *command)
{
    size_t count = 0;
    while (command_option(command, count) != NULL)
        count++;
    return count;
}

// The number of options where there is none of that name.
static size_t options_find_name(const struct command *command, struct view name)
{
    size_t i = 0;
    const struct option *option;
    while ((option = command_option(command, i)) != NULL && !view_is(name, option->name))
        i++;
    return i;
}

// The only abbreviated option that begins with `name`; the end when none or several do.
static size_t find_beginning(const struct command *command, struct view name)
{
    const size_t none = option_count(command);
    size_t found = none;
    for (size_t i = 0; i < command->abbreviated && name.size > 0; i++) {
        if (strncmp(command->options[i].name, name.data, name.size) != 0)
            continue;
        if (found != none)
            return none;
        found = i;
    }
    return found;
}

static size_t find_letter(const struct command *command, char letter)
{
    size_t i = 0;
    const struct option *option;
    while ((option = command_option(command, i)) != NULL && option->letter != letter)
        i++;
    return i;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

static status unknown_option(const struct command *command, const char *word, struct view name)
{
    char text[SUGGEST_ROOM];
    struct suggest suggest = suggest_for(name);
    const struct option *option;
    for (size_t i = 0; (option = command_option(command, i)) != NULL; i++)
        suggest_consider(&suggest, option->name);
    return status_make(STATUS_USAGE, "%s: unknown option '%s'%s see '%s --help'", command->name,
                       word, suggest_text(&suggest, "--", text), command->name);
}

static status parse_switch(const struct command *command, const struct option *option,
                           const char *value, bool *out_given)
{
    *out_given = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    if (!*out_given && strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
        return status_make(STATUS_USAGE, "%s: --%s: expected true or false, not '%s'",
                           command->name, option->name, value);
    return STATUS_OK;
}

// One option with its value or values; `*at` moves over the words it takes.
static status parse_option(struct arguments *arguments, int count, char **words, int *at)
{
    const struct command *command = arguments->command;
    const char *word = words[*at];
    const struct view bare = view_of(word + (word[1] == '-' ? 2 : 1));
    const size_t equals = view_find(bare, '=');
    size_t index = options_find_name(command, view_slice(bare, 0, equals));
    if (command_option(command, index) == NULL && word[1] != '-' && equals == 1)
        index = find_letter(command, word[1]);
    if (command_option(command, index) == NULL)
        index = find_beginning(command, view_slice(bare, 0, equals));
    const struct option *option = command_option(command, index);
    if (option == NULL && command->refuse != NULL)
        return command->refuse((struct view){word, (size_t)(bare.data - word) + equals});
    if (option == NULL)
        return unknown_option(command, word, view_slice(bare, 0, equals));

    const bool attached = equals < bare.size;
    if (option->kind == OPTION_SWITCH)
        return parse_switch(command, option, attached ? bare.data + equals + 1 : "true",
                            &arguments->given[index]);
    arguments->given[index] = true;
    if (option->kind == OPTION_FLAG)
        return attached ? status_make(STATUS_USAGE, "%s: --%s takes no value", command->name,
                                      option->name)
                        : STATUS_OK;
    if (attached)
        add_word(arguments, &arguments->values[index], bare.data + equals + 1);
    else if (*at + 1 < count && (!is_option(words[*at + 1]) || option->kind != OPTION_MANY))
        add_word(arguments, &arguments->values[index], words[++*at]);
    else
        return status_make(STATUS_USAGE, "%s: --%s needs a value: %s", command->name, option->name,
                           option->value);
    while (option->kind == OPTION_MANY && *at + 1 < count && !is_option(words[*at + 1]))
        add_word(arguments, &arguments->values[index], words[++*at]);
    return STATUS_OK;
}

status arguments_parse(const struct command *command, int count, char **words,
                       struct arguments **out_arguments)
{
    struct arguments *arguments = memory_allocate_zeroed(1, sizeof *arguments);
    const size_t options = option_count(command);
    arguments->command = command;
    arguments->line_count = count;
    arguments->line = words;
    arguments->values = memory_allocate_zeroed(options + 1, sizeof *arguments->values);
    arguments->given = memory_allocate_zeroed(options + 1, sizeof *arguments->given);
    status result = STATUS_OK;
    for (int i = 0; i < count && result == STATUS_OK; i++) {
        if (strcmp(words[i], "--") == 0) {
            while (++i < count)
                add_word(arguments, &arguments->words, words[i]);
        } else if (is_option(words[i])) {
            result = parse_option(arguments, count, words, &i);
        } else {
            add_word(arguments, &arguments->words, words[i]);
        }
    }
    if (result != STATUS_OK) {
        arguments_free(arguments);
        return result;
    }
    *out_arguments = arguments;
    return STATUS_OK;
}

static void free_words(struct word_list *list)
{
    free(list->words);
    free(list->positions);
}

void arguments_free(struct arguments *arguments)
{
    for (size_t i = 0; i < option_count(arguments->command); i++)
        free_words(&arguments->values[i]);
    free(arguments->values);
    free(arguments->given);
    free_words(&arguments->words);
    free(arguments);
}

void arguments_print(const struct arguments *arguments, struct bytes *to)
{
    bytes_append_format(to, "%s", arguments->command->name);
    for (int i = 0; i < arguments->line_count; i++) {
        const char *word = arguments->line[i];
        bytes_append(to, " ", 1);
        if (word[0] != '\0' && strcspn(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}") == strlen(word)) {
            bytes_append(to, word, strlen(word));
            continue;
        }
        bytes_append(to, "'", 1);
        for (; *word != '\0'; word++)
            bytes_append(to, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
        bytes_append(to, "'", 1);
    }
}

bool arguments_flag(const struct arguments *arguments, const char *name)
{
    return arguments->given[options_find_name(arguments->command, view_of(name))];
}

const char *const *arguments_values(const struct arguments *arguments, const char *name,
                                    size_t *out_count)
{
    const struct word_list *list =
        &arguments->values[options_find_name(arguments->command, view_of(name))];
    *out_count = list->count;
    return list->words;
}

size_t arguments_position(const struct arguments *arguments, const char *name, size_t index)
{
    return arguments->values[options_find_name(arguments->command, view_of(name))].positions[index];
}

const char *arguments_value(const struct arguments *arguments, const char *name)
{
    size_t count;
    const char *const *values = arguments_values(arguments, name, &count);
    return count == 0 ? NULL : values[count - 1];
}

status arguments_number(const struct arguments *arguments, const char *name, unsigned fallback,
                        unsigned *out_number)
{
    const char *text = arguments_value(arguments, name);
    uint64_t number = fallback;
    if (text != NULL && (!view_to_u64(view_of(text), &number) || number == 0 || number > 1000000))
        return status_make(STATUS_USAGE, "%s: --%s: '%s' is not a number from 1 to 1000000",
                           arguments->command->name, name, text);
    *out_number = (unsigned)number;
    return STATUS_OK;
}

const char *const *arguments_words(const struct arguments *arguments, size_t *out_count)
{
    *out_count = arguments->words.count;
    return arguments->words.words;
}

const char *arguments_command(const struct arguments *arguments)
{
    return arguments->command->name;
}
