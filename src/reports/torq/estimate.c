#include "estimate.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/path.h"
#include "estimate_table.h"
#include "formats/torq/dump_writer.h"
#include "formats/writers.h"
#include "program/print.h"
#include "wire/json.h"

const char *estimate_rules_name(const struct estimate *estimate)
{
    return estimate->rules == COST_RULES_PUBLIC ? "public" : "best";
}

status estimate_compute(struct estimate *estimate)
{
    STATUS_TRY(sim_run(estimate->program, estimate->target, estimate->rules, &estimate->times));
    estimate->rows = estimate_rows(estimate->program, estimate->target, estimate->times,
                                   estimate->rules, &estimate->row_count);
    return STATUS_OK;
}

void estimate_free(struct estimate *estimate)
{
    free(estimate->rows);
    sim_result_free(estimate->times);
}

static int torq_estimate_by_start(const void *left, const void *right)
{
    const struct estimate_row *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

void estimate_rows_sort(struct estimate *estimate)
{
    sort_items(estimate->rows, estimate->row_count, sizeof *estimate->rows, torq_estimate_by_start);
}

// Writing ----------------------------------------------------------------------------

static void write_json_action(struct json_writer *json, const struct estimate *estimate,
                              uint32_t index)
{
    const struct program_action *action = &estimate->program->actions[index];
    json_open_object(json, NULL);
    json_uint(json, "action", action->number);
    json_text(json, "kind", view_of(program_action_kind_name(action->kind)));
    json_uint(json, "start_cycles", estimate->times->actions[index].start);
    json_uint(json, "end_cycles", estimate->times->actions[index].end);
    json_uint(json, "bytes", action->bytes);
    json_close(json);
}

status estimate_write_json(const struct estimate *estimate, struct table *rows, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(estimate->path));
    json_text(&json, "target", view_of(estimate->target->name));
    json_text(&json, "rules", view_of(estimate_rules_name(estimate)));
    json_uint(&json, "clock_hz", estimate->target->clock);
    json_uint(&json, "cycles", estimate->times->end);
    if (target_is_processor(estimate->target))
        json_bool(&json, "calibrated", !target_is_guess(estimate->target));
    json_uint(&json, "dispatches", estimate->program->dispatch_count);
    json_uint(&json, "jobs", estimate->program->job_count);
    json_open_array(&json, "actions");
    for (uint32_t i = 0; i < estimate->program->action_count; i++)
        write_json_action(&json, estimate, i);
    json_close(&json);
    table_json_rows(rows, &json, "rows");
    json_close(&json);
    return output_close(output);
}

// `form` says the name.
struct estimate_form {
    const char *name;
    const char *extensions[2]; // NULL: none says it
    status (*write)(const struct estimate *estimate, const struct estimate_form *form,
                    const char *path);
};

static status torq_estimate_write_json(const struct estimate *estimate,
                                       const struct estimate_form *form, const char *path)
{
    (void)form;
    struct table *rows = table_create(&ESTIMATE_FORM, estimate, estimate->row_count);
    const status result = estimate_write_json(estimate, rows, path);
    table_free(rows);
    return result;
}

static status torq_estimate_write_rows(const struct estimate *estimate,
                                       const struct estimate_form *form, const char *path)
{
    (void)form;
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    estimate_rows_write(estimate->program, estimate->rows, estimate->row_count, output);
    return output_close(output);
}

static status write_dump(const struct estimate *estimate, const struct estimate_form *form,
                         const char *path)
{
    (void)form;
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    const status result =
        torq_dump_write(estimate->program, estimate->target, estimate->times, true, output);
    return output_finish(output, result);
}

static status torq_estimate_write_profile(const struct estimate *estimate,
                                          const struct estimate_form *form, const char *path)
{
    struct profile *profile = profile_create();
    status result = sim_profile(estimate->program, estimate->target, estimate->times, profile);
    result = status_first(result, profile_finish(profile));
    const struct format_writer *writer;
    result = status_first(result, format_writer_find(form->name, path, &writer));
    if (result == STATUS_OK)
        result = writer->write(writer, profile, path, &(struct write_options){0});
    profile_free(profile);
    return result;
}

// What only an estimate has; the rest is written as any profile (formats/writers.h).
static const struct estimate_form FORMS[] = {
    {"torq-c1", {NULL}, torq_estimate_write_profile},
    {"torq-c2", {NULL}, torq_estimate_write_profile},
    {"torq-c4", {".csv"}, torq_estimate_write_rows},
    {"torq-dump", {".mlir"}, write_dump},
    {"perfetto", {".pb", ".pftrace"}, torq_estimate_write_profile},
    {"profile", {".prof"}, torq_estimate_write_profile},
    {"json", {".json"}, torq_estimate_write_json},
};

static bool torq_estimate_has_extension(const struct estimate_form *form, struct view name)
{
    for (size_t i = 0; i < sizeof form->extensions / sizeof form->extensions[0]; i++) {
        if (form->extensions[i] != NULL && view_has_extension(name, form->extensions[i]))
            return true;
    }
    return false;
}

const struct estimate_form *estimate_form_find(const char *name, const char *path)
{
    const struct view file = path_unpacked_name(view_of(path));
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        if (name != NULL ? strcmp(FORMS[i].name, name) == 0
                         : torq_estimate_has_extension(&FORMS[i], file))
            return &FORMS[i];
    }
    return NULL;
}

status estimate_write(const struct estimate *estimate, const struct estimate_form *form,
                      const char *path)
{
    return form->write(estimate, form, path);
}
