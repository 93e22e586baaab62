// Operators that move and choose elements, against loops over single elements.

#include "kernel_support.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROUNDS = 1500, RANK_MOST = 4 };

static struct shape random_shape(unsigned *seed, int least)
{
    struct shape shape = {.rank = 1 + (uint32_t)rand_r(seed) % RANK_MOST};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = least + rand_r(seed) % 5;
    return shape;
}

// An input of i32 whose elements are their own places.
static const int32_t *count_up(struct trial *trial, struct shape shape)
{
    int32_t *data = trial_input(trial, ELEMENT_I32, shape);
    for (uint64_t i = 0; i < shape_count(&shape); i++)
        data[i] = (int32_t)i;
    return data;
}

static void split_index(const struct shape *shape, uint64_t index, int64_t *out_places)
{
    for (uint32_t d = shape->rank; d-- > 0;) {
        out_places[d] = (int64_t)(index % (uint64_t)shape->dims[d]);
        index /= (uint64_t)shape->dims[d];
    }
}

static int32_t join_index(const struct shape *shape, const int64_t *places)
{
    int64_t index = 0;
    for (uint32_t d = 0; d < shape->rank; d++)
        index = index * shape->dims[d] + places[d];
    return (int32_t)index;
}

// Slice --------------------------------------------------------------------------

// Walks from the start in steps for as long as the end is not reached.
static int64_t walk_slice(int64_t length, int64_t start, int64_t end, int64_t step, int64_t *places)
{
    start += start < 0 ? length : 0;
    end += end < 0 ? length : 0;
    if (step < 0 && start >= length)
        start = length - 1;
    if (step < 0 && start < 0)
        start = 0;
    if (step > 0 && start < 0)
        start = 0;
    int64_t count = 0;
    for (int64_t at = start; at >= 0 && at < length && (step > 0 ? at < end : at > end); at += step)
        places[count++] = at;
    return count;
}

static void slices_walk_in_steps(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct trial trial = {.output_count = 1};
        const struct shape shape = random_shape(&seed, 0);
        count_up(&trial, shape);
        int64_t starts[RANK_MOST], ends[RANK_MOST], axes[RANK_MOST], steps[RANK_MOST];
        int64_t places[RANK_MOST][8];
        struct shape want = {.rank = shape.rank};
        for (uint32_t d = 0; d < shape.rank; d++) {
            starts[d] = rand_r(&seed) % 15 - 7;
            ends[d] = rand_r(&seed) % 15 - 7;
            steps[d] = (rand_r(&seed) % 3 + 1) * (rand_r(&seed) % 2 == 0 ? 1 : -1);
            axes[d] = rand_r(&seed) % 2 == 0 ? (int64_t)d : (int64_t)d - shape.rank;
            want.dims[d] = walk_slice(shape.dims[d], starts[d], ends[d], steps[d], places[d]);
        }
        trial_list(&trial, starts, shape.rank);
        trial_list(&trial, ends, shape.rank);
        trial_list(&trial, axes, shape.rank);
        trial_list(&trial, steps, shape.rank);
        trial_run(&trial, "Slice", 13);
        const struct tensor *output = trial_output(&trial, 0);
        assert_true(shape_equal(&output->shape, &want));
        for (uint64_t i = 0; i < shape_count(&want); i++) {
            int64_t at[RANK_MOST];
            split_index(&want, i, at);
            for (uint32_t d = 0; d < want.rank; d++)
                at[d] = places[d][at[d]];
            assert_int_equal(((const int32_t *)output->data)[i], join_index(&shape, at));
        }
        trial_free(&trial);
    }
}

static void slices_take_any_bounds(void **state)
{
    (void)state;
    const struct {
        int64_t start, end, step, count;
    } cases[] = {
        {INT64_MIN, INT64_MAX, 1, 5}, {INT64_MAX, INT64_MIN, -1, 5}, {0, INT64_MAX, INT64_MAX, 1},
        {4, INT64_MIN, INT64_MIN, 1}, {INT64_MAX, INT64_MAX, 1, 0},  {INT64_MIN, INT64_MIN, -1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial trial = {.output_count = 1};
        count_up(&trial, (struct shape){1, {5}});
        trial_list(&trial, &cases[i].start, 1);
        trial_list(&trial, &cases[i].end, 1);
        trial_list(&trial, &(int64_t){0}, 1);
        trial_list(&trial, &cases[i].step, 1);
        trial_run(&trial, "Slice", 13);
        assert_int_equal(trial_output(&trial, 0)->shape.dims[0], cases[i].count);
        trial_free(&trial);
    }
}

// Pad ----------------------------------------------------------------------------

// The place that `at` means in a line of `length` > 0, found step by step; -1: outside.
static int64_t pad_place(const char *mode, int64_t at, int64_t length)
{
    if (at >= 0 && at < length)
        return at;
    if (strcmp(mode, "constant") == 0)
        return -1;
    if (strcmp(mode, "edge") == 0 || length == 1)
        return at < 0 ? 0 : length - 1;
    while (at < 0 || at >= length) {
        if (strcmp(mode, "wrap") == 0)
            at += at < 0 ? length : -length;
        else
            at = at < 0 ? -at : 2 * (length - 1) - at;
    }
    return at;
}

static void pads_repeat_what_their_mode_says(void **state)
{
    (void)state;
    static const char *const MODES[] = {"constant", "reflect", "edge", "wrap"};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        const char *mode = MODES[round % 4];
        struct trial trial = {.output_count = 1};
        trial_text(&trial, "mode", mode);
        const struct shape shape = random_shape(&seed, 2);
        count_up(&trial, shape);
        int64_t pads[2 * RANK_MOST];
        struct shape want = shape;
        for (uint32_t d = 0; d < shape.rank; d++) {
            pads[d] = rand_r(&seed) % 10 - 1;
            pads[d + shape.rank] = rand_r(&seed) % 10 - (shape.dims[d] > 2 ? 1 : 0);
            want.dims[d] += pads[d] + pads[d + shape.rank];
        }
        trial_list(&trial, pads, 2 * shape.rank);
        *(int32_t *)trial_input(&trial, ELEMENT_I32, (struct shape){0}) = -5;
        trial_run(&trial, "Pad", 19);
        const struct tensor *output = trial_output(&trial, 0);
        assert_true(shape_equal(&output->shape, &want));
        for (uint64_t i = 0; i < shape_count(&want); i++) {
            int64_t at[RANK_MOST];
            bool outside = false;
            split_index(&want, i, at);
            for (uint32_t d = 0; d < want.rank; d++) {
                const int64_t cut = pads[d] < 0 ? -pads[d] : 0;
                const int64_t end = pads[d + want.rank] < 0 ? -pads[d + want.rank] : 0;
                const int64_t place =
                    pad_place(mode, at[d] - pads[d] - cut, shape.dims[d] - cut - end);
                outside = outside || place < 0;
                at[d] = place + cut;
            }
            assert_int_equal(((const int32_t *)output->data)[i],
                             outside ? -5 : join_index(&shape, at));
        }
        trial_free(&trial);
    }
}

static void texts_are_padded_with_empty_ones(void **state)
{
    (void)state;
    struct trial trial = {.output_count = 1};
    struct view *texts = trial_input(&trial, ELEMENT_TEXT, (struct shape){1, {1}});
    texts[0] = view_of("middle");
    trial_list(&trial, (const int64_t[]){1, 1}, 2);
    trial_attribute(&trial, "value", ATTRIBUTE_REAL)->real = 2; // of older versions
    trial_run(&trial, "Pad", 13);
    const struct view *padded = trial_output(&trial, 0)->data;
    assert_int_equal(padded[0].size, 0);
    assert_true(view_is(padded[1], "middle"));
    assert_true(padded[1].data != texts[0].data);
    assert_int_equal(padded[2].size, 0);
    trial_free(&trial);
}

// Choosing -----------------------------------------------------------------------

static void gathered_elements_are_those_of_the_indices(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct trial trial = {.output_count = 1};
        const struct shape shape = random_shape(&seed, 1);
        count_up(&trial, shape);
        const uint32_t axis = (uint32_t)rand_r(&seed) % shape.rank;
        trial_integer(&trial, "axis", axis);
        struct shape chosen = shape;
        for (uint32_t d = 0; d < shape.rank; d++)
            chosen.dims[d] = d == axis ? rand_r(&seed) % 7 : 1 + rand_r(&seed) % shape.dims[d];
        int64_t *indices = trial_input(&trial, ELEMENT_I64, chosen);
        const int64_t length = shape.dims[axis];
        for (uint64_t i = 0; i < shape_count(&chosen); i++)
            indices[i] = rand_r(&seed) % (2 * length) - length;
        trial_run(&trial, "GatherElements", 13);
        const struct tensor *output = trial_output(&trial, 0);
        assert_true(shape_equal(&output->shape, &chosen));
        for (uint64_t i = 0; i < shape_count(&chosen); i++) {
            int64_t at[RANK_MOST];
            split_index(&chosen, i, at);
            at[axis] = indices[i] < 0 ? indices[i] + length : indices[i];
            assert_int_equal(((const int32_t *)output->data)[i], join_index(&shape, at));
        }
        trial_free(&trial);
    }
}

static void indices_out_of_range_are_refused(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"Gather", "GatherElements", "GatherND"};
    for (size_t i = 0; i < 3; i++) {
        for (int64_t index = -4; index <= 3; index += 7) { // just outside of 3
            struct trial trial = {.output_count = 1};
            count_up(&trial, (struct shape){1, {3}});
            trial_list(&trial, &index, 1);
            char why[64];
            snprintf(why, sizeof why,
                     "index %" PRId64 " is out of range for dimension 0 of length 3", index);
            trial_refused(&trial, NAMES[i], 13, why);
            trial_free(&trial);
        }
    }
    for (int i = 0; i < 2; i++) {
        struct trial trial = {.output_count = 1};
        count_up(&trial, (struct shape){1, {3}});
        trial_list(&trial, &(int64_t){3}, 1);
        count_up(&trial, (struct shape){i == 0 ? 1 : 0, {1}});
        trial_refused(&trial, i == 0 ? "ScatterElements" : "ScatterND", 16, "index 3");
        trial_free(&trial);
    }
}

static void the_best_come_in_order_and_ties_by_index(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct trial trial = {.output_count = 2};
        enum { LENGTH = 30 };
        const int64_t chosen = rand_r(&seed) % (LENGTH + 1);
        const bool largest = round % 2 == 0;
        float *data = trial_input(&trial, ELEMENT_F32, (struct shape){1, {LENGTH}});
        for (int i = 0; i < LENGTH; i++)
            data[i] = (float)(rand_r(&seed) % 9 - 4);
        trial_list(&trial, &chosen, 1);
        trial_integer(&trial, "largest", largest);
        trial_run(&trial, "TopK", 11);
        const int64_t *indices = trial_output(&trial, 1)->data;
        bool taken[LENGTH] = {false};
        for (int64_t k = 0; k < chosen; k++) {
            int best = -1;
            for (int i = 0; i < LENGTH; i++) {
                if (!taken[i] &&
                    (best < 0 || (largest ? data[i] > data[best] : data[i] < data[best])))
                    best = i;
            }
            taken[best] = true;
            assert_int_equal(indices[k], best);
            assert_true(((const float *)trial_output(&trial, 0)->data)[k] == data[best]);
        }
        trial_free(&trial);
    }
}

static void unique_slices_are_found_with_their_places(void **state)
{
    (void)state;
    enum { ROWS = 4, COLUMNS = 7 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct trial trial = {.output_count = 4};
        int8_t *data = trial_input(&trial, ELEMENT_I8, (struct shape){2, {ROWS, COLUMNS}});
        for (int i = 0; i < ROWS * COLUMNS; i++)
            data[i] = (int8_t)(rand_r(&seed) % 4 == 0 ? -1 : 1);
        trial_integer(&trial, "axis", 1);
        trial_integer(&trial, "sorted", round % 2);
        trial_run(&trial, "Unique", 11);
        const int8_t *values = trial_output(&trial, 0)->data;
        const int64_t *first = trial_output(&trial, 1)->data;
        const int64_t *inverse = trial_output(&trial, 2)->data;
        const int64_t *counts = trial_output(&trial, 3)->data;
        const int64_t found = trial_output(&trial, 0)->shape.dims[1];
        int64_t total = 0;
        for (int64_t g = 0; g < found; g++) {
            total += counts[g];
            assert_int_equal(inverse[first[g]], g);
            for (int64_t r = 0, order = 0; g > 0 && r < ROWS; r++) { // differs, and comes after
                const int8_t *row = values + r * found;
                if (order == 0)
                    order = row[g] - row[g - 1];
                if (r + 1 == ROWS)
                    assert_true(round % 2 == 1 ? order > 0 : order != 0 && first[g] > first[g - 1]);
            }
        }
        assert_int_equal(total, COLUMNS);
        for (int64_t c = 0; c < COLUMNS; c++) {
            assert_true(first[inverse[c]] <= c);
            for (int64_t r = 0; r < ROWS; r++)
                assert_int_equal(values[r * found + inverse[c]], data[r * COLUMNS + c]);
        }
        trial_free(&trial);
    }
}

static void impossible_requests_are_refused(void **state)
{
    (void)state;
    struct trial trial = {.output_count = 1};
    count_up(&trial, (struct shape){2, {2, 3}});
    trial_list(&trial, (const int64_t[]){4, -1}, 2);
    trial_refused(&trial, "Reshape", 13, "cannot be reshaped");
    trial_free(&trial);

    trial.output_count = 1;
    count_up(&trial, (struct shape){1, {3}});
    trial_list(&trial, (const int64_t[]){INT64_MAX, 0}, 2);
    trial_refused(&trial, "Pad", 13, "pads of");
    trial_free(&trial);

    trial.output_count = 1;
    count_up(&trial, (struct shape){1, {3}});
    trial_list(&trial, &(int64_t){INT64_MAX / 2}, 1);
    trial_refused(&trial, "Tile", 13, "too l");
    trial_free(&trial);

    trial.output_count = 2;
    count_up(&trial, (struct shape){1, {3}});
    trial_list(&trial, (const int64_t[]){2, 2}, 2);
    trial_refused(&trial, "Split", 13, "parts");
    trial_free(&trial);

    trial.output_count = 1;
    count_up(&trial, (struct shape){1, {0}});
    trial_list(&trial, (const int64_t[]){1, 1}, 2);
    trial_text(&trial, "mode", "reflect");
    trial_refused(&trial, "Pad", 13, "nothing to pad with");
    trial_free(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_walk_in_steps),
        cmocka_unit_test(slices_take_any_bounds),
        cmocka_unit_test(pads_repeat_what_their_mode_says),
        cmocka_unit_test(texts_are_padded_with_empty_ones),
        cmocka_unit_test(gathered_elements_are_those_of_the_indices),
        cmocka_unit_test(indices_out_of_range_are_refused),
        cmocka_unit_test(the_best_come_in_order_and_ties_by_index),
        cmocka_unit_test(unique_slices_are_found_with_their_places),
        cmocka_unit_test(impossible_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
