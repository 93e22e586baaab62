// The head of an HTTP request: what is asked for, and of whom. Nothing else of it is looked at but
// whether there is a body, which is refused.

#ifndef OPSCOPE_VIEW_REQUEST_H
#define OPSCOPE_VIEW_REQUEST_H

#include "base/view.h"

struct request {
    struct view method;
    struct view path;  // up to the ?
    struct view query; // after it
    struct view host;  // of the one Host line
};

enum request_state {
    REQUEST_UNFINISHED, // more must come
    REQUEST_WHOLE,
    REQUEST_WRONG, // no HTTP, no host or several, or a body
};

// Looks at what has come so far. Views lie in `text`.
enum request_state request_read(struct view text, struct request *out_request);

// A number of the query ("from=12&to=20"); false when it is not there or is none.
bool request_number(const struct request *request, const char *name, uint64_t *out_number);

#endif
