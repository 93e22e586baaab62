// Which groups work on images, which on a machine with tiles lie in rows as they are: those that
// convolve or pool, and those that do something else to what these take or give. A product is none
// of them: it needs tiles.

#ifndef OPSCOPE_DEVICE_DESCRIBE_IMAGES_H
#define OPSCOPE_DEVICE_DESCRIBE_IMAGES_H

#include <stdbool.h>

#include "program/program.h"

// By group, for the caller to free.
bool *describe_images_find(const struct program *program);

#endif
