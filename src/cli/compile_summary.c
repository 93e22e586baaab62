#include "compile_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "calibrated.h"
#include "plain_text.h"
#include "table_options.h"

enum {
    NAME_MOST = 40,
    REASONS_MOST = 5,
    FAR_FROM_LEAST = 20, // times: then the summary says why
};

static void print_time(const struct compiling *compiling, uint64_t cycles, int width)
{
    char text[FIGURES_ROOM];
    printf("%*s", width, figures_time(cycles, compiling->target->clock, text));
}

static double share(const struct compiling *compiling, uint64_t cycles)
{
    const uint64_t all = compiling->modelled->cycles;
    return all == 0 ? 0 : 100.0 * (double)cycles / (double)all;
}

static void compile_summary_print_head(const struct compiling *compiling)
{
    char operators[FIGURES_ROOM];
    char groups[FIGURES_ROOM];
    char tasks[FIGURES_ROOM];
    const struct view source = compiling->program.source;
    const size_t dot = view_find_last(source, '.');
    plain_text_put(view_slice(source, 0, dot > 0 ? dot : source.size));
    printf(" for %s: %s operator%s in %s group%s, %s task%s\n", compiling->target->name,
           figures_count(compiling->operators, operators), compiling->operators == 1 ? "" : "s",
           figures_count(compiling->program.group_count, groups),
           compiling->program.group_count == 1 ? "" : "s",
           figures_count(compiling->program.task_count, tasks),
           compiling->program.task_count == 1 ? "" : "s");
}

static void print_modelled(const struct compiling *compiling)
{
    const struct modelled *modelled = compiling->modelled;
    char cycles[FIGURES_ROOM];
    if (modelled->cycles == 0 && modelled->unpriced > 0) { // what follows says why
        printf("  modelled  absent\n");
        return;
    }
    printf("  modelled  ");
    print_time(compiling, modelled->cycles, 9);
    printf(" ");
    for (int i = 0; i < MODELLED_KINDS; i++) {
        if (modelled->busy[i] > 0)
            printf("  %s %.0f %%", modelled_kind_name((enum modelled_kind)i),
                   share(compiling, modelled->busy[i]));
    }
    if (modelled->link > 0)
        printf("  link %.0f %%", share(compiling, modelled->link));
    if (modelled->idle > 0)
        printf("  idle %.0f %%", share(compiling, modelled->idle));
    printf("   (%s cycles at %g MHz)\n", figures_short(modelled->cycles, cycles),
           (double)compiling->target->clock / 1e6);
}

// How many times as long, with two digits.
static void print_times(uint64_t cycles, uint64_t least)
{
    const double times = (double)cycles / (double)(least > 0 ? least : 1);
    printf("%.*f times", times < 9.95 ? 1 : 0, times);
}

static void print_least(const struct compiling *compiling)
{
    const struct modelled *modelled = compiling->modelled;
    if (modelled->unpriced > 0)
        printf("  not priced  %u task%s of %s: the published rules give it no time\n",
               modelled->unpriced, modelled->unpriced == 1 ? "" : "s",
               compiling->target->engines[modelled->unpriced_engine].name);
    if (modelled->least == 0)
        return;
    printf("  at least  ");
    print_time(compiling, modelled->least, 9);
    printf("   by %s at its peak rate: modelled is ",
           compiling->target->engines[modelled->least_engine].name);
    print_times(modelled->cycles, modelled->least);
    printf(" that\n");
    if (modelled->cycles / FAR_FROM_LEAST <= modelled->least)
        return;
    const struct modelled_type kind = modelled_slowest_type(modelled, &compiling->program);
    printf("  because   ");
    print_time(compiling, kind.cycles, 9);
    printf("   is for %u %s, ", kind.count, program_text(&compiling->program, kind.type));
    print_times(kind.cycles, kind.least);
    printf(" what the peak rates allow\n");
}

static void compile_summary_print_memory(const struct compiling *compiling)
{
    const struct modelled *modelled = compiling->modelled;
    char text[FIGURES_ROOM];
    const char *gap = "    ";
    printf("  memory");
    for (uint32_t i = 0; i < compiling->target->memory_count; i++) {
        const struct target_memory *memory = &compiling->target->memories[i];
        if (modelled->memories[i].peak == 0)
            continue;
        printf("%s%s %s", gap, memory->name, figures_bytes(modelled->memories[i].peak, text));
        if (memory->local)
            printf(" of %s", figures_bytes(memory->size, text));
        gap = "   ";
    }
    printf("%sconstants %s\n", gap, figures_bytes(modelled->constants, text));
}

// Groups ----------------------------------------------------------------------

struct groups_report compile_summary_groups(const struct compiling *compiling)
{
    return (struct groups_report){.program = &compiling->program,
                                  .target = compiling->target,
                                  .modelled = compiling->modelled};
}

// Groups that only show bytes under another shape take no time, and are not shown.
static uint32_t compile_summary_count_busy(const struct modelled *modelled)
{
    uint32_t count = 0;
    while (count < modelled->group_count &&
           modelled->groups[count].busy[modelled->groups[count].bound] > 0)
        count++;
    return count;
}

static void print_slowest(const struct compiling *compiling, struct table *groups)
{
    const struct modelled *modelled = compiling->modelled;
    const uint32_t busy = compile_summary_count_busy(modelled);
    if (table_count(groups) > busy)
        table_limit(groups, busy);
    if (busy > 0)
        table_options_print(groups, stdout);
    const uint32_t shown = (uint32_t)table_count(groups);
    const uint32_t more = modelled_groups_above(modelled, shown, 5);
    if (more > 0)
        printf("  %-10s(%u more above 5 %%: --top %u)\n", "", more, shown + more);
}

// Host ------------------------------------------------------------------------

static void print_host(const struct compiling *compiling)
{
    const struct program *program = &compiling->program;
    if (compiling->modelled->host_groups == 0)
        return;
    size_t count;
    struct modelled_reason *reasons = modelled_host_reasons(program, compiling->target, &count);
    for (size_t i = 0; i < count && i < REASONS_MOST; i++) {
        char name[512];
        char more[32] = "";
        modelled_group_text(program, reasons[i].group, name, sizeof name);
        if (reasons[i].count > 1)
            snprintf(more, sizeof more, " and %u more", reasons[i].count - 1);
        printf("  %-10s", i == 0 ? "on host" : "");
        plain_text_print_name(view_of(name),
                              (int)(strlen(name) < NAME_MOST ? strlen(name) : NAME_MOST));
        printf("%s: %s\n", more, program_text(program, reasons[i].text));
    }
    if (count > REASONS_MOST)
        printf("  %-10s(%zu more reasons: --json)\n", "", count - REASONS_MOST);
    free(reasons);
}

static void print_conversion(const struct compiling *compiling)
{
    const struct conversion_record *record = &compiling->network->conversion;
    if (record->text.size == 0)
        return;
    printf("  converted %.*s: %" PRIu64 " operators, %" PRIu64 " constants, %" PRIu64 " casts",
           VIEW_ARGUMENTS(record->text), record->operators, record->constants, record->casts);
    if (record->kept > 0)
        printf("; %" PRIu64 " operators do not take it and stay", record->kept);
    printf("\n");
}

void compile_summary_print(const struct compiling *compiling, struct table *groups)
{
    compile_summary_print_head(compiling);
    print_conversion(compiling);
    print_modelled(compiling);
    calibrated_print(compiling->target, "  remark    ");
    print_least(compiling);
    compile_summary_print_memory(compiling);
    print_slowest(compiling, groups);
    print_host(compiling);
    const uint32_t unknown = compiling->modelled->unknown_groups;
    if (unknown > 0)
        printf("  %-10stime of %u group%s: not in the modelled time\n", "unknown", unknown,
               unknown == 1 ? "" : "s");
}

void compile_summary_warnings(const struct compiling *compiling)
{
    const struct plan *plan = compiling->plan;
    for (size_t i = 0; i < plan->warning_count; i++) {
        const struct plan_warning *warning = &plan->warnings[i];
        char name[512];
        printf("warning: %s: ", warning->kind);
        if (warning->group != UINT32_MAX)
            printf("%s: ",
                   modelled_group_text(&compiling->program, warning->group, name, sizeof name));
        printf("%s\n", warning->text);
    }
}
