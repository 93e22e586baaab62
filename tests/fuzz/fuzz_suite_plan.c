// Any text as a plan, and its commands as command lines.

#include <stdlib.h>

#include "suite/command.h"
#include "suite/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void expand(const char *text)
{
    static const char *const TEXTS[] = {"x y", "z"};
    static const struct command_value VALUES[] = {{"model", TEXTS, 1}, {"inputs", TEXTS, 2}};
    struct command_words words;
    const status failure = text != NULL ? command_expand(text, VALUES, 2, &words) : STATUS_OK;
    if (text != NULL && failure == STATUS_OK) {
        check(words.count > 0 || words.words == NULL || words.words[0] == NULL);
        struct bytes quoted = {0};
        command_words_quote(&words, &quoted);
        bytes_free(&quoted);
        command_words_free(&words);
    }
    status_free(failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct suite_plan *plan;
    const status failure = suite_plan_read("fuzz", (struct view){(const char *)data, size}, &plan);
    if (failure == STATUS_OK) {
        check(plan->count > 0);
        for (size_t i = 0; i < plan->count; i++) {
            check(plan->networks[i].models.count > 0 && plan->networks[i].timeout >= 0);
            expand(plan->networks[i].compile);
            expand(plan->networks[i].run);
        }
        suite_plan_free(plan);
    }
    status_free(failure);
    return 0;
}
