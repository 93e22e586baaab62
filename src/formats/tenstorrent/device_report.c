#include "device_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "arch.h"
#include "base/dense.h"
#include "base/memory.h"
#include "derive.h"

static bool device_report_names(struct view line, const char *column)
{
    return view_find_text(line, column) < line.size;
}

bool device_report_recognise(struct view bytes)
{
    const struct view line = view_slice(bytes, 0, view_find(bytes, '\n'));
    return device_report_names(line, "GLOBAL CALL COUNT") && device_report_names(line, "OP NAME") &&
           device_report_names(line, "DEVICE FW START CYCLE") &&
           device_report_names(line, "DEVICE ID") && !device_report_names(line, "OP CODE");
}

// Rows ------------------------------------------------------------------------

struct run_row {
    uint64_t device, id, fw_start, fw_end;
    bool traced;
    uint64_t trace, replay;
    bool whole;
    bool copy; // the same stands among the rows shortly before it
};

enum { COPIES_SOUGHT = 64 };

static bool device_report_read_row(const struct report *report, size_t row, struct run_row *out_row)
{
    *out_row = (struct run_row){0};
    out_row->traced = report_u64(report, row, COLUMN_TRACE_ID, &out_row->trace) &&
                      report_u64(report, row, COLUMN_TRACE_SESSION, &out_row->replay);
    return !report->rows[row].is_cut &&
           report_u64(report, row, COLUMN_DEVICE_ID, &out_row->device) &&
           report_u64(report, row, COLUMN_CALL_COUNT, &out_row->id) && out_row->id > 0 &&
           report_u64(report, row, COLUMN_FW_START_CYCLE, &out_row->fw_start) &&
           report_u64(report, row, COLUMN_FW_END_CYCLE, &out_row->fw_end) &&
           out_row->fw_end >= out_row->fw_start && out_row->device <= UINT32_MAX;
}

static bool is_same_run(const struct run_row *a, const struct run_row *b)
{
    return a->device == b->device && a->id == b->id && a->fw_start == b->fw_start &&
           a->fw_end == b->fw_end && a->traced == b->traced && a->trace == b->trace &&
           a->replay == b->replay;
}

// All rows of the report; to be freed.
static struct run_row *read_rows(const struct report *report)
{
    struct run_row *rows = memory_allocate_zeroed(report->row_count, sizeof *rows);
    for (size_t i = 0; i < report->row_count; i++) {
        rows[i].whole = device_report_read_row(report, i, &rows[i]);
        for (size_t j = i; rows[i].whole && j > 0 && i - j < COPIES_SOUGHT && !rows[i].copy; j--)
            rows[i].copy = rows[j - 1].whole && is_same_run(&rows[j - 1], &rows[i]);
    }
    return rows;
}

// The log ---------------------------------------------------------------------

static void append_marker(struct bytes *text, const struct run_row *row, const char *zone,
                          unsigned timer, uint64_t cycle, bool end)
{
    char trace[48] = ",";
    if (row->traced)
        snprintf(trace, sizeof trace, "%llu,%llu", (unsigned long long)row->trace,
                 (unsigned long long)row->replay);
    bytes_append_format(text, "%llu,0,0,BRISC,%u,%llu,0,%llu,%s,%s,%s,0,,\n",
                        (unsigned long long)row->device, timer, (unsigned long long)cycle,
                        (unsigned long long)row->id, trace, zone, end ? "ZONE_END" : "ZONE_START");
}

static bool device_report_kernel_of(const struct report *report, size_t row,
                                    const struct run_row *run, uint64_t *out_start,
                                    uint64_t *out_end)
{
    const uint32_t start = report_named_column(report, VIEW_LITERAL("DEVICE KERNEL START CYCLE"));
    const uint32_t end = report_named_column(report, VIEW_LITERAL("DEVICE KERNEL END CYCLE"));
    return view_to_u64(report_cell(report, row, start), out_start) &&
           view_to_u64(report_cell(report, row, end), out_end) && *out_start <= *out_end &&
           *out_start >= run->fw_start && *out_end <= run->fw_end;
}

static void append_run(struct bytes *text, const struct report *report, size_t row,
                       const struct run_row *run)
{
    uint64_t start, end;
    if (!run->whole || run->copy)
        return;
    append_marker(text, run, "BRISC-FW", 1, run->fw_start, false);
    if (device_report_kernel_of(report, row, run, &start, &end)) {
        append_marker(text, run, "BRISC-KERNEL", 2, start, false);
        append_marker(text, run, "BRISC-KERNEL", 2, end, true);
    }
    append_marker(text, run, "BRISC-FW", 1, run->fw_end, true);
}

// Of the first row that says it.
static struct view device_report_first_text(const struct report *report, enum column_kind kind)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct view text = report_text(report, i, kind);
        if (text.size > 0)
            return text;
    }
    return VIEW_LITERAL("");
}

static void append_head(struct bytes *text, const struct report *report)
{
    const struct view arch = device_report_first_text(report, COLUMN_DEVICE_ARCH);
    const struct view cores = device_report_first_text(report, COLUMN_WORKER_CORES);
    const struct arch *known = arch_find(arch);
    double mhz = derive_clock_mhz(report);
    if (mhz == 0)
        mhz = (known != NULL ? known : arch_default())->clock_mhz;
    bytes_append_format(text, "ARCH: %.*s, CHIP_FREQ[MHz]: %.0f", VIEW_ARGUMENTS(arch), mhz);
    if (cores.size > 0)
        bytes_append_format(text, ", Max Compute Cores: %.*s", VIEW_ARGUMENTS(cores));
    bytes_append_format(text, "\nPCIe slot, core_x, core_y, RISC processor type, timer_id, "
                              "time[cycles since reset], data, run host ID, trace id, trace id "
                              "counter, zone name, type, source line, source file, meta data\n");
}

status device_report_make_log(const struct report *report, struct spool *log)
{
    struct bytes text = {0};
    status result = STATUS_OK;
    struct run_row *rows = read_rows(report);
    append_head(&text, report);
    for (size_t i = 0; i < report->row_count && result == STATUS_OK; i++) {
        append_run(&text, report, i, &rows[i]);
        result = spool_append(log, text.data, text.size);
        text.size = 0;
    }
    if (report->row_count == 0)
        result = spool_append(log, text.data, text.size);
    bytes_free(&text);
    free(rows);
    return result;
}

// Figures ---------------------------------------------------------------------

static bool is_key(enum column_kind kind)
{
    return kind == COLUMN_CALL_COUNT || kind == COLUMN_DEVICE_ID || kind == COLUMN_TRACE_ID ||
           kind == COLUMN_TRACE_SESSION;
}

// A line for each cell: its name, a tabulator and its text.
static struct view pack(const struct report *report, size_t row, struct bytes *text,
                        struct arena *arena)
{
    text->size = 0;
    for (uint32_t i = 0; i < report->column_count; i++) {
        const struct column *column = &report->columns[i];
        const struct view cell = view_trim(report_cell(report, row, i));
        if (cell.size == 0 || is_key(column->kind) || column->kind == COLUMN_OTHER ||
            column_is_tensor(column->kind) || view_find(cell, '\n') < cell.size)
            continue;
        bytes_append_format(text, "%s\t", column_name(column->kind, REPORT_V21));
        bytes_append(text, cell.data, cell.size);
        bytes_append(text, "\n", 1);
    }
    return arena_copy(arena, bytes_view(text));
}

bool device_report_next(struct view *rest, struct view *out_name, struct view *out_cell)
{
    const size_t tab = view_find(*rest, '\t');
    const size_t end = view_find(*rest, '\n');
    if (tab >= end || end == rest->size)
        return false;
    *out_name = view_slice(*rest, 0, tab);
    *out_cell = view_slice(*rest, tab + 1, end);
    *rest = view_slice(*rest, end + 1, rest->size);
    return true;
}

static struct device_run *device_report_find_run(const struct device_ops *ops,
                                                 const struct run_row *row)
{
    const uint32_t index = device_ops_find(ops, 0, (uint32_t)row->device, row->id);
    const struct device_op *op = index != HASH_NONE ? device_ops_op(ops, index) : NULL;
    for (uint32_t i = 0; op != NULL && i < op->run_count; i++) {
        struct device_run *run = device_ops_run(ops, op->runs[i]);
        const bool same =
            run->traced == row->traced &&
            (!row->traced || (run->trace_id == row->trace && run->trace_counter == row->replay));
        if (same && run->firmware.first == row->fw_start && run->given.size == 0)
            return run;
    }
    return NULL;
}

static void note_columns(const struct report *report, const char *path, struct profile *account)
{
    for (uint32_t i = 0; i < report->column_count; i++) {
        const struct column *column = &report->columns[i];
        uint64_t count = 0;
        for (size_t row = 0; column->kind == COLUMN_OTHER && row < report->row_count; row++)
            count += report_cell(report, row, i).size > 0;
        if (count > 0)
            profile_note(account, 0, LEDGER_REMARK, 1,
                         "%s: the report of operations has no column '%.*s'", path,
                         VIEW_ARGUMENTS(column->name));
    }
}

// Of one device, whose operations are numbered one after the other: a number without a row, unless
// a row that could not be read may have it.
static void lose_missing_runs(const struct run_row *rows, size_t count, const char *path,
                              struct profile *account)
{
    struct dense ids = {0};
    const struct run_row *first = NULL;
    uint64_t unread = 0;
    for (size_t i = 0; i < count; i++) {
        unread += !rows[i].whole;
        if (!rows[i].whole || rows[i].copy)
            continue;
        first = first != NULL ? first : &rows[i];
        if (rows[i].traced || rows[i].device != first->device)
            return;
        dense_add(&ids, rows[i].id);
    }
    const uint64_t missing = dense_is_series(&ids) ? dense_missing(&ids) : 0;
    if (missing > unread)
        profile_note(account, 0, LEDGER_LOST, missing - unread,
                     "%s: GLOBAL CALL COUNT counts through, and %llu of its numbers have no row",
                     path, (unsigned long long)(missing - unread));
}

void device_report_give(const struct report *report, const struct device_ops *ops,
                        struct arena *arena, const char *path, bool alone, struct profile *account)
{
    struct bytes text = {0};
    struct run_row *rows = read_rows(report);
    for (size_t i = 0; i < report->row_count; i++) {
        const unsigned long long line = report->rows[i].line;
        struct device_run *run =
            rows[i].whole && !rows[i].copy ? device_report_find_run(ops, &rows[i]) : NULL;
        if (run != NULL) {
            run->given = pack(report, i, &text, arena);
            profile_track(account, 0)->ledger.recorded++;
        } else if (rows[i].copy) {
            profile_note(account, 0, LEDGER_IMPOSSIBLE, 1, "%s:%llu: the row is there twice", path,
                         line);
        } else {
            profile_note(account, 0, LEDGER_LOST, 1,
                         "%s:%llu: a row without DEVICE ID, GLOBAL CALL COUNT and the cycles of "
                         "its firmware, or one that was there before",
                         path, line);
        }
    }
    if (alone)
        lose_missing_runs(rows, report->row_count, path, account);
    note_columns(report, path, account);
    bytes_free(&text);
    free(rows);
}
