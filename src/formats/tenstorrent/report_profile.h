// An operations report as a profile.
//
// A process for the host with a lane of calls and one of signposts; a process
// per device with a lane of operations (from the first to the last firmware
// marker, in cycles of the device; one lane per sub-device) and one of kernels.
// Flows lead from a call to its operation. Operators carry attributes, tensors,
// fidelity, kernels and the performance model; spans the figures of their row.
//
// A report has no clock that host and device share: the device's is placed so
// that no operation starts before its call, and no kernel times but durations:
// each is put at the end of its firmware, on a track marked derived. Rows that
// contradict themselves or lack their times are in the ledger.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_REPORT_PROFILE_H
#define OPSCOPE_FORMATS_TENSTORRENT_REPORT_PROFILE_H

#include "base/hash.h"
#include "profile/profile.h"
#include "report.h"

// Reads a report into a fresh profile. The input may be closed afterwards.
status report_profile_read(const struct input *input, struct profile *profile);

// "tenstorrent-report-v1" ...
const char *report_profile_format(struct view bytes);

// Operators that were added, found by the cells that describe them.
struct report_operators {
    const struct report *report;
    struct profile *profile;
    struct hash_index index;
    struct report_operator {
        size_t row;
        uint32_t id;
    } * items;
    size_t count;
    size_t capacity;
    struct bytes values;
    struct bytes text;
    enum provenance provenance; // of the row whose operator is added
};

// The operator of a row, added if it is new.
uint32_t report_operators_add(struct report_operators *operators, size_t row);
void report_operators_free(struct report_operators *operators);

// How the times of a row are known: modelled where it says so.
enum provenance report_row_provenance(const struct report *report, size_t row);

// Adds a cell as what it is: a number, or a text. Nothing when it is empty.
void report_value_add(struct profile *profile, struct bytes *values, const char *key,
                      struct view cell, enum provenance provenance);

// The columns that values of spans, and those of operators, came from; COLUMN_OTHER: none.
enum column_kind report_figure_column(struct view key);
enum column_kind report_description_column(struct view key);

#endif
