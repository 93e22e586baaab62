// The part of a row that an operator's description fills, and that of figures which came from a
// report: parts of profile_report.c.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_PROFILE_REPORT_OPERATOR_H
#define OPSCOPE_REPORTS_TENSTORRENT_PROFILE_REPORT_OPERATOR_H

#include "formats/tenstorrent/report.h"

// Code, tensors, attributes, kernels, the performance model and the place. `tiled`: what
// modelled_columns.h reads is no attribute.
void profile_report_describe(const struct profile *profile, uint32_t operator_id, bool tiled,
                             enum report_version version, struct report *report, size_t row);

// Values that report_profile.h writes, back in their columns.
void profile_report_set_figures(const struct profile *profile, struct view values,
                                enum report_version version, struct report *report, size_t row);

#endif
