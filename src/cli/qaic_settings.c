#include "qaic_settings.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/qaic/counters.h"

enum { LEVEL_USUAL = 40, CORES_MOST = 16, DEPTH_MEMORY_LEAST = 8, DEPTH_MEMORY_MOST = 32 };

void qaic_say_no_effect(const struct arguments *arguments, const struct command *command,
                        const char *dashes)
{
    const struct option *option;
    for (size_t i = 0; (option = command_option(command, i)) != NULL; i++) {
        if (strncmp(option->help, QAIC_NO_EFFECT, strlen(QAIC_NO_EFFECT)) == 0 &&
            arguments_flag(arguments, option->name))
            printf("%s%s: %s\n", dashes, option->name, option->help);
    }
}

static status read_integer(const struct arguments *arguments, const char *name, int64_t least,
                           int64_t most, int32_t *number)
{
    const char *text = arguments_value(arguments, name);
    int64_t given = *number;
    if (text != NULL && (!view_to_i64(view_of(text), &given) || given < least || given > most))
        return most == INT32_MAX && !(view_to_i64(view_of(text), &given) && given > most)
                   ? status_make(STATUS_USAGE, "%s: -%s=%s: expected a number of at least %lld",
                                 arguments_command(arguments), name, text, (long long)least)
                   : status_make(STATUS_USAGE, "%s: -%s=%s: expected a number from %lld to %lld",
                                 arguments_command(arguments), name, text, (long long)least,
                                 (long long)most);
    *number = (int32_t)given;
    return STATUS_OK;
}

// Counters -----------------------------------------------------------------------------

// One hexadecimal code, with or without 0x.
static bool read_code(struct view word, int32_t *out_code)
{
    char text[8];
    char *end;
    if (word.size == 0 || word.size >= sizeof text || strchr("+- \t", word.data[0]) != NULL)
        return false;
    snprintf(text, sizeof text, "%.*s", VIEW_ARGUMENTS(word));
    *out_code = (int32_t)strtol(text, &end, 16);
    return *end == '\0' && *out_code <= 0xffff;
}

// "3F,70,200"
static status read_events(const struct arguments *arguments, struct qaic_settings *settings)
{
    const char *text = arguments_value(arguments, "aic-pmu-events");
    if (text == NULL)
        return STATUS_OK;
    struct view rest = view_of(text);
    for (;;) {
        const size_t comma = view_find(rest, ',');
        int32_t code;
        if (!read_code(view_slice(rest, 0, comma), &code))
            return status_make(STATUS_USAGE,
                               "%s: -aic-pmu-events=%s: expected hexadecimal codes with commas "
                               "between them: 3F,70,200",
                               arguments_command(arguments), text);
        if (settings->event_count == QAIC_PMU_EVENTS_MOST)
            return status_make(STATUS_USAGE, "%s: -aic-pmu-events takes at most %d events",
                               arguments_command(arguments), QAIC_PMU_EVENTS_MOST);
        settings->events[settings->event_count++] = code;
        if (comma == rest.size)
            return STATUS_OK;
        rest = view_slice(rest, comma + 1, rest.size);
    }
}

static status read_recipe(const struct arguments *arguments, struct qaic_settings *settings)
{
    settings->recipe = arguments_value(arguments, "aic-pmu-recipe");
    if (settings->recipe == NULL)
        return STATUS_OK;
    if (arguments_value(arguments, "aic-pmu-events") != NULL)
        return status_make(STATUS_USAGE,
                           "%s: choose -aic-pmu-recipe or -aic-pmu-events: they exclude each other",
                           arguments_command(arguments));
    if (qaic_recipe_counters(view_of(settings->recipe)) != 0)
        return STATUS_OK;
    return status_make(STATUS_USAGE,
                       "%s: -aic-pmu-recipe=%s: there are AxiRd, AxiWr, AxiRdWr, KernelUtil and "
                       "HmxMacs",
                       arguments_command(arguments), settings->recipe);
}

// Statistics ---------------------------------------------------------------------------

// What SDKs before 1.20 asked for statistics of operations with, and says so.
static status read_old_spelling(const struct arguments *arguments, const char *option,
                                const char *first, const char *second, const char *third,
                                struct qaic_settings *settings)
{
    size_t count;
    const char *const *types = arguments_values(arguments, option, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(types[i], first) != 0 && strcmp(types[i], second) != 0 &&
            strcmp(types[i], third) != 0)
            return status_make(STATUS_USAGE, "%s: -%s=%s: expected %s, %s or %s",
                               arguments_command(arguments), option, types[i], first, second,
                               third);
    }
    if (count == 0)
        return STATUS_OK;
    settings->level = QAIC_LEVEL_OPERATIONS;
    printf("-%s: taken for -stats-level=%d, as later versions call it\n", option,
           QAIC_LEVEL_OPERATIONS);
    return STATUS_OK;
}

static status read_statistics(const struct arguments *arguments, struct qaic_settings *settings)
{
    STATUS_TRY(
        read_old_spelling(arguments, "aic-profiling-type", "stats", "trace", "latency", settings));
    STATUS_TRY(
        read_old_spelling(arguments, "aic-profiling-format", "ascii", "json", "latency", settings));
    STATUS_TRY(read_integer(arguments, "stats-level", INT32_MIN, INT32_MAX, &settings->level));
    STATUS_TRY(read_integer(arguments, "stats-batchsize", 1, INT32_MAX, &settings->stats_batch));
    STATUS_TRY(read_integer(arguments, "batchsize", 1, INT32_MAX, &settings->batch));
    settings->batch_given = arguments_value(arguments, "batchsize") != NULL;
    STATUS_TRY(read_recipe(arguments, settings));
    STATUS_TRY(read_events(arguments, settings));
    settings->ddr = arguments_flag(arguments, "ddr-stats");
    const char *needs = settings->ddr               ? "ddr-stats"
                        : settings->recipe != NULL  ? "aic-pmu-recipe"
                        : settings->event_count > 0 ? "aic-pmu-events"
                                                    : NULL;
    if (needs != NULL && settings->level < QAIC_LEVEL_THREADS)
        return status_make(STATUS_USAGE, "%s: -%s needs -stats-level=%d or more, not %d",
                           arguments_command(arguments), needs, QAIC_LEVEL_THREADS,
                           settings->level);
    for (size_t i = 0; i < settings->event_count; i++) {
        const char *name = qaic_event_name(settings->events[i]);
        printf("-aic-pmu-events: %X%s%s: its values are of the card alone: N/A in statistics\n",
               (unsigned)settings->events[i], name != NULL ? ", " : "", name != NULL ? name : "");
    }
    return STATUS_OK;
}

static status check_hardware(const struct arguments *arguments)
{
    const char *version = arguments_value(arguments, "aic-hw-version");
    if (version == NULL || strcmp(version, "2.0") == 0 || strcmp(version, "ai100") == 0)
        return STATUS_OK;
    return status_make(STATUS_USAGE, "%s: -aic-hw-version=%s: there is 2.0, also called ai100",
                       arguments_command(arguments), version);
}

status qaic_settings_read(const struct arguments *arguments, struct qaic_settings *out_settings)
{
    const char *command = arguments_command(arguments);
    *out_settings = (struct qaic_settings){.folder = arguments_value(arguments, "aic-binary-dir"),
                                           .level = LEVEL_USUAL,
                                           .stats_batch = 1,
                                           .batch = 1};
    if (arguments_value(arguments, "model") == NULL)
        return status_make(STATUS_USAGE, "%s: say what to compile: -model=model.onnx", command);
    if (out_settings->folder == NULL)
        return status_make(STATUS_USAGE, "%s: say where the program goes: -aic-binary-dir=DIR",
                           command);
    STATUS_TRY(check_hardware(arguments));
    return read_statistics(arguments, out_settings);
}

// The card -----------------------------------------------------------------------------

static status set_number(struct target *target, const char *key, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", number);
    return target_set(target, key, text);
}

// Each instance has its cores, and its share of what the DDR and the host's link give to all.
static status set_cores(const struct arguments *arguments, struct target *target, int32_t cores)
{
    int32_t instances = 1;
    const int32_t all = (int32_t)target->core_count;
    STATUS_TRY(read_integer(arguments, "aic-num-of-instances", 1, all, &instances));
    const int32_t each = cores > 0 ? cores : all / instances;
    if (each * instances > all)
        return status_make(STATUS_USAGE, "%s: %d instances of %d cores need %d cores: %s has %d",
                           arguments_command(arguments), instances, each, each * instances,
                           target->name, all);
    if (each != all)
        STATUS_TRY(set_number(target, "core.count", each));
    for (uint32_t i = 0; i < target->port_count && instances > 1; i++) {
        char key[80];
        snprintf(key, sizeof key, "port %s.rate", target->ports[i].name);
        STATUS_TRY(set_number(target, key, target->ports[i].rate / instances));
    }
    return instances > 1 && target->link.rate > 0
               ? set_number(target, "link.rate", target->link.rate / instances)
               : STATUS_OK;
}

// "2", or "1,2" for two clusters, of which there is one.
static status read_effort(const struct arguments *arguments, uint64_t *out_effort)
{
    const char *text = arguments_value(arguments, "mos");
    *out_effort = 1;
    if (text == NULL)
        return STATUS_OK;
    const struct view whole = view_of(text);
    const size_t comma = view_find(whole, ',');
    uint64_t second = 1;
    const bool two = comma < whole.size;
    if (!view_to_u64(view_slice(whole, 0, comma), out_effort) ||
        (two && !view_to_u64(view_slice(whole, comma + 1, whole.size), &second)) ||
        *out_effort == 0 || *out_effort > 1000 || second == 0)
        return status_make(STATUS_USAGE, "%s: -mos=%s: expected a number from 1 to 1000",
                           arguments_command(arguments), text);
    if (two)
        printf("-mos=%s: the second number is for a second cluster of cores: there is one\n", text);
    return STATUS_OK;
}

// The part of a core's memory that tiles may take.
static status set_room(const struct arguments *arguments, struct target *target)
{
    const char *text = arguments_value(arguments, "vtcm-working-set-limit-ratio");
    uint64_t effort;
    double ratio = 1;
    STATUS_TRY(read_effort(arguments, &effort));
    if (text != NULL && (!view_to_double(view_of(text), &ratio) || !(ratio > 0 && ratio <= 1)))
        return status_make(STATUS_USAGE,
                           "%s: -vtcm-working-set-limit-ratio=%s: expected a number above 0 and "
                           "at most 1",
                           arguments_command(arguments), text);
    const double room = ratio / (double)effort;
    return room < 1 ? set_number(target, "plan.room", room) : STATUS_OK;
}

static status set_depth(const struct arguments *arguments, struct target *target)
{
    int32_t megabytes = DEPTH_MEMORY_LEAST;
    char text[32];
    STATUS_TRY(read_integer(arguments, "aic-depth-first-mem", DEPTH_MEMORY_LEAST, DEPTH_MEMORY_MOST,
                            &megabytes));
    if (!arguments_flag(arguments, "aic-enable-depth-first")) {
        if (arguments_value(arguments, "aic-depth-first-mem") != NULL)
            printf("-aic-depth-first-mem: taken, without effect: -aic-enable-depth-first is not "
                   "given\n");
        return STATUS_OK;
    }
    snprintf(text, sizeof text, "%d MiB", megabytes);
    STATUS_TRY(set_number(target, "plan.depth", TARGET_DEPTH_MOST));
    return target_set(target, "plan.depth_room", text);
}

static status set_all(const struct arguments *arguments, struct target *target, int32_t cores)
{
    int32_t split = 1;
    const bool cast = arguments_flag(arguments, "multicast-weights");
    STATUS_TRY(set_cores(arguments, target, cores));
    STATUS_TRY(read_integer(arguments, "ols", 1, TARGET_SPLIT_MOST, &split));
    if (split > 1)
        STATUS_TRY(set_number(target, "plan.split", split));
    if (!cast)
        STATUS_TRY(target_set(target, "plan.cast", "values"));
    STATUS_TRY(set_room(arguments, target));
    return set_depth(arguments, target);
}

// Values go from device to device, or up to the host and down again.
static status set_devices(struct target *target, const struct qaic_partitions *partitions)
{
    STATUS_TRY(set_number(target, "device.count", partitions->device_count));
    STATUS_TRY(target_set(target, "plan.devices", "all"));
    return partitions->through_host ? set_number(target, "link.peer", target->link.rate / 2)
                                    : STATUS_OK;
}

static status open_devices(const struct arguments *arguments,
                           const struct qaic_partitions *partitions, struct target **out_target)
{
    struct target *target;
    STATUS_TRY(target_open("aic100-ultra", &target));
    status failure = set_devices(target, partitions);
    if (failure == STATUS_OK)
        failure = set_all(arguments, target, (int32_t)partitions->cores);
    if (failure != STATUS_OK) {
        target_free(target);
        return failure;
    }
    *out_target = target;
    return STATUS_OK;
}

status qaic_settings_open_target(const struct arguments *arguments,
                                 const struct qaic_partitions *partitions,
                                 struct target **out_target)
{
    int32_t cores = 0;
    struct target *target;
    if (partitions->count > 0)
        return open_devices(arguments, partitions, out_target);
    if (arguments_value(arguments, "aic-num-cores") != NULL)
        STATUS_TRY(read_integer(arguments, "aic-num-cores", 1, CORES_MOST, &cores));
    STATUS_TRY(target_open("aic100", &target));
    if (cores > (int32_t)target->core_count) {
        target_free(target);
        STATUS_TRY(target_open("aic100-pro", &target));
    }
    const status failure = set_all(arguments, target, cores);
    if (failure != STATUS_OK) {
        target_free(target);
        return failure;
    }
    *out_target = target;
    return STATUS_OK;
}
