// Folders that outputs go to.

#ifndef OPSCOPE_BASE_FOLDER_H
#define OPSCOPE_BASE_FOLDER_H

#include <stdbool.h>

#include "status.h"

// Whether there is a folder of this path.
bool folder_is(const char *path);

// Makes the folder and those above it where they are missing; fails where one cannot be made or
// written to.
status folder_make(const char *path);

// The same for the folder of a file; "-" and a name without a folder need none.
status folder_make_for(const char *file);

// Removes a folder with all that is in it; links are removed, not followed. One that is not there
// is no failure.
status folder_remove(const char *path);

#endif
