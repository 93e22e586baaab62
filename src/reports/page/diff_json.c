#include "parts.h"
#include "reports/diff.h"
#include "reports/kept_runs.h"

static void write_side(struct json_writer *json, const char *key, const struct compared_side *side)
{
    uint64_t iterations = 0;
    for (size_t i = 0; i < side->run_count; i++)
        iterations += side->runs[i].iteration_count;
    json_open_object(json, key);
    json_text(json, "file", side->runs[0].source);
    json_uint(json, "iterations", iterations);
    json_text(json, "time", view_of(side->runs[0].side == WORK_DEVICE ? "device" : "host"));
    json_bool(json, "modelled", side->runs[0].modelled);
    json_close(json);
}

static void write_comparison(struct json_writer *json, const struct comparison *comparison,
                             uint64_t room)
{
    struct verdict verdict;
    verdict_of_comparison(comparison, &verdict);
    parts_write_verdict(json, &verdict);
    verdict_free(&verdict);
    write_side(json, "a", &comparison->sides[0]);
    write_side(json, "b", &comparison->sides[1]);
    json_real(json, "confidence", comparison->options.confidence);
    json_real(json, "a_ns", comparison->total.a.ns);
    json_real(json, "b_ns", comparison->total.b.ns);
    json_text(json, "total", view_of(comparison_verdict_name(comparison->total.verdict)));
    struct table *table = table_create(&DIFF_FORM, comparison, comparison->count);
    parts_write_table(json, "table", table, room);
    table_free(table);
}

static status diff_add_run(struct kept_runs *runs, const struct page_source *source)
{
    struct work_run *run = kept_runs_add(runs);
    STATUS_TRY(work_measure(source->profile, WORK_AUTO, true, run));
    run->source = arena_copy(&run->arena, view_of(source->path));
    if (run->iteration_count == 0)
        return status_make(STATUS_DATA, "%s: no spans in it to compare", source->path);
    return STATUS_OK;
}

void parts_write_diff(struct json_writer *json, const struct page_source *sources, uint64_t room)
{
    struct kept_runs runs[2] = {{0}, {0}};
    struct comparison comparison;
    const struct comparison_options options = {COMPARE_LOW, 0.99};
    status result = diff_add_run(&runs[0], &sources[0]);
    if (result == STATUS_OK)
        result = diff_add_run(&runs[1], &sources[1]);
    json_open_object(json, "diff");
    if (result == STATUS_OK) {
        comparison_make(runs[0].items, 1, runs[1].items, 1, &options, &comparison);
        write_comparison(json, &comparison, room);
        comparison_free(&comparison);
    } else {
        json_text(json, "failure", view_of(status_message(result)));
        status_free(result);
        kept_runs_free(&runs[0]);
        kept_runs_free(&runs[1]);
    }
    json_close(json);
}
