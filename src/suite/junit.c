#include "junit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/input.h"
#include "base/output.h"
#include "wire/xml.h"

enum { LOG_SHOWN = 4000 };

static void append_attribute(struct bytes *to, const char *name, const char *value)
{
    bytes_append_format(to, " %s=\"", name);
    xml_append(to, view_of(value));
    bytes_append(to, "\"", 1);
}

static void append_seconds(struct bytes *to, const char *name, uint64_t ns)
{
    bytes_append_format(to, "      <property name=\"%s\" value=\"%.3f\"/>\n", name,
                        (double)ns / 1e9);
}

static void append_properties(struct bytes *to, const struct trial *trial,
                              const struct trial_result *result)
{
    bytes_append_format(to, "    <properties>\n      <property name=\"target\"");
    append_attribute(to, "value", trial->target);
    bytes_append_format(to, "/>\n");
    if (result->has_wall_time)
        append_seconds(to, "wall_time", result->wall_ns);
    if (result->has_board_time)
        append_seconds(to, "wall_time_board", result->board_ns);
    bytes_append_format(to, "    </properties>\n");
}

static void append_log(struct bytes *to, const struct trial *trial)
{
    struct bytes path = {0};
    struct input *input;
    bytes_append_format(&path, "%s/log.txt", trial->folder);
    bytes_append(&path, "", 1);
    const status failure = input_open((const char *)path.data, &input);
    bytes_free(&path);
    if (failure != STATUS_OK) {
        status_free(failure);
        return;
    }
    const size_t size = input->bytes.size;
    xml_append(to, view_slice(input->bytes, size > LOG_SHOWN ? size - LOG_SHOWN : 0, size));
    input_close(input);
}

static void append_case(struct bytes *to, const struct trial *trial,
                        const struct trial_result *result)
{
    bytes_append_format(to, "  <testcase");
    append_attribute(to, "classname", "opscope.suite");
    append_attribute(to, "name", trial->name);
    append_attribute(to, "file", trial->model);
    bytes_append_format(to, " time=\"%.3f\">\n", (double)result->total_ns / 1e9);
    append_properties(to, trial, result);
    if (result->status != TRIAL_PASS) {
        const char *word = result->status == TRIAL_FAIL ? "failure" : "error";
        bytes_append_format(to, "    <%s", word);
        append_attribute(to, "type", result->step);
        append_attribute(to, "message", result->reason);
        bytes_append(to, ">", 1);
        append_log(to, trial);
        bytes_append_format(to, "</%s>\n", word);
    }
    bytes_append_format(to, "  </testcase>\n");
}

static size_t junit_count_of(const struct trial_result *results, size_t count,
                             enum trial_status wanted)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += results[i].status == wanted;
    return found;
}

status junit_write(const char *path, const struct trial_list *list,
                   const struct trial_result *results)
{
    struct output *output;
    struct bytes text = {0};
    uint64_t total = 0;
    for (size_t i = 0; i < list->count; i++)
        total += results[i].total_ns;
    STATUS_TRY(output_open(path, &output));
    bytes_append_format(&text,
                        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                        "<testsuite name=\"opscope suite\" tests=\"%zu\" failures=\"%zu\" "
                        "errors=\"%zu\" skipped=\"0\" time=\"%.3f\">\n",
                        list->count, junit_count_of(results, list->count, TRIAL_FAIL),
                        junit_count_of(results, list->count, TRIAL_ERROR), (double)total / 1e9);
    for (size_t i = 0; i < list->count; i++)
        append_case(&text, &list->trials[i], &results[i]);
    bytes_append_format(&text, "</testsuite>\n");
    output_write(output, text.data, text.size);
    bytes_free(&text);
    return output_close(output);
}
