#include "torq_hw.h"

#include <stdio.h>

#include "base/view.h"

enum { PARTS_LEAST = 5, PARTS_MOST = 10, LRAM_KB_MOST = 1024 * 1024, SLICES_MOST = 255 };

enum part { PART_ID, PART_LRAM, PART_SLICES, PART_CSS, PART_NSS, PART_DMA, PART_FACTOR };

static const char FORM[] = "ID:LRAM_KB:SLICES:CSS:NSS[:DMA_BYTES[:DMA_FACTOR:TRIPLE:CPU:FEATURES]]";

static status torq_hw_fail(const char *text, const char *what)
{
    return status_make(STATUS_USAGE, "torq-compile: --torq-hw=%s: %s", text, what);
}

static size_t torq_hw_split(const char *text, struct view parts[PARTS_MOST + 1])
{
    struct view rest = view_of(text);
    size_t count = 0;
    while (count < PARTS_MOST) {
        const size_t end = view_find(rest, ':');
        parts[count++] = view_slice(rest, 0, end);
        if (end == rest.size)
            return count;
        rest = view_slice(rest, end + 1, rest.size);
    }
    return count + 1;
}

static bool is_version(struct view text, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (view_ends_with(text, "_qemu"))
        text = view_slice(text, 0, text.size - 5);
    uint64_t number;
    return view_starts_with(text, prefix) &&
           view_to_u64(view_slice(text, size, text.size), &number);
}

static status torq_hw_set_number(struct target *target, const char *name, const char *format,
                                 double number)
{
    char value[64];
    snprintf(value, sizeof value, format, number);
    return target_set(target, name, value);
}

// LRAM, slices, and the copies between local memories, which the first versions of
// the two controllers do at less than half the speed.
static status apply_sizes(struct target *target, const char *text, const struct view *parts)
{
    uint64_t lram;
    uint64_t slices;
    if (!view_to_u64(parts[PART_LRAM], &lram) || lram == 0 || lram > LRAM_KB_MOST)
        return torq_hw_fail(text,
                            "the second part is the size of the LRAM in KiB, from 1 to 1048576");
    if (!view_to_u64(parts[PART_SLICES], &slices) || slices == 0 || slices > SLICES_MOST)
        return torq_hw_fail(text, "the third part is the number of slices, from 1 to 255");
    if (!is_version(parts[PART_CSS], "coral_v"))
        return torq_hw_fail(text, "the fourth part is the CSS: coral_v1, coral_v2");
    if (!is_version(parts[PART_NSS], "nss_v"))
        return torq_hw_fail(text, "the fifth part is the NSS: nss_v1");
    const bool first = view_is(parts[PART_CSS], "coral_v1") && view_is(parts[PART_NSS], "nss_v1");
    STATUS_TRY(torq_hw_set_number(target, "lram.size", "%.0f KiB", (double)lram));
    STATUS_TRY(torq_hw_set_number(target, "slice.count", "%.0f", (double)slices));
    return torq_hw_set_number(target, "cdma.efficiency", "%.2f", first ? 0.36 : 0.8);
}

static status apply_dma(struct target *target, const char *text, const struct view *parts,
                        size_t count)
{
    double bytes = 8;
    double factor = 1;
    if (count > PART_DMA && (!view_to_double(parts[PART_DMA], &bytes) || !(bytes > 0)))
        return torq_hw_fail(text, "the sixth part is what the DMA moves, in bytes a cycle");
    if (count > PART_FACTOR &&
        (!view_to_double(parts[PART_FACTOR], &factor) || !(factor > 0) || factor > 1))
        return torq_hw_fail(text, "the seventh part is the DMA's efficiency, above 0 and up to 1");
    static const char *const ENGINES[] = {"dma_in", "dma_out"};
    for (size_t i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.bytes_per_cycle", ENGINES[i]);
        STATUS_TRY(torq_hw_set_number(target, name, "%.17g", bytes));
        snprintf(name, sizeof name, "%s.efficiency", ENGINES[i]);
        STATUS_TRY(torq_hw_set_number(target, name, "%.17g", factor));
    }
    return STATUS_OK;
}

status torq_hw_apply(struct target *target, const char *text)
{
    struct view parts[PARTS_MOST + 1];
    if (view_is_ignoring_case(view_of(text), "SL2610"))
        return STATUS_OK;
    const size_t count = torq_hw_split(text, parts);
    if (count == 1)
        return status_make(STATUS_USAGE,
                           "torq-compile: --torq-hw=%s: there is no such hardware; give SL2610, "
                           "list or %s",
                           text, FORM);
    if (count < PARTS_LEAST || count > PARTS_MOST)
        return status_make(STATUS_USAGE, "torq-compile: --torq-hw=%s: expected 5 to 10 parts: %s",
                           text, FORM);
    STATUS_TRY(apply_sizes(target, text, parts));
    STATUS_TRY(apply_dma(target, text, parts, count));
    STATUS_TRY(target_set(target, "target.name", "torq-custom"));
    return target_set(target, "target.title", "Torq NPU of --torq-hw");
}

void torq_hw_list(void)
{
    printf("SL2610    0x0:512:2:coral_v1:nss_v1:8:0.65   Synaptics SL2610 SoC family\n"
           "or        %s\n",
           FORM);
}
