#include "regex.h"

#include <stdlib.h>

#include "base/memory.h"
#include "regex_syntax.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    NESTED_MOST = 1000,
    STEPS_MOST = 10000000,
    WORKSPACE_FIRST = 1000,
    WORKSPACE_MOST = 1 << 24, // 64 MiB
};

struct regex {
    char *pattern; // as RE2 writes it, for messages
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    int *workspace;
    size_t workspace_size;
};

static status regex_refuse_pattern(struct view pattern, int error)
{
    char message[256] = "";
    pcre2_get_error_message(error, (PCRE2_UCHAR *)message, sizeof message);
    return status_make(STATUS_DATA, "pattern '%.*s': %s", VIEW_ARGUMENTS(pattern), message);
}

static status regex_compile_translated(struct view pattern, const struct bytes *translated,
                                       struct regex *regex)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    const uint32_t options = PCRE2_UTF | PCRE2_ANCHORED | PCRE2_DOLLAR_ENDONLY |
                             PCRE2_ALT_CIRCUMFLEX | PCRE2_NO_AUTO_CAPTURE | PCRE2_NEVER_BACKSLASH_C;
    int error;
    size_t place;
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(context, NESTED_MOST);
    regex->code = pcre2_compile(translated->size > 0 ? translated->data : (PCRE2_SPTR) "",
                                translated->size, options, &error, &place, context);
    pcre2_compile_context_free(context);
    if (regex->code == NULL)
        return regex_refuse_pattern(pattern, error);
    regex->data = pcre2_match_data_create(1, NULL);
    regex->limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(regex->limits, STEPS_MOST);
    regex->workspace_size = WORKSPACE_FIRST;
    regex->workspace = memory_allocate_zeroed(WORKSPACE_FIRST, sizeof *regex->workspace);
    return STATUS_OK;
}

status regex_compile(struct view pattern, struct regex **out_regex)
{
    struct regex *regex = memory_allocate_zeroed(1, sizeof *regex);
    struct bytes translated = {0};
    status failure = regex_translate(pattern, &translated);
    regex->pattern = view_copy(pattern);
    if (failure == STATUS_OK)
        failure = regex_compile_translated(pattern, &translated, regex);
    bytes_free(&translated);
    if (failure != STATUS_OK) {
        regex_free(regex);
        return failure;
    }
    *out_regex = regex;
    return STATUS_OK;
}

static int regex_match_text(struct regex *regex, struct view text)
{
    return pcre2_dfa_match(regex->code, (PCRE2_SPTR)(text.size > 0 ? text.data : ""), text.size, 0,
                           0, regex->data, regex->limits, regex->workspace, regex->workspace_size);
}

static bool is_no_utf(int error)
{
    return error <= PCRE2_ERROR_UTF8_ERR1 && error >= PCRE2_ERROR_UTF8_ERR21;
}

status regex_match(struct regex *regex, struct view text, bool *out_matches)
{
    int found = regex_match_text(regex, text);
    while (found == PCRE2_ERROR_DFA_WSSIZE && regex->workspace_size < WORKSPACE_MOST) {
        free(regex->workspace);
        regex->workspace_size *= 4;
        regex->workspace = memory_allocate_zeroed(regex->workspace_size, sizeof *regex->workspace);
        found = regex_match_text(regex, text);
    }
    *out_matches = found >= 0;
    return found >= 0 || found == PCRE2_ERROR_NOMATCH || is_no_utf(found)
               ? STATUS_OK
               : regex_refuse_pattern(view_of(regex->pattern), found);
}

void regex_free(struct regex *regex)
{
    if (regex == NULL)
        return;
    pcre2_code_free(regex->code);
    pcre2_match_data_free(regex->data);
    pcre2_match_context_free(regex->limits);
    free(regex->workspace);
    free(regex->pattern);
    free(regex);
}
