// `opscope overview FILE...`: the Host Profile Overview.

#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "commands.h"
#include "formats/format.h"
#include "ledger_text.h"
#include "reports/overview/list.h"
#include "units.h"
#include "wire/csv.h"

struct request {
    bool all;
    bool has_wall_time;
    uint64_t wall_time;
    struct json_writer *json;
    struct output *csv;
    size_t shown; // profiles so far
};

// The text in [..] of a trace's file name, or the name without its extension.
static char *model_of(const char *path)
{
    struct view name = view_of(path_base_name(path));
    const size_t from = view_find(name, '[');
    const size_t to = view_find_last(name, ']');
    if (from < to && to < name.size)
        return view_copy(view_slice(name, from + 1, to));
    const struct view unpacked = path_unpacked_name(name);
    if (view_has_extension(unpacked, ".pb"))
        name.size = unpacked.size - strlen(".pb");
    return view_copy(name);
}

static void format_wall_time(uint64_t ns, char *text, size_t room)
{
    if (ns >= 1000000000)
        snprintf(text, room, "%.3fs", (double)ns / 1e9);
    else
        snprintf(text, room, "%.3fms", (double)ns / 1e6);
}

// Pads to `width` characters, not bytes.
static void print_right(const char *text, int width)
{
    int characters = 0;
    for (const char *at = text; *at != '\0'; at++)
        characters += ((unsigned char)*at & 0xc0) != 0x80;
    printf("%*s%s", characters < width ? width - characters : 0, "", text);
}

static void print_row(const struct overview_row *row)
{
    char duration[OVERVIEW_DURATION_ROOM] = "absent";
    if (row->present)
        overview_format_duration(row->ns, duration);
    printf("  %-26s ", row->name);
    print_right(duration, 14);
    if (row->has_percent)
        printf("  (%.2f%%)", row->percent);
    printf("\n");
}

static void print_rows(const struct request *request, const struct overview_rows *rows)
{
    if (request->shown == 0)
        printf("====================== Host Profile Overview =======================\n");
    printf("  Model: %s\n  ", rows->model);
    for (int i = 0; i < 56; i++)
        printf("\u2500");
    printf("\n");
    if (request->has_wall_time) {
        char text[OVERVIEW_DURATION_ROOM];
        format_wall_time(request->wall_time, text, sizeof text);
        printf("  %-26s %14s\n", "WALL_TIME", text);
    }
    for (size_t i = 0; i < rows->count; i++)
        print_row(&rows->rows[i]);
    printf("\n");
}

static void write_json(const struct request *request, const char *path,
                       const struct overview_rows *rows, const struct profile *profile)
{
    struct json_writer *json = request->json;
    json_open_object(json, NULL);
    json_text(json, "file", view_of(path));
    json_text(json, "model", view_of(rows->model));
    if (request->has_wall_time)
        json_uint(json, "wall_time_ns", request->wall_time);
    else
        json_null(json, "wall_time_ns");
    json_open_array(json, "metrics");
    for (size_t i = 0; i < rows->count; i++) {
        const struct overview_row *row = &rows->rows[i];
        json_open_object(json, NULL);
        json_text(json, "name", view_of(row->name));
        if (row->present)
            json_uint(json, "ns", row->ns);
        else
            json_null(json, "ns");
        if (row->has_percent)
            json_real(json, "percent", row->percent);
        else
            json_null(json, "percent");
        json_close(json);
    }
    json_close(json);
    ledger_json(json, "ledger", profile);
    json_close(json);
}

static void write_csv_row(const struct request *request, const char *path, const char *model,
                          const struct overview_row *row)
{
    struct bytes line = {0};
    csv_field_append(&line, view_of(path), ',');
    bytes_append(&line, ",", 1);
    csv_field_append(&line, view_of(model), ',');
    bytes_append(&line, ",", 1);
    csv_field_append(&line, view_of(row->name), ',');
    bytes_append(&line, ",", 1);
    if (row->present)
        bytes_append_format(&line, "%llu", (unsigned long long)row->ns);
    bytes_append(&line, ",", 1);
    if (row->has_percent)
        bytes_append_format(&line, "%.2f", row->percent);
    bytes_append(&line, "\n", 1);
    output_write(request->csv, line.data, line.size);
    bytes_free(&line);
}

static void write_csv(const struct request *request, const char *path,
                      const struct overview_rows *rows)
{
    if (request->shown == 0)
        output_text(request->csv, "file,model,metric,ns,percent\n");
    if (request->has_wall_time)
        write_csv_row(
            request, path, rows->model,
            &(struct overview_row){.name = "WALL_TIME", .present = true, .ns = request->wall_time});
    for (size_t i = 0; i < rows->count; i++)
        write_csv_row(request, path, rows->model, &rows->rows[i]);
}

static void keep_shown(const struct request *request, struct overview_rows *rows,
                       const struct profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (request->all || overview_row_is_shown(profile, &rows->rows[i]))
            rows->rows[kept++] = rows->rows[i];
    }
    rows->count = kept;
}

static void show_rows(struct request *request, const char *path, const struct overview_rows *rows,
                      const struct profile *profile)
{
    if (request->json != NULL)
        write_json(request, path, rows, profile);
    else if (request->csv != NULL)
        write_csv(request, path, rows);
    else
        print_rows(request, rows);
    request->shown++;
}

static void show_list(struct request *request, const char *path, const struct profile *profile,
                      struct overview_rows *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (count == 1) {
            free(list[i].model);
            list[i].model = model_of(path);
        }
        keep_shown(request, &list[i], profile);
        show_rows(request, path, &list[i], profile);
    }
}

static status show(struct request *request, const char *path, int *out_exit)
{
    const struct format_options options = {0};
    struct profile *profile = profile_create();
    struct overview_rows *list;
    size_t count;
    status result = format_read(path, &options, profile);
    if (result == STATUS_OK)
        result = overview_rows_list(profile, request->all, &list, &count);
    if (result == STATUS_OK) {
        if (count == 0)
            profile_note(profile, 0, LEDGER_REMARK, 1, "%s: there are no spans to sum up", path);
        show_list(request, path, profile, list, count);
        overview_rows_list_free(list, count);
        ledger_warn(profile);
        if (ledger_exit(profile) != EXIT_DONE)
            *out_exit = EXIT_LOSS;
    }
    profile_free(profile);
    return result;
}

static status show_all(struct request *request, const char *const *paths, size_t count,
                       int *out_exit)
{
    for (size_t i = 0; i < count; i++)
        STATUS_TRY(show(request, paths[i], out_exit));
    return STATUS_OK;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *paths = arguments_words(arguments, &count);
    const char *wall_time = arguments_value(arguments, "wall-time");
    const bool as_json = arguments_flag(arguments, "json");
    const bool as_csv = arguments_flag(arguments, "csv");
    struct request request = {.all = arguments_flag(arguments, "all"),
                              .has_wall_time = wall_time != NULL};
    if (count == 0)
        return status_make(STATUS_USAGE, "overview: give a file: opscope overview trace.pb");
    if (as_json && as_csv)
        return status_make(STATUS_USAGE, "overview: choose --json or --csv");
    if (wall_time != NULL)
        STATUS_TRY(units_time(wall_time, &request.wall_time));
    if (!as_json && !as_csv)
        return show_all(&request, paths, count, out_exit);

    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    request.json = as_json ? &json : NULL;
    request.csv = as_csv ? output : NULL;
    if (as_json)
        json_open_array(&json, NULL);
    const status result = show_all(&request, paths, count, out_exit);
    if (as_json)
        json_close(&json);
    return status_first(result, output_close(output));
}

static const struct option OPTIONS[] = {
    {"wall-time", 0, OPTION_ONE, "TIME", "end-to-end time to show: 1.234, 207ms or wall_time.txt"},
    {"all", 0, OPTION_FLAG, NULL, "every metric, also those that the document does not show"},
    {"json", 0, OPTION_FLAG, NULL, "as JSON, with the ledger"},
    {"csv", 0, OPTION_FLAG, NULL, "as CSV"},
    {0},
};

const struct command COMMAND_OVERVIEW = {
    .name = "overview",
    .usage = "FILE... [options]",
    .summary = "where the time went: the Host Profile Overview",
    .details = "Takes Perfetto traces (the figures that their overview events carry, or what "
               "their\ntracks add up to), Torq's CSVs and opscope profiles. What was not measured "
               "is\n'absent'.",
    .examples = "  opscope overview trace.pb\n"
                "  opscope overview timeline.csv --all\n"
                "  opscope overview trace.pb --wall-time wall_time.txt --json",
    .options = OPTIONS,
    .run = run,
};
