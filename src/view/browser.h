// Opens an address in the user's browser, by the desktop's own xdg-open.

#ifndef OPSCOPE_VIEW_BROWSER_H
#define OPSCOPE_VIEW_BROWSER_H

#include <stdbool.h>

// False where there is no screen for a browser, or nothing that opens one. Whether a page came up
// is not known.
bool browser_open(const char *address);

#endif
