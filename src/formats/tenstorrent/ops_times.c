#include "ops_times.h"

static const char START[] = "name,src_file,src_line,zone_name,zone_text,ns_since_start,"
                            "exec_time_ns,thread,";

bool ops_times_recognise(struct view bytes)
{
    return view_starts_with(bytes, START);
}

struct ops_times ops_times_of(struct view bytes)
{
    struct ops_times times = {.lines = csv_lines_of(bytes)};
    if (csv_line_next(&times.lines, &times.line) && view_starts_with(times.line.text, START))
        times.has_value = view_find_text(times.line.text, ",value,") < times.line.text.size;
    else
        times.lines = csv_lines_of(bytes);
    return times;
}

// "id:12"
static bool ops_times_id_of(struct view text, uint64_t *out_id)
{
    const size_t colon = view_find_last(text, ':');
    return view_starts_with(text, "id:") &&
           view_to_u64(view_trim(view_slice(text, colon + 1, text.size)), out_id);
}

static struct view ops_times_unquoted(struct view text)
{
    if (text.size >= 2 && text.data[0] == '"' && text.data[text.size - 1] == '"')
        return view_slice(text, 1, text.size - 1);
    return text;
}

static bool take_last_number(struct view *rest, uint64_t *out_number)
{
    struct view field;
    return csv_field_take_last(rest, ',', &field) && view_to_u64(field, out_number);
}

static bool is_number(struct view text)
{
    uint64_t number;
    return view_to_u64(text, &number);
}

// "name,file,line,zone name": the line is the last number between commas; what
// stands before the file's slash is the name.
static void split_names(struct view rest, struct ops_time *time)
{
    const size_t slash = view_find_text(rest, ",/");
    const size_t comma = slash < rest.size ? slash : view_find(rest, ',');
    time->name = view_slice(rest, 0, comma);
    rest = csv_after(rest, comma);
    struct view file;
    struct view number;
    time->source = rest.data != NULL ? rest : (struct view){"", 0};
    time->zone_name = (struct view){"", 0};
    struct view left = rest;
    if (rest.data == NULL || !csv_field_take(&left, ',', &file) ||
        !csv_field_take(&left, ',', &number) || !is_number(number))
        return;
    time->source = (struct view){file.data, (size_t)(number.data + number.size - file.data)};
    if (left.data != NULL)
        time->zone_name = view_trim(left);
}

static enum ops_times_result bad(struct ops_times *times, const char *problem)
{
    times->problem = problem;
    return OPS_TIMES_BAD;
}

static enum ops_times_result ops_times_read_line(struct ops_times *times, struct ops_time *time)
{
    struct view rest = times->line.text;
    struct view parent;
    struct view text;
    *time = (struct ops_time){0};
    if (!csv_field_take_last(&rest, ',', &parent))
        return bad(times, "has no commas");
    if (times->has_value && !csv_field_take_last(&rest, ',', &text))
        return bad(times, "has too few columns");
    if (!take_last_number(&rest, &time->thread))
        return bad(times, "column 'thread' is not a number");
    if (!take_last_number(&rest, &time->duration))
        return bad(times, "column 'exec_time_ns' is not a number");
    if (!take_last_number(&rest, &time->start))
        return bad(times, "column 'ns_since_start' is not a number");
    if (!csv_field_take_last(&rest, ',', &text))
        return bad(times, "has too few columns");
    time->zone_text = ops_times_unquoted(text);
    split_names(rest, time);
    time->has_parent = ops_times_id_of(ops_times_unquoted(view_trim(parent)), &time->parent);
    time->has_call =
        view_starts_with(time->name, "TT_DNN") && ops_times_id_of(time->zone_text, &time->call);
    return OPS_TIMES_ROW;
}

enum ops_times_result ops_times_next(struct ops_times *times, struct ops_time *out_time)
{
    while (csv_line_next(&times->lines, &times->line)) {
        if (view_trim(times->line.text).size == 0)
            continue;
        const enum ops_times_result result = ops_times_read_line(times, out_time);
        const bool copy =
            result == OPS_TIMES_ROW && doubles_find(&times->doubles, times->line.text);
        return copy ? OPS_TIMES_COPY : result;
    }
    return OPS_TIMES_END;
}
