#include "device_log.h"

#include <stdio.h>

#include "device_names.h"
#include "device_pieces.h"

enum field {
    FIELD_TIMER_ID,
    FIELD_TIME,
    FIELD_DATA,
    FIELD_RUN_ID,
    FIELD_RUN_HOST_ID,
    FIELD_TRACE_ID,
    FIELD_TRACE_COUNTER,
    FIELD_ZONE,
    FIELD_MARKER,
    FIELD_SOURCE_LINE,
    FIELD_SOURCE_FILE,
    FIELD_META,
    FIELD_UNKNOWN,
};

static const struct {
    const char *name;
    enum field field;
} FIELDS[] = {
    {"timer_id", FIELD_TIMER_ID},
    {"time[cycles since reset]", FIELD_TIME},
    {"data", FIELD_DATA},
    {"stat value", FIELD_DATA},
    {"run ID", FIELD_RUN_ID},
    {"run host ID", FIELD_RUN_HOST_ID},
    {"trace id", FIELD_TRACE_ID},
    {"trace id counter", FIELD_TRACE_COUNTER},
    {"zone name", FIELD_ZONE},
    {"type", FIELD_MARKER},
    {"zone phase", FIELD_MARKER},
    {"source line", FIELD_SOURCE_LINE},
    {"source file", FIELD_SOURCE_FILE},
    {"meta data", FIELD_META},
};

// After this many fields the rest of a row is the same for all rows of a zone.
enum { TAIL_AT = 4 };

// First lines -----------------------------------------------------------------

static bool is_first_line(struct view line)
{
    return view_starts_with(line, "ARCH:") || view_starts_with(line, "Chip clock is at ");
}

static bool is_header(struct view line)
{
    return view_starts_with(line, "PCIe slot");
}

bool device_log_recognise(struct view bytes)
{
    struct csv_lines lines = csv_lines_of(bytes);
    struct csv_line line;
    return csv_line_next(&lines, &line) && (is_first_line(line.text) || is_header(line.text));
}

// "1.2 GHz" as 1200.
static uint64_t gigahertz_to_mega(struct view text)
{
    double number;
    const struct view digits = {text.data, view_find(text, ' ')};
    if (!view_to_double(digits, &number) || number <= 0 || number > 1000)
        return 0;
    return (uint64_t)(number * 1000 + 0.5);
}

static void read_first_line(struct device_log *log, struct view line)
{
    log->arch = (struct view){"", 0};
    log->megahertz = 0;
    log->most_cores = 0;
    if (view_starts_with(line, "Chip clock is at ")) {
        log->arch = VIEW_LITERAL("grayskull");
        log->megahertz = gigahertz_to_mega(view_slice(line, 17, line.size));
        return;
    }
    struct view part;
    while (csv_field_take(&line, ',', &part)) {
        const size_t colon = view_find(part, ':');
        if (colon == part.size)
            continue;
        const struct view key = view_trim(view_slice(part, 0, colon));
        const struct view text = view_trim(view_slice(part, colon + 1, part.size));
        if (view_is(key, "ARCH"))
            log->arch = text;
        else if (view_is(key, "CHIP_FREQ[MHz]") && !view_to_u64(text, &log->megahertz))
            log->megahertz = 0;
        else if (view_is(key, "Max Compute Cores") && !view_to_u64(text, &log->most_cores))
            log->most_cores = 0;
    }
    if (log->megahertz > 1000000)
        log->megahertz = 0;
}

static enum field field_from_name(struct view name)
{
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
        if (view_is_ignoring_case(name, FIELDS[i].name))
            return FIELDS[i].field;
    }
    return FIELD_UNKNOWN;
}

static bool has_field(const struct device_log *log, enum field field)
{
    return memchr(log->fields, (int)field, log->field_count) != NULL;
}

static bool device_log_read_header(struct device_log *log, struct view line)
{
    struct view name;
    log->field_count = 0;
    for (unsigned i = 0; csv_field_take(&line, ',', &name); i++) {
        if (i < DEVICE_LANE_COLUMN_COUNT && !view_is_ignoring_case(name, DEVICE_LANE_COLUMNS[i]))
            return false;
        if (i < DEVICE_LANE_COLUMN_COUNT)
            continue;
        if (log->field_count == DEVICE_LOG_FIELDS_MOST)
            return false;
        log->fields[log->field_count++] = (unsigned char)field_from_name(name);
    }
    log->names_zones = has_field(log, FIELD_ZONE);
    log->has_tails = log->names_zones && log->field_count > TAIL_AT &&
                     log->fields[0] == FIELD_TIMER_ID && log->fields[1] == FIELD_TIME &&
                     log->fields[2] == FIELD_DATA && log->fields[3] == FIELD_RUN_HOST_ID;
    memset(log->tails, 0, sizeof log->tails);
    return has_field(log, FIELD_TIMER_ID) && has_field(log, FIELD_TIME);
}

status device_log_open(const struct input *input, struct device_log *out_log)
{
    *out_log =
        (struct device_log){.input = input, .lines = csv_lines_of(input->bytes), .arch = {"", 0}};
    struct device_log *log = out_log;
    segments_start(&log->lanes, sizeof(struct device_lane));
    segments_start(&log->zones, sizeof(struct device_zone));
    if (view_trim(input->bytes).size == 0)
        return status_make(STATUS_DATA,
                           "%s: is empty: the device wrote nothing; expected 'ARCH: ..., "
                           "CHIP_FREQ[MHz]: ...' (was TT_METAL_DEVICE_PROFILER=1 set?)",
                           input->path);
    if (!device_log_recognise(input->bytes))
        return status_at(STATUS_DATA, input->path, 1,
                         "is no device log: expected 'ARCH: ..., CHIP_FREQ[MHz]: ...'");
    csv_line_next_input(&log->lines, input, &log->line);
    if (is_first_line(log->line.text)) {
        read_first_line(log, log->line.text);
        if (!csv_line_next_input(&log->lines, input, &log->line))
            return STATUS_OK;
    }
    if (!device_log_read_header(log, log->line.text))
        return status_at(STATUS_DATA, input->path, log->line.number,
                         "expected the header 'PCIe slot, core_x, core_y, RISC processor type, "
                         "timer_id, time[cycles since reset], ...'");
    return STATUS_OK;
}

void device_log_start_piece(const struct device_log *log, struct device_log *out_piece)
{
    *out_piece = (struct device_log){.input = log->input,
                                     .field_count = log->field_count,
                                     .names_zones = log->names_zones,
                                     .has_tails = log->has_tails,
                                     .is_piece = true};
    memcpy(out_piece->fields, log->fields, sizeof log->fields);
    segments_start(&out_piece->lanes, sizeof(struct device_lane));
    segments_start(&out_piece->zones, sizeof(struct device_zone));
}

void device_log_free(struct device_log *log)
{
    device_pieces_free(log->pieces);
    segments_free(&log->lanes);
    segments_free(&log->zones);
    hash_free(&log->lane_index);
    hash_free(&log->zone_index);
}

// Rows ------------------------------------------------------------------------

static const char *field_name(enum field field)
{
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
        if (FIELDS[i].field == field)
            return FIELDS[i].name;
    }
    return "?";
}

static enum device_log_result bad_field(struct device_log *log, enum field field, struct view rest)
{
    if (rest.data == NULL) {
        snprintf(log->problem, sizeof log->problem, "the line ends before column '%s'",
                 field_name(field));
        return DEVICE_LOG_BAD;
    }
    const struct view text = {rest.data, view_find(rest, ',')};
    snprintf(log->problem, sizeof log->problem, "column '%s': '%.*s' is not a number",
             field_name(field), (int)(text.size < 60 ? text.size : 60), text.data);
    return DEVICE_LOG_BAD;
}

static enum device_marker marker_from_text(struct view text)
{
    if (text.size > 5 && memcmp(text.data, "ZONE_", 5) == 0) {
        const struct view phase = view_slice(text, 5, text.size);
        if (view_is(phase, "START"))
            return DEVICE_ZONE_START;
        if (view_is(phase, "END"))
            return DEVICE_ZONE_END;
        return view_is(phase, "TOTAL") ? DEVICE_ZONE_TOTAL : DEVICE_MARKER_OTHER;
    }
    if (view_is(text, "begin"))
        return DEVICE_ZONE_START;
    if (view_is(text, "end"))
        return DEVICE_ZONE_END;
    if (view_starts_with(text, "TS_DATA"))
        return DEVICE_DATA;
    return view_is(text, "TS_EVENT") ? DEVICE_EVENT : DEVICE_MARKER_OTHER;
}

static inline struct view text_take(struct view *rest)
{
    const char *comma = memchr(rest->data, ',', rest->size);
    const size_t stop = comma != NULL ? (size_t)(comma - rest->data) : rest->size;
    const struct view text = {rest->data, stop};
    *rest = csv_after(*rest, stop);
    return text;
}

// A number that may be missing.
static bool optional_take(struct view *rest, uint64_t *out_number, bool *out_there)
{
    *out_there = rest->size > 0 && rest->data[0] != ',';
    if (*out_there)
        return csv_number_take(rest, ',', out_number);
    *rest = csv_after(*rest, 0);
    return true;
}

struct row_texts {
    uint64_t timer_id;
    struct view zone;
    struct view source_line;
    struct view source_file;
};

static bool field_take(enum field field, struct view *rest, struct device_log_row *row,
                       struct row_texts *texts)
{
    uint64_t number;
    bool there;
    switch (field) {
    case FIELD_TIMER_ID:
        return csv_number_take(rest, ',', &texts->timer_id);
    case FIELD_TIME:
        return csv_number_take(rest, ',', &row->time);
    case FIELD_DATA:
        return csv_number_take(rest, ',', &row->data);
    case FIELD_RUN_ID:
        return csv_number_take(rest, ',', &number) && (row->run_host_id = number, true);
    case FIELD_RUN_HOST_ID:
        return csv_number_take(rest, ',', &row->run_host_id);
    case FIELD_TRACE_ID:
        return optional_take(rest, &row->trace_id, &row->traced);
    case FIELD_TRACE_COUNTER:
        if (!optional_take(rest, &row->trace_counter, &there))
            return false;
        row->traced = row->traced && there;
        return true;
    case FIELD_ZONE:
        texts->zone = text_take(rest);
        return true;
    case FIELD_MARKER:
        row->marker = marker_from_text(text_take(rest));
        return true;
    case FIELD_SOURCE_LINE:
        texts->source_line = text_take(rest);
        return true;
    case FIELD_SOURCE_FILE:
        texts->source_file = text_take(rest);
        return true;
    case FIELD_META:
        row->meta = text_take(rest);
        return true;
    default:
        text_take(rest);
        return true;
    }
}

static bool zone_take(struct device_log *log, const struct row_texts *texts,
                      struct device_log_row *row)
{
    struct device_zone zone = {.name = texts->zone,
                               .timer_id = texts->timer_id,
                               .source_line = texts->source_line,
                               .source_file = texts->source_file};
    if (!log->names_zones)
        zone.name = device_zone_guess(texts->timer_id, &row->marker);
    return device_zone_keep(log, &zone, &row->zone);
}

// `*out_tail` is where the tail starts; NULL when the form has none.
static enum device_log_result device_log_read_row(struct device_log *log,
                                                  struct device_log_row *row, const char **out_tail)
{
    struct view rest = log->line.text;
    struct row_texts texts = {.zone = {"", 0}};
    *row = (struct device_log_row){.marker = DEVICE_MARKER_OTHER, .lane = DEVICE_LANE_NONE};
    if (!device_lane_take(log, &rest, &row->lane))
        return DEVICE_LOG_BAD;
    for (unsigned i = 0; i < log->field_count; i++) {
        const enum field field = (enum field)log->fields[i];
        const bool last = i + 1 == log->field_count;
        if (i == TAIL_AT && log->has_tails && rest.data != NULL)
            *out_tail = rest.data - 1;
        if (rest.data == NULL || (rest.size == 0 && !last) ||
            !field_take(field, &rest, row, &texts))
            return bad_field(log, field, rest);
    }
    if (rest.data != NULL) {
        snprintf(log->problem, sizeof log->problem, "has more than the %u columns of the header",
                 log->field_count + (unsigned)DEVICE_LANE_COLUMN_COUNT);
        return DEVICE_LOG_BAD;
    }
    return zone_take(log, &texts, row) ? DEVICE_LOG_ROW : DEVICE_LOG_BAD;
}

// Tails -----------------------------------------------------------------------

// Nearly all rows differ from an earlier one in their lane and four numbers
// only. What follows is compared with what followed there, as one piece.

// Room for four numbers and their commas, so that reading them, in words, needs no checks.
enum { DIGITS_MOST = 19, NUMBERS_ROOM = TAIL_AT * (DIGITS_MOST + 1) + 2 * 8 };

static const uint64_t POWERS_OF_TEN[] = {1,      10,      100,      1000,     10000,
                                         100000, 1000000, 10000000, 100000000};

// The digits, eight at most, that `at` starts with: how many, and their number behind `*number`.
static inline unsigned eight_digits_take(const char *at, uint64_t *number)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    const uint64_t others = csv_not_digits(word);
    const unsigned count = others != 0 ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (count > 0)
        *number = *number * POWERS_OF_TEN[count] + csv_eight_digits(word << (64 - 8 * count));
    return count;
}

// Stops after DIGITS_MOST of them.
static inline const char *digits_take(const char *at, uint64_t *out_number)
{
    uint64_t number = 0;
    const char *stop = at + DIGITS_MOST;
    unsigned count = eight_digits_take(at, &number);
    at += count;
    if (count == 8) {
        count = eight_digits_take(at, &number);
        at += count;
    }
    while (count == 8 && at < stop && (unsigned)(*at - '0') <= 9)
        number = number * 10 + (unsigned)(*at++ - '0');
    *out_number = number;
    return at;
}

// Whether two texts of this size are equal, where that is a few bytes: calling memcmp takes longer.
static inline bool short_equal(const char *a, const char *b, size_t size)
{
    uint64_t left[2], right[2];
    if (size < 8 || size > 16)
        return memcmp(a, b, size) == 0;
    memcpy(&left[0], a, 8);
    memcpy(&right[0], b, 8);
    memcpy(&left[1], a + size - 8, 8);
    memcpy(&right[1], b + size - 8, 8);
    return ((left[0] ^ right[0]) | (left[1] ^ right[1])) == 0;
}

static struct device_log_tail *tail_place(struct device_log *log, uint64_t timer_id, bool start)
{
    return &log->tails[timer_id % DEVICE_TAILS_CACHED][start ? 0 : 1];
}

static void tail_keep(struct device_log *log, const struct device_log_row *row, const char *from)
{
    if (from == NULL || row->traced || row->meta.size > 0 || !log->line.terminated)
        return;
    const uint64_t timer_id = device_log_zone(log, row->zone)->timer_id;
    *tail_place(log, timer_id, row->marker == DEVICE_ZONE_START) =
        (struct device_log_tail){.text = {from, (size_t)(log->lines.at - from)},
                                 .timer_id = timer_id,
                                 .zone = row->zone,
                                 .marker = row->marker};
}

static bool tail_is(const struct device_log_tail *tail, uint64_t timer_id, const char *at,
                    const char *end)
{
    return tail->text.size > 0 && tail->timer_id == timer_id &&
           (size_t)(end - at) >= tail->text.size && at[tail->text.size - 1] == '\n' &&
           memcmp(at, tail->text.data, tail->text.size) == 0;
}

static bool read_known(struct device_log *log, struct device_log_row *row)
{
    const char *at = log->lines.at;
    const char *end = log->lines.end;
    if (!log->has_tails || log->lanes.count == 0)
        return false;
    const struct view lane = device_log_lane(log, log->last_lane)->text;
    if ((size_t)(end - at) < lane.size + NUMBERS_ROOM || !short_equal(at, lane.data, lane.size))
        return false;
    uint64_t numbers[TAIL_AT];
    at += lane.size;
    for (unsigned i = 0; i < TAIL_AT; i++) {
        const char *from = at;
        at = digits_take(at, &numbers[i]);
        if (at == from || *at != ',')
            return false;
        at += i + 1 < TAIL_AT;
    }
    const struct device_log_tail *tail = tail_place(log, numbers[0], true);
    if (!tail_is(tail, numbers[0], at, end))
        tail++;
    if (!tail_is(tail, numbers[0], at, end))
        return false;
    log->line.text = (struct view){log->lines.at, (size_t)(at - log->lines.at)};
    log->line.number = ++log->lines.number;
    log->line.terminated = true;
    log->lines.at = at + tail->text.size;
    *row = (struct device_log_row){.lane = log->last_lane,
                                   .zone = tail->zone,
                                   .time = numbers[1],
                                   .data = numbers[2],
                                   .run_host_id = numbers[3],
                                   .marker = tail->marker};
    return true;
}

static enum device_log_result read_unknown(struct device_log *log, struct device_log_row *row)
{
    const char *tail = NULL;
    const enum device_log_result result = device_log_read_row(log, row, &tail);
    if (result == DEVICE_LOG_ROW)
        tail_keep(log, row, tail);
    return result;
}

static enum device_log_result read_again(struct device_log *log)
{
    const struct view line = log->line.text;
    if (is_first_line(line)) {
        read_first_line(log, line);
        return DEVICE_LOG_SESSION;
    }
    if (device_log_read_header(log, line))
        return DEVICE_LOG_SESSION;
    snprintf(log->problem, sizeof log->problem, "is a header without the columns of one");
    return DEVICE_LOG_BAD;
}

// What a piece ends before.
static enum device_log_result end_piece(struct device_log *log, const char *line)
{
    log->lines.at = line;
    log->lines.number--;
    return DEVICE_LOG_END;
}

enum device_log_result device_log_read_line(struct device_log *log, struct device_log_row *out_row)
{
    *out_row = (struct device_log_row){.lane = DEVICE_LANE_NONE};
    if (read_known(log, out_row))
        return DEVICE_LOG_ROW;
    while (csv_line_next(&log->lines, &log->line)) {
        const struct view line = log->line.text;
        if (line.size > 0 && (unsigned)(line.data[0] - '0') <= 9)
            return read_unknown(log, out_row);
        if (view_trim(line).size == 0)
            continue;
        if (log->is_piece && (is_first_line(line) || is_header(line)))
            return end_piece(log, line.data);
        if (is_first_line(line) || is_header(line)) {
            const bool first = is_first_line(line);
            const enum device_log_result result = read_again(log);
            if (result == DEVICE_LOG_SESSION && !first)
                continue;
            return result;
        }
        snprintf(log->problem, sizeof log->problem,
                 "column 'PCIe slot': expected a number, found '%.*s'",
                 (int)(line.size < 40 ? line.size : 40), line.data);
        return DEVICE_LOG_BAD;
    }
    return DEVICE_LOG_END;
}
