#include "panels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void panels_pack(const float *matrix, uint64_t rows, uint64_t depth, float *panels)
{
    memset(panels, 0, panels_rows(rows) * depth * sizeof *panels);
    for (uint64_t row = 0; row < rows; row++) {
        const float *from = matrix + row * depth;
        float *to = panels + row / PANELS_WIDTH * PANELS_WIDTH * depth + row % PANELS_WIDTH;
        for (uint64_t k = 0; k < depth; k++)
            to[k * PANELS_WIDTH] = from[k];
    }
}

static void multiply_portable(const struct panels_product *product, const float *x, uint64_t count,
                              float *y)
{
    for (uint64_t row = 0; row < product->rows; row += PANELS_WIDTH) {
        const float *panel = product->panels + row * product->depth;
        for (uint64_t item = 0; item < count; item++) {
            const float *factors = x + item * product->x_stride;
            float sums[PANELS_WIDTH] = {0};
            for (uint64_t k = 0; k < product->depth; k++) {
                for (int i = 0; i < PANELS_WIDTH; i++)
                    sums[i] += panel[k * PANELS_WIDTH + (uint64_t)i] * factors[k];
            }
            memcpy(y + item * product->y_stride + row, sums, sizeof sums);
        }
    }
}

static bool portable_only;

void panels_force_portable(bool portable)
{
    portable_only = portable;
}

#if defined(__x86_64__)

enum {
    ITEMS = 4, // vectors that share the loads of a panel
    WIDE = 4,  // panels at a time for a single vector, so that sums do not wait for one another
};

// `panels` neighbouring panels by `items` vectors; both are constants where this is called.
__attribute__((target("avx2,fma"), always_inline)) static inline void
multiply_block(const struct panels_product *product, const float *panel, const float *x, float *y,
               int panels, int items)
{
    const uint64_t depth = product->depth;
    __m256 sums[WIDE * ITEMS][2];
    for (int i = 0; i < panels * items; i++)
        sums[i][0] = sums[i][1] = _mm256_setzero_ps();
    for (uint64_t k = 0; k < depth; k++) {
        for (int p = 0; p < panels; p++) {
            const float *line = panel + ((uint64_t)p * depth + k) * PANELS_WIDTH;
            const __m256 low = _mm256_loadu_ps(line);
            const __m256 high = _mm256_loadu_ps(line + 8);
            for (int i = 0; i < items; i++) {
                const __m256 factor = _mm256_broadcast_ss(x + (uint64_t)i * product->x_stride + k);
                __m256 *sum = sums[p * items + i];
                sum[0] = _mm256_fmadd_ps(low, factor, sum[0]);
                sum[1] = _mm256_fmadd_ps(high, factor, sum[1]);
            }
        }
    }
    for (int p = 0; p < panels; p++) {
        for (int i = 0; i < items; i++) {
            float *to = y + (uint64_t)i * product->y_stride + (uint64_t)p * PANELS_WIDTH;
            _mm256_storeu_ps(to, sums[p * items + i][0]);
            _mm256_storeu_ps(to + 8, sums[p * items + i][1]);
        }
    }
}

__attribute__((target("avx2,fma"))) static void multiply_items(const struct panels_product *product,
                                                               const float *x, float *y)
{
    for (uint64_t row = 0; row < product->rows; row += PANELS_WIDTH)
        multiply_block(product, product->panels + row * product->depth, x, y + row, 1, ITEMS);
}

__attribute__((target("avx2,fma"))) static void multiply_one(const struct panels_product *product,
                                                             const float *x, float *y)
{
    const uint64_t rows = panels_rows(product->rows);
    uint64_t row = 0;
    for (; row + (uint64_t)WIDE * PANELS_WIDTH <= rows; row += (uint64_t)WIDE * PANELS_WIDTH)
        multiply_block(product, product->panels + row * product->depth, x, y + row, WIDE, 1);
    for (; row < rows; row += PANELS_WIDTH)
        multiply_block(product, product->panels + row * product->depth, x, y + row, 1, 1);
}

static void multiply_avx2(const struct panels_product *product, const float *x, uint64_t count,
                          float *y)
{
    uint64_t item = 0;
    for (; item + ITEMS <= count; item += ITEMS)
        multiply_items(product, x + item * product->x_stride, y + item * product->y_stride);
    for (; item < count; item++)
        multiply_one(product, x + item * product->x_stride, y + item * product->y_stride);
}

void panels_multiply(const struct panels_product *product, const float *x, uint64_t count, float *y)
{
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !portable_only)
        multiply_avx2(product, x, count, y);
    else
        multiply_portable(product, x, count, y);
}

#else

void panels_multiply(const struct panels_product *product, const float *x, uint64_t count, float *y)
{
    multiply_portable(product, x, count, y);
}

#endif
