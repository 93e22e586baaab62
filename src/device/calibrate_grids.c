#include "calibrate_grids.h"

#include <math.h>

static uint64_t root(uint64_t square)
{
    return (uint64_t)(sqrt((double)square) + 0.5);
}

// Products ---------------------------------------------------------------------------

// At: places, channels, input channels, places of the window.
static void set_window(struct probe *probe, uint64_t kernel, int64_t stride)
{
    const int64_t side = (int64_t)root(kernel);
    const int64_t pad = (side - 1) / 2;
    probe_set_integers(probe, "kernel_shape", 2, (int64_t[]){side, side});
    probe_set_integers(probe, "strides", 2, (int64_t[]){stride, stride});
    probe_set_integers(probe, "pads", 4, (int64_t[]){pad, pad, pad, pad});
}

static bool build_conv(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = root(at[0]);
    const uint64_t window = root(at[3]);
    set_window(probe, at[3], 1);
    probe_input(probe, element, 4, (uint64_t[]){1, at[2], side, side});
    probe_constant(probe, element, 4, (uint64_t[]){at[1], at[2], window, window});
    if (element == ELEMENT_F32)
        probe_constant(probe, element, 1, &at[1]);
    return true;
}

// With strides of 2, which leave three inputs in four out.
static bool build_strided_conv(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = 2 * root(at[0]);
    const uint64_t window = root(at[3]);
    set_window(probe, at[3], 2);
    probe_input(probe, element, 4, (uint64_t[]){1, at[2], side, side});
    probe_constant(probe, element, 4, (uint64_t[]){at[1], at[2], window, window});
    probe_constant(probe, element, 1, &at[1]);
    return true;
}

// An image cut into squares that do not overlap.
static bool build_patches(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t window = root(at[3]);
    const uint64_t side = root(at[0]) * window;
    probe_set_integers(probe, "strides", 2, (int64_t[]){(int64_t)window, (int64_t)window});
    probe_input(probe, element, 4, (uint64_t[]){1, at[2], side, side});
    probe_constant(probe, element, 4, (uint64_t[]){at[1], at[2], window, window});
    probe_constant(probe, element, 1, &at[1]);
    return true;
}

static bool build_strided_depthwise(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = 2 * root(at[0]);
    const uint64_t window = root(at[2]);
    set_window(probe, at[2], 2);
    probe_set_integer(probe, "group", (int64_t)at[1]);
    probe_input(probe, element, 4, (uint64_t[]){1, at[1], side, side});
    probe_constant(probe, element, 4, (uint64_t[]){at[1], 1, window, window});
    probe_constant(probe, element, 1, &at[1]);
    return true;
}

static bool build_depthwise(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = root(at[0]);
    const uint64_t window = root(at[2]);
    set_window(probe, at[2], 1);
    probe_set_integer(probe, "group", (int64_t)at[1]);
    probe_input(probe, element, 4, (uint64_t[]){1, at[1], side, side});
    probe_constant(probe, element, 4, (uint64_t[]){at[1], 1, window, window});
    if (element == ELEMENT_F32)
        probe_constant(probe, element, 1, &at[1]);
    return true;
}

// Doubles the sides with a window of 2 by 2.
static bool build_conv_transpose(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = root(at[0]) / 2;
    probe_set_integers(probe, "kernel_shape", 2, (int64_t[]){2, 2});
    probe_set_integers(probe, "strides", 2, (int64_t[]){2, 2});
    probe_input(probe, element, 4, (uint64_t[]){1, at[2], side, side});
    probe_constant(probe, element, 4, (uint64_t[]){at[2], at[1], 2, 2});
    probe_constant(probe, element, 1, &at[1]);
    return true;
}

static bool build_qlinear_conv(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = root(at[0]);
    const uint64_t window = root(at[3]);
    probe->low = 0.01;
    set_window(probe, at[3], 1);
    probe_input(probe, element, 4, (uint64_t[]){1, at[2], side, side});
    probe_constant(probe, ELEMENT_F32, 0, NULL);
    probe_constant(probe, element, 0, NULL);
    probe_constant(probe, element, 4, (uint64_t[]){at[1], at[2], window, window});
    probe_constant(probe, ELEMENT_F32, 0, NULL);
    probe_constant(probe, element, 0, NULL);
    probe_constant(probe, ELEMENT_F32, 0, NULL);
    probe_constant(probe, element, 0, NULL);
    return true;
}

// At: rows, columns, what is summed over, matrices one after the other.
static bool build_matmul(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_input(probe, element, 2, (uint64_t[]){at[0], at[2]});
    probe_constant(probe, element, 2, (uint64_t[]){at[2], at[1]});
    return true;
}

static bool build_free_matmul(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_input(probe, element, 3, (uint64_t[]){at[3], at[0], at[2]});
    probe_input(probe, element, 3, (uint64_t[]){at[3], at[2], at[1]});
    return true;
}

static bool build_gemm(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_set_integer(probe, "transB", 1);
    probe_input(probe, element, 2, (uint64_t[]){at[0], at[2]});
    probe_constant(probe, element, 2, (uint64_t[]){at[1], at[2]});
    probe_constant(probe, element, 1, &at[1]);
    return true;
}

// At: steps, channels, MACs of a result for each channel (gates x (inputs/channels + 1)).
static bool build_recurrent(struct probe *probe, const uint64_t *at, uint64_t gates)
{
    const uint64_t inputs = at[2] * at[1] / gates - at[1];
    probe->low = -0.1; // so that gates are neither open nor shut
    probe->high = 0.1;
    probe_set_integer(probe, "hidden_size", (int64_t)at[1]);
    probe_input(probe, ELEMENT_F32, 3, (uint64_t[]){at[0], 1, inputs});
    probe_constant(probe, ELEMENT_F32, 3, (uint64_t[]){1, gates * at[1], inputs});
    probe_constant(probe, ELEMENT_F32, 3, (uint64_t[]){1, gates * at[1], at[1]});
    probe_constant(probe, ELEMENT_F32, 2, (uint64_t[]){1, 2 * gates * at[1]});
    return true;
}

static bool build_lstm(struct probe *probe, enum element element, const uint64_t *at)
{
    (void)element;
    return build_recurrent(probe, at, 4);
}

static bool build_gru(struct probe *probe, enum element element, const uint64_t *at)
{
    (void)element;
    return build_recurrent(probe, at, 3);
}

static bool build_rnn(struct probe *probe, enum element element, const uint64_t *at)
{
    (void)element;
    return build_recurrent(probe, at, 1);
}

// Windows and reductions --------------------------------------------------------------

// At: results, places of the window, which overlaps its neighbour by one at most.
static bool build_pool(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t channels = 64;
    const uint64_t side = root(at[0] / channels);
    const uint64_t window = root(at[1]);
    const uint64_t input = (side - 1) * 2 + window;
    probe_set_integers(probe, "kernel_shape", 2, (int64_t[]){(int64_t)window, (int64_t)window});
    probe_set_integers(probe, "strides", 2, (int64_t[]){2, 2});
    probe_input(probe, element, 4, (uint64_t[]){1, channels, input, input});
    return true;
}

static bool build_global_pool(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = root(at[1]);
    probe_input(probe, element, 4, (uint64_t[]){1, at[0], side, side});
    return true;
}

// At: elements read, elements reduced to one.
static bool build_reduction(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_set_integers(probe, "axes", 1, (int64_t[]){1});
    probe_input(probe, element, 2, (uint64_t[]){at[0] / at[1], at[1]});
    return at[0] >= at[1];
}

static bool build_spread_reduction(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_set_integers(probe, "axes", 1, (int64_t[]){0});
    probe_input(probe, element, 2, (uint64_t[]){at[1], at[0] / at[1]});
    return at[0] > at[1];
}

static bool build_lines(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_set_integer(probe, "axis", 1);
    probe_input(probe, element, 2, (uint64_t[]){at[0] / at[1], at[1]});
    return at[0] >= at[1];
}

static bool build_layer_norm(struct probe *probe, enum element element, const uint64_t *at)
{
    build_lines(probe, element, at);
    probe_constant(probe, element, 1, &at[1]);
    probe_constant(probe, element, 1, &at[1]);
    return at[0] >= at[1];
}

static bool build_channel_norm(struct probe *probe, enum element element, const uint64_t *at,
                               unsigned parameters)
{
    const uint64_t channels = at[0] / at[1];
    probe->low = 0.1;
    probe_input(probe, element, 4, (uint64_t[]){1, channels, 1, at[1]});
    for (unsigned i = 0; i < parameters; i++)
        probe_constant(probe, element, 1, &channels);
    return at[0] >= at[1];
}

static bool build_batch_norm(struct probe *probe, enum element element, const uint64_t *at)
{
    return build_channel_norm(probe, element, at, 4);
}

static bool build_instance_norm(struct probe *probe, enum element element, const uint64_t *at)
{
    return build_channel_norm(probe, element, at, 2);
}

// Elements and places -------------------------------------------------------------------

// At: elements, length of what repeats.
static bool build_unary(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_input(probe, element, 1, at);
    return true;
}

static bool build_positive(struct probe *probe, enum element element, const uint64_t *at)
{
    probe->low = 0.1;
    return build_unary(probe, element, at);
}

static bool build_binary(struct probe *probe, enum element element, const uint64_t *at)
{
    probe->low = 0.1;
    probe_input(probe, element, 1, at);
    probe_input(probe, element, 1, at);
    return true;
}

static bool build_scalar(struct probe *probe, enum element element, const uint64_t *at)
{
    probe->low = 0.1;
    probe_input(probe, element, 1, at);
    probe_constant(probe, element, 0, NULL);
    return true;
}

static bool build_row(struct probe *probe, enum element element, const uint64_t *at)
{
    probe->low = 0.1;
    probe_input(probe, element, 2, (uint64_t[]){at[0] / at[1], at[1]});
    probe_constant(probe, element, 1, &at[1]);
    return at[0] > at[1];
}

static bool build_channel(struct probe *probe, enum element element, const uint64_t *at)
{
    probe->low = 0.1;
    probe_input(probe, element, 3, (uint64_t[]){1, at[0] / at[1], at[1]});
    probe_constant(probe, element, 3, (uint64_t[]){1, at[0] / at[1], 1});
    return at[0] > at[1];
}

static bool build_clip(struct probe *probe, enum element element, const uint64_t *at)
{
    build_scalar(probe, element, at);
    probe_constant(probe, element, 0, NULL);
    return true;
}

static bool build_where(struct probe *probe, enum element element, const uint64_t *at)
{
    (void)element;
    probe_input(probe, ELEMENT_BOOL, 1, at);
    probe_input(probe, ELEMENT_F32, 1, at);
    probe_input(probe, ELEMENT_F32, 1, at);
    return true;
}

static bool build_quantize(struct probe *probe, enum element element, const uint64_t *at)
{
    probe->low = 0.01;
    probe->high = 0.1;
    probe_input(probe, element, 1, at);
    probe_constant(probe, ELEMENT_F32, 0, NULL);
    probe_constant(probe, element == ELEMENT_F32 ? ELEMENT_U8 : element, 0, NULL);
    return true;
}

static bool build_cast(struct probe *probe, enum element element, const uint64_t *at)
{
    const int64_t to_float = 1;
    const int64_t to_i64 = 7;
    probe_set_integer(probe, "to", element == ELEMENT_F32 ? to_i64 : to_float);
    return build_unary(probe, element, at);
}

static bool build_transpose(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t rows = at[0] / at[1] >= 64 ? 64 : 8;
    const int64_t order[] = {0, 2, 1, 3};
    probe_set_integers(probe, "perm", at[1] > 1 ? 4 : 3, order);
    probe_input(probe, element, at[1] > 1 ? 4 : 3,
                (uint64_t[]){1, rows, at[0] / at[1] / rows, at[1]});
    return at[0] >= 64 * at[1];
}

static bool build_concat(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t dims[] = {at[0] / at[1] / 2, at[1]};
    probe_set_integer(probe, "axis", 1);
    probe_input(probe, element, 2, dims);
    probe_input(probe, element, 2, dims);
    return at[0] >= 2 * at[1];
}

static bool build_gather(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t rows = at[0] / at[1];
    probe_set_integer(probe, "axis", 0);
    probe_input(probe, element, 2, (uint64_t[]){rows > 8 ? rows : 8, at[1]});
    probe_constant(probe, ELEMENT_I64, 1, &rows);
    return at[0] >= at[1];
}

static bool build_part(struct probe *probe, enum element element, const uint64_t *at)
{
    const int64_t rows = (int64_t)(at[0] / at[1]);
    probe_input(probe, element, 2, (uint64_t[]){2 * (uint64_t)rows, 2 * at[1]});
    probe_integers(probe, 2, (int64_t[]){0, 0});
    probe_integers(probe, 2, (int64_t[]){rows, (int64_t)at[1]});
    return at[0] >= at[1];
}

static bool build_reshape(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_input(probe, element, 1, at);
    probe_integers(probe, 2, (int64_t[]){2, -1});
    return true;
}

static bool build_view(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_input(probe, element, 2, (uint64_t[]){1, at[0]});
    return true;
}

static bool build_unit_axis(struct probe *probe, enum element element, const uint64_t *at)
{
    build_view(probe, element, at);
    probe_integers(probe, 1, (int64_t[]){0});
    return true;
}

static bool build_resize(struct probe *probe, enum element element, const uint64_t *at)
{
    const uint64_t side = root(at[0] / 16) / 2;
    const int64_t twice = 2 * (int64_t)side;
    probe_input(probe, element, 4, (uint64_t[]){1, 16, side, side});
    probe_absent(probe);
    probe_absent(probe);
    probe_integers(probe, 4, (int64_t[]){1, 16, twice, twice});
    return true;
}

static bool build_linear_resize(struct probe *probe, enum element element, const uint64_t *at)
{
    probe_set_text(probe, "mode", "linear");
    return build_resize(probe, element, at);
}

// The grids ------------------------------------------------------------------------------

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define SIZES                                                                                      \
    {                                                                                              \
        64, 1024, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 4194304        \
    }
#define FEW_SIZES                                                                                  \
    {                                                                                              \
        64, 1024, 8192, 16384, 32768, 65536, 262144, 1048576                                       \
    }

const struct calibrate_grid CALIBRATE_GRIDS[] = {
    {NAMES("Conv"),
     ELEMENT_F32,
     build_conv,
     {{1, 49, 196, 784, 3136, 12544},
      {8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024},
      {3, 8, 16, 32, 64, 96, 128, 192, 256, 512, 768},
      {1, 9}}},
    {NAMES("Conv"), ELEMENT_F32, build_conv, {{784, 3136}, {16, 64, 256}, {3, 16, 64}, {25, 49}}},
    {NAMES("Conv"),
     ELEMENT_F32,
     build_strided_conv,
     {{49, 196, 784, 3136, 12544}, {16, 32, 64, 256, 512}, {3, 32, 64, 256}, {1, 9, 49}}},
    {NAMES("Conv"), ELEMENT_F32, build_patches, {{36, 196}, {64, 192, 768}, {3}, {64, 256}}},
    {NAMES("Conv"),
     ELEMENT_F32,
     build_depthwise,
     {{49, 196, 784, 3136, 12544}, {16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}, {9, 25}}},
    {NAMES("Conv"),
     ELEMENT_F32,
     build_strided_depthwise,
     {{49, 196, 784, 3136, 12544}, {16, 64, 96, 128, 192, 256, 384, 768, 1024}, {9, 25}}},
    {NAMES("ConvTranspose"),
     ELEMENT_F32,
     build_conv_transpose,
     {{196, 3136, 12544}, {16, 64}, {16, 64, 256}, {1}}},
    {NAMES("ConvInteger"),
     ELEMENT_U8,
     build_conv,
     {{49, 784, 12544}, {8, 64, 512}, {3, 32, 256}, {1, 9}}},
    {NAMES("ConvInteger"), ELEMENT_U8, build_depthwise, {{49, 784, 12544}, {16, 256}, {9}}},
    {NAMES("QLinearConv"),
     ELEMENT_U8,
     build_qlinear_conv,
     {{49, 784, 12544}, {8, 64, 512}, {3, 32, 256}, {1, 9}}},
    {NAMES("MatMul"),
     ELEMENT_F32,
     build_matmul,
     {{1, 8, 32, 64, 128, 256, 1024},
      {16, 32, 64, 128, 256, 512, 1024},
      {16, 32, 64, 128, 256, 512, 1024},
      {1}}},
    {NAMES("MatMul"),
     ELEMENT_F32,
     build_free_matmul,
     {{1, 32, 64, 128, 512}, {16, 32, 64, 128, 256}, {16, 32, 64, 128, 256}, {1, 4, 16}}},
    {NAMES("Gemm"),
     ELEMENT_F32,
     build_gemm,
     {{1, 8, 32, 64, 128, 256, 1024},
      {16, 32, 64, 128, 256, 512, 1024},
      {16, 32, 64, 128, 256, 512, 1024},
      {1}}},
    {NAMES("MatMulInteger"),
     ELEMENT_U8,
     build_matmul,
     {{1, 32, 512}, {16, 128, 1024}, {16, 128, 1024}, {1}}},
    {NAMES("LSTM"),
     ELEMENT_F32,
     build_lstm,
     {{8, 64, 128, 256}, {32, 64, 128, 256}, {6, 8, 12, 16}}},
    {NAMES("GRU"), ELEMENT_F32, build_gru, {{8, 64, 128, 256}, {32, 64, 128, 256}, {6, 12, 15}}},
    {NAMES("RNN"), ELEMENT_F32, build_rnn, {{8, 256}, {32, 256}, {2, 4}}},
    {NAMES("MaxPool", "AveragePool"),
     ELEMENT_F32,
     build_pool,
     {{64, 784, 3136, 12544, 50176, 200704}, {4, 9, 25}}},
    {NAMES("MaxPool"), ELEMENT_U8, build_pool, {{64, 3136, 50176, 200704}, {4, 9, 25}}},
    {NAMES("GlobalAveragePool", "GlobalMaxPool"),
     ELEMENT_F32,
     build_global_pool,
     {{16, 256, 512, 1024}, {49, 196, 3136}}},
    {NAMES("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"),
     ELEMENT_F32,
     build_reduction,
     {{64, 8192, 65536, 1048576}, {16, 256, 4096}}},
    {NAMES("ReduceMean", "ReduceMax"),
     ELEMENT_F32,
     build_spread_reduction,
     {{256, 8192, 65536, 1048576}, {16, 256}}},
    {NAMES("Softmax", "LogSoftmax"),
     ELEMENT_F32,
     build_lines,
     {{64, 1024, 4096, 8192, 16384, 65536, 262144, 1048576}, {16, 32, 64, 256, 1024, 4096}}},
    {NAMES("LayerNormalization"),
     ELEMENT_F32,
     build_layer_norm,
     {{64, 1024, 4096, 8192, 16384, 65536, 262144, 1048576}, {16, 32, 64, 256, 1024, 4096}}},
    {NAMES("BatchNormalization"),
     ELEMENT_F32,
     build_batch_norm,
     {{1024, 8192, 65536, 1048576}, {49, 784, 12544}}},
    {NAMES("InstanceNormalization"),
     ELEMENT_F32,
     build_instance_norm,
     {{1024, 8192, 65536, 1048576}, {49, 784, 12544}}},
    {NAMES("Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Abs", "Neg", "LeakyRelu", "Elu", "HardSigmoid",
           "HardSwish", "Softplus", "Sin", "Cos", "Floor", "Round", "Identity"),
     ELEMENT_F32,
     build_unary,
     {SIZES, {1}}},
    {NAMES("Sqrt", "Log", "Reciprocal"), ELEMENT_F32, build_positive, {SIZES, {1}}},
    {NAMES("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Greater", "Equal"),
     ELEMENT_F32,
     build_binary,
     {SIZES, {1}}},
    {NAMES("Add", "Sub", "Mul", "Div", "Pow"), ELEMENT_F32, build_scalar, {SIZES, {1}}},
    {NAMES("Add", "Sub", "Mul", "Div"), ELEMENT_F32, build_row, {FEW_SIZES, {16, 128, 1024}}},
    {NAMES("Add", "Sub", "Mul", "Div"), ELEMENT_F32, build_channel, {FEW_SIZES, {16, 49, 784}}},
    {NAMES("Clip"), ELEMENT_F32, build_clip, {SIZES, {1}}},
    {NAMES("Where"), ELEMENT_BOOL, build_where, {SIZES, {1}}},
    {NAMES("QuantizeLinear"), ELEMENT_F32, build_quantize, {SIZES, {1}}},
    {NAMES("DequantizeLinear"), ELEMENT_U8, build_quantize, {SIZES, {1}}},
    {NAMES("Cast"), ELEMENT_F32, build_cast, {FEW_SIZES, {1}}},
    {NAMES("Cast"), ELEMENT_I64, build_cast, {FEW_SIZES, {1}}},
    {NAMES("Cast"), ELEMENT_U8, build_cast, {FEW_SIZES, {1}}},
    {NAMES("Add", "Mul"), ELEMENT_I64, build_binary, {FEW_SIZES, {1}}},
    {NAMES("Transpose"), ELEMENT_F32, build_transpose, {FEW_SIZES, {1, 8, 64, 512}}},
    {NAMES("Transpose"), ELEMENT_U8, build_transpose, {FEW_SIZES, {1, 64}}},
    {NAMES("Concat"), ELEMENT_F32, build_concat, {FEW_SIZES, {8, 64, 1024, 16384}}},
    {NAMES("Concat"), ELEMENT_U8, build_concat, {FEW_SIZES, {8, 64, 1024}}},
    {NAMES("Gather"), ELEMENT_F32, build_gather, {FEW_SIZES, {1, 16, 256, 4096}}},
    {NAMES("Slice"), ELEMENT_F32, build_part, {FEW_SIZES, {1, 16, 256, 4096}}},
    {NAMES("Reshape"), ELEMENT_F32, build_reshape, {SIZES, {1}}},
    {NAMES("Flatten"), ELEMENT_F32, build_view, {SIZES, {1}}},
    {NAMES("Squeeze", "Unsqueeze"), ELEMENT_F32, build_unit_axis, {FEW_SIZES, {1}}},
    {NAMES("Resize"), ELEMENT_F32, build_resize, {{1024, 16384, 262144, 1048576}, {1}}},
    {NAMES("Resize"), ELEMENT_F32, build_linear_resize, {{1024, 16384, 262144, 1048576}, {1}}},
};

const size_t CALIBRATE_GRID_COUNT = sizeof CALIBRATE_GRIDS / sizeof *CALIBRATE_GRIDS;
