#include "tt_perf_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "ledger_text.h"

// CSV ------------------------------------------------------------------------

static status tt_perf_files_write_csv(struct table *table, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    table_csv_head(table, output);
    table_csv_rows(table, output);
    return output_close(output);
}

status tt_perf_write_csv(struct table *table, bool chosen, bool advice, bool raw_codes,
                         const char *path)
{
    char columns[512];
    snprintf(columns, sizeof columns, "%s%s%s", PERF_CSV_COLUMNS, advice ? ",advice" : "",
             raw_codes ? ",op_code" : "");
    if (!chosen)
        table_choose(table, view_of(columns));
    return tt_perf_files_write_csv(table, path);
}

status tt_perf_write_stack_csv(struct perf *perf, enum perf_grouping grouping, bool by_device,
                               const char *path)
{
    struct perf_group *groups;
    size_t count;
    perf_stack(perf, grouping, by_device, &groups, &count);
    const struct perf_stack_report report = {groups};
    struct table *table = table_create(&PERF_STACK_FORM, &report, count);
    table_choose(table, view_of(perf_stack_columns(grouping, by_device)));
    const status result = tt_perf_files_write_csv(table, path);
    table_free(table);
    free(groups);
    return result;
}

// JSON -----------------------------------------------------------------------

static void json_value(struct json_writer *json, const char *key, struct perf_value number)
{
    if (number.known)
        json_real(json, key, number.value);
    else
        json_null(json, key);
}

static void json_stack(struct json_writer *json, struct perf *perf, enum perf_grouping grouping,
                       bool by_device)
{
    struct perf_group *groups;
    size_t count;
    perf_stack(perf, grouping, by_device, &groups, &count);
    if (by_device)
        perf_stack_order_devices(groups, count);
    const struct perf_stack_report report = {groups};
    struct table *table = table_create(&PERF_STACK_FORM, &report, count);
    table_json_rows(table, json, "stacked");
    table_free(table);
    free(groups);
}

static void json_limits(struct json_writer *json, const struct perf *perf)
{
    struct perf_limit_sum sums[PERF_LIMITS];
    perf_limits_sum(perf, sums);
    json_open_array(json, "limits");
    for (size_t i = 0; i < PERF_LIMITS; i++) {
        json_open_object(json, NULL);
        json_text(json, "by", view_of(perf_limit_name((enum perf_limit)i)));
        json_uint(json, "count", sums[i].count);
        json_value(json, "time_us", sums[i].time);
        json_value(json, "gap_us", sums[i].gap);
        json_close(json);
    }
    json_close(json);
}

static void json_machine(struct json_writer *json, const struct perf *perf)
{
    json_open_object(json, "machine");
    json_text(json, "arch", view_of(perf->arch->name));
    json_uint(json, "worker_cores", perf->worker_cores);
    json_value(json, "dram_gb_s",
               (struct perf_value){perf->arch->dram_gb_s > 0, perf->arch->dram_gb_s});
    json_close(json);
}

static void json_gaps(struct json_writer *json, const struct perf *perf)
{
    const struct perf_gap_gain gain = perf_gap_gain(perf);
    json_open_object(json, "high_gaps");
    json_uint(json, "count", gain.count);
    json_real(json, "saved_us", gain.saved);
    json_real(json, "percent", gain.percent);
    json_real(json, "host_us", gain.host);
    json_real(json, "open_saved_us", gain.open);
    json_real(json, "open_percent", gain.open_percent);
    json_close(json);
}

void tt_perf_write_json(struct json_writer *json, struct perf *perf, struct table *table,
                        enum perf_grouping grouping, bool by_device)
{
    json_open_object(json, NULL);
    json_text(json, "version", view_of(report_version_name(perf->version)));
    json_machine(json, perf);
    json_uint(json, "device_ops", perf->device_ops);
    json_uint(json, "host_ops", perf->host_ops);
    json_uint(json, "signposts", perf->signposts);
    json_uint(json, "modelled_ops", perf->modelled.modelled);
    json_open_array(json, "messages");
    for (size_t i = 0; i < perf->message_count; i++)
        json_text(json, NULL, perf->messages[i].text);
    json_close(json);
    table_json_rows(table, json, "operations");
    json_stack(json, perf, grouping, by_device);
    json_limits(json, perf);
    json_gaps(json, perf);
    ledger_json(json, "ledger", perf->account);
    json_close(json);
}
