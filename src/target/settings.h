// The keys that a target's file may have, for each set of rules.

#ifndef OPSCOPE_TARGET_SETTINGS_H
#define OPSCOPE_TARGET_SETTINGS_H

#include "target.h"

// Of the engines of TARGET_RULES_TORQ; ends with NULL.
extern const char *const COST_TORQ_SETTINGS[];

// Of the engine of TARGET_RULES_HOST; further ones are measured times (cost_host.h).
extern const char *const COST_HOST_SETTINGS[];

#endif
