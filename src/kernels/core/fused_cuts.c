#include "fused_cuts.h"

enum {
    DIMENSION_MOST = 1 << 24,
    PARTS_MOST = 24,
    CHANNELS = 32,           // that are computed together
    PAIRS_MANY = 8,          // of which one more or less is no matter
    ROWS_MANY = 16,          // the same
    WEIGHTS_LARGE = 1 << 19, // bytes that are better cut than read again for every piece
    ROOM_WANTED = 1 << 19,   // bytes of what a piece reads and writes
};

// Nanoseconds that are worth a piece of their own.
static const double PIECE_TIME = 30e3;
static const double CUT_TIME = 8e3; // from here on there are two pieces
static const double MACS_PER_NS = 50;
static const double DEPTHWISE_MACS_PER_NS = 25;
static const double BYTES_PER_NS = 15;

int64_t fused_cuts_reach(const struct convolution *c, uint32_t axis)
{
    return (c->kernel[axis] - 1) * c->dilations[axis] + 1;
}

bool fused_cuts_suit(const struct convolution *c)
{
    if (c->spatial != 2)
        return false;
    const int64_t lengths[] = {c->batch,     c->groups,    c->inputs,     c->outputs,
                               c->input[0],  c->input[1],  c->kernel[0],  c->kernel[1],
                               c->output[0], c->output[1], c->strides[0], c->strides[1]};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (lengths[i] < 1 || lengths[i] > DIMENSION_MOST)
            return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        // A row of the output must see some row of the input.
        if (c->dilations[i] < 1 || c->dilations[i] > DIMENSION_MOST ||
            fused_cuts_reach(c, i) > DIMENSION_MOST || c->pads[i] < 0 ||
            c->pads[i] >= fused_cuts_reach(c, i))
            return false;
    }
    return true;
}

static double fused_cuts_time_of(const struct convolution *c)
{
    const double pixels = (double)c->batch * (double)c->output[0] * (double)c->output[1];
    const double outputs = pixels * (double)c->groups * (double)c->outputs;
    const double inputs = (double)c->batch * (double)c->input[0] * (double)c->input[1] *
                          (double)c->groups * (double)c->inputs;
    const double macs = outputs * (double)c->inputs * (double)c->kernel[0] * (double)c->kernel[1];
    return macs / (c->groups > 1 ? DEPTHWISE_MACS_PER_NS : MACS_PER_NS) +
           (inputs + outputs) * sizeof(float) / BYTES_PER_NS;
}

// Numbers of a group.
static double weights_of(const struct convolution *c)
{
    return (double)c->outputs * (double)c->inputs * (double)c->kernel[0] * (double)c->kernel[1];
}

// Of `parts`, as many as there can be, and an even number of them.
static int64_t fused_cuts_even(int64_t parts, int64_t most)
{
    parts = parts < most ? parts : most;
    return parts % 2 == 0 || parts == 1 ? parts : parts < most ? parts + 1 : parts - 1;
}

// Either the weights are read again for every piece, or what they meet.
static bool weights_are_more(const struct convolution *c)
{
    const int64_t pixels = c->output[0] * c->output[1];
    const int64_t met = c->kernel[0] * c->kernel[1] == 1 ? pixels * c->inputs
                                                         : 2 * pixels * (c->inputs + c->outputs);
    return weights_of(c) * sizeof(float) > WEIGHTS_LARGE && weights_of(c) > (double)met;
}

// Few rows of which one half has more than the other, where channels have two equal halves.
static bool rows_are_uneven(const struct convolution *c, int64_t image)
{
    return c->output[0] % 2 != 0 && c->output[0] < ROWS_MANY && image <= ROOM_WANTED &&
           (c->outputs % (2 * CHANNELS) == 0 || c->output[0] == 1);
}

struct fused_cuts fused_cuts_choose(const struct convolution *c)
{
    const double time = fused_cuts_time_of(c) / (double)c->batch;
    const double worth = time / PIECE_TIME;
    struct fused_cuts cuts = {1, 1, CHANNELS};
    // Of few pixels it is the weights that take time.
    if (time + weights_of(c) * sizeof(float) / BYTES_PER_NS < CUT_TIME)
        return cuts;
    int64_t parts = worth > PARTS_MOST ? PARTS_MOST : (int64_t)worth;
    parts = parts < 2 ? 2 : parts;
    const int64_t seen = c->input[1] * c->inputs * c->strides[0] * (int64_t)sizeof(float);
    const int64_t image = seen * c->output[0];
    if (c->groups == 1 && c->outputs > CHANNELS &&
        (weights_are_more(c) || rows_are_uneven(c, image))) {
        const int64_t pairs = divide_up(c->outputs, CHANNELS);
        if (pairs % 2 != 0 && pairs < PAIRS_MANY)
            cuts.channel_unit = CHANNELS / 2;
        cuts.channel_parts = fused_cuts_even(parts, divide_up(c->outputs, cuts.channel_unit));
        cuts.row_parts = divide_up(image, ROOM_WANTED);
        cuts.row_parts = cuts.row_parts < c->output[0] ? cuts.row_parts : c->output[0];
        return cuts;
    }
    const int64_t row = (seen + c->output[1] * c->outputs * (int64_t)sizeof(float)) * c->groups;
    const int64_t fitting = divide_up(row * c->output[0], ROOM_WANTED);
    cuts.row_parts = fused_cuts_even(parts > fitting ? parts : fitting, c->output[0]);
    return cuts;
}

static int64_t begins(int64_t count, int64_t parts, int64_t part)
{
    const int64_t larger = count % parts;
    return count / parts * part + (part < larger ? part : larger);
}

int64_t fused_cuts_row(const struct convolution *c, const struct fused_cuts *cuts, int64_t part)
{
    return begins(c->output[0], cuts->row_parts, part);
}

int64_t fused_cuts_channel(const struct convolution *c, const struct fused_cuts *cuts, int64_t part)
{
    const int64_t units = divide_up(c->outputs, cuts->channel_unit);
    const int64_t at = begins(units, cuts->channel_parts, part) * cuts->channel_unit;
    return at < c->outputs ? at : c->outputs;
}
