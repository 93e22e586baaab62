#include "annotate_summary.h"
#include "plain_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "reports/torq/annotate_groups.h"

enum { TOP = 20 };

static void annotate_summary_print_text(const struct annotate_groups *groups, struct table *table)
{
    const struct annotation *annotation = groups->annotation;
    const struct view device = profile_fact(annotation->profile, "device");
    const bool measured = view_starts_with(device, "host");
    char time[FIGURES_ROOM];
    plain_text_put(annotation->program->source);
    printf(" for %s: ", annotation->target->name);
    if (groups->iterations == 0) {
        printf("no task ran\n");
        return;
    }
    printf("%" PRIu64 " iteration%s, %s of tasks each (median)\n", groups->iterations,
           groups->iterations == 1 ? "" : "s", figures_time(groups->sum, 1000000000, time));
    plain_text_put(device.size > 0 ? device : VIEW_LITERAL("device: not said"));
    if (measured && strcmp(annotation->target->name, "host") != 0)
        printf("; they say nothing about %s", annotation->target->name);
    printf("\n");
    table_options_print(table, stdout);
    if (table_count(table) < groups->count)
        printf("and %zu more (--top %zu)\n", groups->count - table_count(table), groups->count);
}

static status annotate_summary_write_json(const struct annotate_groups *groups, struct table *table)
{
    const struct annotation *annotation = groups->annotation;
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "network", annotation->program->source);
    json_text(&json, "target", view_of(annotation->target->name));
    json_text(&json, "device", profile_fact(annotation->profile, "device"));
    json_uint(&json, "iterations", groups->iterations);
    json_uint(&json, "unmatched", annotation->unmatched);
    json_uint(&json, "missing", annotation->missing);
    table_json_rows(table, &json, "groups");
    json_close(&json);
    output_text(output, "\n");
    return output_close(output);
}

status annotate_summary(const struct table_options *given, const struct annotation *annotation)
{
    struct table_options options = *given;
    struct annotate_groups groups = annotate_groups_of(annotation);
    struct table *table = table_create(&ANNOTATE_GROUPS_FORM, &groups, groups.count);
    if (!options.has_top && !options.csv)
        options.top = TOP;
    status result = table_options_apply(&options, &table, 1);
    if (result == STATUS_OK && options.json)
        result = annotate_summary_write_json(&groups, table);
    else if (result == STATUS_OK && options.csv)
        result = table_options_write_csv(table);
    else if (result == STATUS_OK)
        annotate_summary_print_text(&groups, table);
    table_free(table);
    annotate_groups_free(&groups);
    return result;
}
