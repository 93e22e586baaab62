// Command lines with names in them: words as a shell divides them, and texts that a shell reads
// back as the same words.

#include "suite/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const ONE[] = {"a b.onnx"};
static const char *const MANY[] = {"--input=1", "--input=it's"};
static const struct command_value VALUES[] = {
    {"model", ONE, 1}, {"inputs", MANY, 2}, {"none", NULL, 0}};

static void expect(const char *text, const char *const *wanted)
{
    struct command_words words;
    assert_null(command_expand(text, VALUES, 3, &words));
    size_t count = 0;
    for (; wanted[count] != NULL; count++) {
        assert_true(count < words.count);
        assert_string_equal(words.words[count], wanted[count]);
    }
    assert_int_equal(words.count, count);
    assert_null(words.words[count]);
    command_words_free(&words);
}

static void words_are_a_shells(void **state)
{
    (void)state;
    expect("  one 'two words' \"a \\\" quote\" back\\ slash ''",
           (const char *const[]){"one", "two words", "a \" quote", "back slash", "", NULL});
    expect("a'b c'd", (const char *const[]){"ab cd", NULL});
}

static void names_become_values(void **state)
{
    (void)state;
    expect("cc {model} -o={model}.o",
           (const char *const[]){"cc", "a b.onnx", "-o=a b.onnx.o", NULL});
    expect("run {inputs} {none} end",
           (const char *const[]){"run", "--input=1", "--input=it's", "end", NULL});
    expect("sh -c 'cat {model}; {{ x; }}'",
           (const char *const[]){"sh", "-c", "cat a b.onnx; { x; }", NULL});
    expect("{model}{model}", (const char *const[]){"a b.onnxa b.onnx", NULL});
    expect("'{inputs}'", (const char *const[]){"--input=1 --input=it's", NULL});
}

static void more_words_than_fit_at_first(void **state)
{
    (void)state;
    struct command_words words;
    assert_null(command_expand("1 2 3 4 5 6 7 8 9 a b c d e f 0 1 2 3 4 5 6 7 8 9 a b c d e f 0 x",
                               VALUES, 3, &words));
    assert_int_equal(words.count, 33);
    assert_string_equal(words.words[32], "x");
    assert_null(words.words[33]);
    command_words_free(&words);
}

static void what_is_no_command_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"",        "  ",    "a 'b", "a \"b",
                                        "{modle}", "a { b", "a }",  "{model"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct command_words words;
        const status failure = command_expand(TEXTS[i], VALUES, 3, &words);
        assert_non_null(failure);
        assert_int_equal(status_code_of(failure), STATUS_USAGE);
        status_free(failure);
    }
}

// A shell is asked what it makes of them.
static void quoted_words_are_the_same_to_a_shell(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"plain", "",      "it's", "$HOME `x` \\ \"",
                                        "a\nb",  "*?[x]", "~",    "=;&|<>"};
    struct command_words words = {0};
    struct bytes text = {0};
    command_words_add(&words, "printf");
    command_words_add(&words, "<%s>");
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        command_words_add(&words, TEXTS[i]);
    command_words_quote(&words, &text);
    bytes_append(&text, "", 1);
    FILE *shell = popen((const char *)text.data, "r");
    char said[1000] = {0}, wanted[1000];
    size_t size = 0;
    assert_true(fread(said, 1, sizeof said - 1, shell) > 0);
    assert_int_equal(pclose(shell), 0);
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        size += (size_t)snprintf(wanted + size, sizeof wanted - size, "<%s>", TEXTS[i]);
    assert_string_equal(said, wanted);
    bytes_free(&text);
    command_words_free(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_a_shells),
        cmocka_unit_test(names_become_values),
        cmocka_unit_test(more_words_than_fit_at_first),
        cmocka_unit_test(what_is_no_command_is_refused),
        cmocka_unit_test(quoted_words_are_the_same_to_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
