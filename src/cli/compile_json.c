#include <inttypes.h>
#include <stdio.h>

#include "calibrated.h"
#include "compile_summary.h"
#include "wire/json.h"

static double to_ms(const struct compiling *compiling, uint64_t cycles)
{
    return (double)cycles * 1e3 / (double)compiling->target->clock;
}

static void write_busy(struct json_writer *json, const uint64_t busy[MODELLED_KINDS])
{
    char key[32];
    for (int i = 0; i < MODELLED_KINDS; i++) {
        snprintf(key, sizeof key, "%s_cycles", modelled_kind_name((enum modelled_kind)i));
        json_uint(json, key, busy[i]);
    }
}

static void write_time(struct json_writer *json, const struct compiling *compiling)
{
    const struct modelled *modelled = compiling->modelled;
    json_open_object(json, "modelled");
    json_text(json, "rules", view_of(compiling->rules == COST_RULES_PUBLIC ? "public" : "best"));
    json_real(json, "ms", to_ms(compiling, modelled->cycles));
    json_uint(json, "cycles", modelled->cycles);
    json_uint(json, "clock_hz", compiling->target->clock);
    calibrated_json(json, compiling->target);
    write_busy(json, modelled->busy);
    json_uint(json, "link_cycles", modelled->link);
    json_uint(json, "idle_cycles", modelled->idle);
    json_uint(json, "least_cycles", modelled->least);
    json_uint(json, "unpriced_tasks", modelled->unpriced);
    if (modelled->least > 0)
        json_text(json, "least_engine",
                  view_of(compiling->target->engines[modelled->least_engine].name));
    else
        json_null(json, "least_engine");
    json_close(json);
}

static void compile_json_write_memories(struct json_writer *json, const struct compiling *compiling)
{
    json_open_array(json, "memories");
    for (uint32_t i = 0; i < compiling->target->memory_count; i++) {
        const struct target_memory *memory = &compiling->target->memories[i];
        const struct modelled_memory *used = &compiling->modelled->memories[i];
        json_open_object(json, NULL);
        json_text(json, "name", view_of(memory->name));
        json_bool(json, "local", memory->local);
        json_uint(json, "size", memory->size);
        json_uint(json, "peak", used->peak);
        json_uint(json, "reach", used->reach);
        json_uint(json, "constants", used->constants);
        json_uint(json, "buffers_of_unknown_size", used->unknown);
        json_close(json);
    }
    json_close(json);
}

static void write_warnings(struct json_writer *json, const struct compiling *compiling)
{
    const struct plan *plan = compiling->plan;
    json_open_array(json, "warnings");
    for (size_t i = 0; i < plan->warning_count; i++) {
        json_open_object(json, NULL);
        json_text(json, "kind", view_of(plan->warnings[i].kind));
        if (plan->warnings[i].group != UINT32_MAX)
            json_uint(json, "group", plan->warnings[i].group);
        else
            json_null(json, "group");
        json_text(json, "text", view_of(plan->warnings[i].text));
        json_close(json);
    }
    json_close(json);
}

static void write_conversion(struct json_writer *json, const struct compiling *compiling)
{
    const struct conversion_record *record = &compiling->network->conversion;
    if (record->text.size == 0)
        return;
    json_open_object(json, "converted");
    json_text(json, "elements", record->text);
    json_uint(json, "operators", record->operators);
    json_uint(json, "operators_that_stay", record->kept);
    json_uint(json, "constants", record->constants);
    json_uint(json, "casts", record->casts);
    json_uint(json, "numbers_beyond_range", record->beyond);
    json_close(json);
}

static void write_proved(struct json_writer *json, const struct verify_counts *proved)
{
    json_open_object(json, "proved");
    json_uint(json, "tasks", proved->tasks);
    json_uint(json, "steps", proved->steps);
    json_uint(json, "dependencies", proved->dependencies);
    json_uint(json, "buffers", proved->buffers);
    json_uint(json, "values", proved->values);
    json_close(json);
}

status compile_summary_json(const struct compiling *compiling, struct table *groups,
                            const char *output_path)
{
    const struct program *program = &compiling->program;
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "network", view_of(compiling->path));
    json_text(&json, "target", view_of(compiling->target->name));
    json_text(&json, "program", view_of(output_path));
    json_uint(&json, "operators", compiling->operators);
    json_uint(&json, "groups", program->group_count);
    json_uint(&json, "tasks", program->task_count);
    json_uint(&json, "dispatches", program->dispatch_count);
    json_uint(&json, "jobs", program->job_count);
    json_uint(&json, "constants", compiling->modelled->constants);
    json_uint(&json, "groups_on_host", compiling->modelled->host_groups);
    json_uint(&json, "groups_of_unknown_time", compiling->modelled->unknown_groups);
    write_conversion(&json, compiling);
    write_time(&json, compiling);
    compile_json_write_memories(&json, compiling);
    table_json_rows(groups, &json, "slowest");
    write_warnings(&json, compiling);
    write_proved(&json, &compiling->proved);
    json_close(&json);
    return output_close(output);
}
