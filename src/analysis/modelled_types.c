// Groups of operators taken together: by their type, and by why they are on the host.

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "modelled.h"

uint32_t modelled_groups_above(const struct modelled *modelled, uint32_t from, double percent)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < modelled->group_count; i++) {
        const struct modelled_group *group = &modelled->groups[i];
        count += (double)(group->end - group->start) * 100 > percent * (double)modelled->cycles;
    }
    return count;
}

struct modelled_type modelled_slowest_type(const struct modelled *modelled,
                                           const struct program *program)
{
    struct modelled_type *kinds =
        memory_allocate_zeroed((size_t)modelled->group_count + 1, sizeof *kinds);
    struct modelled_type slowest = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < modelled->group_count; i++) {
        const struct modelled_group *group = &modelled->groups[i];
        const uint32_t type = program->groups[group->group].type;
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

static void add_reason(struct modelled_reason *reasons, size_t *count, uint32_t text,
                       uint32_t group)
{
    size_t i = 0;
    while (i < *count && reasons[i].text != text)
        i++;
    if (i == *count)
        reasons[(*count)++] = (struct modelled_reason){text, group, 0};
    reasons[i].count++;
}

static int by_count(const void *left, const void *right)
{
    const struct modelled_reason *a = left;
    const struct modelled_reason *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->group > b->group) - (a->group < b->group);
}

struct modelled_reason *modelled_host_reasons(const struct program *program,
                                              const struct target *target, size_t *out_count)
{
    struct modelled_reason *reasons =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *reasons);
    *out_count = 0;
    for (uint32_t i = 0; i < program->group_count; i++) {
        if (target->engines[program->groups[i].engine].role == TARGET_ROLE_HOST)
            add_reason(reasons, out_count, program->groups[i].reason, i);
    }
    sort_items(reasons, *out_count, sizeof *reasons, by_count);
    return reasons;
}
