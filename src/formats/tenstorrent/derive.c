#include "derive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// Wormhole, Blackhole, Grayskull, Quasar; boards that were clocked down.
static const double CLOCKS_MHZ[] = {1000, 1350, 1200, 1400, 1300, 900, 800, 650, 500};

struct row_times {
    uint64_t fw_start, fw_end; // cycles
    double fw_ns, kernel_ns;
};

static bool derive_read_cycles(const struct report *report, size_t row, struct row_times *out_times)
{
    return report_u64(report, row, COLUMN_FW_START_CYCLE, &out_times->fw_start) &&
           report_u64(report, row, COLUMN_FW_END_CYCLE, &out_times->fw_end) &&
           out_times->fw_end >= out_times->fw_start &&
           report_double(report, row, COLUMN_FW_DURATION, &out_times->fw_ns);
}

static bool fw_duration_is(const struct report *report, size_t row, const struct row_times *times,
                           double clock_mhz)
{
    char text[40];
    snprintf(text, sizeof text, "%.0f",
             (double)(times->fw_end - times->fw_start) * 1000 / clock_mhz);
    return view_is(report_text(report, row, COLUMN_FW_DURATION), text);
}

// How many rows have the duration that their cycles take at this clock.
static uint64_t rows_at(const struct report *report, double clock_mhz)
{
    uint64_t count = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        struct row_times times;
        if (derive_read_cycles(report, i, &times))
            count += fw_duration_is(report, i, &times, clock_mhz);
    }
    return count;
}

double derive_clock_mhz(const struct report *report)
{
    double best = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof CLOCKS_MHZ / sizeof CLOCKS_MHZ[0]; i++) {
        const uint64_t count = rows_at(report, CLOCKS_MHZ[i]);
        if (count > most) {
            most = count;
            best = CLOCKS_MHZ[i];
        }
    }
    uint64_t rows = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        struct row_times times;
        rows += derive_read_cycles(report, i, &times);
    }
    // A few short rows agree with any clock.
    return most * 2 > rows ? best : 0;
}

static void derive_account(struct derive_account *account, bool equal, uint64_t line)
{
    if (equal) {
        account->equal++;
        return;
    }
    if (account->different++ == 0)
        account->line = line;
}

static void check_host_end(const struct report *report, size_t row, struct derive_account *out)
{
    uint64_t start, end, duration;
    if (report_text(report, row, COLUMN_HOST_END).size == 0)
        return;
    if (report_u64(report, row, COLUMN_HOST_START, &start) &&
        report_u64(report, row, COLUMN_HOST_END, &end) &&
        report_u64(report, row, COLUMN_HOST_DURATION, &duration))
        derive_account(out, end >= start && end - start == duration, report->rows[row].line);
    else
        out->unknown++;
}

static void check_fw_duration(const struct report *report, size_t row, double clock_mhz,
                              struct derive_account *out)
{
    struct row_times times;
    if (report_text(report, row, COLUMN_FW_DURATION).size == 0)
        return;
    if (clock_mhz > 0 && derive_read_cycles(report, row, &times))
        derive_account(out, fw_duration_is(report, row, &times, clock_mhz), report->rows[row].line);
    else
        out->unknown++;
}

static void check_fpu_util(const struct report *report, size_t row, struct derive_account *out)
{
    double compute, kernel;
    const struct view printed = report_text(report, row, COLUMN_PM_FPU_UTIL);
    if (printed.size == 0)
        return;
    if (!report_double(report, row, COLUMN_PM_COMPUTE, &compute) ||
        !report_double(report, row, COLUMN_KERNEL_DURATION, &kernel) || !(kernel > 0)) {
        out->unknown++;
        return;
    }
    char text[REPORT_REAL_ROOM];
    derive_account(out, view_is(printed, report_rounded_text(100 * compute / kernel, 3, text)),
                   report->rows[row].line);
}

// The last device operation of each device so far.
struct last_rows {
    struct last_row {
        struct view device;
        size_t row;
    } * items;
    size_t count;
    size_t capacity;
};

// Replaces the last row of a device; false when this is its first.
static bool last_row_swap(struct last_rows *last, struct view device, size_t row,
                          size_t *out_previous)
{
    for (size_t i = 0; i < last->count; i++) {
        if (view_equal(last->items[i].device, device)) {
            *out_previous = last->items[i].row;
            last->items[i].row = row;
            return true;
        }
    }
    last->items = memory_grow(last->items, last->count, &last->capacity, sizeof *last->items);
    last->items[last->count++] = (struct last_row){device, row};
    return false;
}

static bool derive_read_times(const struct report *report, size_t row, struct row_times *out_times)
{
    return derive_read_cycles(report, row, out_times) &&
           report_double(report, row, COLUMN_KERNEL_DURATION, &out_times->kernel_ns);
}

static void check_op_to_op(const struct report *report, size_t row, double clock_mhz,
                           struct last_rows *last, struct derive_account *out)
{
    double gap;
    struct row_times now, before;
    size_t previous;
    const bool has_gap = report_double(report, row, COLUMN_OP_TO_OP, &gap);
    const bool first =
        !last_row_swap(last, report_text(report, row, COLUMN_DEVICE_ID), row, &previous);
    if (!has_gap)
        return;
    if (first) {
        derive_account(out, gap == 0, report->rows[row].line);
        return;
    }
    if (!(clock_mhz > 0) || !derive_read_times(report, row, &now) ||
        !derive_read_times(report, previous, &before)) {
        out->unknown++;
        return;
    }
    const double firmware = ((double)now.fw_start - (double)before.fw_end) * 1000 / clock_mhz;
    const double around = now.fw_ns - now.kernel_ns + before.fw_ns - before.kernel_ns;
    const double rounding = 2;
    derive_account(out, gap >= firmware - rounding && gap <= firmware + around + rounding,
                   report->rows[row].line);
}

static void check_op_to_op_dm_start(const struct report *report, size_t row,
                                    struct derive_account *out)
{
    double gap, from_dm, kernel, kernel_dm;
    if (!report_double(report, row, COLUMN_OP_TO_OP_DM_START, &from_dm))
        return;
    if (!report_double(report, row, COLUMN_OP_TO_OP, &gap) || gap == 0 ||
        !report_double(report, row, COLUMN_KERNEL_DURATION, &kernel) ||
        !report_double(report, row, COLUMN_KERNEL_DURATION_DM_START, &kernel_dm)) {
        out->unknown++;
        return;
    }
    derive_account(out, fabs(from_dm - (gap + kernel - kernel_dm)) <= 1, report->rows[row].line);
}

void derive_check(const struct report *report, struct derive_result *out_result)
{
    *out_result = (struct derive_result){.clock_mhz = derive_clock_mhz(report)};
    struct last_rows last = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        check_host_end(report, i, &out_result->host_end);
        check_fw_duration(report, i, out_result->clock_mhz, &out_result->fw_duration);
        check_fpu_util(report, i, &out_result->fpu_util);
        if (report_text(report, i, COLUMN_DEVICE_ID).size > 0)
            check_op_to_op(report, i, out_result->clock_mhz, &last, &out_result->op_to_op);
        check_op_to_op_dm_start(report, i, &out_result->op_to_op_dm_start);
    }
    free(last.items);
}
