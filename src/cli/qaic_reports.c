#include "qaic_reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compile_summary.h"
#include "formats/qaic/dumps.h"
#include "formats/qaic/perf_metrics.h"
#include "formats/qaic/perf_warnings.h"
#include "plain_text.h"

enum { FEW_GROUPS = 3, MORE_GROUPS = 10 };

// The environment ----------------------------------------------------------------------

static const char VARIABLE[] = "QAIC_COMPILER_OPTS_UNSUPPORTED";
static const char DUMPS[] = "-aic-dump-graphs-dir=";

bool qaic_reports_price(const struct arguments *arguments)
{
    static const char *const OPTIONS[] = {"v",           "vv",  "vvv", "aic-perf-warnings",
                                          "time-passes", "time"};
    bool asked = getenv(VARIABLE) != NULL;
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++)
        asked = asked || arguments_flag(arguments, OPTIONS[i]);
    return asked;
}

// Passes and their time ----------------------------------------------------------------

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static status note_pass(void *context, unsigned number, const char *name, const struct plan *plan)
{
    // By the number of the phase that a pass ends.
    static const char *const NAMES[] = {
        [4] = "fold", [5] = "fuse", [6] = "place", [7] = "tile", [8] = "emit"};
    struct qaic_passes *passes = context;
    const uint64_t time = now();
    (void)name;
    (void)plan;
    if (number < sizeof NAMES / sizeof NAMES[0] && NAMES[number] != NULL &&
        passes->count < QAIC_PASSES_MOST) {
        passes->items[passes->count].name = NAMES[number];
        passes->items[passes->count++].time = time - passes->since;
    }
    passes->since = time;
    return STATUS_OK;
}

struct compile_observer qaic_reports_observe(struct qaic_passes *passes)
{
    passes->since = now();
    return (struct compile_observer){passes, note_pass};
}

static void print_passes(const struct qaic_passes *passes)
{
    printf("Compile-time statistics:\n");
    for (size_t i = 0; i < passes->count; i++)
        printf("  %-24s %12.3f ms\n", passes->items[i].name, (double)passes->items[i].time / 1e6);
    printf("  %-24s %12.3f ms\n", "prove and price", (double)(now() - passes->since) / 1e6);
}

// The program --------------------------------------------------------------------------

// What 'opscope compile' prints, with a few groups, more, or all of them.
static void print_verbosely(const struct arguments *arguments, const struct compiling *compiling)
{
    const bool most = arguments_flag(arguments, "vvv");
    const bool more = most || arguments_flag(arguments, "vv");
    if (!more && !arguments_flag(arguments, "v"))
        return;
    const struct groups_report report = compile_summary_groups(compiling);
    struct table *groups = table_create(&GROUPS_FORM, &report, compiling->modelled->group_count);
    if (!most)
        table_limit(groups, more ? MORE_GROUPS : FEW_GROUPS);
    compile_summary_print(compiling, groups);
    table_free(groups);
}

static void print_metrics(const struct compiling *compiling, const char *network)
{
    struct qaic_perf_metrics metrics;
    struct bytes text = {0};
    qaic_perf_metrics_find(&compiling->program, compiling->target, compiling->target->core_count,
                           &metrics);
    qaic_perf_metrics_print(&metrics, network, &text);
    fwrite(text.data, 1, text.size, stdout);
    bytes_free(&text);
    qaic_perf_metrics_free(&metrics);
}

// On the standard error, as the vendor's come.
static void print_warnings(const struct compiling *compiling)
{
    struct bytes text = {0};
    qaic_perf_warnings_find(&compiling->program, compiling->target, compiling->times, &text);
    for (size_t i = 0; i < compiling->plan->warning_count; i++) {
        const struct plan_warning *warning = &compiling->plan->warnings[i];
        char name[512] = "";
        if (warning->group != UINT32_MAX)
            modelled_group_text(&compiling->program, warning->group, name, sizeof name);
        bytes_append_format(&text, "%s: %s%s%s\n", warning->kind, name, name[0] != '\0' ? ": " : "",
                            warning->text);
    }
    for (struct view rest = bytes_view(&text); rest.size > 0;) {
        const size_t end = view_find(rest, '\n');
        fputs("AIC WARNING: ", stderr);
        plain_text_print(stderr, view_slice(rest, 0, end), 0);
        fputc('\n', stderr);
        rest = view_slice(rest, end + 1, rest.size);
    }
    bytes_free(&text);
}

void qaic_reports_print(const struct arguments *arguments, const struct compiling *compiling,
                        const char *network, const struct qaic_passes *passes)
{
    if (arguments_flag(arguments, "time-passes") || arguments_flag(arguments, "time"))
        print_passes(passes);
    print_verbosely(arguments, compiling);
    if (arguments_flag(arguments, "aic-perf-metrics"))
        print_metrics(compiling, network);
    if (arguments_flag(arguments, "aic-perf-warnings"))
        print_warnings(compiling);
}

// The next word; false after the last one.
static bool next_word(struct view *rest, struct view *out_word)
{
    *rest = view_trim(*rest);
    *out_word = view_slice(*rest, 0, view_find(*rest, ' '));
    *rest = view_slice(*rest, out_word->size, rest->size);
    return out_word->size > 0;
}

status qaic_reports_dump(const struct compiling *compiling, const char *network)
{
    const char *text = getenv(VARIABLE);
    struct view rest = view_of(text != NULL ? text : ""), word;
    while (next_word(&rest, &word)) {
        if (view_starts_with(word, DUMPS)) {
            char folder[4096];
            snprintf(folder, sizeof folder, "%.*s",
                     VIEW_ARGUMENTS(view_slice(word, strlen(DUMPS), word.size)));
            STATUS_TRY(qaic_dumps_write(folder, network, &compiling->program, compiling->target,
                                        compiling->times));
        } else if (word.data[0] == '-') { // else the value of the one before
            printf("%s: %.*s: taken, without effect: it is for the vendor's own passes\n", VARIABLE,
                   VIEW_ARGUMENTS(word));
        }
    }
    return STATUS_OK;
}
