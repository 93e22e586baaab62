#include "torq.h"

#include "readers.h"
#include "rows.h"
#include "unit.h"

// How far a form is looked for after lines that are none: other files come
// here, too, and may be large.
enum { LINES_MOST = 50, BYTES_MOST = 1 << 20, SHOWN_MOST = 60 };

static const struct {
    const char *name;
    void (*read)(const struct input *input, enum torq_form form, const struct torq_options *options,
                 struct profile *profile);
} FORMS[TORQ_FORMS] = {
    [TORQ_UNKNOWN] = {"unknown", NULL},          [TORQ_C1] = {"torq-c1", compile_reader_run},
    [TORQ_C2] = {"torq-c2", compile_reader_run}, [TORQ_C3] = {"torq-c3", compile_reader_run},
    [TORQ_C4] = {"torq-c4", compile_reader_run}, [TORQ_R1] = {"torq-r1", job_reader_run},
    [TORQ_R2] = {"torq-r2", runtime_reader_run}, [TORQ_R3] = {"torq-r3", runtime_reader_run},
    [TORQ_R4] = {"torq-r4", runtime_reader_run},
};

const char *torq_form_name(enum torq_form form)
{
    return FORMS[form < TORQ_FORMS ? form : TORQ_UNKNOWN].name;
}

bool torq_form_is_compile(enum torq_form form)
{
    return form < TORQ_FORMS && FORMS[form].read == compile_reader_run;
}

// C1 and C2 have no header: their first row may be a bad one and should be
// known nevertheless, by its ID and one of its times.
static bool is_c1_row(const struct csv_line *line)
{
    struct view rest = line->text;
    struct view field;
    uint64_t number;
    if (!csv_field_take(&rest, ',', &field) || unit_of_id(field, 1).kind == NULL)
        return false;
    unsigned fields = 1;
    unsigned times = 0;
    for (; csv_field_take(&rest, ',', &field); fields++) {
        if (fields <= 2 && view_to_u64(field, &number))
            times++;
    }
    return times > 0 && (fields >= 5 || !line->terminated);
}

static bool is_c2_row(const struct csv_line *line)
{
    struct split_compile row;
    struct split_problem problem;
    if (!is_c1_row(line) || !split_c1(line->text, &row, &problem))
        return false;
    const struct unit_kind *kind = unit_of_id(row.id, 1).kind;
    return row.has_bytes || kind == &UNIT_CDMA || kind == &UNIT_CSS ||
           (kind == &UNIT_SLICE && view_find(row.id, '_') < row.id.size);
}

static bool is_c4_row(const struct csv_line *line)
{
    struct split_compile row;
    struct split_texts texts = {0};
    struct split_problem problem;
    const bool is = split_c3(line->text, TORQ_C4, &row, &problem) &&
                    split_run_event(row.run, &texts, &problem) &&
                    unit_of_event(texts.type).kind != NULL;
    split_texts_free(&texts);
    return is;
}

static bool is_r1_row(const struct csv_line *line)
{
    struct split_job row;
    struct split_problem problem;
    return view_find(line->text, ';') < line->text.size && split_r1(line->text, &row, &problem);
}

static bool is_r2_row(const struct csv_line *line)
{
    struct split_action row;
    struct split_problem problem;
    return split_r2(line->text, &row, &problem) &&
           (view_ends_with(row.event, "_START") || view_ends_with(row.event, "_END"));
}

static bool is_r4_row(const struct csv_line *line)
{
    struct split_action row;
    struct split_problem problem;
    return split_r4(line->text, &row, &problem) &&
           (view_ends_with(row.event, "_BEGIN") || view_ends_with(row.event, "_END"));
}

static bool has_quoted_location(const struct csv_line *line)
{
    struct split_action row;
    struct split_problem problem;
    return split_r2(line->text, &row, &problem) && view_ends_with(row.run, "\"") &&
           view_find_text(row.run, ",\"") < row.run.size;
}

// What a row shows of its form, from little to much. A row that several forms could have is of the
// one that asks for more; those that ask for the same differ in the kinds of their fields.
enum row_evidence {
    ROW_SEPARATORS, // numbers between the right signs, as any table may have
    ROW_EVENT,      // an event that begins or ends
    ROW_ENGINE,     // the name of an engine
};

static const struct {
    enum torq_form form;
    enum row_evidence evidence;
    bool first; // only the first row tells
    bool (*is_row)(const struct csv_line *line);
} ROWS[] = {
    {TORQ_C1, ROW_ENGINE, false, is_c1_row},    {TORQ_C4, ROW_ENGINE, false, is_c4_row},
    {TORQ_R2, ROW_EVENT, false, is_r2_row},     {TORQ_R4, ROW_EVENT, false, is_r4_row},
    {TORQ_R1, ROW_SEPARATORS, true, is_r1_row},
};

// Forms that only rows tell from those that came before them.
static const struct {
    enum torq_form from, to;
    bool (*is_row)(const struct csv_line *line);
} SUCCESSORS[] = {
    {TORQ_C1, TORQ_C2, is_c2_row},
    {TORQ_R2, TORQ_R3, has_quoted_location},
};

static enum torq_form row_form(const struct csv_line *line, bool first)
{
    size_t best = sizeof ROWS / sizeof ROWS[0];
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const bool stronger =
            best == sizeof ROWS / sizeof ROWS[0] || ROWS[i].evidence > ROWS[best].evidence;
        if (stronger && (first || !ROWS[i].first) && ROWS[i].is_row(line))
            best = i;
    }
    return best < sizeof ROWS / sizeof ROWS[0] ? ROWS[best].form : TORQ_UNKNOWN;
}

static enum torq_form refined(enum torq_form form, const struct csv_line *line)
{
    for (size_t i = 0; i < sizeof SUCCESSORS / sizeof SUCCESSORS[0]; i++) {
        if (form == SUCCESSORS[i].from && SUCCESSORS[i].is_row(line))
            return SUCCESSORS[i].to;
    }
    return form;
}

enum torq_form torq_recognise(struct view bytes)
{
    const bool whole = bytes.size <= BYTES_MOST;
    struct csv_lines lines = csv_lines_of(whole ? bytes : view_slice(bytes, 0, BYTES_MOST));
    struct csv_line line;
    enum torq_form form = TORQ_UNKNOWN;
    for (unsigned looked = 0; looked < LINES_MOST && csv_line_next(&lines, &line);) {
        if (!line.terminated && !whole)
            break;
        if (view_trim(line.text).size == 0)
            continue;
        if (looked == 0)
            form = rows_header_form(line.text);
        if (form == TORQ_UNKNOWN)
            form = row_form(&line, looked == 0);
        form = refined(form, &line);
        looked++;
    }
    return form;
}

static bool recognise_is_empty(struct view bytes)
{
    struct csv_lines lines = csv_lines_of(bytes);
    struct csv_line line;
    while (csv_line_next(&lines, &line)) {
        if (view_trim(line.text).size > 0)
            return false;
    }
    return true;
}

// The first line, with what a terminal would not print made visible.
static const char *first_line(struct view bytes, char text[SHOWN_MOST + 4])
{
    struct csv_lines lines = csv_lines_of(bytes);
    struct csv_line line = {0};
    while (csv_line_next(&lines, &line) && view_trim(line.text).size == 0)
        ;
    const size_t size = line.text.size < SHOWN_MOST ? line.text.size : SHOWN_MOST;
    for (size_t i = 0; i < size; i++) {
        const char byte = line.text.data[i];
        text[i] = byte < ' ' || byte > '~' ? '?' : byte;
    }
    strcpy(text + size, size < line.text.size ? "..." : "");
    return text;
}

static status unknown(const struct input *input)
{
    char text[SHOWN_MOST + 4];
    return status_make(STATUS_DATA,
                       "%s: is not a Torq profile: its first line is '%s'; expected a compile "
                       "profile (ID,Start,End,Location,Op Type or taskId, elapsed_time(us), "
                       "timestamp(us), event, location, bytes) or a runtime profile "
                       "(id;time_since_open;time_since_start;location or actionIndex, "
                       "elapsed_time(us), timestamp(us), event, location or "
                       "dispatch_name,invocation_id,action_id,timestamp_us,event)",
                       input->path, first_line(input->bytes, text));
}

// TORQ_UNKNOWN for an empty input only.
static status form_of(const struct input *input, enum torq_form *out_form)
{
    *out_form = torq_recognise(input->bytes);
    return *out_form == TORQ_UNKNOWN && !recognise_is_empty(input->bytes) ? unknown(input)
                                                                          : STATUS_OK;
}

static status recognise_read_form(const struct input *input, enum torq_form form,
                                  const struct torq_options *options, struct profile *profile)
{
    if (form == TORQ_UNKNOWN) {
        struct rows none = rows_start(input, form, profile);
        rows_finish(&none);
        return STATUS_OK;
    }
    profile_fact_add(profile, "format", view_of(torq_form_name(form)));
    FORMS[form].read(input, form, options, profile);
    return STATUS_OK;
}

bool torq_reads_in_parts(struct view beginning)
{
    return torq_form_is_compile(torq_recognise(beginning));
}

status torq_read(struct input *input, const struct torq_options *options, struct profile *profile)
{
    enum torq_form form;
    STATUS_TRY(form_of(input, &form));
    return recognise_read_form(input, form, options, profile);
}

status torq_check(const struct input *input, bool compile)
{
    enum torq_form form;
    STATUS_TRY(form_of(input, &form));
    if (form == TORQ_UNKNOWN || torq_form_is_compile(form) == compile)
        return STATUS_OK;
    return status_make(STATUS_DATA,
                       "%s: is a %s profile (%s), not a %s profile; "
                       "perfetto_logger takes it as --%s",
                       input->path, compile ? "runtime" : "compile", torq_form_name(form),
                       compile ? "compile" : "runtime",
                       compile ? "runtime_profile" : "compile_profile");
}

status torq_compile_read(struct input *input, const struct torq_options *options,
                         struct profile *profile)
{
    STATUS_TRY(torq_check(input, true));
    return torq_read(input, options, profile);
}

status torq_runtime_read(struct input *input, const struct torq_options *options,
                         struct profile *profile)
{
    STATUS_TRY(torq_check(input, false));
    return torq_read(input, options, profile);
}
