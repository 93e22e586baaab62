#include "depthwise_convolution.h"

#include <stdlib.h>

#include "base/memory.h"
#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    LANES_MOST = 16, // of a vector
    PIXELS_MOST = 8, // at a time
    TAPS_MOST = 128,
    SIDES = 3,   // sides of windows that pixels slide over: 3, 5, 7
    STRIDES = 2, // and their strides: 1, 2
};

// What some taps see, from that of the first on, and where their weights are.
struct taps {
    uint64_t count;
    uint64_t places[TAPS_MOST], weights[TAPS_MOST];
};

struct depthwise_convolution {
    uint64_t channels;
    uint64_t kernel[2], strides[2], dilations[2];
    uint64_t width, width_out;
    uint64_t left;    // padding in front of a row
    struct taps taps; // of a window
    float *weights;   // taps x channels
    float *bias;
    bool clips;
    float lowest, highest;
    bool makes_bytes;
    struct byte_result to_bytes;
};

// Pixels that see the same taps, from a channel on.
struct span {
    const float *x; // what the first tap of the first pixel sees
    const float *weights;
    const float *bias;
    float *y;
    uint64_t channels;
    // Where windows slide: their rows, how far these are apart, and which of the columns that they
    // see are there: not those in the padding.
    uint64_t rows, row_step, weights_step;
    uint64_t first, columns;
    // Otherwise: taps, and how far apart pixels are in the image.
    const struct taps *taps;
    uint64_t pixel_step;
    bool clips;
    float lowest, highest;
};

typedef void (*span_function)(const struct span *span);

// What a machine has; functions by pixels, less one.
struct spans {
    uint64_t lanes;
    span_function single, several; // any taps of one pixel, and of PIXELS_MOST
    span_function sliding[SIDES][STRIDES][PIXELS_MOST];
};

#if defined(__x86_64__)
#define MULTIPLY_ADD_avx2(x, y, sum) _mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum))
#define MULTIPLY_ADD_avx512(x, y, sum) _mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(sum))
// NaN stays.
#define CLIP_avx2(x, low, high)                                                                    \
    _mm256_min_ps(_mm256_set1_ps(high), _mm256_max_ps(_mm256_set1_ps(low), (__m256)(x)))
#define CLIP_avx512(x, low, high)                                                                  \
    _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(low), (__m512)(x)))

#define BEGIN_SPAN(bytes, pixels)                                                                  \
    typedef float line __attribute__((vector_size(bytes), aligned(4), may_alias));                 \
    const uint64_t channels = span->channels;                                                      \
    line sums[pixels];                                                                             \
    _Pragma("GCC unroll 8") for (uint64_t p = 0; p < (pixels); p++)                                \
    {                                                                                              \
        sums[p] = *(const line *)span->bias;                                                       \
    }

#define END_SPAN(suffix, pixels)                                                                   \
    const float lowest = span->lowest, highest = span->highest;                                    \
    float *y = span->y;                                                                            \
    if (span->clips) {                                                                             \
        _Pragma("GCC unroll 8") for (uint64_t p = 0; p < (pixels); p++)                            \
        {                                                                                          \
            sums[p] = (line)CLIP_##suffix(sums[p], lowest, highest);                               \
        }                                                                                          \
    }                                                                                              \
    _Pragma("GCC unroll 8") for (uint64_t p = 0; p < (pixels); p++)                                \
    {                                                                                              \
        *(line *)(y + p * channels) = sums[p];                                                     \
    }

#define DEFINE_TAPS(suffix, attributes, bytes, pixels)                                             \
    attributes static void taps_##suffix##_##pixels(const struct span *span)                       \
    {                                                                                              \
        BEGIN_SPAN(bytes, pixels)                                                                  \
        const struct taps *taps = span->taps;                                                      \
        const uint64_t step = span->pixel_step;                                                    \
        for (uint64_t t = 0; t < taps->count; t++) {                                               \
            const line factor = *(const line *)(span->weights + taps->weights[t]);                 \
            const float *x = span->x + taps->places[t];                                            \
            _Pragma("GCC unroll 8") for (uint64_t p = 0; p < (pixels); p++)                        \
            {                                                                                      \
                sums[p] =                                                                          \
                    (line)MULTIPLY_ADD_##suffix(*(const line *)(x + p * step), factor, sums[p]);   \
            }                                                                                      \
        }                                                                                          \
        END_SPAN(suffix, pixels)                                                                   \
    }

// So that it is not read again wherever it is needed.
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))

// Windows of `side` columns, each `stride` pixels after the one before: what several see is read
// once, and what is in the padding by none. All are constants, so that the sums stay in registers.
#define DEFINE_SLIDE(suffix, attributes, bytes, side, stride, pixels)                              \
    attributes static void slide_##suffix##_##side##_##stride##_##pixels(const struct span *span)  \
    {                                                                                              \
        BEGIN_SPAN(bytes, pixels)                                                                  \
        const float *x = span->x, *weights = span->weights;                                        \
        const uint64_t first = span->first, columns = span->columns;                               \
        for (uint64_t row = 0; row < span->rows; row++) {                                          \
            line factors[side];                                                                    \
            _Pragma("GCC unroll 8") for (uint64_t k = 0; k < (side); k++)                          \
            {                                                                                      \
                factors[k] = *(const line *)(weights + k * channels);                              \
            }                                                                                      \
            _Pragma("GCC unroll 32") for (uint64_t q = 0; q < ((pixels)-1) * (stride) + (side);    \
                                          q++)                                                     \
            {                                                                                      \
                if (q - first >= columns)                                                          \
                    continue;                                                                      \
                line seen = *(const line *)(x + q * channels);                                     \
                KEEP_IN_REGISTER(seen);                                                            \
                _Pragma("GCC unroll 8") for (uint64_t p = 0; p < (pixels); p++)                    \
                {                                                                                  \
                    if (q >= p * (stride) && q < p * (stride) + (side))                            \
                        sums[p] =                                                                  \
                            (line)MULTIPLY_ADD_##suffix(seen, factors[q - p * (stride)], sums[p]); \
                }                                                                                  \
            }                                                                                      \
            x += span->row_step;                                                                   \
            weights += span->weights_step;                                                         \
        }                                                                                          \
        END_SPAN(suffix, pixels)                                                                   \
    }

#define DEFINE_SLIDES(suffix, attributes, bytes, side, stride)                                     \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 1)                                       \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 2)                                       \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 3)                                       \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 4)                                       \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 5)                                       \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 6)                                       \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 7)                                       \
    DEFINE_SLIDE(suffix, attributes, bytes, side, stride, 8)

#define DEFINE_SPANS(suffix, attributes, bytes)                                                    \
    DEFINE_TAPS(suffix, attributes, bytes, 1)                                                      \
    DEFINE_TAPS(suffix, attributes, bytes, 8)                                                      \
    DEFINE_SLIDES(suffix, attributes, bytes, 3, 1)                                                 \
    DEFINE_SLIDES(suffix, attributes, bytes, 3, 2)                                                 \
    DEFINE_SLIDES(suffix, attributes, bytes, 5, 1)                                                 \
    DEFINE_SLIDES(suffix, attributes, bytes, 5, 2)                                                 \
    DEFINE_SLIDES(suffix, attributes, bytes, 7, 1)                                                 \
    DEFINE_SLIDES(suffix, attributes, bytes, 7, 2)

// They in a list.
#define SLIDES(suffix, side, stride)                                                               \
    {                                                                                              \
        slide_##suffix##_##side##_##stride##_1, slide_##suffix##_##side##_##stride##_2,            \
            slide_##suffix##_##side##_##stride##_3, slide_##suffix##_##side##_##stride##_4,        \
            slide_##suffix##_##side##_##stride##_5, slide_##suffix##_##side##_##stride##_6,        \
            slide_##suffix##_##side##_##stride##_7, slide_##suffix##_##side##_##stride##_8         \
    }
#define SPANS(suffix, lanes)                                                                       \
    {                                                                                              \
        lanes, taps_##suffix##_1, taps_##suffix##_8,                                               \
        {                                                                                          \
            {SLIDES(suffix, 3, 1), SLIDES(suffix, 3, 2)},                                          \
                {SLIDES(suffix, 5, 1), SLIDES(suffix, 5, 2)},                                      \
                {SLIDES(suffix, 7, 1), SLIDES(suffix, 7, 2)},                                      \
        }                                                                                          \
    }

#define FOR_AVX2 __attribute__((target("avx2,fma")))
DEFINE_SPANS(avx2, FOR_AVX2, 32)
static const struct spans AVX2 = SPANS(avx2, 8);
// gcc 12 does not align these sums on the stack that its sanitizer makes up (PR 110027).
#define FOR_AVX512 __attribute__((target("avx512f"), no_sanitize("address")))
DEFINE_SPANS(avx512, FOR_AVX512, 64)
static const struct spans AVX512 = SPANS(avx512, 16);
#endif

static const struct spans *choose_spans(void)
{
#if defined(__x86_64__)
    if (isa_used() >= ISA_AVX512)
        return &AVX512;
    if (isa_used() == ISA_AVX2)
        return &AVX2;
#endif
    return NULL;
}

bool depthwise_convolution_suits(const struct convolution *c)
{
    return choose_spans() != NULL && c->spatial == 2 && c->inputs == 1 && c->outputs == 1 &&
           c->groups >= LANES_MOST && c->kernel[0] <= TAPS_MOST / c->kernel[1];
}

static bool depthwise_pack(const struct depthwise_convolution_plan *plan,
                           struct depthwise_convolution *own)
{
    const uint64_t taps = own->kernel[0] * own->kernel[1];
    own->weights = blocks_take(plan->blocks, taps * own->channels * sizeof *own->weights);
    if (own->weights == NULL)
        return false;
    for (uint64_t tap = 0; tap < taps; tap++) {
        for (uint64_t c = 0; c < own->channels; c++)
            own->weights[tap * own->channels + c] =
                plan->weights[c * taps + tap] * (plan->scales != NULL ? plan->scales[c] : 1);
    }
    return true;
}

static void lay_out_taps(struct depthwise_convolution *own)
{
    own->taps.count = own->kernel[0] * own->kernel[1];
    for (uint64_t tap = 0; tap < own->taps.count; tap++) {
        const uint64_t y = tap / own->kernel[1] * own->dilations[0];
        const uint64_t x = tap % own->kernel[1] * own->dilations[1];
        own->taps.places[tap] = (y * own->width + x) * own->channels;
        own->taps.weights[tap] = tap * own->channels;
    }
}

// Taps of an axis that see no padding: [from, to), of which the first sees `at`.
struct seen {
    uint64_t from, to, at;
};

static struct seen taps_seen(int64_t start, uint64_t taps, uint64_t step, int64_t length)
{
    struct seen seen = {0, taps, 0};
    while (seen.from < seen.to && start + (int64_t)(seen.from * step) < 0)
        seen.from++;
    while (seen.from < seen.to && start + (int64_t)((seen.to - 1) * step) >= length)
        seen.to--;
    seen.at = seen.from < seen.to ? (uint64_t)(start + (int64_t)(seen.from * step)) : 0;
    return seen;
}

static struct seen columns_seen(const struct depthwise_convolution *own, uint64_t column)
{
    return taps_seen((int64_t)(column * own->strides[1]) - (int64_t)own->left, own->kernel[1],
                     own->dilations[1], (int64_t)own->width);
}

struct depthwise_convolution *
depthwise_convolution_create(const struct depthwise_convolution_plan *plan)
{
    const struct convolution *c = plan->convolution;
    struct depthwise_convolution *own = memory_allocate_zeroed(1, sizeof *own);
    own->channels = (uint64_t)c->groups;
    for (int d = 0; d < 2; d++) {
        own->kernel[d] = (uint64_t)c->kernel[d];
        own->strides[d] = (uint64_t)c->strides[d];
        own->dilations[d] = (uint64_t)c->dilations[d];
    }
    own->width = (uint64_t)c->input[1];
    own->width_out = (uint64_t)c->output[1];
    own->left = (uint64_t)c->pads[1];
    lay_out_taps(own);
    own->clips = plan->clips;
    own->lowest = plan->lowest;
    own->highest = plan->highest;
    own->makes_bytes = plan->to_bytes != NULL;
    if (own->makes_bytes)
        own->to_bytes = *plan->to_bytes;
    own->bias = memory_allocate_zeroed(own->channels, sizeof *own->bias);
    for (uint64_t i = 0; plan->bias != NULL && i < own->channels; i++)
        own->bias[i] = plan->bias[i];
    if (depthwise_pack(plan, own))
        return own;
    depthwise_convolution_free(own);
    return NULL;
}

void depthwise_convolution_free(struct depthwise_convolution *own)
{
    if (own == NULL)
        return;
    free(own->bias);
    free(own);
}

// What takes windows that slide, by pixels; NULL: they are not such.
static const span_function *find_sliding(const struct depthwise_convolution *own,
                                         const struct spans *spans)
{
    const uint64_t side = own->kernel[1] / 2 - 1;
    if (own->kernel[1] % 2 == 0 || own->kernel[1] < 3 || side >= SIDES || own->dilations[1] != 1 ||
        own->strides[1] > STRIDES)
        return NULL;
    return spans->sliding[side][own->strides[1] - 1];
}

// The taps of a window that see no padding.
static void choose_taps(const struct depthwise_convolution *own, const struct seen *rows,
                        const struct seen *columns, struct taps *out_taps)
{
    const uint64_t first = rows->from * own->kernel[1] + columns->from;
    out_taps->count = 0;
    for (uint64_t y = rows->from; y < rows->to; y++) {
        for (uint64_t x = columns->from; x < columns->to; x++) {
            const uint64_t tap = y * own->kernel[1] + x;
            out_taps->places[out_taps->count] = own->taps.places[tap] - own->taps.places[first];
            out_taps->weights[out_taps->count++] = own->taps.weights[tap];
        }
    }
}

// Bytes of a number of the result.
static uint64_t result_size(const struct depthwise_convolution *own)
{
    return own->makes_bytes ? 1 : sizeof(float);
}

size_t depthwise_convolution_room(const struct depthwise_convolution *own)
{
    return own->makes_bytes ? PIXELS_MOST * own->channels * sizeof(float) : 0;
}

// A row of the output while it is made.
struct row {
    const struct depthwise_convolution *own;
    const struct spans *spans;
    const span_function *sliding;
    struct seen rows;    // of the windows
    const float *source; // the first of these
    char *made;
    float *room; // for PIXELS_MOST pixels
    struct span span;
};

// All channels of `pixels` from `column` on, with what `span` has of the first. The last vector
// goes over some again that another has done.
static void run_span(const struct row *row, span_function function, const struct span *first,
                     uint64_t column, uint64_t pixels)
{
    const uint64_t channels = row->own->channels, lanes = row->spans->lanes;
    const bool makes_bytes = row->own->makes_bytes;
    char *made = row->made + column * channels * result_size(row->own);
    float *y = makes_bytes ? row->room : (float *)(void *)made;
    struct span span = *first;
    for (uint64_t done = 0; done < channels; done += lanes) {
        const uint64_t c = done + lanes <= channels ? done : channels - lanes;
        span.x = first->x + c;
        span.weights = first->weights + c;
        span.bias = row->own->bias + c;
        span.y = y + c;
        function(&span);
    }
    if (makes_bytes)
        byte_results_put(&row->own->to_bytes, y, pixels * channels, (uint8_t *)made);
}

// The pixels of a row as evenly as can be.
static void slide_over(const struct row *row)
{
    const struct depthwise_convolution *own = row->own;
    struct span span = row->span;
    span.weights = own->weights + row->rows.from * own->kernel[1] * own->channels;
    for (uint64_t x = 0, pixels; x < own->width_out; x += pixels) {
        const uint64_t left = own->width_out - x, blocks = (left + PIXELS_MOST - 1) / PIXELS_MOST;
        pixels = (left + blocks - 1) / blocks;
        const uint64_t reach = (pixels - 1) * own->strides[1] + own->kernel[1];
        const int64_t start = (int64_t)(x * own->strides[1]) - (int64_t)own->left;
        const struct seen seen = taps_seen(start, reach, 1, (int64_t)own->width);
        span.first = seen.from;
        span.columns = seen.to - seen.from;
        // Where the first column would be.
        span.x = (const float *)((uintptr_t)(row->source + seen.at * own->channels) -
                                 seen.from * own->channels * sizeof(float));
        run_span(row, row->sliding[pixels - 1], &span, x, pixels);
    }
}

// Pixels that see the same columns of their windows: one, or PIXELS_MOST.
static uint64_t pixels_alike(const struct depthwise_convolution *own, uint64_t x)
{
    for (uint64_t i = 0; i < PIXELS_MOST; i++) {
        if (x + i >= own->width_out)
            return 1;
        const struct seen seen = columns_seen(own, x + i);
        if (seen.to - seen.from < own->kernel[1])
            return 1;
    }
    return PIXELS_MOST;
}

static void tap_over(const struct row *row)
{
    const struct depthwise_convolution *own = row->own;
    for (uint64_t x = 0, pixels; x < own->width_out; x += pixels) {
        const struct seen seen = columns_seen(own, x);
        struct taps taps;
        choose_taps(own, &row->rows, &seen, &taps);
        pixels = pixels_alike(own, x);
        struct span span = row->span;
        span.x = row->source + seen.at * own->channels;
        span.weights = own->weights;
        span.taps = &taps;
        run_span(row, pixels > 1 ? row->spans->several : row->spans->single, &span, x, pixels);
    }
}

void depthwise_convolution_run(const struct depthwise_convolution *own,
                               const struct panel_convolution_rows *rows, const float *source,
                               void *room, void *made)
{
    const uint64_t width = own->width * own->channels;
    struct row row = {.own = own, .spans = choose_spans(), .room = room};
    row.sliding = find_sliding(own, row.spans);
    row.span = (struct span){.channels = own->channels,
                             .row_step = own->dilations[0] * width,
                             .weights_step = own->kernel[1] * own->channels,
                             .pixel_step = own->strides[1] * own->channels,
                             .clips = own->clips,
                             .lowest = own->lowest,
                             .highest = own->highest};
    for (uint64_t y = 0; y < (uint64_t)rows->out; y++) {
        row.rows = taps_seen((int64_t)(y * own->strides[0]) - rows->before, own->kernel[0],
                             own->dilations[0], rows->in);
        row.span.rows = row.rows.to - row.rows.from;
        row.source = source + row.rows.at * width;
        row.made = (char *)made + y * own->width_out * own->channels * result_size(own);
        if (row.sliding != NULL)
            slide_over(&row);
        else
            tap_over(&row);
    }
}
