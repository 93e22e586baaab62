// How values lie for engines: in tiles, or in rows.

#include "reading.h"

status target_read_tile(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry)
{
    uint64_t tile[2];
    if (target_value_shape(entry->value, tile, 2) != 2 || tile[0] == 0 || tile[1] == 0 ||
        tile[0] > TARGET_UNITS_MOST || tile[1] > TARGET_UNITS_MOST)
        return target_text_fail(&reading->text, entry->line,
                                "expected rows x columns, like 32x32, not '%.*s'",
                                VIEW_ARGUMENTS(entry->value));
    engine->tile[0] = (uint32_t)tile[0];
    engine->tile[1] = (uint32_t)tile[1];
    return STATUS_OK;
}

status target_read_depth(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    uint64_t depth;
    STATUS_TRY(
        target_read_count(reading, entry, "a number of channels", 1, TARGET_UNITS_MOST, &depth));
    engine->depth = (uint32_t)depth;
    return STATUS_OK;
}

status target_read_either(struct target_reading *reading, struct target_engine *engine,
                          const struct target_entry *entry)
{
    engine->either = target_words(reading->target, entry->value);
    return engine->either[0] != NULL
               ? STATUS_OK
               : target_text_fail(&reading->text, entry->line,
                                  "expected operators or classes of them, like 'elementwise "
                                  "concat', not '%.*s'",
                                  VIEW_ARGUMENTS(entry->value));
}

// Whether an engine names the class: one that takes everything lays nothing out.
static bool lays_out(const struct target_engine *engine)
{
    for (uint32_t i = 0; i < engine->take_count; i++) {
        for (size_t k = 0; engine->takes[i].classes[k] != NULL; k++) {
            if (strcmp(engine->takes[i].classes[k], "layout") == 0)
                return true;
        }
    }
    return false;
}

bool target_has_layouts(const struct target *target)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target_computes(target, i) && lays_out(&target->engines[i]))
            return true;
    }
    return false;
}
