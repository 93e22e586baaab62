// What `diff` and `gate` share: runs from profiles or kept ones, and how they are compared.

#ifndef OPSCOPE_CLI_COMPARING_H
#define OPSCOPE_CLI_COMPARING_H

#include "analysis/comparison.h"
#include "options.h"
#include "reports/kept_runs.h"
#include "wire/json.h"

#define COMPARING_OPTIONS                                                                          \
    {"time", 0, OPTION_ONE, "WHOSE", "device, host; the device's where it did anything (auto)"},   \
        {"statistic", 0, OPTION_ONE, "NAME",                                                       \
         "of a run's iterations: low (a tenth is below), median, mean"},                           \
    {                                                                                              \
        "confidence", 0, OPTION_ONE, "PERCENT", "of the intervals (99)"                            \
    }

// Two sides of runs, and the accounts of the files that they come from.
struct comparing {
    enum work_side side;
    struct comparison_options options;
    struct kept_runs runs[2];
    int exit; // EXIT_LOSS when a file lost data
};

status comparing_read_options(const struct arguments *arguments, struct comparing *out_comparing);

// Adds the runs of a file to a side: a profile is a run.
status comparing_read(struct comparing *comparing, unsigned side, const char *path);

// Hands the runs over to the comparison.
void comparing_compare(struct comparing *comparing, struct comparison *out_comparison);

void comparing_free(struct comparing *comparing);

// A line for each side: its files, runs and iterations; and what the intervals rest on. `how` says
// how several runs are given.
void comparing_print(const struct comparison *comparison, const char *how);

// Members `a` and `b`: the runs; `measurements` and `in_turn`.
void comparing_json(struct json_writer *json, const struct comparison *comparison);
void comparing_json_row(struct json_writer *json, const char *key,
                        const struct comparison_row *row);

#endif
