// Tools that a client may call: each is a command of the program, with some of its options as
// arguments. What is asked for becomes the words of that command's line, and nothing else: values
// stand behind their option's name in one word, files behind "--", so that no value can become an
// option.

#ifndef OPSCOPE_MCP_TOOL_H
#define OPSCOPE_MCP_TOOL_H

#include "reports/table.h"
#include "wire/json_reader.h"

enum mcp_argument_kind {
    MCP_FILE,   // a word: a file below the folders
    MCP_FILES,  // one or more of them, each behind the option
    MCP_TEXT,   // --option=TEXT
    MCP_TEXTS,  // one or more of them
    MCP_CHOICE, // --option=TEXT, one of `choices`
    MCP_COUNT,  // --option=N, a whole number from `least` to `most`
    MCP_FLAG,   // --option, if it is true
    MCP_WORD,   // a word that is no file
};

enum { MCP_TEXT_MOST = 4096, MCP_WORD_MOST = 65536, MCP_LIST_MOST = 32 };

struct mcp_argument {
    const char *name;
    enum mcp_argument_kind kind;
    bool required;
    const char *option; // NULL: a word
    const char *about;
    const char *const *choices; // up to a NULL
    uint32_t least, most;
    uint32_t usual; // of a count; 0: none, the option is left out
};

// Rows that an answer has, where they lie in it, and what their columns are.
struct mcp_rows {
    const char *key;
    const struct table_form *form; // NULL: they are not described
};

struct mcp_tool {
    const char *name;
    const char *title;
    const char *about;
    const struct mcp_argument *arguments; // up to a name that is NULL
    const char *const *words;             // always given; up to a NULL
    const struct mcp_rows *rows;          // up to a key that is NULL
    bool in_list;                         // the answer is a list, an item for each file
    bool draws;                           // and a picture comes with it
    const void *command;                  // for whoever runs it
};

// A page of rows: the arguments "offset" and "limit" are options of these names.
#define MCP_OPTION_OFFSET "skip"
#define MCP_OPTION_LIMIT "top"

struct mcp_words {
    struct arena arena;
    const char **items; // of the command line
    size_t count, capacity;
    const char **files; // those among them that are files
    size_t file_count, file_capacity;
    size_t limit; // which of the items says how many rows; SIZE_MAX: none does
    uint32_t rows;
};

// Finds the command line of a call. `place` gives the path of a file that may be read. What is
// wrong says which argument, and what is expected. Free the words in any case.
status mcp_tool_words(const struct mcp_tool *tool, const struct json_value *arguments,
                      status (*place)(struct view path, struct arena *arena, const char **out_path),
                      struct mcp_words *out_words);
void mcp_words_free(struct mcp_words *words);

// Asks for half as many rows; false when it is one already or there is no such number.
bool mcp_words_halve(struct mcp_words *words);

// What a client is told of a tool, as the value of a key or in an array: its name, its arguments as
// a JSON Schema and, where the client's revision of the protocol has them, a title, hints and the
// schema of its answers.
struct mcp_tool_detail {
    bool hints, output, title;
};
void mcp_tool_describe(const struct mcp_tool *tool, struct mcp_tool_detail detail,
                       struct json_writer *json);

#endif
