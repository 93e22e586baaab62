// How sure it is what waited for what, as `explain` and `whatif` show it.

#ifndef OPSCOPE_CLI_DEPENDENCE_TEXT_H
#define OPSCOPE_CLI_DEPENDENCE_TEXT_H

#include "analysis/dependence.h"
#include "wire/json.h"

// A line or two on the standard output: what pieces waited for, and what was assumed.
void dependence_print(const struct dependence *dependence);

void dependence_json(struct json_writer *json, const char *key,
                     const struct dependence *dependence);

#endif
