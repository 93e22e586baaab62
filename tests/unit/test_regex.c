// Patterns against POSIX's own matcher where both mean the same, and by hand.

#include "kernels/core/regex.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS = 4000, TEXTS = 20 };

static bool match(struct regex *regex, const char *text)
{
    bool result = false;
    const status failure = regex_match(regex, view_of(text), &result);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    return result;
}

static bool matches(const char *pattern, const char *text)
{
    struct regex *regex;
    const status failure = regex_compile(view_of(pattern), &regex);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    const bool result = match(regex, text);
    regex_free(regex);
    return result;
}

static void random_word(char *out, size_t most, const char *letters, unsigned *seed)
{
    const size_t count = (size_t)rand_r(seed) % (most + 1);
    for (size_t i = 0; i < count; i++)
        out[i] = letters[(size_t)rand_r(seed) % strlen(letters)];
    out[count] = '\0';
}

static void random_patterns_agree_with_posix(void **state)
{
    (void)state;
    unsigned compared = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        char pattern[16], whole[32], text[16];
        random_word(pattern, 10, "aabb(()|*+?.", &seed);
        if (strstr(pattern, "*?") != NULL || strstr(pattern, "+?") != NULL ||
            strstr(pattern, "?\?") != NULL)
            continue; // the fewest for RE2, a repeat of a repeat for POSIX
        struct regex *regex;
        const status failure = regex_compile(view_of(pattern), &regex);
        if (failure != STATUS_OK) { // POSIX may take what RE2 refuses
            status_free(failure);
            continue;
        }
        snprintf(whole, sizeof whole, "^(%s)$", pattern);
        regex_t posix;
        if (regcomp(&posix, whole, REG_EXTENDED | REG_NOSUB) != 0) {
            regex_free(regex);
            continue;
        }
        for (unsigned i = 0; i < TEXTS; i++) {
            random_word(text, 8, "abc", &seed);
            compared++;
            if (match(regex, text) != (regexec(&posix, text, 0, NULL, 0) == 0))
                fail_msg("'%s' on '%s'", pattern, text);
        }
        regfree(&posix);
        regex_free(regex);
    }
    assert_true(compared > ROUNDS);
}

static const struct {
    const char *pattern, *text;
    bool matches;
} CASES[] = {
    {"", "", true},
    {"", "a", false},
    {"a{2,3}", "a", false},
    {"a{2,3}", "aaa", true},
    {"a{2,3}", "aaaa", false},
    {"a{2,}", "aaaaa", true},
    {"a{,3}", "a{,3}", true}, // no repeat: characters
    {"(ab){0}", "", true},
    {"a+?", "aaa", true},
    {"[^a-c]x", "dx", true},
    {"[^a-c]x", "bx", false},
    {"[]a]+", "]a", true},
    {"[a-]+", "a-", true},
    {"[[:alpha:]_]+", "ab_", true},
    {"[[:^digit:]]", "7", false},
    {"\\d\\D\\w\\W\\s\\S", "1a_- x", true},
    {"[\\d.]+", "3.14", true},
    {"\\x41\\x{20ac}\\101\\n", "A\u20acA\n", true},
    {"\\Qa.b*\\E+", "a.b*", true},
    {"a\\.b", "axb", false},
    {".", "\n", false},
    {"(?s).", "\n", true},
    {".", "\u00e9", true},
    {"(?i)stra\u00dfe \u00c9", "STRA\u00dfE \u00e9", true},
    {"(?i:a)b", "AB", false},
    {"(?i:a)b", "Ab", true},
    {"(?i)[^a]", "A", false},
    {"((?i)a)a", "AA", false},
    {"^a$", "a", true},
    {"a\n^b", "a\nb", false},
    {"(?m)a\n^b$", "a\nb", true},
    {"\\bab\\b \\Ba", "ab a", false},
    {"\\bab\\b \\ba", "ab a", true},
    {"\\Aa\\z", "a", true},
    {"(?P<x>a|b)(?:c|)", "bc", true},
    {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
    {".*", "\xff", false}, // no character
    {"(a|aa)+(b|bb)*(a*)*$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
    {"\\pL\\p{Greek}\\PN", "a\u03b1x", true},
    {"\\v", "\v", true}, // not PCRE2's class
    {"\\v", "\n", false},
    {"\\s", "\v", false}, // not PCRE2's class either
    {"[\\s]", "\v", false},
    {"[[:space:]]", "\v", true},
    {"[\\S]", "\v", true},
    {"[^\\S]", "\t", true},
    {"[[a]", "[", true},
    {"[^]]", "]", false},
    {"(a)\\12", "a\n", true}, // octal, never a group
    {"$", "\n", false},
    {"(?m)\n^", "\n", true},
    {"\\Q[a", "[a", true},
    {"\\Q\\E", "", true},
    {"(?<x>a)b", "ab", true},
    {"(?U)a+", "aa", true},
    {"(a)\\0", "a", false},
    {"a{2}{", "aa{", true},
    {" #\n", " #\n", true}, // nothing is left out
};

static void syntax_of_re2(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (matches(CASES[i].pattern, CASES[i].text) != CASES[i].matches)
            fail_msg("'%s' on '%s'", CASES[i].pattern, CASES[i].text);
    }
}

static void wrong_patterns_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[] = {
        "(",
        ")",
        "a)",
        "*",
        "a**",
        "a*+",
        "[a",
        "[b-a]",
        "[[:x:]]",
        "\\",
        "\\y",
        "\\1",
        "(?=a)",
        "(?P<>a)",
        "(?P<a",
        "\\x{110000}",
        "\\p",
        "\\p{Nobody}",
        "\\C",
        "\\K",
        "\\R",
        "\\G",
        "\\Z",
        "\\h",
        "\\g1",
        "\\k<a>",
        "\\x4",
        "[\\b]",
        "[[:<:]]",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        "(?>a)",
        "(?|a)",
        "(?#a)",
        "(?R)",
        "(?1)",
        "(?(1)a)",
        "(?x)a",
        "(?P<a>a)(?P=a)",
        "(?P<a>a)(?P>a)",
        "(*UTF)a",
        "(*FAIL)",
        "a++",
        "a?+",
        "a{2}+",
        "a|*",
        "a{3,2}",
        "a{1001}",
        "\xff",
        "(?i",
        "((a{1000}){1000}){1000}",
        "((){1000}){1000}",
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        struct regex *regex = NULL;
        const status failure = regex_compile(view_of(WRONG[i]), &regex);
        if (failure == STATUS_OK)
            fail_msg("'%s' was taken", WRONG[i]);
        status_free(failure);
    }
}

static void deep_nesting_is_refused_and_long_patterns_are_not(void **state)
{
    (void)state;
    enum { LENGTH = 20000 };
    char *pattern = malloc(LENGTH + 1);
    memset(pattern, '(', LENGTH);
    struct regex *regex = NULL;
    const status failure = regex_compile((struct view){pattern, LENGTH}, &regex);
    assert_non_null(failure);
    status_free(failure);
    memset(pattern, 'a', LENGTH);
    pattern[LENGTH] = '\0';
    assert_true(matches(pattern, pattern));
    free(pattern);
}

static void messages_say_what_re2_has_not(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *said;
    } REFUSED[] = {
        {"(a)\\1", "pattern '(a)\\1', byte 3: backreferences are not in RE2's syntax"},
        {"a(?=b)", "pattern 'a(?=b)', byte 1: looking ahead or back is not in RE2's syntax"},
        {"(?<!b)a", "pattern '(?<!b)a', byte 0: looking ahead or back is not in RE2's syntax"},
    };
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        struct regex *regex = NULL;
        const status failure = regex_compile(view_of(REFUSED[i].pattern), &regex);
        assert_non_null(failure);
        assert_string_equal(status_message(failure), REFUSED[i].said);
        status_free(failure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns_agree_with_posix),
        cmocka_unit_test(syntax_of_re2),
        cmocka_unit_test(wrong_patterns_are_refused),
        cmocka_unit_test(messages_say_what_re2_has_not),
        cmocka_unit_test(deep_nesting_is_refused_and_long_patterns_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
