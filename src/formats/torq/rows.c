#include "rows.h"

#include <ctype.h>
#include <stdio.h>

#include "base/progress.h"

enum { PROGRESS_ROWS = 1024 };

static const struct {
    const char *text; // lower case, without blanks and quotes
    enum torq_form form;
} HEADERS[] = {
    {"id,start,end,location,optype", TORQ_C1},
    {"event_name,start_time,end_time,mlir_src_line,event_type", TORQ_C1},
    {"id,start,end,location,optype,bytes", TORQ_C2},
    {"event_name,start_time,end_time,mlir_src_line,event_type,bytes", TORQ_C2},
    {"actionindex,elapsed_time(us),timestamp(us),event,location,bytes", TORQ_C3},
    {"taskid,elapsed_time(us),timestamp(us),event,location,bytes", TORQ_C4},
    {"taskid,elapsed_time(us),timestamp(us),event,location", TORQ_C4},
    {"id;time_since_open;time_since_start;location", TORQ_R1},
    {"id;time_since_open;time_since_start", TORQ_R1},
    {"dispatch_id;time_since_open;time_since_start;mlir_loc", TORQ_R1},
    {"dispatch_id;time_since_open;time_since_start", TORQ_R1},
    {"actionindex,elapsed_time(us),timestamp(us),event,location", TORQ_R2},
    {"dispatch_name,invocation_id,action_id,timestamp_us,event", TORQ_R4},
};

enum torq_form rows_header_form(struct view line)
{
    char text[128];
    size_t size = 0;
    for (size_t i = 0; i < line.size; i++) {
        const char byte = line.data[i];
        if (byte == ' ' || byte == '\t' || byte == '"')
            continue;
        if (size == sizeof text)
            return TORQ_UNKNOWN;
        text[size++] = (char)tolower((unsigned char)byte);
    }
    for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++) {
        if (view_is((struct view){text, size}, HEADERS[i].text))
            return HEADERS[i].form;
    }
    return TORQ_UNKNOWN;
}

struct rows rows_start(const struct input *input, enum torq_form form, struct profile *profile)
{
    return (struct rows){.input = input,
                         .profile = profile,
                         .form = form,
                         .first_note = profile->notes.count,
                         .lines = csv_lines_of(input->bytes),
                         .header_allowed = true};
}

bool rows_next(struct rows *rows)
{
    while (csv_line_next(&rows->lines, &rows->line)) {
        if (rows_is_blank(rows->line.text))
            continue;
        if (rows->header_allowed) {
            rows->header_allowed = false;
            if (rows_header_form(rows->line.text) != TORQ_UNKNOWN)
                continue;
        }
        if (rows->count++ % PROGRESS_ROWS == 0)
            progress_report((uint64_t)(rows->lines.at - rows->input->bytes.data),
                            rows->input->bytes.size);
        if (!rows->line.terminated)
            rows->unfinished = rows->line.number;
        return true;
    }
    return false;
}

void rows_skip_header(struct rows *rows)
{
    struct csv_lines after = rows->lines;
    struct csv_line line;
    while (csv_line_next_input(&after, rows->input, &line)) {
        if (rows_is_blank(line.text))
            continue;
        rows->header_allowed = false;
        if (rows_header_form(line.text) != TORQ_UNKNOWN)
            rows->lines = after;
        return;
    }
    rows->lines = after;
}

static void lose_one(struct rows *rows, const char *why)
{
    struct ledger *account = &profile_track(rows->profile, 0)->ledger;
    rows->lost++;
    if (account->expected != LEDGER_UNKNOWN)
        account->expected++;
    if (rows->unfinished == rows->line.number)
        rows->unfinished = 0;
    profile_note(rows->profile, 0, LEDGER_LOST, 1, "%s:%llu: %s", rows->input->path,
                 (unsigned long long)rows->line.number, why);
}

void rows_lose(struct rows *rows, const struct split_problem *problem)
{
    char why[512];
    const int size = (int)(problem->text.size < 100 ? problem->text.size : 100);
    const char *cut = rows->line.terminated ? "" : "the last line is cut off: ";
    if (problem->text.size > 0)
        snprintf(why, sizeof why, "%scolumn '%s': '%.*s' %s", cut, problem->column, size,
                 problem->text.data, problem->what);
    else
        snprintf(why, sizeof why, "%scolumn '%s' %s", cut, problem->column, problem->what);
    lose_one(rows, why);
}

void rows_lose_cut(struct rows *rows)
{
    lose_one(rows, "the last line is cut off");
}

void rows_lose_event(struct rows *rows, uint32_t track, uint64_t line, const char *what)
{
    const struct track *lane = profile_track(rows->profile, track);
    const struct view name = profile_text(rows->profile, lane->name);
    rows_expect(profile_track(rows->profile, track));
    profile_note(rows->profile, track, LEDGER_LOST, 1, "%s:%llu: %.*s %s", rows->input->path,
                 (unsigned long long)line, VIEW_ARGUMENTS(name), what);
}

void rows_refuse(struct rows *rows, uint32_t track, uint64_t start, uint64_t end)
{
    rows_expect(profile_track(rows->profile, track));
    profile_note(rows->profile, track, LEDGER_IMPOSSIBLE, 1,
                 "%s:%llu: ends at %llu, before its start at %llu", rows->input->path,
                 (unsigned long long)rows->line.number, (unsigned long long)end,
                 (unsigned long long)start);
}

void rows_refuse_copy(struct rows *rows, uint32_t track)
{
    rows_expect(profile_track(rows->profile, track));
    profile_note(rows->profile, track, LEDGER_IMPOSSIBLE, 1, "%s:%llu: the row is there twice",
                 rows->input->path, (unsigned long long)rows->line.number);
}

void rows_lose_missing(struct rows *rows, uint32_t track, uint64_t count, const char *what)
{
    if (count == 0)
        return;
    struct ledger *account = &profile_track(rows->profile, track)->ledger;
    if (account->expected != LEDGER_UNKNOWN)
        account->expected += count;
    profile_note(rows->profile, track, LEDGER_LOST, count, "%s: %s, and %llu of them %s no row",
                 rows->input->path, what, (unsigned long long)count, count == 1 ? "has" : "have");
}

// A number that lost its last digits is still a number.
static void remark_last_line(struct rows *rows)
{
    if (rows->unfinished != 0)
        profile_note(rows->profile, 0, LEDGER_REMARK, 1,
                     "%s:%llu: the last line has no newline; if the file was cut off, its last "
                     "field may be too",
                     rows->input->path, (unsigned long long)rows->unfinished);
}

// Known last, and said first: it may be the reason for all the rest.
static void rows_note_damage(const struct rows *rows)
{
    if (rows->input->damage == NULL)
        return;
    profile_note_at(rows->profile, rows->first_note, 0, LEDGER_LOST, 1,
                    "%s: %s; the rows after it are lost", rows->input->path, rows->input->damage);
    profile_track(rows->profile, 0)->ledger.expected = LEDGER_UNKNOWN;
}

void rows_finish(struct rows *rows)
{
    const char *path = rows->input->path;
    rows_note_damage(rows);
    remark_last_line(rows);
    if (rows->count > 0)
        return;
    if (!rows->header_allowed) {
        profile_note(rows->profile, 0, LEDGER_REMARK, 1, "%s: has a header and no rows", path);
        return;
    }
    // A log without events looks the same as one that was never written.
    profile_track(rows->profile, 0)->ledger.expected = LEDGER_UNKNOWN;
    profile_note(rows->profile, 0, LEDGER_LOST, 1, "%s: is empty", path);
}
