// What is served: the page about profiles with what it asks for, or one file for another page.

#ifndef OPSCOPE_VIEW_CONTENT_H
#define OPSCOPE_VIEW_CONTENT_H

#include "reports/page/page.h"
#include "reports/page/window.h"
#include "server.h"

// The page at "", `blocks` and `span` (reports/page/window.h) below it.
struct page_content {
    struct view_content content;
    struct bytes page;
    struct windows *windows[PAGE_PROFILES_MOST];
    size_t count;
};

// Profiles must outlive the content.
status page_content_make(const struct page_source *sources, size_t count, const char *title,
                         struct page_content *out_content);
void page_content_free(struct page_content *content);

// A file under its name, for pages of `origin`.
struct file_content {
    struct view_content content;
    struct view name;
    struct view bytes; // the caller's
};

struct file_content file_content_of(struct view name, struct view bytes, const char *origin);

#endif
