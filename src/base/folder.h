// Folders of the file system.

#ifndef OPSCOPE_BASE_FOLDER_H
#define OPSCOPE_BASE_FOLDER_H

#include <stdbool.h>

#include "status.h"

// A folder and those above it; those that are there stay as they are.
status folder_make(const char *path);

// A folder with all that is in it; links are removed, not followed. One that is not there is no
// failure.
status folder_remove(const char *path);

bool folder_is(const char *path);

#endif
