#include "plan.h"

#include <stdlib.h>

#include "base/memory.h"

static const double SECONDS_MOST = 86400;

void plan_texts_add(struct plan_texts *texts, struct view text)
{
    texts->items = memory_grow(texts->items, texts->count, &texts->capacity, sizeof *texts->items);
    texts->items[texts->count++] = view_copy(text);
}

static void texts_free(struct plan_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
}

void plan_networks_free(struct plan_networks *networks)
{
    texts_free(&networks->models);
    texts_free(&networks->inputs);
    texts_free(&networks->targets);
    free(networks->compile);
    free(networks->run);
}

void suite_plan_free(struct suite_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->count; i++)
        plan_networks_free(&plan->networks[i]);
    plan_networks_free(&plan->common);
    free(plan->networks);
    free(plan->path);
    free(plan);
}

bool plan_seconds(struct view text, double *out_seconds)
{
    return view_to_double(text, out_seconds) && *out_seconds > 0 && *out_seconds <= SECONDS_MOST;
}

// Lines ---------------------------------------------------------------------------------

static void suite_plan_set_text(char **at, struct view text)
{
    free(*at);
    *at = view_copy(text);
}

static status set_key(const struct suite_plan *plan, struct plan_networks *networks,
                      struct view key, struct view value, uint64_t line)
{
    if (value.size == 0)
        return status_at(STATUS_DATA, plan->path, line, "'%.*s' has no value", VIEW_ARGUMENTS(key));
    if (view_is(key, "models"))
        plan_texts_add(&networks->models, value);
    else if (view_is(key, "input"))
        plan_texts_add(&networks->inputs, value);
    else if (view_is(key, "target"))
        plan_texts_add(&networks->targets, value);
    else if (view_is(key, "compile"))
        suite_plan_set_text(&networks->compile, value);
    else if (view_is(key, "run"))
        suite_plan_set_text(&networks->run, value);
    else if (!view_is(key, "timeout"))
        return status_at(STATUS_DATA, plan->path, line,
                         "'%.*s' is none of models, input, target, timeout, compile, run",
                         VIEW_ARGUMENTS(key));
    else if (!plan_seconds(value, &networks->timeout))
        return status_at(
            STATUS_DATA, plan->path, line,
            "timeout: '%.*s' is not a number of seconds, more than 0 and at most a day",
            VIEW_ARGUMENTS(value));
    return STATUS_OK;
}

static status add_section(struct suite_plan *plan, struct view text, uint64_t line)
{
    if (!view_is(text, "[networks]"))
        return status_at(STATUS_DATA, plan->path, line, "expected '[networks]', not '%.*s'",
                         VIEW_ARGUMENTS(text));
    plan->networks =
        memory_grow(plan->networks, plan->count, &plan->capacity, sizeof *plan->networks);
    plan->networks[plan->count++] = (struct plan_networks){.line = line};
    return STATUS_OK;
}

// A '#' begins a remark at the start of a line or after a blank.
static struct view without_remark(struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '#' && (i == 0 || text.data[i - 1] == ' ' || text.data[i - 1] == '\t'))
            return view_slice(text, 0, i);
    }
    return text;
}

static status suite_plan_read_line(struct suite_plan *plan, struct view text, uint64_t line)
{
    if (text.size > 0 && text.data[text.size - 1] == '\r')
        text.size--;
    if (memchr(text.data, '\0', text.size) != NULL)
        return status_at(STATUS_DATA, plan->path, line, "a zero byte, which no text has");
    text = view_trim(without_remark(text));
    if (text.size == 0)
        return STATUS_OK;
    if (text.data[0] == '[')
        return add_section(plan, text, line);
    const size_t at = view_find(text, '=');
    if (at == text.size)
        return status_at(STATUS_DATA, plan->path, line, "expected 'key = value', not '%.*s'",
                         VIEW_ARGUMENTS(text));
    struct plan_networks *networks =
        plan->count > 0 ? &plan->networks[plan->count - 1] : &plan->common;
    return set_key(plan, networks, view_trim(view_slice(text, 0, at)),
                   view_trim(view_slice(text, at + 1, text.size)), line);
}

// What holds for all ----------------------------------------------------------------------

static void inherit_texts(struct plan_texts *to, const struct plan_texts *from)
{
    for (size_t i = 0; to->count < from->count && i < from->count; i++)
        plan_texts_add(to, view_of(from->items[i]));
}

static void inherit(struct plan_networks *to, const struct plan_networks *from)
{
    if (to->models.count == 0)
        inherit_texts(&to->models, &from->models);
    if (to->inputs.count == 0)
        inherit_texts(&to->inputs, &from->inputs);
    if (to->targets.count == 0)
        inherit_texts(&to->targets, &from->targets);
    if (to->timeout == 0)
        to->timeout = from->timeout;
    if (to->compile == NULL && from->compile != NULL)
        to->compile = view_copy(view_of(from->compile));
    if (to->run == NULL && from->run != NULL)
        to->run = view_copy(view_of(from->run));
}

static status suite_plan_read_all(struct suite_plan *plan, struct view text)
{
    uint64_t line = 1;
    for (size_t at = 0; at < text.size; line++) {
        const struct view rest = view_slice(text, at, text.size);
        const size_t size = view_find(rest, '\n');
        STATUS_TRY(suite_plan_read_line(plan, view_slice(rest, 0, size), line));
        at += size + 1;
    }
    if (plan->count == 0)
        return status_make(STATUS_DATA, "%s: a plan has a section [networks] with 'models = ...'",
                           plan->path);
    for (size_t i = 0; i < plan->count; i++) {
        inherit(&plan->networks[i], &plan->common);
        if (plan->networks[i].models.count == 0)
            return status_at(STATUS_DATA, plan->path, plan->networks[i].line,
                             "which networks? 'models = nets/*.onnx' says it");
    }
    return STATUS_OK;
}

status suite_plan_read(const char *path, struct view text, struct suite_plan **out_plan)
{
    struct suite_plan *plan = memory_allocate_zeroed(1, sizeof *plan);
    plan->path = view_copy(view_of(path));
    const status result = suite_plan_read_all(plan, text);
    if (result == STATUS_OK)
        *out_plan = plan;
    else
        suite_plan_free(plan);
    return result;
}
