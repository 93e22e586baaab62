// A target on the way from its text to its tables.

#ifndef OPSCOPE_TARGET_READING_H
#define OPSCOPE_TARGET_READING_H

#include "base/hash.h"
#include "target.h"
#include "target/rules/price.h"
#include "text.h"

struct target_reading {
    struct target *target;
    struct target_text text;
    struct target_setting *settings;
    size_t setting_count;
    size_t setting_capacity;
    struct hash_index names; // of settings
};

// Sections but engines and queues: the machine itself (machine.c).
status target_read_machine(struct target_reading *reading);
// Engines (engine.c), and the queues that drive them (queue.c).
status target_read_engines(struct target_reading *reading);
status target_read_queues(struct target_reading *reading);
// "convolution matmul : i8 f16 ; elementwise" (takes.c).
status target_read_takes(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry);
// The words of a list, which ends with NULL. A list with * in it is all of them.
const char *const *target_words(struct target *target, struct view text);
status target_read_tile(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry);
status target_read_depth(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry);
status target_read_either(struct target_reading *reading, struct target_engine *engine,
                          const struct target_entry *entry);
status target_read_fuses(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry);

// Lanes are numbered flat, in the order of engines (engine.c).
status target_number_lanes(const struct target_reading *reading);

// Whether a section may have a key. Of engines: whatever a price may know.
bool target_machine_has_key(enum target_section_kind kind, struct view key);
bool target_section_has_key(enum target_section_kind kind, struct view key);

// Fails when it lacks what every target has (target.c).
status target_check_whole(const struct target_reading *reading);

// A copy that lives as long as the target.
const char *target_keep(struct target *target, struct view text);

// In the place of the setting of the same name, or after all others.
void target_keep_setting(struct target_reading *reading, const char *engine, struct view key,
                         double number, struct view value);

// What many keys are given.
status target_read_count(const struct target_reading *reading, const struct target_entry *entry,
                         const char *what, uint64_t least, uint64_t most, uint64_t *out_count);
status target_read_answer(const struct target_reading *reading, const struct target_entry *entry,
                          bool *out_answer);
status target_read_per(const struct target_reading *reading, const struct target_entry *entry,
                       enum target_per *out_per);
status target_read_clock(const struct target_reading *reading, const struct target_entry *entry,
                         uint64_t *out_clock);
status target_read_amount(const struct target_reading *reading, const struct target_entry *entry,
                          uint64_t *out_amount);
status target_read_text(const struct target_reading *reading, const struct target_entry *entry,
                        const char **out_text);
// The index of a section among those of its kind, which is that of its record.
status target_read_name(const struct target_reading *reading, const struct target_entry *entry,
                        enum target_section_kind kind, struct view name, uint32_t *out_index);
status target_read_memory(const struct target_reading *reading, const struct target_entry *entry,
                          uint32_t *out_memory);

// Units and lanes are numbered flat; more than that is no machine.
enum { TARGET_UNITS_MOST = 1 << 20 };

#endif
