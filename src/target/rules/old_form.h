// The first form of target files: `rules = torq` for all prices, `kind = slice` of engines.
// Programs of the first version carry it, and users have such files.

#ifndef OPSCOPE_TARGET_RULES_OLD_FORM_H
#define OPSCOPE_TARGET_RULES_OLD_FORM_H

#include "target/reading.h"

// Whether a text is of that form: it says `rules` or a `kind`.
bool old_form_is(const struct target_reading *reading);

// Whether there are such rules.
bool old_form_has_rules(struct view name);

// Engines, the queue and the port that all such targets have.
status old_form_read(struct target_reading *reading);

#endif
