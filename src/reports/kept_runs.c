#include "kept_runs.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "wire/json.h"
#include "wire/json_reader.h"

static const char MARK[] = "opscope_runs";

#define NUMBER_MOST 1e18 // of ns, bytes and multiplications: what is more is no measurement

struct work_run *kept_runs_add(struct kept_runs *runs)
{
    runs->items = memory_grow(runs->items, runs->count, &runs->capacity, sizeof *runs->items);
    runs->items[runs->count] = (struct work_run){0};
    return &runs->items[runs->count++];
}

void kept_runs_free(struct kept_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        work_free(&runs->items[i]);
    free(runs->items);
    *runs = (struct kept_runs){0};
}

// Writing ---------------------------------------------------------------------

static void write_parts(struct json_writer *json, const struct work_run *run)
{
    json_open_array(json, "parts");
    for (size_t i = 0; i < run->part_count; i++) {
        const struct work_part *part = &run->parts[i];
        json_open_object(json, NULL);
        json_text(json, "name", part->name);
        json_text(json, "type", part->type);
        json_text(json, "shape", part->shape);
        json_text(json, "location", part->location);
        json_text(json, "kernel", part->kernel);
        json_bool(json, "operator", part->is_operator);
        json_uint(json, "first_ns", part->first);
        json_uint(json, "calls", part->calls);
        json_real(json, "bytes", part->bytes);
        json_real(json, "macs", part->macs);
        json_real(json, "waited_ns", part->waited);
        json_close(json);
    }
    json_close(json);
}

static void kept_runs_write_run(struct json_writer *json, const struct work_run *run)
{
    json_open_object(json, NULL);
    json_text(json, "source", run->source);
    if (run->machine.size > 0)
        json_text(json, "machine", run->machine);
    json_text(json, "side", view_of(run->side == WORK_DEVICE ? "device" : "host"));
    json_bool(json, "modelled", run->modelled);
    json_text(json, "clock", run->clock);
    json_uint(json, "began_ns", run->began);
    json_open_array(json, "iterations"); // number, first, last, busy, whole
    for (size_t i = 0; i < run->iteration_count; i++) {
        const struct work_iteration *round = &run->iterations[i];
        json_open_array(json, NULL);
        json_uint(json, NULL, round->number);
        json_uint(json, NULL, round->first);
        json_uint(json, NULL, round->last);
        json_real(json, NULL, round->busy);
        json_uint(json, NULL, round->whole);
        json_close(json);
    }
    json_close(json);
    write_parts(json, run);
    json_open_array(json, "samples"); // part, iteration, ns
    for (size_t i = 0; i < run->sample_count; i++) {
        const struct work_sample *sample = &run->samples[i];
        json_open_array(json, NULL);
        json_uint(json, NULL, sample->part);
        json_uint(json, NULL, sample->iteration);
        json_real(json, NULL, sample->ns);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

status kept_runs_write(const struct kept_runs *runs, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    struct json_writer json = json_write_lines(output);
    json_open_object(&json, NULL);
    json_uint(&json, MARK, KEPT_RUNS_VERSION);
    json_open_array(&json, "runs");
    for (size_t i = 0; i < runs->count; i++)
        kept_runs_write_run(&json, &runs->items[i]);
    json_close(&json);
    json_close(&json);
    return output_close(output);
}

// Reading ---------------------------------------------------------------------

bool kept_runs_is(struct view text)
{
    const struct view rest = view_trim(text);
    if (rest.size == 0 || rest.data[0] != '{')
        return false;
    const struct view key = view_trim(view_slice(rest, 1, rest.size));
    return view_starts_with(key, "\"opscope_runs\"");
}

static status wrong_run(const char *path, size_t run, const char *what)
{
    return status_make(STATUS_DATA, "%s: run %zu: %s", path, run + 1, what);
}

static bool real_of(const struct json_value *value, double *out_number)
{
    char text[64];
    char *end;
    if (value == NULL || value->kind != JSON_NUMBER || value->text.size >= sizeof text)
        return false;
    memcpy(text, value->text.data, value->text.size);
    text[value->text.size] = '\0';
    *out_number = strtod(text, &end);
    return *end == '\0' && *out_number >= 0 && *out_number <= NUMBER_MOST;
}

static bool u32_of(const struct json_value *value, uint32_t *out_number)
{
    uint64_t number;
    if (!json_u64_of(value, &number) || number >= UINT32_MAX)
        return false;
    *out_number = (uint32_t)number;
    return true;
}

static const struct json_value *array_of(const struct json_value *object, const char *key)
{
    const struct json_value *array = json_find(object, key);
    return array != NULL && array->kind == JSON_ARRAY ? array : NULL;
}

static bool read_round(const struct json_value *item, struct work_iteration *round)
{
    if (item->kind != JSON_ARRAY || item->count < 4 || item->count > 5)
        return false;
    const struct json_value *first = item->first->next;
    const struct json_value *busy = first->next->next;
    return u32_of(item->first, &round->number) && json_u64_of(first, &round->first) &&
           json_u64_of(first->next, &round->last) && real_of(busy, &round->busy) &&
           (item->count == 4 || (json_u64_of(busy->next, &round->whole) &&
                                 round->whole <= (uint64_t)NUMBER_MOST * 10)) &&
           round->first <= round->last && round->last <= (uint64_t)NUMBER_MOST * 10;
}

static bool read_sample(const struct json_value *item, const struct work_run *run,
                        struct work_sample *sample)
{
    if (item->kind != JSON_ARRAY || item->count != 3)
        return false;
    return u32_of(item->first, &sample->part) && u32_of(item->first->next, &sample->iteration) &&
           real_of(item->first->next->next, &sample->ns) && sample->part < run->part_count &&
           sample->iteration < run->iteration_count;
}

static struct view kept_text(struct work_run *run, const struct json_value *object, const char *key)
{
    return arena_copy(&run->arena, json_text_of(json_find(object, key)));
}

static bool read_part(const struct json_value *item, struct work_run *run, struct work_part *part)
{
    const struct json_value *is_operator = json_find(item, "operator");
    part->name = kept_text(run, item, "name");
    part->type = kept_text(run, item, "type");
    part->shape = kept_text(run, item, "shape");
    part->location = kept_text(run, item, "location");
    part->kernel = kept_text(run, item, "kernel");
    part->is_operator = is_operator != NULL && is_operator->truth;
    return json_u64_of(json_find(item, "first_ns"), &part->first) &&
           json_u64_of(json_find(item, "calls"), &part->calls) &&
           real_of(json_find(item, "bytes"), &part->bytes) &&
           real_of(json_find(item, "macs"), &part->macs) &&
           real_of(json_find(item, "waited_ns"), &part->waited);
}

static status kept_runs_read_run(const struct json_value *item, const char *path, size_t index,
                                 struct work_run *run)
{
    const struct json_value *rounds = array_of(item, "iterations");
    const struct json_value *parts = array_of(item, "parts");
    const struct json_value *samples = array_of(item, "samples");
    const struct json_value *modelled = json_find(item, "modelled");
    if (rounds == NULL || parts == NULL || samples == NULL || rounds->count == 0 ||
        !json_u64_of(json_find(item, "began_ns"), &run->began))
        return wrong_run(path, index, "expected began_ns, iterations, parts and samples");
    run->source = kept_text(run, item, "source");
    run->machine = kept_text(run, item, "machine");
    run->clock = kept_text(run, item, "clock");
    run->side = view_is(json_text_of(json_find(item, "side")), "device") ? WORK_DEVICE : WORK_HOST;
    run->modelled = modelled != NULL && modelled->truth;
    run->iterations = memory_allocate_zeroed(rounds->count, sizeof *run->iterations);
    run->parts = memory_allocate_zeroed((size_t)parts->count + 1, sizeof *run->parts);
    run->samples = memory_allocate_zeroed((size_t)samples->count + 1, sizeof *run->samples);
    for (const struct json_value *at = rounds->first; at != NULL; at = at->next) {
        if (!read_round(at, &run->iterations[run->iteration_count++]))
            return wrong_run(path, index, "an iteration is not [number, first, last, busy, whole]");
    }
    for (const struct json_value *at = parts->first; at != NULL; at = at->next) {
        if (!read_part(at, run, &run->parts[run->part_count++]))
            return wrong_run(path, index, "a part lacks first_ns, calls, bytes, macs or waited_ns");
    }
    for (const struct json_value *at = samples->first; at != NULL; at = at->next) {
        if (!read_sample(at, run, &run->samples[run->sample_count++]))
            return wrong_run(path, index, "a sample is not [part, iteration, ns] of this run");
    }
    return STATUS_OK;
}

status kept_runs_read(struct view text, const char *path, struct kept_runs *runs)
{
    struct arena arena = {0};
    const struct json_value *document;
    uint64_t version;
    status result = json_read(text, &arena, &document);
    if (result != STATUS_OK) {
        arena_free(&arena);
        return status_within(result, "%s", path);
    }
    const struct json_value *list = array_of(document, "runs");
    if (!json_u64_of(json_find(document, MARK), &version) || version != KEPT_RUNS_VERSION)
        result = status_make(STATUS_DATA, "%s: runs of another version than %d", path,
                             KEPT_RUNS_VERSION);
    else if (list == NULL || list->count == 0)
        result = status_make(STATUS_DATA, "%s: it has no runs", path);
    size_t index = 0;
    for (const struct json_value *at = list != NULL ? list->first : NULL;
         at != NULL && result == STATUS_OK; at = at->next)
        result = kept_runs_read_run(at, path, index++, kept_runs_add(runs));
    arena_free(&arena);
    return result;
}
