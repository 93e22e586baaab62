// Parts of paths, as texts: nothing is looked at.

#ifndef OPSCOPE_BASE_PATH_H
#define OPSCOPE_BASE_PATH_H

#include "view.h"

// A file name without .gz or .zst.
struct view path_unpacked_name(struct view name);

// The last part of a path.
const char *path_base_name(const char *path);

#endif
