#include "calibrated.h"

#include <stdio.h>

void calibrated_print(const struct target *target, const char *label)
{
    if (target_is_guess(target))
        printf("%snot calibrated: guesses; 'opscope calibrate --quick' measures this machine\n",
               label);
}

void calibrated_json(struct json_writer *json, const struct target *target)
{
    if (target_is_processor(target))
        json_bool(json, "calibrated", !target_is_guess(target));
}
