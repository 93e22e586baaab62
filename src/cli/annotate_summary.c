#include "annotate_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "plain_text.h"
#include "reports/torq/annotate_groups.h"
#include "wire/json.h"

enum { TOP = 20, NAME_MOST = 33, NAME_ROOM = 512 };

static void print_group(const struct annotate_groups *groups, const struct annotate_group *group)
{
    char median[FIGURES_ROOM], p90[FIGURES_ROOM], moved[FIGURES_ROOM], rate[FIGURES_ROOM];
    char name[NAME_ROOM];
    const double bandwidth = annotate_group_bandwidth(group);
    snprintf(rate, sizeof rate, bandwidth > 0 ? "%.2f GB/s" : "-", bandwidth / 1e9);
    printf("%9s %9s %5.1f %% %6" PRIu32 " %9s %11s  %-8s ",
           figures_time(group->median, 1000000000, median),
           figures_time(group->p90, 1000000000, p90), annotate_group_share(groups, group),
           group->tasks, group->moved > 0 ? figures_bytes(group->moved, moved) : "-", rate,
           annotate_group_engine(groups, group));
    const size_t size = strlen(annotate_group_name(groups, group, name, sizeof name));
    plain_text_print_name(view_of(name), (int)(size < NAME_MOST ? size : NAME_MOST));
    printf("\n");
}

static void print_text(const struct annotate_groups *groups, size_t shown)
{
    const struct annotation *annotation = groups->annotation;
    const struct view device = profile_fact(annotation->profile, "device");
    const bool measured = view_starts_with(device, "host");
    char time[FIGURES_ROOM];
    printf("%.*s for %s: ", VIEW_ARGUMENTS(annotation->program->source), annotation->target->name);
    if (groups->iterations == 0) {
        printf("no task ran\n");
        return;
    }
    printf("%" PRIu64 " iteration%s, %s of tasks each (median)\n", groups->iterations,
           groups->iterations == 1 ? "" : "s", figures_time(groups->sum, 1000000000, time));
    printf("%.*s", VIEW_ARGUMENTS(device.size > 0 ? device : VIEW_LITERAL("device: not said")));
    if (measured && strcmp(annotation->target->name, "host") != 0)
        printf("; they say nothing about %s", annotation->target->name);
    printf("\n%9s %9s %7s %6s %9s %11s  %-8s %s\n", "median", "p90", "share", "tasks", "moved",
           "bandwidth", "engine", "operators");
    for (size_t i = 0; i < shown; i++)
        print_group(groups, &groups->items[i]);
    if (shown < groups->count)
        printf("and %zu more (--top %zu)\n", groups->count - shown, groups->count);
}

static void write_group(struct json_writer *json, const struct annotate_groups *groups,
                        const struct annotate_group *group)
{
    const struct program *program = groups->annotation->program;
    char name[NAME_ROOM];
    json_open_object(json, NULL);
    json_text(json, "operators", view_of(annotate_group_name(groups, group, name, sizeof name)));
    json_text(json, "group",
              view_of(group->group != PROGRAM_NONE
                          ? program_text(program, program->groups[group->group].type)
                          : ""));
    json_text(json, "engine", view_of(annotate_group_engine(groups, group)));
    json_uint(json, "tasks", group->tasks);
    json_uint(json, "iterations", group->iterations);
    json_uint(json, "min_ns", group->minimum);
    json_uint(json, "median_ns", group->median);
    json_uint(json, "p90_ns", group->p90);
    json_uint(json, "max_ns", group->maximum);
    json_uint(json, "transfer_median_ns", group->transfer_median);
    json_uint(json, "transfer_bytes", group->moved);
    json_close(json);
}

static status write_json(const struct annotate_groups *groups, size_t shown)
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
    json_open_array(&json, "groups");
    for (size_t i = 0; i < shown; i++)
        write_group(&json, groups, &groups->items[i]);
    json_close(&json);
    json_close(&json);
    output_text(output, "\n");
    return output_close(output);
}

status annotate_summary(const struct arguments *arguments, const struct annotation *annotation)
{
    unsigned top;
    STATUS_TRY(arguments_number(arguments, "top", TOP, &top));
    struct annotate_groups groups = annotate_groups_of(annotation);
    const size_t shown = groups.count < top ? groups.count : top;
    status result = STATUS_OK;
    if (arguments_flag(arguments, "json"))
        result = write_json(&groups, shown);
    else
        print_text(&groups, shown);
    annotate_groups_free(&groups);
    return result;
}
