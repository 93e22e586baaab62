// Writes a profile as a flat table (CSV): a row for each span, instant and sample, whatever the
// profile comes from. docs/formats/spans-csv.md says what the columns mean.
//
// Events leave as they come from the profile, track by track, each in order of start. Memory: one
// row, and the place of one track.

#ifndef OPSCOPE_FORMATS_TABLE_SPANS_CSV_H
#define OPSCOPE_FORMATS_TABLE_SPANS_CSV_H

#include "profile/profile.h"

// Writes the stored profile to `path`. Without arguments the last column is empty.
status spans_csv_write(struct profile *profile, const char *path, bool no_arguments);

#endif
