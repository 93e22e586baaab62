// Engines as the first form of target files describes them: `kind = slice`.

#ifndef OPSCOPE_TARGET_OLD_FORM_H
#define OPSCOPE_TARGET_OLD_FORM_H

#include "target.h"

// Roles, queues and the numbers of lanes and units, from the kinds of its engines.
void target_fill(struct target *target);

#endif
