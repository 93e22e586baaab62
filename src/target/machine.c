// The sections of a target's text that say what there is: clocks, devices, cores, memories,
// ports, and what the compiler is to do with them.

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "reading.h"
#include "target/rules/old_form.h"

enum { DEPTH_USUAL = 8 }; // groups of a chain

// Values ------------------------------------------------------------------------------

status target_read_count(const struct target_reading *reading, const struct target_entry *entry,
                         const char *what, uint64_t least, uint64_t most, uint64_t *out_count)
{
    double number;
    if (!target_value_number(entry->value, UNIT_BYTES, &number) || number < (double)least ||
        number > (double)most)
        return target_text_fail(&reading->text, entry->line, "not %s: '%.*s'", what,
                                VIEW_ARGUMENTS(entry->value));
    *out_count = (uint64_t)number;
    return STATUS_OK;
}

status target_read_answer(const struct target_reading *reading, const struct target_entry *entry,
                          bool *out_answer)
{
    double number;
    if (!target_value_number(entry->value, UNIT_ANSWER, &number))
        return target_text_fail(&reading->text, entry->line, "%.*s is yes or no, not '%.*s'",
                                VIEW_ARGUMENTS(entry->key), VIEW_ARGUMENTS(entry->value));
    *out_answer = number != 0;
    return STATUS_OK;
}

status target_read_per(const struct target_reading *reading, const struct target_entry *entry,
                       enum target_per *out_per)
{
    static const char *const WORDS[] = {[TARGET_PER_MACHINE] = "machine",
                                        [TARGET_PER_DEVICE] = "device",
                                        [TARGET_PER_CORE] = "core"};
    for (int i = 0; i < 3; i++) {
        if (view_is(entry->value, WORDS[i])) {
            *out_per = (enum target_per)i;
            return STATUS_OK;
        }
    }
    return target_text_fail(&reading->text, entry->line,
                            "per is core, device or machine, not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

status target_read_clock(const struct target_reading *reading, const struct target_entry *entry,
                         uint64_t *out_clock)
{
    double number;
    if (!target_value_number(entry->value, UNIT_HERTZ, &number) || number < 1)
        return target_text_fail(&reading->text, entry->line, "not a clock of at least 1 Hz: '%.*s'",
                                VIEW_ARGUMENTS(entry->value));
    *out_clock = (uint64_t)number;
    return STATUS_OK;
}

status target_read_memory(const struct target_reading *reading, const struct target_entry *entry,
                          uint32_t *out_memory)
{
    const struct target *target = reading->target;
    struct bytes names = {0};
    for (uint32_t i = 0; i < target->memory_count; i++) {
        if (view_is(entry->value, target->memories[i].name)) {
            bytes_free(&names);
            *out_memory = i;
            return STATUS_OK;
        }
        bytes_append_format(&names, "%s%s", i > 0 ? ", " : "", target->memories[i].name);
    }
    const status failure = target_text_fail(
        &reading->text, entry->line, "there is no memory '%.*s': there %s %.*s",
        VIEW_ARGUMENTS(entry->value), target->memory_count == 1 ? "is" : "are",
        VIEW_ARGUMENTS(target->memory_count > 0 ? bytes_view(&names) : view_of("none")));
    bytes_free(&names);
    return failure;
}

status target_read_text(const struct target_reading *reading, const struct target_entry *entry,
                        const char **out_text)
{
    if (entry->value.size == 0)
        return target_text_fail(&reading->text, entry->line, "%.*s is not empty",
                                VIEW_ARGUMENTS(entry->key));
    *out_text = target_keep(reading->target, entry->value);
    return STATUS_OK;
}

status target_read_amount(const struct target_reading *reading, const struct target_entry *entry,
                          uint64_t *out_amount)
{
    return target_read_count(reading, entry, "a number", 0, UINT64_MAX, out_amount);
}

static status read_bandwidth(const struct target_reading *reading, const struct target_entry *entry,
                             double *out_rate)
{
    if (!target_value_number(entry->value, UNIT_BYTES_A_SECOND, out_rate) || *out_rate <= 0)
        return target_text_fail(&reading->text, entry->line, "not a rate like 60 GB/s: '%.*s'",
                                VIEW_ARGUMENTS(entry->value));
    return STATUS_OK;
}

enum { LINK_SETUP_MOST = 1000000000 }; // cycles

// Keys --------------------------------------------------------------------------------

// Reads one key into a target or one of its tables' records.
struct key {
    const char *name;
    status (*read)(struct target_reading *reading, void *record, const struct target_entry *entry);
};

static status machine_read_name(struct target_reading *reading, void *record,
                                const struct target_entry *entry)
{
    if (entry->value.size == 0)
        return target_text_fail(&reading->text, entry->line, "a target's name is not empty");
    ((struct target *)record)->name = target_keep(reading->target, entry->value);
    return STATUS_OK;
}

static status read_title(struct target_reading *reading, void *record,
                         const struct target_entry *entry)
{
    ((struct target *)record)->title = target_keep(reading->target, entry->value);
    return STATUS_OK;
}

// How a whole target was priced in the first form of these files (rules/old_form.h).
static status read_rules(struct target_reading *reading, void *record,
                         const struct target_entry *entry)
{
    (void)record;
    if (old_form_has_rules(entry->value))
        return STATUS_OK;
    return target_text_fail(&reading->text, entry->line, "there are no rules '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static status machine_read_clock(struct target_reading *reading, void *record,
                                 const struct target_entry *entry)
{
    return target_read_clock(reading, entry, &((struct target *)record)->clock);
}

static const struct key TARGET_KEYS[] = {
    {"name", machine_read_name},
    {"title", read_title},
    {"clock", machine_read_clock},
    {"rules", read_rules},
    {0},
};

static status read_small_count(struct target_reading *reading, const struct target_entry *entry,
                               const char *what, uint32_t *out_count)
{
    uint64_t count;
    if (!view_to_u64(entry->value, &count) || count < 1 || count > TARGET_UNITS_MOST)
        return target_text_fail(&reading->text, entry->line, "not %s: '%.*s'", what,
                                VIEW_ARGUMENTS(entry->value));
    *out_count = (uint32_t)count;
    return STATUS_OK;
}

static status machine_read_devices(struct target_reading *reading, void *record,
                                   const struct target_entry *entry)
{
    return read_small_count(reading, entry, "a number of devices",
                            &((struct target *)record)->device_count);
}

static const struct key DEVICE_KEYS[] = {{"count", machine_read_devices}, {0}};

static status machine_read_cores(struct target_reading *reading, void *record,
                                 const struct target_entry *entry)
{
    return read_small_count(reading, entry, "a number of cores",
                            &((struct target *)record)->core_count);
}

static status read_grid(struct target_reading *reading, void *record,
                        const struct target_entry *entry)
{
    struct target *target = record;
    uint64_t grid[2];
    if (target_value_shape(entry->value, grid, 2) != 2 || grid[0] > TARGET_UNITS_MOST ||
        grid[1] > TARGET_UNITS_MOST)
        return target_text_fail(&reading->text, entry->line,
                                "not columns x rows of cores, like 4x2: '%.*s'",
                                VIEW_ARGUMENTS(entry->value));
    target->grid[0] = (uint32_t)grid[0];
    target->grid[1] = (uint32_t)grid[1];
    return STATUS_OK;
}

static const struct key CORE_KEYS[] = {{"count", machine_read_cores}, {"grid", read_grid}, {0}};

static status read_tiles(struct target_reading *reading, void *record,
                         const struct target_entry *entry)
{
    struct target_plan *plan = record;
    plan->evaluated = view_is(entry->value, "evaluated");
    if (plan->evaluated || view_is(entry->value, "estimated"))
        return STATUS_OK;
    return target_text_fail(&reading->text, entry->line,
                            "tiles are estimated or evaluated, not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static status read_keep(struct target_reading *reading, void *record,
                        const struct target_entry *entry)
{
    struct target_plan *plan = record;
    plan->values = view_is(entry->value, "values");
    plan->keep = view_is(entry->value, "yes");
    if (plan->values || plan->keep || view_is(entry->value, "no"))
        return STATUS_OK;
    return target_text_fail(&reading->text, entry->line, "keep is yes, no or values, not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static status read_spill(struct target_reading *reading, void *record,
                         const struct target_entry *entry)
{
    struct target_plan *plan = record;
    plan->first_in = view_is(entry->value, "first-in");
    if (plan->first_in || view_is(entry->value, "next-use"))
        return STATUS_OK;
    return target_text_fail(&reading->text, entry->line,
                            "spill is next-use or first-in, not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static status read_prefetch(struct target_reading *reading, void *record,
                            const struct target_entry *entry)
{
    return target_read_answer(reading, entry, &((struct target_plan *)record)->prefetch);
}

static status machine_read_cast(struct target_reading *reading, void *record,
                                const struct target_entry *entry)
{
    struct target_plan *plan = record;
    plan->own = view_is(entry->value, "values");
    plan->cast = plan->own || view_is(entry->value, "yes");
    if (plan->cast || view_is(entry->value, "no"))
        return STATUS_OK;
    return target_text_fail(&reading->text, entry->line, "cast is yes, no or values, not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static status read_plan_count(const struct target_reading *reading,
                              const struct target_entry *entry, const char *what, uint64_t most,
                              uint32_t *out_count)
{
    uint64_t count;
    STATUS_TRY(target_read_count(reading, entry, what, 1, most, &count));
    *out_count = (uint32_t)count;
    return STATUS_OK;
}

static status read_split(struct target_reading *reading, void *record,
                         const struct target_entry *entry)
{
    return read_plan_count(reading, entry, "a number of tiles from 1 to 1024", TARGET_SPLIT_MOST,
                           &((struct target_plan *)record)->split);
}

static status read_depth(struct target_reading *reading, void *record,
                         const struct target_entry *entry)
{
    return read_plan_count(reading, entry, "a number of groups from 1 to 32", TARGET_DEPTH_MOST,
                           &((struct target_plan *)record)->depth);
}

static status read_room(struct target_reading *reading, void *record,
                        const struct target_entry *entry)
{
    double room;
    if (!view_to_double(entry->value, &room) || !(room > 0 && room <= 1))
        return target_text_fail(&reading->text, entry->line,
                                "room is a part of a memory, above 0 and at most 1, not '%.*s'",
                                VIEW_ARGUMENTS(entry->value));
    ((struct target_plan *)record)->room = room;
    return STATUS_OK;
}

static status read_depth_room(struct target_reading *reading, void *record,
                              const struct target_entry *entry)
{
    return target_read_count(reading, entry, "a number of bytes, like 8 MiB", 1, UINT64_MAX,
                             &((struct target_plan *)record)->depth_room);
}

static status read_plan_devices(struct target_reading *reading, void *record,
                                const struct target_entry *entry)
{
    struct target_plan *plan = record;
    plan->devices = view_is(entry->value, "all");
    if (plan->devices || view_is(entry->value, "first"))
        return STATUS_OK;
    return target_text_fail(&reading->text, entry->line, "devices are first or all, not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static const struct key PLAN_KEYS[] = {
    {"tiles", read_tiles},
    {"keep", read_keep},
    {"spill", read_spill},
    {"prefetch", read_prefetch},
    {"split", read_split},
    {"cast", machine_read_cast},
    {"depth", read_depth},
    {"room", read_room},
    {"depth_room", read_depth_room},
    {"devices", read_plan_devices},
    {0},
};

static status machine_read_bytes(struct target_reading *reading, const struct target_entry *entry,
                                 uint64_t *out_bytes)
{
    return target_read_count(reading, entry, "a number of bytes, like 512 KiB", 0, UINT64_MAX,
                             out_bytes);
}

static status read_size(struct target_reading *reading, void *record,
                        const struct target_entry *entry)
{
    return machine_read_bytes(reading, entry, &((struct target_memory *)record)->size);
}

static status read_alignment(struct target_reading *reading, void *record,
                             const struct target_entry *entry)
{
    return target_read_count(reading, entry, "an alignment of at least 1", 1, UINT64_MAX,
                             &((struct target_memory *)record)->alignment);
}

static status read_reserved(struct target_reading *reading, void *record,
                            const struct target_entry *entry)
{
    return machine_read_bytes(reading, entry, &((struct target_memory *)record)->reserved);
}

static status read_local(struct target_reading *reading, void *record,
                         const struct target_entry *entry)
{
    return target_read_answer(reading, entry, &((struct target_memory *)record)->local);
}

static status read_memory_per(struct target_reading *reading, void *record,
                              const struct target_entry *entry)
{
    return target_read_per(reading, entry, &((struct target_memory *)record)->per);
}

static const struct key MEMORY_KEYS[] = {
    {"size", read_size},         {"alignment", read_alignment}, {"local", read_local},
    {"reserved", read_reserved}, {"per", read_memory_per},      {0},
};

static status read_rate(struct target_reading *reading, void *record,
                        const struct target_entry *entry)
{
    return read_bandwidth(reading, entry, &((struct target_port *)record)->rate);
}

static status read_per_user(struct target_reading *reading, void *record,
                            const struct target_entry *entry)
{
    return read_bandwidth(reading, entry, &((struct target_port *)record)->per_user);
}

static status read_link_rate(struct target_reading *reading, void *record,
                             const struct target_entry *entry)
{
    return read_bandwidth(reading, entry, &((struct target_link *)record)->rate);
}

static status read_link_peer(struct target_reading *reading, void *record,
                             const struct target_entry *entry)
{
    return read_bandwidth(reading, entry, &((struct target_link *)record)->peer);
}

static status read_link_setup(struct target_reading *reading, void *record,
                              const struct target_entry *entry)
{
    return target_read_count(reading, entry, "cycles up to 1000000000", 0, LINK_SETUP_MOST,
                             &((struct target_link *)record)->setup);
}

static status read_link_signal(struct target_reading *reading, void *record,
                               const struct target_entry *entry)
{
    return target_read_count(reading, entry, "cycles up to 1000000000", 0, LINK_SETUP_MOST,
                             &((struct target_link *)record)->signal);
}

static status read_link_activation(struct target_reading *reading, void *record,
                                   const struct target_entry *entry)
{
    return target_read_count(reading, entry, "cycles up to 1000000000", 0, LINK_SETUP_MOST,
                             &((struct target_link *)record)->activation);
}

static status read_link_port(const struct target_reading *reading, const struct target_entry *entry,
                             uint32_t *out_port)
{
    uint64_t number;
    STATUS_TRY(
        target_read_count(reading, entry, "a number from 1 to 65535", 1, UINT16_MAX, &number));
    *out_port = (uint32_t)number;
    return STATUS_OK;
}

static status read_link_input(struct target_reading *reading, void *record,
                              const struct target_entry *entry)
{
    return read_link_port(reading, entry, &((struct target_link *)record)->input_port);
}

static status read_link_output(struct target_reading *reading, void *record,
                               const struct target_entry *entry)
{
    return read_link_port(reading, entry, &((struct target_link *)record)->output_port);
}

static const struct key LINK_KEYS[] = {{"rate", read_link_rate},
                                       {"peer", read_link_peer},
                                       {"setup", read_link_setup},
                                       {"signal", read_link_signal},
                                       {"activation", read_link_activation},
                                       {"input", read_link_input},
                                       {"output", read_link_output},
                                       {0}};

static status read_port_per(struct target_reading *reading, void *record,
                            const struct target_entry *entry)
{
    enum target_per per;
    STATUS_TRY(target_read_per(reading, entry, &per));
    if (per == TARGET_PER_CORE)
        return target_text_fail(&reading->text, entry->line,
                                "a port is there per device or machine: cores share it");
    ((struct target_port *)record)->per_device = per == TARGET_PER_DEVICE;
    return STATUS_OK;
}

static const struct key PORT_KEYS[] = {
    {"rate", read_rate}, {"per_user", read_per_user}, {"per", read_port_per}, {0}};

static const struct key *const KEYS[SECTION_KINDS] = {
    [SECTION_TARGET] = TARGET_KEYS, [SECTION_DEVICE] = DEVICE_KEYS, [SECTION_CORE] = CORE_KEYS,
    [SECTION_PLAN] = PLAN_KEYS,     [SECTION_LINK] = LINK_KEYS,     [SECTION_MEMORY] = MEMORY_KEYS,
    [SECTION_PORT] = PORT_KEYS,
};

bool target_machine_has_key(enum target_section_kind kind, struct view name)
{
    for (const struct key *key = KEYS[kind]; key != NULL && key->name != NULL; key++) {
        if (view_is(name, key->name))
            return true;
    }
    return false;
}

static status machine_unknown_key(const struct target_reading *reading,
                                  const struct target_section *section,
                                  const struct target_entry *entry)
{
    struct bytes names = {0};
    for (const struct key *key = KEYS[section->kind]; key->name != NULL; key++)
        bytes_append_format(&names, "%s%s", names.size > 0 ? ", " : "", key->name);
    const status failure =
        target_text_fail(&reading->text, entry->line, "no %s has '%.*s': there is %.*s",
                         target_section_word(section->kind), VIEW_ARGUMENTS(entry->key),
                         VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

static status machine_read_section(struct target_reading *reading,
                                   const struct target_section *section, void *record)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct target_entry *entry = &section->entries[i];
        const struct key *key = KEYS[section->kind];
        while (key->name != NULL && !view_is(entry->key, key->name))
            key++;
        if (key->name == NULL)
            return machine_unknown_key(reading, section, entry);
        STATUS_TRY(key->read(reading, record, entry));
    }
    return STATUS_OK;
}

// Sections ----------------------------------------------------------------------------

static status machine_read_memory(struct target_reading *reading,
                                  const struct target_section *section)
{
    struct target *target = reading->target;
    target->memories = memory_grow(target->memories, target->memory_count, &target->memory_capacity,
                                   sizeof *target->memories);
    struct target_memory *memory = &target->memories[target->memory_count++];
    *memory = (struct target_memory){.name = target_keep(target, section->name), .alignment = 1};
    return machine_read_section(reading, section, memory);
}

static status machine_read_port(struct target_reading *reading,
                                const struct target_section *section)
{
    struct target *target = reading->target;
    target->ports = memory_grow(target->ports, target->port_count, &target->port_capacity,
                                sizeof *target->ports);
    struct target_port *port = &target->ports[target->port_count++];
    *port = (struct target_port){.name = target_keep(target, section->name)};
    STATUS_TRY(machine_read_section(reading, section, port));
    if (port->per_user == 0)
        port->per_user = port->rate;
    return STATUS_OK;
}

static status machine_read_one(struct target_reading *reading, const struct target_section *section)
{
    struct target *target = reading->target;
    switch (section->kind) {
    case SECTION_TARGET:
    case SECTION_DEVICE:
    case SECTION_CORE:
        return machine_read_section(reading, section, target);
    case SECTION_PLAN:
        return machine_read_section(reading, section, &target->plan);
    case SECTION_LINK:
        return machine_read_section(reading, section, &target->link);
    case SECTION_MEMORY:
        return machine_read_memory(reading, section);
    case SECTION_PORT:
        return machine_read_port(reading, section);
    default:
        return STATUS_OK;
    }
}

// A grid says how many cores there are where nothing else does. Of two that do not fit, the
// the last one holds: a number of cores is a way to try out.
static status machine_check_grid(const struct target_reading *reading)
{
    struct target *target = reading->target;
    const struct target_section *core =
        target_text_section(&reading->text, SECTION_CORE, (struct view){0});
    const uint64_t cells = (uint64_t)target->grid[0] * target->grid[1];
    if (cells == 0 || cells == target->core_count)
        return STATUS_OK;
    const struct target_entry *grid = target_section_entry(core, "grid");
    const struct target_entry *count = target_section_entry(core, "count");
    if (count != NULL && count->block > grid->block) {
        target->grid[0] = target->grid[1] = 0;
        return STATUS_OK;
    }
    if ((count == NULL || count->block < grid->block) && cells <= TARGET_UNITS_MOST) {
        target->core_count = (uint32_t)cells;
        return STATUS_OK;
    }
    return target_text_fail(&reading->text, grid->line,
                            "a grid of %ux%u is not %u cores: say count or grid, or both alike",
                            target->grid[0], target->grid[1], target->core_count);
}

static status number_units(const struct target_reading *reading)
{
    struct target *target = reading->target;
    uint64_t units = (uint64_t)target->device_count * target->core_count;
    if (units > TARGET_UNITS_MOST)
        return status_make(STATUS_DATA, "%s: a target has at most %d cores", reading->text.path,
                           TARGET_UNITS_MOST);
    units = 0;
    for (uint32_t i = 0; i < target->memory_count; i++) {
        target->memories[i].first_unit = (uint32_t)units;
        units += target_units(target, target->memories[i].per);
        if (units > TARGET_UNITS_MOST)
            return status_make(STATUS_DATA, "%s: a target has at most %d units of memories",
                               reading->text.path, TARGET_UNITS_MOST);
    }
    target->memory_unit_count = (uint32_t)units;
    return STATUS_OK;
}

status target_read_machine(struct target_reading *reading)
{
    struct target *target = reading->target;
    target->device_count = 1;
    target->core_count = 1;
    target->plan = (struct target_plan){.evaluated = true,
                                        .keep = true,
                                        .prefetch = true,
                                        .cast = true,
                                        .split = 1,
                                        .depth = DEPTH_USUAL,
                                        .room = 1};
    for (size_t i = 0; i < reading->text.count; i++)
        STATUS_TRY(machine_read_one(reading, &reading->text.sections[i]));
    STATUS_TRY(machine_check_grid(reading));
    return number_units(reading);
}
