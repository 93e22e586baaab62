// Which values of a program lie in memory with their channels last: those that tasks make
// that work on images in that order, unless they are outputs of the network. A value takes as
// much memory either way, so its planned place stays.

#ifndef OPSCOPE_DEVICE_HOST_LAYOUT_H
#define OPSCOPE_DEVICE_HOST_LAYOUT_H

#include "host_recipe.h"

// By buffer. `recipes` by task; `loose_ports` as in host.h. For the caller to free.
bool *host_layout_find(const struct host_machine *machine, const struct host_recipe *recipes,
                       bool loose_ports);

#endif
