// What `report` and `view` make a page of: profiles, and what their machines can do.

#ifndef OPSCOPE_CLI_PAGE_SOURCES_H
#define OPSCOPE_CLI_PAGE_SOURCES_H

#include "peaks.h"
#include "reports/page/page.h"

struct page_sources {
    struct page_source items[PAGE_PROFILES_MOST];
    struct peaks peaks[PAGE_PROFILES_MOST];
    size_t count;
    int exit; // EXIT_LOSS when a file lost data
};

// At most PAGE_PROFILES_MOST files; to be freed in any case. Warns of what was lost.
status page_sources_read(const struct arguments *arguments, const char *const *paths, size_t count,
                         struct page_sources *out_sources);
void page_sources_free(struct page_sources *sources);

#endif
