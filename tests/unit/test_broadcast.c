// Broadcast loops against an index computed for every element.

#include "kernels/core/broadcast.h"
#include "kernels/core/typed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "network/real.h"

enum { INPUTS = 3, MOST = 60000 };

// Which element of an input meets element `index` of the output.
static uint64_t meets(const struct shape *input, const struct shape *out, uint64_t index)
{
    const uint32_t ahead = out->rank - input->rank;
    uint64_t place = 0;
    uint64_t stride = 1;
    for (uint32_t axis = out->rank; axis-- > 0;) {
        const uint64_t at = index % (uint64_t)out->dims[axis];
        index /= (uint64_t)out->dims[axis];
        if (axis < ahead)
            continue;
        const uint64_t length = (uint64_t)input->dims[axis - ahead];
        place += (length == 1 ? 0 : at) * stride;
        stride *= length;
    }
    return place;
}

// Packs which elements met into the result.
static void pack_row(const void *context, void *out, const void *const *in, const uint8_t *steps,
                     uint64_t count)
{
    (void)context;
    uint64_t *to = out;
    const uint16_t *a = in[0];
    const uint32_t *b = in[1];
    const uint64_t *c = in[2];
    for (uint64_t i = 0; i < count; i++)
        to[i] = a[i * steps[0]] | (uint64_t)b[i * steps[1]] << 16 | c[i * steps[2]] << 32;
}

static struct shape random_shape(unsigned *seed)
{
    struct shape shape = {.rank = (uint32_t)(rand_r(seed) % 6)};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = 1 + rand_r(seed) % 6;
    if (shape.rank > 0 && rand_r(seed) % 4 == 0)
        shape.dims[rand_r(seed) % (int)shape.rank] = rand_r(seed) % 8;
    return shape;
}

static struct shape random_input(const struct shape *out, unsigned *seed)
{
    const uint32_t drop = out->rank > 0 ? (uint32_t)rand_r(seed) % (out->rank + 1) : 0;
    struct shape shape = {.rank = out->rank - drop};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = rand_r(seed) % 3 == 0 ? 1 : out->dims[drop + i];
    return shape;
}

static void every_output_meets_the_elements_that_numpys_rules_name(void **state)
{
    (void)state;
    static uint16_t a[MOST];
    static uint32_t b[MOST];
    static uint64_t c[MOST], result[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        a[i] = (uint16_t)i;
        b[i] = i & 0xffff;
        c[i] = i;
    }
    struct parallel *parallel = parallel_create(2);
    for (unsigned round = 0; round < 3000; round++) {
        unsigned seed = round;
        const struct shape shape = random_shape(&seed);
        const struct tensor out = {ELEMENT_U64, shape, result};
        const struct broadcast_input inputs[INPUTS] = {
            {a, 2, random_input(&shape, &seed)},
            {b, 4, random_input(&shape, &seed)},
            {c, 8, random_input(&shape, &seed)},
        };
        const uint64_t count = shape_count(&shape);
        memset(result, 0xff, (count + 1) * sizeof *result);
        broadcast_run(parallel, &out, inputs, INPUTS, pack_row, NULL);
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t want = meets(&inputs[0].shape, &shape, i) |
                                  meets(&inputs[1].shape, &shape, i) << 16 |
                                  meets(&inputs[2].shape, &shape, i) << 32;
            assert_int_equal(result[i], want);
        }
        assert_int_equal(result[count], UINT64_MAX);
    }
    parallel_free(parallel);
}

static void large_outputs_are_cut_in_the_middle_of_rows(void **state)
{
    (void)state;
    static uint16_t a[MOST];
    static uint32_t b[MOST];
    static uint64_t c[MOST], result[MOST];
    const struct shape shape = {3, {2, 3, 9973}};
    for (uint32_t i = 0; i < MOST; i++)
        a[i] = (uint16_t)(b[i] = (uint32_t)(c[i] = i));
    const struct tensor out = {ELEMENT_U64, shape, result};
    const struct broadcast_input inputs[INPUTS] = {
        {a, 2, {3, {2, 3, 9973}}}, {b, 4, {1, {9973}}}, {c, 8, {3, {2, 1, 1}}}};
    struct parallel *parallel = parallel_create(2);
    broadcast_run(parallel, &out, inputs, INPUTS, pack_row, NULL);
    parallel_free(parallel);
    for (uint64_t i = 0; i < 2 * 3 * 9973; i++)
        assert_int_equal(result[i], (i & 0xffff) | i % 9973 << 16 | i / (3 * 9973) << 32);
}

static void add_f32(const void *context, void *out, const void *const *in, const uint8_t *steps,
                    uint64_t count)
{
    const uint32_t inputs = *(const uint32_t *)context;
    float *to = out;
    for (uint64_t i = 0; i < count; i++) {
        to[i] = 0;
        for (uint32_t k = 0; k < inputs; k++)
            to[i] += ((const float *)in[k])[i * steps[k]];
    }
}

static void narrow_floats_are_rounded_once(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static uint16_t a[COUNT], result[COUNT];
    const uint16_t tiny = real_to_f16(0x1p-11f);
    for (int i = 0; i < COUNT; i++)
        a[i] = real_to_f16((float)(1 + i % 2));
    const struct tensor out = {ELEMENT_F16, {1, {COUNT}}, result};
    const struct tensor one = {ELEMENT_F16, {1, {COUNT}}, a};
    const struct tensor small = {ELEMENT_F16, {0, {0}}, (void *)&tiny};
    const struct tensor *inputs[5] = {&one, &small, &small, &small, &small};
    const uint32_t count = 5;
    struct parallel *parallel = parallel_create(1);
    const typed_rows rows = {[ELEMENT_F32] = add_f32};
    typed_run_tensors(parallel, &out, inputs, count, rows, &count);
    parallel_free(parallel);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(result[i], real_to_f16((float)(1 + i % 2) + 4 * 0x1p-11f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_output_meets_the_elements_that_numpys_rules_name),
        cmocka_unit_test(large_outputs_are_cut_in_the_middle_of_rows),
        cmocka_unit_test(narrow_floats_are_rounded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
