#include "kineto_steps.h"

#include <string.h>

#include "base/sort.h"

bool kineto_step_is(const struct chrome_event *event, uint32_t *out_number)
{
    const struct view name = event->name, category = event->category;
    uint64_t number;
    if (!view_starts_with(name, "ProfilerStep#") ||
        !view_to_u64(view_slice(name, strlen("ProfilerStep#"), name.size), &number))
        return false;
    *out_number = (uint32_t)number;
    return category.size == 0 || view_is(category, "user_annotation") ||
           view_is(category, "cpu_op") || view_is(category, "Operator");
}

status kineto_steps_add(struct kineto_steps *steps, const struct chrome_event *event)
{
    struct kineto_step step = {.start = event->ts, .end = event->ts + event->dur};
    if (!kineto_step_is(event, &step.number))
        return STATUS_OK;
    steps->count++;
    return spool_append(&steps->spool, &step, sizeof step);
}

static bool steps_by_start(const void *left, const void *right)
{
    return ((const struct kineto_step *)left)->start < ((const struct kineto_step *)right)->start;
}

status kineto_steps_finish(struct kineto_steps *steps)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&steps->spool, &data, &size));
    steps->items = (struct kineto_step *)(void *)data;
    sort_in_place(steps->items, steps->count, sizeof *steps->items, steps_by_start);
    return STATUS_OK;
}

uint32_t kineto_steps_at(const struct kineto_steps *steps, int64_t time)
{
    size_t from = 0;
    size_t to = steps->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (steps->items[middle].start <= time)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && time < steps->items[from - 1].end ? steps->items[from - 1].number : 0;
}
