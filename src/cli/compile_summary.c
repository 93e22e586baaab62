#include "compile_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "base/memory.h"
#include "plain_text.h"

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

static void print_head(const struct compiling *compiling)
{
    char operators[FIGURES_ROOM];
    char groups[FIGURES_ROOM];
    char tasks[FIGURES_ROOM];
    const struct view source = compiling->program.source;
    const size_t dot = view_find_last(source, '.');
    printf("%.*s for %s: %s operator%s in %s group%s, %s task%s\n",
           VIEW_ARGUMENTS(view_slice(source, 0, dot > 0 ? dot : source.size)),
           compiling->target->name, figures_count(compiling->operators, operators),
           compiling->operators == 1 ? "" : "s",
           figures_count(compiling->program.group_count, groups),
           compiling->program.group_count == 1 ? "" : "s",
           figures_count(compiling->program.task_count, tasks),
           compiling->program.task_count == 1 ? "" : "s");
}

static void print_modelled(const struct compiling *compiling)
{
    const struct modelled *modelled = compiling->modelled;
    char cycles[FIGURES_ROOM];
    printf("  modelled  ");
    print_time(compiling, modelled->cycles, 9);
    printf(" ");
    for (int i = 0; i < MODELLED_KINDS; i++) {
        if (modelled->busy[i] > 0)
            printf("  %s %.0f %%", modelled_kind_name((enum modelled_kind)i),
                   share(compiling, modelled->busy[i]));
    }
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

// Groups of one type, taken together.
struct kind {
    uint32_t type; // text
    uint32_t count;
    uint64_t cycles;
    uint64_t least;
};

// The type whose groups take the most time beyond their least.
static struct kind find_slow_kind(const struct compiling *compiling)
{
    const struct modelled *modelled = compiling->modelled;
    struct kind *kinds = memory_allocate_zeroed((size_t)modelled->group_count + 1, sizeof *kinds);
    struct kind slowest = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < modelled->group_count; i++) {
        const struct modelled_group *group = &modelled->groups[i];
        const uint32_t type = compiling->program.groups[group->group].type;
        size_t k = 0;
        while (k < count && kinds[k].type != type)
            k++;
        if (k == count)
            kinds[count++].type = type;
        kinds[k].count++;
        kinds[k].cycles += group->end - group->start;
        kinds[k].least += group->least;
        if (kinds[k].cycles - kinds[k].least > slowest.cycles - slowest.least)
            slowest = kinds[k];
    }
    free(kinds);
    return slowest;
}

static void print_least(const struct compiling *compiling)
{
    const struct modelled *modelled = compiling->modelled;
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
    const struct kind kind = find_slow_kind(compiling);
    printf("  because   ");
    print_time(compiling, kind.cycles, 9);
    printf("   is for %u %s, ", kind.count, program_text(&compiling->program, kind.type));
    print_times(kind.cycles, kind.least);
    printf(" what the peak rates allow\n");
}

static void print_memory(const struct compiling *compiling)
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

static uint32_t count_above(const struct modelled *modelled, uint32_t from, double percent)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < modelled->group_count; i++) {
        const struct modelled_group *group = &modelled->groups[i];
        count += (double)(group->end - group->start) * 100 > percent * (double)modelled->cycles;
    }
    return count;
}

static void print_slowest(const struct compiling *compiling, unsigned top)
{
    const struct modelled *modelled = compiling->modelled;
    const uint32_t shown = top < modelled->group_count ? top : modelled->group_count;
    for (uint32_t i = 0; i < shown; i++) {
        const struct modelled_group *group = &modelled->groups[i];
        if (group->busy[group->bound] == 0)
            break;
        char name[512];
        printf("  %-10s", i == 0 ? "slowest" : "");
        modelled_group_text(&compiling->program, group->group, name, sizeof name);
        plain_text_print_name(view_of(name), NAME_MOST);
        print_time(compiling, group->end - group->start, 10);
        printf("  %s-bound", modelled_kind_name(group->bound));
        printf("\n");
    }
    const uint32_t more = count_above(modelled, shown, 5);
    if (more > 0)
        printf("  %-10s(%u more above 5 %%: --top %u)\n", "", more, shown + more);
}

// Host ------------------------------------------------------------------------

struct reason {
    uint32_t text;  // id in the program
    uint32_t group; // the first one
    uint32_t count;
};

static bool is_on_host(const struct compiling *compiling, uint32_t group)
{
    const uint32_t engine = compiling->program.groups[group].engine;
    return compiling->target->engines[engine].role == TARGET_ROLE_HOST;
}

static void add_reason(struct reason *reasons, size_t *count, uint32_t text, uint32_t group)
{
    size_t i = 0;
    while (i < *count && reasons[i].text != text)
        i++;
    if (i == *count)
        reasons[(*count)++] = (struct reason){text, group, 0};
    reasons[i].count++;
}

static int by_count(const void *left, const void *right)
{
    const struct reason *a = left;
    const struct reason *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->group > b->group) - (a->group < b->group);
}

static void print_host(const struct compiling *compiling)
{
    const struct program *program = &compiling->program;
    if (compiling->modelled->host_groups == 0)
        return;
    struct reason *reasons =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *reasons);
    size_t count = 0;
    for (uint32_t i = 0; i < program->group_count; i++) {
        if (is_on_host(compiling, i))
            add_reason(reasons, &count, program->groups[i].reason, i);
    }
    qsort(reasons, count, sizeof *reasons, by_count);
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

void compile_summary_print(const struct compiling *compiling, unsigned top)
{
    print_head(compiling);
    print_modelled(compiling);
    print_least(compiling);
    print_memory(compiling);
    print_slowest(compiling, top);
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
