#include "peaks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "target/cost.h"

// Elements that engines may have rates of their own for.
static const struct {
    uint16_t bits;
    bool is_float;
} ELEMENTS[] = {{4, false}, {8, false}, {16, false}, {32, false},
                {8, true},  {16, true}, {32, true}};

enum { ELEMENT_COUNT = sizeof ELEMENTS / sizeof *ELEMENTS, WORK = 1 << 20 };

// "8T", "1.5G", "3e12": a number, with a letter for thousands.
static bool read_number(struct view text, double *out_number)
{
    static const char LETTERS[] = "KMGTP";
    double factor = 1;
    const char *letter = text.size > 0 ? strchr(LETTERS, text.data[text.size - 1]) : NULL;
    if (letter != NULL && *letter != '\0') {
        for (const char *at = LETTERS; at <= letter; at++)
            factor *= 1000;
        text.size--;
    }
    if (!view_to_double(text, out_number) || !(*out_number > 0) || *out_number > 1e30)
        return false;
    *out_number *= factor;
    return true;
}

static bool read_rate(struct view text, double *out_rate)
{
    static const char *const ENDS[] = {"B/s", "/s", "B"};
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        const size_t length = strlen(ENDS[i]);
        if (text.size > length && memcmp(text.data + text.size - length, ENDS[i], length) == 0) {
            text.size -= length;
            break;
        }
    }
    return read_number(text, out_rate);
}

status peaks_read_options(const struct arguments *arguments, struct peaks *out_peaks)
{
    const char *macs = arguments_value(arguments, "peak-macs");
    const char *bandwidth = arguments_value(arguments, "peak-bandwidth");
    *out_peaks = (struct peaks){.compute = memory_allocate_zeroed(1, sizeof *out_peaks->compute)};
    if (macs != NULL && !read_number(view_of(macs), &out_peaks->compute[0].macs))
        return status_make(STATUS_USAGE,
                           "%s: --peak-macs %s is no number of multiply-adds in a "
                           "second: 8T",
                           arguments_command(arguments), macs);
    if (bandwidth != NULL && !read_rate(view_of(bandwidth), &out_peaks->peaks.bytes))
        return status_make(STATUS_USAGE, "%s: --peak-bandwidth %s is no rate: 107GB/s",
                           arguments_command(arguments), bandwidth);
    out_peaks->peaks.compute_count = macs != NULL;
    out_peaks->peaks.compute = out_peaks->compute;
    out_peaks->from = macs != NULL || bandwidth != NULL ? "as given" : NULL;
    return STATUS_OK;
}

// Targets ---------------------------------------------------------------------------

static uint32_t units_of(const struct target *target, uint32_t engine)
{
    return target->engines[engine].count * target_units(target, target->engines[engine].per);
}

// What all units of an engine do in a second; 0: it does nothing of the kind.
static double macs_of_engine(const struct target *target, uint32_t engine, size_t element)
{
    const struct cost_request request = {.kind = COST_MATMUL,
                                         .input_bits = ELEMENTS[element].bits,
                                         .weight_bits = ELEMENTS[element].bits,
                                         .output_bits = 32,
                                         .is_float = ELEMENTS[element].is_float,
                                         .outputs = WORK,
                                         .channels = 1024,
                                         .inner = 1024,
                                         .groups = 1,
                                         .macs = (uint64_t)WORK * 1024 * 1024};
    if (target->engines[engine].price == NULL)
        return 0;
    const uint64_t cycles = cost_bound(target, engine, &request);
    return cycles > 0 ? (double)request.macs * (double)target->clock / (double)cycles *
                            (double)units_of(target, engine)
                      : 0;
}

// The best of the stages is what computes.
static double macs_of_stages(const struct target *target, uint32_t engine, size_t element)
{
    const struct target_engine *own = &target->engines[engine];
    double least = 0;
    for (uint32_t i = 0; i < own->stage_count; i++) {
        const double rate = target->engines[own->stages[i]].role == TARGET_ROLE_COMPUTE
                                ? macs_of_engine(target, own->stages[i], element)
                                : 0;
        if (rate > 0 && (least == 0 || rate < least))
            least = rate;
    }
    return least;
}

// `any_engine`: what the run calls engines are queues of this machine.
static void add_engines(struct peaks *peaks, const struct target *target, bool any_engine)
{
    peaks->compute =
        memory_resize(peaks->compute,
                      ((size_t)target->engine_count * ELEMENT_COUNT + 1) * sizeof *peaks->compute);
    peaks->peaks.compute = peaks->compute;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const enum target_role role = target->engines[i].role;
        if (role == TARGET_ROLE_TRANSFER || role == TARGET_ROLE_COMMUNICATION)
            continue;
        for (size_t e = 0; e < ELEMENT_COUNT; e++) {
            const double macs = target->engines[i].stage_count > 0 ? macs_of_stages(target, i, e)
                                                                   : macs_of_engine(target, i, e);
            if (macs > 0)
                peaks->compute[peaks->peaks.compute_count++] =
                    (struct roofline_peak){.engine = any_engine ? NULL : target->engines[i].name,
                                           .bits = ELEMENTS[e].bits,
                                           .is_float = ELEMENTS[e].is_float,
                                           .macs = macs};
        }
    }
}

static double bytes_of_engine(const struct target *target, uint32_t engine)
{
    const struct cost_request request = {
        .kind =
            target->engines[engine].role == TARGET_ROLE_TRANSFER ? COST_TRANSFER : COST_MOVEMENT,
        .input_bits = 8,
        .output_bits = 8,
        .outputs = 1u << 30,
        .bytes = 1u << 30,
        .run = 1u << 30};
    if (target->engines[engine].price == NULL)
        return 0;
    const uint64_t cycles = cost_bound(target, engine, &request);
    return cycles > 0 ? (double)request.bytes * (double)target->clock / (double)cycles *
                            (double)units_of(target, engine)
                      : 0;
}

// Its ports carry no more; where they say nothing, the engine that moves most. On a machine that
// moves nothing, what computes reads and writes the memory itself.
static double far_bandwidth(const struct target *target)
{
    const uint32_t far = target_far_memory(target);
    double ports = 0, moving = 0, computing = 0;
    for (uint32_t i = 0; i < target->port_count; i++)
        ports = target->ports[i].rate > ports ? target->ports[i].rate : ports;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        const enum target_role role = engine->role;
        const double rate = role == TARGET_ROLE_COMMUNICATION ? 0 : bytes_of_engine(target, i);
        if (role == TARGET_ROLE_TRANSFER && (engine->from == far || engine->to == far))
            moving = rate > moving ? rate : moving;
        else if (role == TARGET_ROLE_COMPUTE)
            computing = rate > computing ? rate : computing;
    }
    return ports > 0 ? ports : moving > 0 ? moving : computing;
}

// A profile may be a stranger's: it names a target, never a file to be opened.
struct target *peaks_target_if_any(const char *name)
{
    struct target *target = NULL;
    if (name[0] == '\0' || strchr(name, '/') != NULL ||
        view_has_extension(view_of(name), ".target"))
        return NULL;
    const status failure = target_open(name, &target);
    if (failure == STATUS_OK)
        return target;
    status_free(failure);
    return NULL;
}

// A program that ran on this machine says nothing about its target.
static bool ran_here(const struct profile *profile)
{
    return view_starts_with(profile_fact(profile, "device"), "host");
}

static status open_target(const char *given, const struct profile *profile, struct peaks *peaks)
{
    if (given != NULL)
        return target_open(given, &peaks->target);
    const struct view target =
        ran_here(profile) ? VIEW_LITERAL("host") : profile_fact(profile, "target");
    struct bytes name = {0};
    bytes_append(&name, target.data, target.size);
    bytes_append(&name, "", 1);
    peaks->target = peaks_target_if_any((const char *)name.data);
    bytes_free(&name);
    return STATUS_OK;
}

status peaks_complete(const struct arguments *arguments, const struct profile *profile,
                      struct peaks *peaks)
{
    STATUS_TRY(open_target(arguments_value(arguments, "target"), profile, peaks));
    const struct target *target = peaks->target;
    if (target == NULL)
        return STATUS_OK;
    if (peaks->peaks.compute_count == 0)
        add_engines(peaks, target, ran_here(profile));
    if (peaks->peaks.bytes <= 0)
        peaks->peaks.bytes = far_bandwidth(target);
    peaks->from = target->name;
    return STATUS_OK;
}

void peaks_free(struct peaks *peaks)
{
    free(peaks->compute);
    target_free(peaks->target);
    *peaks = (struct peaks){0};
}
