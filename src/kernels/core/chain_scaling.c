#include "chain_scaling.h"

#include <string.h>

#include "clones.h"

enum { NUMBERS_NEAR = 4096 }; // of lines that are done before the next ones, so that they stay near

// Whether a step does `operation` to `made` and to an input with a number for each channel: which.
static bool is_by_channel(const struct chain *chain, uint32_t index, enum chain_operation operation,
                          uint32_t made, uint32_t *out_input)
{
    if (index >= chain->step_count || chain->steps[index].operation != operation)
        return false;
    const struct chain_step *step = &chain->steps[index];
    const uint32_t other = step->left == made ? step->right : step->left;
    if ((step->left != made && step->right != made) || chain->steps[other].operation != CHAIN_READ)
        return false;
    *out_input = chain->steps[other].left;
    return chain->inputs[*out_input].period > 1;
}

// The step after `index` that is more than to read.
static uint32_t next_step(const struct chain *chain, uint32_t index)
{
    for (index++; index < chain->step_count && chain->steps[index].operation == CHAIN_READ;)
        index++;
    return index;
}

// The only input with an element for each place, among others that all have as many; and the step
// that reads it.
static bool find_source(const struct chain *chain, struct chain_scaling *scaling,
                        uint32_t *out_step)
{
    uint32_t sources = 0;
    for (uint32_t i = 0; i < chain->step_count; i++) {
        const struct chain_step *step = &chain->steps[i];
        if (step->operation != CHAIN_READ)
            continue;
        const struct chain_input *input = &chain->inputs[step->left];
        if (input->element != ELEMENT_F32 || input->period == 1 ||
            (input->period > 1 && scaling->channels > 0 && input->period != scaling->channels))
            return false;
        if (input->period > 1) {
            scaling->channels = input->period;
            continue;
        }
        sources++;
        scaling->source = step->left;
        *out_step = i;
    }
    return sources == 1 && scaling->channels > 0;
}

bool chain_scaling_find(const struct chain *chain, struct chain_scaling *out)
{
    uint32_t made = 0;
    *out = (struct chain_scaling){.sums = UINT32_MAX};
    if (chain->result != ELEMENT_F32 || !find_source(chain, out, &made))
        return false;
    uint32_t step = next_step(chain, 0);
    if (!is_by_channel(chain, step, CHAIN_MULTIPLY, made, &out->factors))
        return false;
    made = step;
    step = next_step(chain, step);
    uint32_t sums;
    if (is_by_channel(chain, step, CHAIN_ADD, made, &sums)) {
        out->sums = sums;
        made = step;
        step = next_step(chain, step);
    }
    if (step < chain->step_count && chain->steps[step].operation == CHAIN_CLIP &&
        chain->steps[step].left == made) {
        out->clips = true;
        out->lowest = chain->steps[step].a;
        out->highest = chain->steps[step].b;
        made = step;
    }
    return made + 1 == chain->step_count;
}

// Lines of numbers, of which some columns are scaled.
struct lines {
    const float *source, *factors, *sums; // sums: NULL
    float *to;
    uint64_t count, source_step, step;
    float lowest, highest;
};

// Columns of all lines, a vector of them at a time, whose factors stay in registers.
#define SCALE_BY(name, attributes, bytes, adds, clips)                                             \
    attributes static void name(const struct lines *lines, uint64_t width)                         \
    {                                                                                              \
        typedef float line __attribute__((vector_size(bytes), aligned(4), may_alias));             \
        typedef int32_t bits __attribute__((vector_size(bytes)));                                  \
        enum { LANES = (bytes) / sizeof(float) };                                                  \
        const float low = lines->lowest, high = lines->highest;                                    \
        const line lowest = (line){0} + low, highest = (line){0} + high;                           \
        uint64_t column = 0;                                                                       \
        for (; column + LANES <= width; column += LANES) {                                         \
            const line factors = *(const line *)(lines->factors + column);                         \
            const line sums = (adds) ? *(const line *)(lines->sums + column) : (line){0};          \
            const float *from = lines->source + column;                                            \
            float *to = lines->to + column;                                                        \
            for (uint64_t i = 0; i < lines->count; i++) {                                          \
                line made = *(const line *)from * factors;                                         \
                if (adds)                                                                          \
                    made = made + sums;                                                            \
                if (clips) {                                                                       \
                    const bits below = made<lowest, above = made> highest;                         \
                    made = (line)(((bits)lowest & below) | ((bits)made & ~below));                 \
                    made = (line)(((bits)highest & above) | ((bits)made & ~above));                \
                }                                                                                  \
                *(line *)to = made;                                                                \
                from += lines->source_step;                                                        \
                to += lines->step;                                                                 \
            }                                                                                      \
        }                                                                                          \
        for (; column < width; column++) {                                                         \
            for (uint64_t i = 0; i < lines->count; i++) {                                          \
                const float product =                                                              \
                    lines->source[i * lines->source_step + column] * lines->factors[column];       \
                const float made = (adds) ? product + lines->sums[column] : product;               \
                lines->to[i * lines->step + column] = !(clips)      ? made                         \
                                                      : made < low  ? low                          \
                                                      : made > high ? high                         \
                                                                    : made;                        \
            }                                                                                      \
        }                                                                                          \
    }

// By the vectors that a machine has: longer ones are taken apart badly.
#if defined(CORE_CLONES_AVX512)
#define SCALE(name, adds, clips)                                                                   \
    SCALE_BY(name##_by_16, , 16, adds, clips)                                                      \
    SCALE_BY(name##_by_32, CORE_CLONES_AVX2, 32, adds, clips)                                      \
    SCALE_BY(name##_by_64, CORE_CLONES_AVX512, 64, adds, clips)                                    \
    static void name(const struct lines *lines, uint64_t width)                                    \
    {                                                                                              \
        const enum isa isa = isa_used();                                                           \
        (isa >= ISA_AVX512 ? name##_by_64                                                          \
         : isa == ISA_AVX2 ? name##_by_32                                                          \
                           : name##_by_16)(lines, width);                                          \
    }
#else
#define SCALE(name, adds, clips) SCALE_BY(name, , 16, adds, clips)
#endif

SCALE(scale_only, false, false)
SCALE(scale_and_clip, false, true)
SCALE(scale_and_add, true, false)
SCALE(scale_add_and_clip, true, true)

// `width` columns of all of `lines`, some lines at a time.
static void scale_lines(const struct chain_scaling *scaling, struct lines lines, uint64_t width)
{
    const uint64_t together = NUMBERS_NEAR / width + 1;
    const bool adds = lines.sums != NULL;
    lines.lowest = scaling->lowest;
    lines.highest = scaling->highest;
    for (uint64_t left = lines.count; left > 0; left -= lines.count) {
        lines.count = left < together ? left : together;
        if (adds)
            (scaling->clips ? scale_add_and_clip : scale_and_add)(&lines, width);
        else
            (scaling->clips ? scale_and_clip : scale_only)(&lines, width);
        lines.source += lines.count * lines.source_step;
        lines.to += lines.count * lines.step;
    }
}

static const float *sums_from(const struct chain_scaling *scaling, const void *const *inputs,
                              uint64_t channel)
{
    return scaling->sums == UINT32_MAX ? NULL : (const float *)inputs[scaling->sums] + channel;
}

// The end of a line, whole ones, and the beginning of one.
void chain_scaling_run(const struct chain_scaling *scaling, const void *const *inputs, void *result,
                       uint64_t from, uint64_t to)
{
    const uint64_t channels = scaling->channels;
    for (uint64_t at = from, count; at < to; at += count) {
        const uint64_t begin = at % channels, left = to - at;
        const uint64_t rows = begin == 0 && left >= channels ? left / channels : 1;
        const uint64_t width = channels - begin < left ? channels - begin : left;
        scale_lines(scaling,
                    (struct lines){.source = (const float *)inputs[scaling->source] + at,
                                   .factors = (const float *)inputs[scaling->factors] + begin,
                                   .sums = sums_from(scaling, inputs, begin),
                                   .to = (float *)result + at,
                                   .count = rows,
                                   .source_step = channels,
                                   .step = channels},
                    width);
        count = rows * width;
    }
}

void chain_scaling_run_lines(const struct chain_scaling *scaling, const void *const *inputs,
                             void *result, const struct chain_lines *lines)
{
    scale_lines(scaling,
                (struct lines){.source = inputs[scaling->source],
                               .factors = inputs[scaling->factors],
                               .sums = sums_from(scaling, inputs, 0),
                               .to = result,
                               .count = lines->count,
                               .source_step = lines->width,
                               .step = lines->stride},
                lines->width);
}
