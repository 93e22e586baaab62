// What must be said beside modelled times: whether the target's rates were measured.

#ifndef OPSCOPE_CLI_CALIBRATED_H
#define OPSCOPE_CLI_CALIBRATED_H

#include "target/target.h"
#include "wire/json.h"

// One line after `label` when the times of a target are guesses; nothing otherwise.
void calibrated_print(const struct target *target, const char *label);

// "calibrated" of a processor; nothing of other machines, which cannot be measured here.
void calibrated_json(struct json_writer *json, const struct target *target);

#endif
