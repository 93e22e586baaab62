#include "plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

struct plan *plan_create(struct network *network, const struct target *target)
{
    struct plan *plan = memory_allocate_zeroed(1, sizeof *plan);
    plan->network = network;
    plan->target = target;
    plan->first_copy = network->nodes.count;
    return plan;
}

void plan_free(struct plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->warnings);
    free(plan->originals);
    arena_free(&plan->arena);
    free(plan);
}

const char *plan_text(struct plan *plan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct view text = arena_format(&plan->arena, format, arguments);
    va_end(arguments);
    return text.data;
}

void plan_warn(struct plan *plan, uint32_t group, const char *kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct view text = arena_format(&plan->arena, format, arguments);
    va_end(arguments);
    plan->warnings = memory_grow(plan->warnings, plan->warning_count, &plan->warning_capacity,
                                 sizeof *plan->warnings);
    plan->warnings[plan->warning_count++] = (struct plan_warning){kind, text.data, group};
}

uint32_t plan_original(const struct plan *plan, uint32_t node)
{
    return node < plan->first_copy ? node : plan->originals[node - plan->first_copy];
}

uint64_t plan_box_bytes(const struct plan_box *box, enum element element)
{
    uint64_t bytes = element_size(element);
    for (uint32_t i = 0; i < box->rank; i++)
        bytes *= (uint64_t)box->size[i];
    return bytes;
}

struct plan_box plan_box_whole(const struct shape *shape)
{
    struct plan_box box = {.rank = shape->rank};
    memcpy(box.size, shape->dims, shape->rank * sizeof *box.size);
    return box;
}
