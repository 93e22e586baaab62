// A page about one profile or several: one file of HTML that holds all it needs and asks nothing of
// the network, for a browser with JavaScript. What is drawn is computed here; the scripts in this
// folder, which the build puts in, only show it.
//
// However large the profiles are, the page has at most PAGE_SIZE_MOST bytes: timelines come at
// levels of detail (timeline.h), tables and trees with their largest rows, and the page says where
// something is added up or left out.
//
// Texts of files stand in the page as JSON that no script runs, and its policy lets it run nothing
// but its own script, by that script's digest.

#ifndef OPSCOPE_REPORTS_PAGE_PAGE_H
#define OPSCOPE_REPORTS_PAGE_PAGE_H

#include "analysis/roofline.h"
#include "base/output.h"
#include "profile/profile.h"

enum { PAGE_SIZE_MOST = 8 * 1000 * 1000, PAGE_PROFILES_MOST = 8 };

struct page_source {
    const char *path;
    struct profile *profile;
    struct roofline_peaks peaks; // what the machine can do; all zero: nothing is known
    const char *peaks_from;      // whose they are; NULL: nobody's
};

struct page_options {
    const char *title; // NULL: what the profiles say
    bool live;         // a server answers what the page asks it for (view)
};

// Of two profiles the page shows what changed, too. What cannot be compared is said in the page.
status page_write(const struct page_source *sources, size_t count,
                  const struct page_options *options, struct output *output);

#endif
