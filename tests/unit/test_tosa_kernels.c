// TOSA's operators against values computed by hand from the specification: the
// edges of rounding, of ranges and of types.

#include "kernels/executor.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_MOST = 8192, OUTPUTS_MOST = 4 };

// A network of one function: `types` are those of its inputs, x0, x1 ...
struct subject {
    char text[TEXT_MOST];
    struct network *network;
    struct executor *executor;
    struct datum *inputs[8];
    size_t input_count;
    struct datum *outputs[OUTPUTS_MOST];
};

static status subject_read(struct subject *subject, const char *format, va_list arguments)
{
    memset(subject, 0, sizeof *subject);
    const int length = vsnprintf(subject->text, sizeof subject->text, format, arguments);
    assert_in_range(length, 1, TEXT_MOST - 1);
    struct input *input = input_over("test.mlir", view_of(subject->text));
    return network_read(input, NULL, &subject->network);
}

static void subject_open(struct subject *subject, unsigned threads, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void subject_open(struct subject *subject, unsigned threads, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const status failure = subject_read(subject, format, arguments);
    va_end(arguments);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    const struct executor_options options = {.threads = threads};
    assert_null(executor_create(subject->network, &options, &subject->executor));
}

// The next input, of the type that the network declares.
static void give(struct subject *subject, const void *data)
{
    const struct network_graph *graph = network_graph(subject->network, 0);
    const size_t index = subject->input_count++;
    const struct value_type *type = &network_value(subject->network, graph->inputs[index])->type;
    assert_null(datum_tensor(type->element, &type->shape, &subject->inputs[index]));
    memcpy(subject->inputs[index]->tensor.data, data,
           tensor_bytes(&subject->inputs[index]->tensor));
}

static status subject_run(struct subject *subject)
{
    return executor_run(subject->executor, subject->inputs, subject->input_count, subject->outputs);
}

static void expect(struct subject *subject, size_t index, const void *data, size_t bytes)
{
    const struct tensor *tensor = &subject->outputs[index]->tensor;
    assert_int_equal(tensor_bytes(tensor), bytes);
    assert_memory_equal(tensor->data, data, bytes);
}

static void subject_close(struct subject *subject)
{
    for (size_t i = 0; i < subject->input_count; i++)
        datum_release(subject->inputs[i]);
    for (size_t i = 0; i < OUTPUTS_MOST; i++)
        datum_release(subject->outputs[i]);
    executor_free(subject->executor);
    network_free(subject->network);
}

static void run_and_expect(struct subject *subject, const void *data, size_t bytes)
{
    const status failure = subject_run(subject);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    expect(subject, 0, data, bytes);
    subject_close(subject);
}

// Rescale ---------------------------------------------------------------------

static void open_rescale(struct subject *subject, size_t count, const char *in, const char *out,
                         int multiplier, int shift, int in_zero, int out_zero, const char *mode,
                         bool in_unsigned, bool out_unsigned)
{
    subject_open(
        subject, 1,
        "func.func @main(%%x: tensor<%zux%s>) -> tensor<%zux%s> {\n"
        "  %%m = \"tosa.const\"() <{values = dense<%d> : tensor<1xi32>}> : () -> tensor<1xi32>\n"
        "  %%s = \"tosa.const\"() <{values = dense<%d> : tensor<1xi8>}> : () -> tensor<1xi8>\n"
        "  %%a = \"tosa.const\"() <{values = dense<%d> : tensor<1x%s>}> : () -> tensor<1x%s>\n"
        "  %%b = \"tosa.const\"() <{values = dense<%d> : tensor<1x%s>}> : () -> tensor<1x%s>\n"
        "  %%y = tosa.rescale %%x, %%m, %%s, %%a, %%b {input_unsigned = %s, output_unsigned = %s,"
        " per_channel = false, rounding_mode = %s, scale32 = true} : (tensor<%zux%s>,"
        " tensor<1xi32>, tensor<1xi8>, tensor<1x%s>, tensor<1x%s>) -> tensor<%zux%s>\n"
        "  return %%y : tensor<%zux%s>\n}\n",
        count, in, count, out, multiplier, shift, in_zero, in, in, out_zero, out, out,
        in_unsigned ? "true" : "false", out_unsigned ? "true" : "false", mode, count, in, in, out,
        count, out, count, out);
}

// A multiplier of 2^30 and a shift of 33 divide by 8.
static void single_rounding_takes_halves_up(void **state)
{
    (void)state;
    const int32_t in[] = {3, 4, 5, -3, -4, -5, 12, -12, 0};
    const int32_t want[] = {0, 1, 1, 0, 0, -1, 2, -1, 0};
    struct subject subject;
    open_rescale(&subject, 9, "i32", "i32", 1 << 30, 33, 0, 0, "SINGLE_ROUND", false, false);
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

// Doubly rounded, 3/8 becomes 1/2 and then 1; halves go away from zero.
static void double_rounding_rounds_at_bit_31_first(void **state)
{
    (void)state;
    const int32_t in[] = {2, 3, 4, 5, -2, -3, -4, -5, 12, -12, 0};
    const int32_t want[] = {0, 1, 1, 1, 0, 0, -1, -1, 2, -2, 0};
    struct subject subject;
    open_rescale(&subject, 11, "i32", "i32", 1 << 30, 33, 0, 0, "DOUBLE_ROUND", false, false);
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

// Up to a shift of 31 there is nothing to round before.
static void short_shifts_are_rounded_once(void **state)
{
    (void)state;
    const int32_t in[] = {3, -3, 1, -1, 5, -5};
    const int32_t want[] = {2, -1, 1, 0, 3, -2};
    struct subject subject;
    open_rescale(&subject, 6, "i32", "i32", 1 << 30, 31, 0, 0, "DOUBLE_ROUND", false, false);
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

static void rescaled_numbers_saturate(void **state)
{
    (void)state;
    const int32_t in[] = {INT32_MAX, INT32_MIN, 127, 128, -128, -129, 120, -130};
    const int8_t want[] = {127, -128, 127, 127, -121, -122, 127, -123};
    struct subject subject;
    open_rescale(&subject, 8, "i32", "i8", 1 << 30, 30, 0, 7, "SINGLE_ROUND", false, false);
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

static void unsigned_sides_are_read_as_unsigned(void **state)
{
    (void)state;
    const uint8_t in[] = {0, 127, 128, 255};
    const int8_t want[] = {-128, -1, 0, 127};
    struct subject subject;
    // Zero point 128, whose bits are those of -128.
    open_rescale(&subject, 4, "i8", "i8", 1 << 30, 30, -128, 0, "SINGLE_ROUND", true, false);
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
    const uint8_t back[] = {0, 127, 128, 255};
    open_rescale(&subject, 4, "i8", "i8", 1 << 30, 30, 0, -128, "SINGLE_ROUND", false, true);
    give(&subject, want);
    run_and_expect(&subject, back, sizeof back);
}

static void a_shift_outside_2_to_62_is_refused(void **state)
{
    (void)state;
    const int32_t in[] = {INT32_MIN};
    const int shifts[] = {-1, 0, 1, 63};
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        struct subject subject;
        char said[40];
        open_rescale(&subject, 1, "i32", "i32", 1 << 30, shifts[i], 0, 0, "SINGLE_ROUND", false,
                     false);
        give(&subject, in);
        const status failure = subject_run(&subject);
        assert_non_null(failure);
        snprintf(said, sizeof said, "a shift by %d bits", shifts[i]);
        assert_non_null(strstr(status_message(failure), said));
        status_free(failure);
        subject_close(&subject);
    }
}

static void i48_sums_are_rescaled_by_16_bits(void **state)
{
    (void)state;
    const int64_t in[] = {INT64_C(1) << 40, -(INT64_C(1) << 40), 0};
    const int16_t want[] = {16384, -16384, 0};
    struct subject subject;
    subject_open(&subject, 1,
                 "func.func @main(%%x: tensor<3xi48>) -> tensor<3xi16> {\n"
                 "  %%m = \"tosa.const\"() <{values = dense<16384> : tensor<1xi16>}> : () -> "
                 "tensor<1xi16>\n"
                 "  %%s = \"tosa.const\"() <{values = dense<40> : tensor<1xi8>}> : () -> "
                 "tensor<1xi8>\n"
                 "  %%a = \"tosa.const\"() <{values = dense<0> : tensor<1xi48>}> : () -> "
                 "tensor<1xi48>\n"
                 "  %%b = \"tosa.const\"() <{values = dense<0> : tensor<1xi16>}> : () -> "
                 "tensor<1xi16>\n"
                 "  %%y = tosa.rescale %%x, %%m, %%s, %%a, %%b {input_unsigned = false, "
                 "output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, "
                 "scale32 = false} : (tensor<3xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, "
                 "tensor<1xi16>) -> tensor<3xi16>\n"
                 "  return %%y : tensor<3xi16>\n}\n");
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

// Elementwise -----------------------------------------------------------------

// An operator of `inputs` tensors of one type.
static void open_simple(struct subject *subject, const char *op, unsigned inputs, const char *in,
                        const char *out, const char *attributes)
{
    char arguments[200] = "";
    char names[60] = "";
    char types[160] = "";
    for (unsigned i = 0; i < inputs; i++) {
        const char *comma = i > 0 ? ", " : "";
        snprintf(arguments + strlen(arguments), 60, "%s%%x%u: %s", comma, i, in);
        snprintf(names + strlen(names), 12, "%s%%x%u", comma, i);
        snprintf(types + strlen(types), 50, "%s%s", comma, in);
    }
    subject_open(subject, 1,
                 "func.func @main(%s) -> %s {\n"
                 "  %%y = tosa.%s %s %s : (%s) -> %s\n"
                 "  return %%y : %s\n}\n",
                 arguments, out, op, names, attributes, types, out, out);
}

static void leading_zeros_are_counted(void **state)
{
    (void)state;
    const int32_t in[] = {0, 1, -1, 1 << 30, INT32_MIN, 255};
    const int32_t want[] = {32, 31, 0, 1, 0, 24};
    struct subject subject;
    open_simple(&subject, "clz", 1, "tensor<6xi32>", "tensor<6xi32>", "");
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

static void division_cuts_towards_zero(void **state)
{
    (void)state;
    const int32_t a[] = {7, -7, 7, -7, INT32_MIN, 0};
    const int32_t b[] = {2, 2, -2, -2, -1, 5};
    const int32_t want[] = {3, -3, -3, 3, INT32_MIN, 0};
    struct subject subject;
    open_simple(&subject, "intdiv", 2, "tensor<6xi32>", "tensor<6xi32>", "");
    give(&subject, a);
    give(&subject, b);
    run_and_expect(&subject, want, sizeof want);
}

static void division_by_zero_is_refused(void **state)
{
    (void)state;
    const int32_t a[] = {1, 2};
    const int32_t b[] = {1, 0};
    struct subject subject;
    open_simple(&subject, "intdiv", 2, "tensor<2xi32>", "tensor<2xi32>", "");
    give(&subject, a);
    give(&subject, b);
    const status failure = subject_run(&subject);
    assert_non_null(failure);
    assert_non_null(strstr(status_message(failure), "division by zero"));
    status_free(failure);
    subject_close(&subject);
}

static void right_shifts_round_by_the_last_bit_lost(void **state)
{
    (void)state;
    const int32_t a[] = {5, -5, 6, -6, 7, INT32_MAX, -1, 1};
    const int32_t b[] = {1, 1, 2, 2, 0, 31, 31, 1};
    const int32_t cut[] = {2, -3, 1, -2, 7, 0, -1, 0};
    const int32_t rounded[] = {3, -2, 2, -1, 7, 1, 0, 1};
    struct subject subject;
    open_simple(&subject, "arithmetic_right_shift", 2, "tensor<8xi32>", "tensor<8xi32>",
                "{round = false}");
    give(&subject, a);
    give(&subject, b);
    run_and_expect(&subject, cut, sizeof cut);
    open_simple(&subject, "arithmetic_right_shift", 2, "tensor<8xi32>", "tensor<8xi32>",
                "{round = true}");
    give(&subject, a);
    give(&subject, b);
    run_and_expect(&subject, rounded, sizeof rounded);
}

static void logical_shifts_keep_to_the_width_of_the_type(void **state)
{
    (void)state;
    const int8_t a[] = {-1, -128, 65, 1};
    const int8_t b[] = {1, 7, 1, 7};
    const int8_t right[] = {127, 1, 32, 0};
    const int8_t left[] = {-2, 0, -126, -128};
    struct subject subject;
    open_simple(&subject, "logical_right_shift", 2, "tensor<4xi8>", "tensor<4xi8>", "");
    give(&subject, a);
    give(&subject, b);
    run_and_expect(&subject, right, sizeof right);
    open_simple(&subject, "logical_left_shift", 2, "tensor<4xi8>", "tensor<4xi8>", "");
    give(&subject, a);
    give(&subject, b);
    run_and_expect(&subject, left, sizeof left);
}

static void casts_round_to_even_and_saturate(void **state)
{
    (void)state;
    const float in[] = {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 127.4F, 127.6F, 1e9F, -1e9F};
    const int8_t want[] = {0, 2, 2, 0, -2, 127, 127, 127, -128};
    struct subject subject;
    open_simple(&subject, "cast", 1, "tensor<9xf32>", "tensor<9xi8>", "");
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
    const float large[] = {2147483648.0F, -2147483648.0F, 1e20F, -1e20F};
    const int32_t limits[] = {INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN};
    open_simple(&subject, "cast", 1, "tensor<4xf32>", "tensor<4xi32>", "");
    give(&subject, large);
    run_and_expect(&subject, limits, sizeof limits);
}

// 513 entries of 10 each step: the result is 128 times the interpolated entry.
static void tables_of_16_bits_interpolate(void **state)
{
    (void)state;
    int16_t table[513];
    for (int i = 0; i < 513; i++)
        table[i] = (int16_t)(10 * i - 2560);
    const int16_t in[] = {-32768, -32767, -32640, 0, 64, 32767};
    const int32_t want[] = {-2560 * 128, -2560 * 128 + 10,     -2550 * 128, 0,
                            640,         2550 * 128 + 10 * 127};
    struct subject subject;
    subject_open(&subject, 1,
                 "func.func @main(%%x: tensor<6xi16>, %%t: tensor<513xi16>) -> tensor<6xi32> {\n"
                 "  %%y = tosa.table %%x, %%t : (tensor<6xi16>, tensor<513xi16>) -> "
                 "tensor<6xi32>\n  return %%y : tensor<6xi32>\n}\n");
    give(&subject, in);
    give(&subject, table);
    run_and_expect(&subject, want, sizeof want);
}

// Sums ------------------------------------------------------------------------

static void open_matmul(struct subject *subject, const char *a, const char *b, const char *element,
                        const char *out, unsigned threads)
{
    subject_open(subject, threads,
                 "func.func @main(%%a: %s, %%b: %s) -> %s {\n"
                 "  %%z = \"tosa.const\"() <{values = dense<0> : tensor<1x%s>}> : () -> "
                 "tensor<1x%s>\n"
                 "  %%y = tosa.matmul %%a, %%b, %%z, %%z : (%s, %s, tensor<1x%s>, tensor<1x%s>) "
                 "-> %s\n  return %%y : %s\n}\n",
                 a, b, out, element, element, a, b, element, element, out, out);
}

static void products_of_16_bits_do_not_overflow_48(void **state)
{
    (void)state;
    const int16_t a[] = {-32768, -32768, -32768, -32768};
    const int16_t b[] = {-32768, -32768, -32768, -32768};
    const int64_t want[] = {INT64_C(4) << 30};
    struct subject subject;
    open_matmul(&subject, "tensor<1x1x4xi16>", "tensor<1x4x1xi16>", "i16", "tensor<1x1x1xi48>", 1);
    give(&subject, a);
    give(&subject, b);
    run_and_expect(&subject, want, sizeof want);
}

static void results_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    static int8_t a[70 * 90], b[90 * 50];
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = (int8_t)(i * 37 + 5);
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = (int8_t)(i * 101 + 3);
    static int32_t want[70 * 50];
    for (size_t i = 0; i < 70; i++) {
        for (size_t j = 0; j < 50; j++) {
            for (size_t k = 0; k < 90; k++)
                want[i * 50 + j] += a[i * 90 + k] * b[k * 50 + j];
        }
    }
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct subject subject;
        open_matmul(&subject, "tensor<1x70x90xi8>", "tensor<1x90x50xi8>", "i8",
                    "tensor<1x70x50xi32>", threads);
        give(&subject, a);
        give(&subject, b);
        run_and_expect(&subject, want, sizeof want);
    }
}

// The mean of integers by TOSA's reciprocal, which is a little more than 1 / n:
// halves go away from zero.
static void means_of_integers_round_as_specified(void **state)
{
    (void)state;
    const int8_t in[] = {1, -1, 3, 127, 2, -2, 3, 126, -128, 0, 1, -1};
    const int8_t want[] = {2, -2, 3, 127, -63, -1, 2, 63};
    struct subject subject;
    subject_open(&subject, 1,
                 "func.func @main(%%x: tensor<1x3x1x4xi8>) -> tensor<1x2x1x4xi8> {\n"
                 "  %%z = \"tosa.const\"() <{values = dense<0> : tensor<1xi8>}> : () -> "
                 "tensor<1xi8>\n"
                 "  %%y = tosa.avg_pool2d %%x, %%z, %%z {acc_type = i32, kernel = array<i64: 2, "
                 "1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : "
                 "(tensor<1x3x1x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x1x4xi8>\n"
                 "  return %%y : tensor<1x2x1x4xi8>\n}\n");
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

// Places ----------------------------------------------------------------------

// Twice as large; weights are quarters, which integers keep as factors of 4 x 4.
static void bilinear_integers_keep_the_scale(void **state)
{
    (void)state;
    const int8_t in[] = {0, 100};
    const int32_t want[] = {0, 4 * 100, 12 * 100, 16 * 100};
    struct subject subject;
    subject_open(&subject, 1,
                 "func.func @main(%%x: tensor<1x1x2x1xi8>) -> tensor<1x1x4x1xi32> {\n"
                 "  %%s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () "
                 "-> !tosa.shape<4>\n"
                 "  %%o = tosa.const_shape {values = dense<[0, -1]> : tensor<2xindex>} : () -> "
                 "!tosa.shape<2>\n"
                 "  %%b = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> "
                 "!tosa.shape<2>\n"
                 "  %%y = tosa.resize %%x, %%s, %%o, %%b {mode = BILINEAR} : (tensor<1x1x2x1xi8>, "
                 "!tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x1x4x1xi32>\n"
                 "  return %%y : tensor<1x1x4x1xi32>\n}\n");
    give(&subject, in);
    run_and_expect(&subject, want, sizeof want);
}

static void open_scatter(struct subject *subject)
{
    subject_open(subject, 1,
                 "func.func @main(%%v: tensor<2x3x2xi16>, %%i: tensor<2x2xi32>, %%x: "
                 "tensor<2x2x2xi16>) -> tensor<2x3x2xi16> {\n"
                 "  %%y = tosa.scatter %%v, %%i, %%x : (tensor<2x3x2xi16>, tensor<2x2xi32>, "
                 "tensor<2x2x2xi16>) -> tensor<2x3x2xi16>\n"
                 "  return %%y : tensor<2x3x2xi16>\n}\n");
}

static const int16_t SCATTER_VALUES[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const int16_t SCATTER_INPUT[] = {-1, -2, -3, -4, -5, -6, -7, -8};

static void rows_are_scattered_by_batch(void **state)
{
    (void)state;
    const int32_t indices[] = {2, 0, 1, 2};
    const int16_t want[] = {-3, -4, 3, 4, -1, -2, 7, 8, -5, -6, -7, -8};
    struct subject subject;
    open_scatter(&subject);
    give(&subject, SCATTER_VALUES);
    give(&subject, indices);
    give(&subject, SCATTER_INPUT);
    run_and_expect(&subject, want, sizeof want);
}

static void indices_out_of_range_are_refused(void **state)
{
    (void)state;
    const int32_t wrong[][4] = {{0, 1, 2, 3}, {0, 1, -1, 2}};
    for (size_t i = 0; i < 2; i++) {
        struct subject subject;
        open_scatter(&subject);
        give(&subject, SCATTER_VALUES);
        give(&subject, wrong[i]);
        give(&subject, SCATTER_INPUT);
        const status failure = subject_run(&subject);
        assert_non_null(failure);
        assert_non_null(strstr(status_message(failure), "of a dimension of length 3"));
        status_free(failure);
        subject_close(&subject);
    }
}

// Shapes that a network computes are known before it runs.
static void shapes_are_computed_ahead(void **state)
{
    (void)state;
    executor_fold_constants();
    const float in[] = {1, 2, 3, 4, 5, 6};
    struct subject subject;
    subject_open(&subject, 1,
                 "func.func @main(%%x: tensor<2x3xf32>) -> tensor<6x1xf32> {\n"
                 "  %%a = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> "
                 "!tosa.shape<2>\n"
                 "  %%b = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> "
                 "!tosa.shape<2>\n"
                 "  %%c = tosa.const_shape {values = dense<[1, 4]> : tensor<2xindex>} : () -> "
                 "!tosa.shape<2>\n"
                 "  %%m = tosa.mul_shape %%a, %%b : (!tosa.shape<2>, !tosa.shape<2>) -> "
                 "!tosa.shape<2>\n"
                 "  %%s = tosa.div_ceil_shape %%m, %%c : (!tosa.shape<2>, !tosa.shape<2>) -> "
                 "!tosa.shape<2>\n"
                 "  %%y = tosa.reshape %%x, %%s : (tensor<2x3xf32>, !tosa.shape<2>) -> "
                 "tensor<6x1xf32>\n"
                 "  return %%y : tensor<6x1xf32>\n}\n");
    give(&subject, in);
    run_and_expect(&subject, in, sizeof in);
}

// Work and checks -------------------------------------------------------------

static const char CONVOLUTION[] =
    "func.func @main(%%x: tensor<2x9x8x3xi8>, %%w: tensor<5x3x2x3xi8>, %%b: tensor<5xi32>) -> "
    "tensor<2x4x7x5xi32> {\n"
    "  %%z = \"tosa.const\"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>\n"
    "  %%y = tosa.conv2d %%x, %%w, %%b, %%z, %%z {acc_type = i32, dilation = array<i64: 1, 1>, "
    "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<2x9x8x3xi8>, "
    "tensor<5x3x2x3xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4x7x5x%s>\n"
    "  return %%y : tensor<2x4x7x5xi32>\n}\n";

static void macs_of_convolutions_are_exact(void **state)
{
    (void)state;
    struct subject subject;
    subject_open(&subject, 1, CONVOLUTION, "i32");
    const struct network_node *node = network_node(subject.network, 0);
    assert_true(node->work.known);
    assert_int_equal(node->work.macs, 2 * 4 * 7 * 5 * (3 * 2 * 3));
    assert_int_equal(node->work.flops, 2 * node->work.macs + node->work.elements); // the bias
    assert_int_equal(node->work.elements, 2 * 4 * 7 * 5);
    assert_int_equal(node->work.bytes_written, 4 * node->work.elements);
    subject_close(&subject);
}

static status read_text(struct subject *subject, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const status failure = subject_read(subject, format, arguments);
    va_end(arguments);
    return failure;
}

static void results_that_contradict_their_declaration_are_refused(void **state)
{
    (void)state;
    struct subject subject;
    const status failure =
        read_text(&subject, "func.func @main(%%x: tensor<2x3xf32>) -> tensor<3x3xf32> {\n"
                            "  %%y = tosa.abs %%x : (tensor<2x3xf32>) -> "
                            "tensor<3x3xf32>\n  return %%y : tensor<3x3xf32>\n}\n");
    assert_non_null(failure);
    assert_non_null(strstr(status_message(failure), "line 2 (tosa.abs)"));
    assert_non_null(strstr(status_message(failure), "2x3"));
    status_free(failure);
}

static void kernels_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct subject subject;
    const status failure = read_text(
        &subject, "func.func @main(%%x: tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32> {\n"
                  "  %%y = tosa.max_pool2d %%x {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, "
                  "0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x1xf32>) -> "
                  "tensor<1x1x1x1xf32>\n  return %%y : tensor<1x1x1x1xf32>\n}\n");
    assert_non_null(failure);
    assert_non_null(strstr(status_message(failure), "larger than the padded input"));
    status_free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_rounding_takes_halves_up),
        cmocka_unit_test(double_rounding_rounds_at_bit_31_first),
        cmocka_unit_test(short_shifts_are_rounded_once),
        cmocka_unit_test(rescaled_numbers_saturate),
        cmocka_unit_test(unsigned_sides_are_read_as_unsigned),
        cmocka_unit_test(a_shift_outside_2_to_62_is_refused),
        cmocka_unit_test(i48_sums_are_rescaled_by_16_bits),
        cmocka_unit_test(leading_zeros_are_counted),
        cmocka_unit_test(division_cuts_towards_zero),
        cmocka_unit_test(division_by_zero_is_refused),
        cmocka_unit_test(right_shifts_round_by_the_last_bit_lost),
        cmocka_unit_test(logical_shifts_keep_to_the_width_of_the_type),
        cmocka_unit_test(casts_round_to_even_and_saturate),
        cmocka_unit_test(tables_of_16_bits_interpolate),
        cmocka_unit_test(products_of_16_bits_do_not_overflow_48),
        cmocka_unit_test(results_do_not_depend_on_the_threads),
        cmocka_unit_test(means_of_integers_round_as_specified),
        cmocka_unit_test(bilinear_integers_keep_the_scale),
        cmocka_unit_test(rows_are_scattered_by_batch),
        cmocka_unit_test(indices_out_of_range_are_refused),
        cmocka_unit_test(shapes_are_computed_ahead),
        cmocka_unit_test(macs_of_convolutions_are_exact),
        cmocka_unit_test(results_that_contradict_their_declaration_are_refused),
        cmocka_unit_test(kernels_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
