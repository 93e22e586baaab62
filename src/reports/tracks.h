// The tracks of a profile as a table.

#ifndef OPSCOPE_REPORTS_TRACKS_H
#define OPSCOPE_REPORTS_TRACKS_H

#include "profile/profile.h"
#include "table.h"

struct tracks_report {
    const char *path;
    const struct profile *profile;
    const unsigned *depth; // by track: how far its name is indented; NULL: not at all
};

// Row i is track i + 1: the root is none.
extern const struct table_form TRACKS_FORM;

#endif
