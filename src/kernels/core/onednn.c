#include "onednn.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <oneapi/dnnl/dnnl.h>

#include "base/memory.h"
#include "onednn_engine.h"

enum {
    SPATIAL_MOST = 3,
    DIMENSION_MOST = 1 << 30, // oneDNN's kernels count with int
    PARTS_MOST = 32,
    CHANNEL_BLOCK = 8,
};

// Multiplications that are worth a piece of their own.
static const double PIECE_STEPS = 4e6;

// Weights in the layout that a primitive wants.
struct packed {
    dnnl_memory_desc_t layout;
    int64_t offset; // of the plain weights, in elements
    float *data;
};

// One tensor of a piece: where it lies, and the layout that the primitive wants.
struct operand {
    dnnl_memory_t plain;
    dnnl_memory_t wanted; // NULL: as it lies
    dnnl_primitive_t reorder;
    int64_t offset; // in elements
    size_t bytes;   // in the wanted layout
};

struct piece {
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    struct operand source;
    struct operand result;
    dnnl_memory_t weights;
    dnnl_memory_t bias;
    dnnl_memory_t scratch;
    size_t scratch_bytes;
    int64_t weight_offset;
    int64_t bias_offset;
    uint32_t packed; // index; UINT32_MAX: the weights as they lie
};

struct prepared {
    struct kernel_state base;
    struct convolution convolution;
    bool with_bias;
    const float *weights; // that were packed
    bool packed_once;
    struct piece *pieces;
    uint32_t piece_count;
    struct packed *packed;
    uint32_t packed_count;
};

static void onednn_operand_free(struct operand *operand)
{
    onednn.memory_destroy(operand->plain);
    onednn.memory_destroy(operand->wanted);
    onednn.primitive_destroy(operand->reorder);
}

static void prepared_free(struct kernel_state *state)
{
    struct prepared *prepared = (struct prepared *)state;
    for (uint32_t i = 0; i < prepared->piece_count; i++) {
        struct piece *piece = &prepared->pieces[i];
        onednn_operand_free(&piece->source);
        onednn_operand_free(&piece->result);
        onednn.memory_destroy(piece->weights);
        onednn.memory_destroy(piece->bias);
        onednn.memory_destroy(piece->scratch);
        onednn.primitive_destroy(piece->primitive);
        onednn.stream_destroy(piece->stream);
    }
    for (uint32_t i = 0; i < prepared->packed_count; i++)
        free(prepared->packed[i].data);
    free(prepared->pieces);
    free(prepared->packed);
    free(prepared);
}

// Pieces ----------------------------------------------------------------------

// A part of the output: some of the batch, some rows of the outermost spatial
// dimension, some groups or some output channels of the only group.
struct part {
    int64_t batch_from, batch_to;
    int64_t row_from, row_to;
    int64_t group_from, group_to;
    int64_t channel_from, channel_to;
};

// Into how many parts each of these is cut.
struct cuts {
    int64_t batch;
    int64_t rows;
    int64_t groups;
    int64_t channels;
};

static int64_t onednn_reach(const struct convolution *c, uint32_t axis)
{
    return (c->kernel[axis] - 1) * c->dilations[axis] + 1;
}

static double onednn_steps(const struct convolution *c)
{
    double product = (double)c->batch * (double)c->groups * (double)c->outputs * (double)c->inputs;
    for (uint32_t i = 0; i < c->spatial; i++)
        product *= (double)c->output[i] * (double)c->kernel[i];
    return product;
}

// Cuts that depend on the shapes alone.
static struct cuts onednn_choose_cuts(const struct convolution *c)
{
    struct cuts cuts = {1, 1, 1, 1};
    const double worth = onednn_steps(c) / PIECE_STEPS;
    const int64_t wanted = worth > PARTS_MOST ? PARTS_MOST : (int64_t)worth;
    if (wanted < 2)
        return cuts;
    cuts.batch = c->batch < wanted ? c->batch : wanted;
    const int64_t left = wanted / cuts.batch;
    if (left < 2)
        return cuts;
    const bool rows_possible = c->output[0] >= 2 * left && c->pads[0] < onednn_reach(c, 0);
    int64_t positions = 1;
    for (uint32_t i = 0; i < c->spatial; i++)
        positions *= c->output[i];
    // Few positions and many weights: better cut the weights than read them often.
    if (rows_possible && (positions >= c->outputs || c->groups > 1))
        cuts.rows = left;
    else if (c->groups >= CHANNEL_BLOCK * left)
        cuts.groups = left;
    else if (c->groups == 1 && c->outputs >= CHANNEL_BLOCK * left)
        cuts.channels = left;
    else if (rows_possible)
        cuts.rows = left;
    return cuts;
}

// Bound `index` of `parts` near-equal ones of `count`, at multiples of `block`.
static int64_t cut_at(int64_t count, int64_t parts, int64_t index, int64_t block)
{
    const int64_t blocks = (count + block - 1) / block;
    const int64_t at = blocks * index / parts * block;
    return at < count ? at : count;
}

static struct part onednn_part_at(const struct convolution *c, const struct cuts *cuts,
                                  int64_t index)
{
    const int64_t channel = index % cuts->channels;
    const int64_t group = index / cuts->channels % cuts->groups;
    const int64_t row = index / cuts->channels / cuts->groups % cuts->rows;
    const int64_t batch = index / cuts->channels / cuts->groups / cuts->rows;
    return (struct part){
        cut_at(c->batch, cuts->batch, batch, 1),
        cut_at(c->batch, cuts->batch, batch + 1, 1),
        cut_at(c->output[0], cuts->rows, row, 1),
        cut_at(c->output[0], cuts->rows, row + 1, 1),
        cut_at(c->groups, cuts->groups, group, cuts->groups > 1 ? CHANNEL_BLOCK : 1),
        cut_at(c->groups, cuts->groups, group + 1, cuts->groups > 1 ? CHANNEL_BLOCK : 1),
        cut_at(c->outputs, cuts->channels, channel, cuts->channels > 1 ? CHANNEL_BLOCK : 1),
        cut_at(c->outputs, cuts->channels, channel + 1, cuts->channels > 1 ? CHANNEL_BLOCK : 1),
    };
}

// The convolution that computes a part, with its descriptors.
struct geometry {
    dnnl_memory_desc_t source, weights, bias, result;
    dnnl_dims_t strides, dilations, before, after;
    int64_t source_offset, weight_offset, bias_offset, result_offset;
};

static bool onednn_describe(dnnl_memory_desc_t *layout, uint32_t rank, const int64_t *dims,
                            const int64_t *strides)
{
    dnnl_dims_t lengths = {0};
    dnnl_dims_t distances = {0};
    for (uint32_t i = 0; i < rank; i++) {
        lengths[i] = dims[i];
        distances[i] = strides[i];
    }
    return onednn.memory_desc_init_by_strides(layout, (int)rank, lengths, dnnl_f32, distances) ==
           dnnl_success;
}

// The rows of the input that outputs [from, to) of an axis read; sets the padding they need.
static void cut_input(const struct convolution *c, uint32_t axis, int64_t from, int64_t to,
                      struct geometry *geometry, int64_t *out_first, int64_t *out_length)
{
    const int64_t start = from * c->strides[axis] - c->pads[axis];
    const int64_t end = (to - 1) * c->strides[axis] - c->pads[axis] + onednn_reach(c, axis);
    const int64_t first = start > 0 ? start : 0;
    const int64_t last = end < c->input[axis] ? end : c->input[axis];
    geometry->strides[axis] = c->strides[axis];
    geometry->dilations[axis] = c->dilations[axis] - 1;
    geometry->before[axis] = first - start;
    geometry->after[axis] = end - last;
    *out_first = first;
    *out_length = last - first;
}

// False when oneDNN cannot describe it.
static bool describe_part(const struct convolution *c, const struct part *part,
                          struct geometry *geometry)
{
    *geometry = (struct geometry){0};
    const uint32_t rank = (uint32_t)c->spatial + 2;
    const int64_t groups = part->group_to - part->group_from;
    const int64_t channels = part->channel_to - part->channel_from;
    const bool grouped = c->groups > 1;
    int64_t source[SHAPE_RANK_MOST] = {part->batch_to - part->batch_from, groups * c->inputs};
    int64_t result[SHAPE_RANK_MOST] = {part->batch_to - part->batch_from, groups * channels};
    int64_t weights[SHAPE_RANK_MOST] = {groups, channels, c->inputs};
    int64_t weight_strides[SHAPE_RANK_MOST] = {c->outputs * c->weight_strides[0],
                                               c->weight_strides[0], c->weight_strides[1]};
    geometry->source_offset = part->batch_from * c->source_strides[0] +
                              part->group_from * c->inputs * c->source_strides[1];
    const int64_t channel = part->group_from * c->outputs + part->channel_from;
    geometry->result_offset = part->batch_from * c->result_strides[0] +
                              channel * c->result_strides[1] +
                              part->row_from * c->result_strides[2];
    geometry->weight_offset = channel * c->weight_strides[0];
    geometry->bias_offset = channel;
    for (uint32_t i = 0; i < c->spatial; i++) {
        const int64_t from = i == 0 ? part->row_from : 0;
        const int64_t to = i == 0 ? part->row_to : c->output[i];
        int64_t first;
        cut_input(c, i, from, to, geometry, &first, &source[2 + i]);
        if (source[2 + i] <= 0)
            return false;
        geometry->source_offset += first * c->source_strides[2 + i];
        result[2 + i] = to - from;
        weights[3 + i] = c->kernel[i];
        weight_strides[3 + i] = c->weight_strides[2 + i];
    }
    const int64_t bias = groups * channels;
    const int64_t one = 1;
    return onednn_describe(&geometry->source, rank, source, c->source_strides) &&
           onednn_describe(&geometry->result, rank, result, c->result_strides) &&
           onednn_describe(&geometry->weights, grouped ? rank + 1 : rank,
                           weights + (grouped ? 0 : 1), weight_strides + (grouped ? 0 : 1)) &&
           onednn_describe(&geometry->bias, 1, &bias, &one);
}

// The same dimensions, in whatever layout suits oneDNN.
static dnnl_memory_desc_t any_layout(const dnnl_memory_desc_t *layout)
{
    dnnl_memory_desc_t any = *layout;
    dnnl_dims_t dims;
    memcpy(dims, layout->dims, sizeof dims);
    onednn.memory_desc_init_by_tag(&any, layout->ndims, dims, dnnl_f32, dnnl_format_tag_any);
    return any;
}

static bool create_description(const struct geometry *geometry, bool with_bias,
                               dnnl_primitive_desc_t *out_description)
{
    const dnnl_memory_desc_t source = any_layout(&geometry->source);
    const dnnl_memory_desc_t weights = any_layout(&geometry->weights);
    const dnnl_memory_desc_t result = any_layout(&geometry->result);
    dnnl_convolution_desc_t convolution;
    if (onednn.dilated_convolution_forward_desc_init(
            &convolution, dnnl_forward_inference, dnnl_convolution_direct, &source, &weights,
            with_bias ? &geometry->bias : NULL, &result, geometry->strides, geometry->dilations,
            geometry->before, geometry->after) != dnnl_success)
        return false;
    dnnl_primitive_attr_t attributes;
    if (onednn.primitive_attr_create(&attributes) != dnnl_success)
        return false;
    onednn.primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    const bool made = onednn.primitive_desc_create(out_description, &convolution, attributes,
                                                   onednn_engine(), NULL) == dnnl_success;
    onednn.primitive_attr_destroy(attributes);
    return made;
}

static bool create_memory(const dnnl_memory_desc_t *layout, dnnl_memory_t *out_memory)
{
    return onednn.memory_create(out_memory, layout, onednn_engine(), DNNL_MEMORY_NONE) ==
           dnnl_success;
}

static bool create_reorder(const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to,
                           dnnl_primitive_t *out_reorder)
{
    dnnl_primitive_desc_t description;
    if (onednn.reorder_primitive_desc_create(&description, from, onednn_engine(), to,
                                             onednn_engine(), NULL) != dnnl_success)
        return false;
    const bool made = onednn.primitive_create(out_reorder, description) == dnnl_success;
    onednn.primitive_desc_destroy(description);
    return made;
}

static bool create_scaled(const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to,
                          const float *scales, int64_t groups, dnnl_primitive_t *out_reorder)
{
    if (scales == NULL)
        return create_reorder(from, to, out_reorder);
    // The dimensions whose places have scales of their own: groups and output channels.
    const int64_t count = groups > 1 ? from->dims[0] * from->dims[1] : from->dims[0];
    dnnl_primitive_attr_t attributes;
    dnnl_primitive_desc_t description;
    if (onednn.primitive_attr_create(&attributes) != dnnl_success)
        return false;
    bool made = onednn.primitive_attr_set_output_scales(attributes, count, groups > 1 ? 3 : 1,
                                                        scales) == dnnl_success &&
                onednn.reorder_primitive_desc_create(&description, from, onednn_engine(), to,
                                                     onednn_engine(), attributes) == dnnl_success;
    onednn.primitive_attr_destroy(attributes);
    if (!made)
        return false;
    made = onednn.primitive_create(out_reorder, description) == dnnl_success;
    onednn.primitive_desc_destroy(description);
    return made;
}

bool onednn_reorder_scaled(const dnnl_memory_desc_t *layout, void *data, dnnl_memory_t to,
                           const float *scales, int64_t groups)
{
    const dnnl_memory_desc_t *target;
    dnnl_memory_t from = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_stream_t stream = NULL;
    const bool done =
        onednn.memory_get_memory_desc(to, &target) == dnnl_success &&
        onednn.memory_create(&from, layout, onednn_engine(), data) == dnnl_success &&
        create_scaled(layout, target, scales, groups, &primitive) &&
        onednn.stream_create(&stream, onednn_engine(), dnnl_stream_default_flags) == dnnl_success &&
        onednn.primitive_execute(
            primitive, stream, 2,
            (const dnnl_exec_arg_t[]){{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}) == dnnl_success;
    onednn.stream_destroy(stream);
    onednn.memory_destroy(from);
    onednn.primitive_destroy(primitive);
    return done;
}

bool onednn_reorder(const dnnl_memory_desc_t *layout, void *data, dnnl_memory_t to)
{
    return onednn_reorder_scaled(layout, data, to, NULL, 1);
}

static bool prepare_operand(struct operand *operand, const dnnl_memory_desc_t *plain,
                            const dnnl_memory_desc_t *wanted, int64_t offset, bool is_source)
{
    operand->offset = offset;
    if (!create_memory(plain, &operand->plain))
        return false;
    if (onednn.memory_desc_equal(plain, wanted))
        return true;
    operand->bytes = onednn.memory_desc_get_size(wanted);
    return create_memory(wanted, &operand->wanted) &&
           create_reorder(is_source ? plain : wanted, is_source ? wanted : plain,
                          &operand->reorder);
}

// The packed weights of this layout and place, new ones if need be.
static uint32_t onednn_find_packed(struct prepared *prepared, const dnnl_memory_desc_t *layout,
                                   int64_t offset)
{
    for (uint32_t i = 0; i < prepared->packed_count; i++) {
        if (prepared->packed[i].offset == offset &&
            onednn.memory_desc_equal(&prepared->packed[i].layout, layout))
            return i;
    }
    prepared->packed[prepared->packed_count] = (struct packed){*layout, offset, NULL};
    return prepared->packed_count++;
}

static bool prepare_piece(struct prepared *prepared, const struct geometry *geometry,
                          const dnnl_primitive_desc_t description, struct piece *piece)
{
    const dnnl_memory_desc_t *source =
        onednn.primitive_desc_query_md(description, dnnl_query_src_md, 0);
    const dnnl_memory_desc_t *weights =
        onednn.primitive_desc_query_md(description, dnnl_query_weights_md, 0);
    const dnnl_memory_desc_t *result =
        onednn.primitive_desc_query_md(description, dnnl_query_dst_md, 0);
    const dnnl_memory_desc_t *scratch =
        onednn.primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    piece->weight_offset = geometry->weight_offset;
    piece->bias_offset = geometry->bias_offset;
    piece->scratch_bytes = onednn.memory_desc_get_size(scratch);
    piece->packed = onednn.memory_desc_equal(weights, &geometry->weights)
                        ? UINT32_MAX
                        : onednn_find_packed(prepared, weights, geometry->weight_offset);
    return onednn.stream_create(&piece->stream, onednn_engine(), dnnl_stream_default_flags) ==
               dnnl_success &&
           onednn.primitive_create(&piece->primitive, description) == dnnl_success &&
           prepare_operand(&piece->source, &geometry->source, source, geometry->source_offset,
                           true) &&
           prepare_operand(&piece->result, &geometry->result, result, geometry->result_offset,
                           false) &&
           create_memory(weights, &piece->weights) &&
           create_memory(&geometry->bias, &piece->bias) && create_memory(scratch, &piece->scratch);
}

static bool prepare_pieces(struct prepared *prepared)
{
    const struct convolution *c = &prepared->convolution;
    const struct cuts cuts = onednn_choose_cuts(c);
    const int64_t count = cuts.batch * cuts.rows * cuts.groups * cuts.channels;
    prepared->pieces = memory_allocate_zeroed((size_t)count, sizeof *prepared->pieces);
    prepared->packed = memory_allocate_zeroed((size_t)count, sizeof *prepared->packed);
    for (int64_t i = 0; i < count; i++) {
        const struct part part = onednn_part_at(c, &cuts, i);
        struct geometry geometry;
        dnnl_primitive_desc_t description;
        if (!describe_part(c, &part, &geometry) ||
            !create_description(&geometry, prepared->with_bias, &description))
            return false;
        prepared->piece_count++;
        const bool made = prepare_piece(prepared, &geometry, description, &prepared->pieces[i]);
        onednn.primitive_desc_destroy(description);
        if (!made)
            return false;
    }
    return true;
}

// Packing ---------------------------------------------------------------------

static bool onednn_pack(struct packed *packed, const struct geometry *geometry,
                        const float *weights)
{
    if (packed->data == NULL)
        packed->data = memory_take(onednn.memory_desc_get_size(&packed->layout));
    if (packed->data == NULL)
        return false;
    dnnl_memory_t to = NULL;
    const bool done =
        onednn.memory_create(&to, &packed->layout, onednn_engine(), packed->data) == dnnl_success &&
        onednn_reorder(&geometry->weights, (void *)(uintptr_t)(weights + packed->offset), to);
    onednn.memory_destroy(to);
    return done;
}

static bool pack_weights(struct prepared *prepared, const float *weights)
{
    const struct convolution *c = &prepared->convolution;
    const struct cuts cuts = onednn_choose_cuts(c);
    uint32_t next = 0;
    for (uint32_t i = 0; i < prepared->piece_count && next < prepared->packed_count; i++) {
        if (prepared->pieces[i].packed != next)
            continue;
        const struct part part = onednn_part_at(c, &cuts, i);
        struct geometry geometry;
        if (!describe_part(c, &part, &geometry) ||
            !onednn_pack(&prepared->packed[next], &geometry, weights))
            return false;
        next++;
    }
    return true;
}

// Running ---------------------------------------------------------------------

struct task {
    struct prepared *prepared;
    const struct convolution_operands *operands;
    atomic_bool failed;
};

static void *onednn_align(char *at)
{
    return at + (TENSOR_ALIGNMENT - (uintptr_t)at % TENSOR_ALIGNMENT) % TENSOR_ALIGNMENT;
}

static bool onednn_reorder_operand(const struct piece *piece, const struct operand *operand,
                                   dnnl_memory_t from, dnnl_memory_t to)
{
    return onednn.primitive_execute(
               operand->reorder, piece->stream, 2,
               (const dnnl_exec_arg_t[]){{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}) == dnnl_success;
}

static void set_data(dnnl_memory_t memory, const void *data)
{
    onednn.memory_set_data_handle(memory, (void *)(uintptr_t)data);
}

// `room` holds the source and the result in oneDNN's layout, and its scratchpad.
static bool onednn_run_piece(const struct task *task, const struct piece *piece, char *room)
{
    const struct convolution_operands *operands = task->operands;
    const struct operand *source = &piece->source;
    const struct operand *result = &piece->result;
    char *source_room = onednn_align(room);
    char *result_room = onednn_align(source_room + source->bytes);
    char *scratch_room = onednn_align(result_room + result->bytes);
    set_data(source->plain, operands->source + source->offset);
    set_data(result->plain, operands->result + result->offset);
    set_data(piece->scratch, scratch_room);
    set_data(piece->weights, piece->packed == UINT32_MAX
                                 ? operands->weights + piece->weight_offset
                                 : task->prepared->packed[piece->packed].data);
    if (operands->bias != NULL)
        set_data(piece->bias, operands->bias + piece->bias_offset);
    if (source->wanted != NULL) {
        set_data(source->wanted, source_room);
        if (!onednn_reorder_operand(piece, source, source->plain, source->wanted))
            return false;
    }
    if (result->wanted != NULL)
        set_data(result->wanted, result_room);
    const dnnl_exec_arg_t arguments[] = {
        {DNNL_ARG_SRC, source->wanted != NULL ? source->wanted : source->plain},
        {DNNL_ARG_WEIGHTS, piece->weights},
        {DNNL_ARG_DST, result->wanted != NULL ? result->wanted : result->plain},
        {DNNL_ARG_SCRATCHPAD, piece->scratch},
        {DNNL_ARG_BIAS, piece->bias},
    };
    if (onednn.primitive_execute(piece->primitive, piece->stream, operands->bias != NULL ? 5 : 4,
                                 arguments) != dnnl_success)
        return false;
    return result->wanted == NULL ||
           onednn_reorder_operand(piece, result, result->wanted, result->plain);
}

static void onednn_run_pieces(void *context, uint64_t from, uint64_t to)
{
    struct task *task = context;
    onednn_single_thread();
    for (uint64_t i = from; i < to; i++) {
        const struct piece *piece = &task->prepared->pieces[i];
        char *room = malloc(piece->source.bytes + piece->result.bytes + piece->scratch_bytes +
                            4 * TENSOR_ALIGNMENT);
        if (room == NULL || !onednn_run_piece(task, piece, room))
            atomic_store(&task->failed, true);
        free(room);
    }
}

static bool onednn_suits(const struct convolution *c)
{
    if (c->spatial < 1 || c->spatial > SPATIAL_MOST)
        return false;
    int64_t most = c->groups * c->inputs;
    int64_t fewest = c->batch < c->groups ? c->batch : c->groups;
    const int64_t lengths[] = {c->batch, c->groups * c->outputs, c->inputs, c->outputs};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        most = lengths[i] > most ? lengths[i] : most;
        fewest = lengths[i] < fewest ? lengths[i] : fewest;
    }
    for (uint32_t i = 0; i < c->spatial; i++) {
        const int64_t around[] = {c->input[i],   c->kernel[i],    c->output[i],
                                  c->strides[i], c->dilations[i], c->pads[i] + 1};
        for (size_t j = 0; j < sizeof around / sizeof *around; j++) {
            most = around[j] > most ? around[j] : most;
            fewest = around[j] < fewest ? around[j] : fewest;
        }
        if (onednn_reach(c, i) > DIMENSION_MOST)
            return false;
    }
    return fewest > 0 && most <= DIMENSION_MOST;
}

static bool onednn_packed_fits(const struct kernel_state *state, const struct convolution *c,
                               bool with_bias)
{
    const struct prepared *prepared = (const struct prepared *)state;
    return prepared != NULL && prepared->with_bias == with_bias &&
           memcmp(&prepared->convolution, c, sizeof *c) == 0;
}

static struct prepared *onednn_prepare(const struct convolution *c, bool with_bias)
{
    struct prepared *prepared = memory_allocate_zeroed(1, sizeof *prepared);
    prepared->base.free = prepared_free;
    prepared->convolution = *c;
    prepared->with_bias = with_bias;
    if (prepare_pieces(prepared))
        return prepared;
    prepared_free(&prepared->base);
    return NULL;
}

status onednn_convolution(const struct convolution *convolution,
                          const struct convolution_operands *operands, struct parallel *parallel,
                          struct kernel_state **state, bool *out_done)
{
    *out_done = false;
    if (onednn_engine() == NULL || !onednn_suits(convolution))
        return STATUS_OK;
    onednn_single_thread();
    if (!onednn_packed_fits(*state, convolution, operands->bias != NULL)) {
        struct prepared *made = onednn_prepare(convolution, operands->bias != NULL);
        if (made == NULL)
            return STATUS_OK;
        if (*state != NULL)
            (*state)->free(*state);
        *state = &made->base;
    }
    struct prepared *prepared = (struct prepared *)*state;
    const bool packed =
        operands->weights_fixed && prepared->packed_once && prepared->weights == operands->weights;
    if (!packed && !pack_weights(prepared, operands->weights))
        return status_no_memory("the packed weights of a convolution");
    prepared->packed_once = operands->weights_fixed;
    prepared->weights = operands->weights;
    struct task task = {.prepared = prepared, .operands = operands};
    parallel_for(parallel, prepared->piece_count, 1, onednn_run_pieces, &task);
    if (atomic_load(&task.failed))
        return status_no_memory("a convolution");
    *out_done = true;
    return STATUS_OK;
}

// Products of matrices ------------------------------------------------------------------

// oneDNN wants a stride that is no less than a row, also where there is one row only.
static dnnl_dim_t stride_of(uint64_t stride, uint64_t row)
{
    const uint64_t wanted = stride > row ? stride : row;
    return (dnnl_dim_t)(wanted > 0 ? wanted : 1);
}

bool onednn_product(const struct matrix_product *product, const float *a, const float *b, float *c)
{
    const uint64_t a_row = product->a_transposed ? product->rows : product->depth;
    const uint64_t b_row = product->b_transposed ? product->depth : product->columns;
    if (onednn_engine() == NULL)
        return false;
    onednn_single_thread();
    // Fails for wrong arguments only.
    (void)onednn.sgemm(product->a_transposed ? 'T' : 'N', product->b_transposed ? 'T' : 'N',
                       (dnnl_dim_t)product->rows, (dnnl_dim_t)product->columns,
                       (dnnl_dim_t)product->depth, 1.0F, a, stride_of(product->a_stride, a_row), b,
                       stride_of(product->b_stride, b_row), 0.0F, c,
                       stride_of(product->c_stride, product->columns));
    return true;
}
