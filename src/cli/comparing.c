#include "comparing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_text.h"
#include "opened.h"
#include "reports/diff.h"

enum { MACHINE_MOST = 80 }; // letters

status comparing_read_options(const struct arguments *arguments, struct comparing *out_comparing)
{
    const char *time = arguments_value(arguments, "time");
    const char *statistic = arguments_value(arguments, "statistic");
    const char *confidence = arguments_value(arguments, "confidence");
    const char *command = arguments_command(arguments);
    *out_comparing = (struct comparing){.options = {COMPARE_LOW, 0.99}};
    if (time != NULL && strcmp(time, "device") == 0)
        out_comparing->side = WORK_DEVICE;
    else if (time != NULL && strcmp(time, "host") == 0)
        out_comparing->side = WORK_HOST;
    else if (time != NULL && strcmp(time, "auto") != 0)
        return status_make(STATUS_USAGE, "%s: --time %s: device, host or auto", command, time);
    if (statistic != NULL && strcmp(statistic, "median") == 0)
        out_comparing->options.statistic = COMPARE_MEDIAN;
    else if (statistic != NULL && strcmp(statistic, "mean") == 0)
        out_comparing->options.statistic = COMPARE_MEAN;
    else if (statistic != NULL && strcmp(statistic, "low") != 0)
        return status_make(STATUS_USAGE, "%s: --statistic %s: low, median or mean", command,
                           statistic);
    if (confidence != NULL) {
        char *end;
        const double percent = strtod(confidence, &end);
        if (*end == '%')
            end++;
        if (*end != '\0' || !(percent >= 50 && percent <= 99.99))
            return status_make(STATUS_USAGE, "%s: --confidence %s: 50 to 99.99 percent", command,
                               confidence);
        out_comparing->options.confidence = percent / 100;
    }
    return STATUS_OK;
}

static status read_profile(struct comparing *comparing, unsigned side, const char *path,
                           struct profile *profile)
{
    struct work_run *run = kept_runs_add(&comparing->runs[side]);
    STATUS_TRY(work_measure(profile, comparing->side, true, run));
    run->accounted = true;
    run->ledger = profile_ledger(profile);
    run->not_carried = ledger_not_carried(profile);
    run->source = arena_copy(&run->arena, view_of(path));
    ledger_warn(profile);
    if (ledger_exit(profile) != EXIT_DONE)
        comparing->exit = ledger_exit(profile);
    if (run->iteration_count == 0)
        return status_make(STATUS_DATA, "%s: no spans of a %s in it to compare", path,
                           run->side == WORK_DEVICE ? "device" : "host");
    return STATUS_OK;
}

// What was kept of a run is the time of one side.
static status check_kept(const struct comparing *comparing, unsigned side, const char *path)
{
    const struct kept_runs *runs = &comparing->runs[side];
    const enum work_side wanted = comparing->side;
    for (size_t i = 0; i < runs->count; i++) {
        if (wanted != WORK_AUTO && runs->items[i].side != wanted)
            return status_make(STATUS_DATA,
                               "%s: the time of the %s was kept, not what --time asks "
                               "for",
                               path, runs->items[i].side == WORK_DEVICE ? "device" : "host");
    }
    return STATUS_OK;
}

status comparing_read(struct comparing *comparing, unsigned side, const char *path)
{
    if (input_file_is(path, kept_runs_is)) {
        struct input *input;
        STATUS_TRY(input_open(path, &input));
        const status result = kept_runs_read(input->bytes, path, &comparing->runs[side]);
        input_close(input);
        return result == STATUS_OK ? check_kept(comparing, side, path) : result;
    }
    const struct format_options options = {0};
    struct profile *profile;
    STATUS_TRY(opened_read(path, &options, &profile));
    const status result = read_profile(comparing, side, path, profile);
    opened_close(profile);
    return result;
}

void comparing_compare(struct comparing *comparing, struct comparison *out_comparison)
{
    struct kept_runs *runs = comparing->runs;
    comparison_make(runs[0].items, runs[0].count, runs[1].items, runs[1].count, &comparing->options,
                    out_comparison);
    runs[0] = runs[1] = (struct kept_runs){0};
}

void comparing_free(struct comparing *comparing)
{
    kept_runs_free(&comparing->runs[0]);
    kept_runs_free(&comparing->runs[1]);
}

// Text ------------------------------------------------------------------------

static size_t comparing_rounds(const struct compared_side *side)
{
    size_t rounds = 0;
    for (size_t i = 0; i < side->run_count; i++)
        rounds += side->runs[i].iteration_count;
    return rounds;
}

static void comparing_print_side(const char *name, const struct compared_side *side)
{
    struct bytes text = {0};
    letters_append(&text, side->runs[0].source, 80, LETTERS_CUT_MIDDLE);
    printf("%s: %.*s%s, %zu run%s, %zu iteration%s, time of the %s%s\n", name,
           VIEW_ARGUMENTS(bytes_view(&text)), side->run_count > 1 ? " ..." : "", side->run_count,
           side->run_count == 1 ? "" : "s", comparing_rounds(side),
           comparing_rounds(side) == 1 ? "" : "s",
           side->runs[0].side == WORK_DEVICE ? "device" : "host",
           side->runs[0].modelled ? ", modelled" : "");
    bytes_free(&text);
}

// A difference may be that of the machines.
static void print_machines(const struct compared_side *sides)
{
    const struct view a = sides[0].runs[0].machine, b = sides[1].runs[0].machine;
    struct bytes text = {0};
    if (a.size == 0 || b.size == 0 || view_equal(a, b))
        return;
    letters_append(&text, a, MACHINE_MOST, LETTERS_CUT_MIDDLE);
    bytes_append_format(&text, ", b on ");
    letters_append(&text, b, MACHINE_MOST, LETTERS_CUT_MIDDLE);
    printf("measured on different machines: a on %.*s\n", VIEW_ARGUMENTS(bytes_view(&text)));
    bytes_free(&text);
}

void comparing_print(const struct comparison *comparison, const char *how)
{
    const struct compared_side *sides = comparison->sides;
    comparing_print_side("a", &sides[0]);
    comparing_print_side("b", &sides[1]);
    print_machines(sides);
    if (sides[0].runs[0].side != sides[1].runs[0].side)
        printf("time of a device beside that of a host: --time compares the same of both\n");
    if (sides[0].runs[0].modelled && sides[1].runs[0].modelled)
        return;
    if (comparison->by_calls)
        printf(
            "intervals are of calls, since there are too few iterations: what differs from run to "
            "run is not seen; %s\n",
            how);
    else if (!comparison->by_runs)
        printf("intervals are of iterations: what differs from run to run is not seen; %s\n", how);
    else if (comparison->order == SHIFT_ONE_AFTER_THE_OTHER)
        printf(
            "runs of a and b were not made in turn, or nothing tells: intervals are wider by how "
            "much the machine changes\n");
}

// JSON ------------------------------------------------------------------------

static void json_side(struct json_writer *json, const char *key, const struct compared_side *side)
{
    json_open_array(json, key);
    for (size_t i = 0; i < side->run_count; i++) {
        const struct work_run *run = &side->runs[i];
        json_open_object(json, NULL);
        json_text(json, "file", run->source);
        if (run->machine.size > 0)
            json_text(json, "machine", run->machine);
        json_text(json, "time", view_of(run->side == WORK_DEVICE ? "device" : "host"));
        json_bool(json, "modelled", run->modelled);
        json_uint(json, "iterations", run->iteration_count);
        if (run->accounted) {
            json_open_object(json, "ledger");
            ledger_json_accounts(json, run->ledger, run->not_carried);
            json_close(json);
        } else {
            json_null(json, "ledger");
        }
        json_close(json);
    }
    json_close(json);
}

void comparing_json(struct json_writer *json, const struct comparison *comparison)
{
    json_side(json, "a", &comparison->sides[0]);
    json_side(json, "b", &comparison->sides[1]);
    json_text(json, "measurements",
              view_of(comparison->by_runs    ? "runs"
                      : comparison->by_calls ? "calls"
                                             : "iterations"));
    json_bool(json, "in_turn", comparison->order == SHIFT_IN_TURN);
    json_real(json, "confidence", comparison->options.confidence);
}

void comparing_json_row(struct json_writer *json, const char *key, const struct comparison_row *row)
{
    json_open_object(json, key);
    json_text(json, "verdict", view_of(comparison_verdict_name(row->verdict)));
    json_real(json, "a_ns", row->a.ns);
    json_real(json, "b_ns", row->b.ns);
    json_real(json, "difference_ns", row->difference);
    if (row->shift.factor > 0)
        json_real(json, "change", row->shift.factor - 1);
    else
        json_null(json, "change");
    if (row->shift.known) {
        json_real(json, "low", row->shift.low - 1);
        json_real(json, "high", row->shift.high - 1);
    } else {
        json_null(json, "low");
        json_null(json, "high");
    }
    json_close(json);
}
