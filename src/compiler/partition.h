// Which devices groups run on, where somebody says so.

#ifndef OPSCOPE_COMPILER_PARTITION_H
#define OPSCOPE_COMPILER_PARTITION_H

#include "compiler.h"

// Once groups are placed. Fails for devices that the target does not have, a node that two
// partitions name, and a name that no node has.
status partition_groups(struct plan *plan, const struct compile_options *options);

#endif
