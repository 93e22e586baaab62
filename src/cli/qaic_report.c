#include "qaic_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/qaic/host_work.h"
#include "plain_text.h"

enum { BOUNDS, BLOCKS, NODES, CORES, MEMORY, TABLES };

const struct table_form *const QAIC_REPORT_TABLES[] = {
    &OPSTATS_NODES_FORM, &OPSTATS_BLOCKS_FORM, &OPSTATS_BOUNDS_FORM,
    &OPSTATS_CORES_FORM, &OPSTATS_MEMORY_FORM, NULL,
};

static void make_tables(const struct opstats_report *report, struct table **tables)
{
    tables[BOUNDS] = table_create(&OPSTATS_BOUNDS_FORM, report, NODE_TIMES);
    tables[BLOCKS] = table_create(&OPSTATS_BLOCKS_FORM, report, report->block_count);
    tables[NODES] = table_create(&OPSTATS_NODES_FORM, report, report->node_count);
    tables[CORES] = table_create(&OPSTATS_CORES_FORM, report, report->core_count);
    tables[MEMORY] = table_create(&OPSTATS_MEMORY_FORM, report, report->figure_count);
}

// Of what the tables have only the waits.
static void print_host_work(const struct opstats_report *report)
{
    struct qaic_host_work *items;
    const size_t count = qaic_host_work_find(report->program, report->target, &items);
    for (size_t i = 0; i < count; i++) {
        printf("host computes ");
        plain_text_put(items[i].name);
        printf(": %.3f us (modelled)\n", items[i].us);
    }
    free(items);
}

static void write_host_work(const struct opstats_report *report, struct json_writer *json)
{
    struct qaic_host_work *items;
    const size_t count = qaic_host_work_find(report->program, report->target, &items);
    json_open_array(json, "host");
    for (size_t i = 0; i < count; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", items[i].name);
        json_real(json, "us", items[i].us);
        json_close(json);
    }
    json_close(json);
    free(items);
}

static void print_page(const struct opstats_report *report, struct table *const *tables)
{
    plain_text_put(report->network->name);
    printf(": %zu cores, %zu buffer%s, times %s, of one inference on average\n", report->core_count,
           report->buffers, report->buffers == 1 ? "" : "s",
           report->measured ? "measured" : "modelled by the simulated card");
    if (report->cut > 0)
        printf("%" PRIu64 " operations are lost: buffers were cut off\n", report->cut);
    print_host_work(report);
    for (unsigned i = 0; i < TABLES; i++) {
        if (table_count(tables[i]) == 0)
            continue;
        printf("\n");
        table_options_print(tables[i], stdout);
    }
    if (!report->has_traffic)
        printf("DDR traffic is that of copies; -ddr-stats of qaic-compile counts it\n");
}

static status write_page(const struct opstats_report *report, struct table *const *tables)
{
    static const char *const KEYS[TABLES] = {"bounds", "blocks", "nodes", "cores", "memory"};
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "network", report->network->name);
    json_uint(&json, "buffers", report->buffers);
    json_uint(&json, "devices", report->devices);
    json_text(&json, "times", view_of(report->measured ? "measured" : "modelled"));
    json_bool(&json, "ddr_stats", report->has_traffic);
    json_uint(&json, "lost", report->cut);
    write_host_work(report, &json);
    for (unsigned i = 0; i < TABLES; i++)
        table_json_rows(tables[i], &json, KEYS[i]);
    json_close(&json);
    return output_close(output);
}

status qaic_report_show(struct opstats_report *report, const struct table_options *options)
{
    struct table *tables[TABLES];
    opstats_report_finish(report);
    make_tables(report, tables);
    status result = table_options_apply(options, tables, TABLES);
    if (result == STATUS_OK && options->json)
        result = write_page(report, tables);
    else if (result == STATUS_OK && options->csv)
        result = table_options_write_csv(tables[NODES]);
    else if (result == STATUS_OK)
        print_page(report, tables);
    for (unsigned i = 0; i < TABLES; i++)
        table_free(tables[i]);
    return result;
}
