#include "fused_convolution.h"

#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "byte_convolution.h"
#include "depthwise_convolution.h"
#include "fused_cuts.h"
#include "onednn_engine.h"
#include "panel_arranging.h"

enum { OWN_OUTPUTS = 12 }; // channels from which on the products of panels are quick

// A primitive, and what it needs; pieces with the same borders share it.
struct shared {
    int64_t rows_in, rows_out, before, after, channels; // what it was made for
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t source, weights, result, scratch;
};

// What a convolution is made of.
struct making {
    const struct fused_convolution_plan *plan;
    const struct byte_convolution *bytes; // of our own; without weights: it is of reals
};

// Output channels [from, to).
struct channels {
    int64_t from, to;
    dnnl_memory_t bias;
    struct panel_convolution *own; // NULL: oneDNN's
};

// The weights of some channels in the layout that a primitive takes.
struct packed {
    const struct channels *channels;
    dnnl_memory_desc_t layout;
    dnnl_memory_t memory;
    void *data;
};

struct piece {
    const struct shared *shared;
    const struct channels *channels;
    dnnl_memory_t weights;
    dnnl_stream_t stream;
    dnnl_memory_t source, result, scratch;
    struct panel_convolution_rows rows; // of our own
    uint64_t source_at, source_count;   // elements
    uint64_t result_at;                 // pixels
    uint64_t result_pixels;
};

struct fused_convolution {
    struct convolution c;
    struct chain before, after;
    bool has_before, has_after, with_bias;
    bool own; // by panels or `depthwise`, not by oneDNN
    struct depthwise_convolution *depthwise;
    bool bytes; // in whole numbers, by panels of bytes: instead of the chain before
    struct byte_image image;
    bool clips; // the convolution clips its result before the chain after it
    float lowest, highest;
    bool makes_bytes; // of its result itself, instead of the chain after
    struct byte_result to_bytes;
    float *bias;
    struct shared *shared;
    uint32_t shared_count;
    struct channels *channels;
    uint32_t channel_count;
    struct panel_convolution **parts; // those of channels
    uint32_t part_count;
    struct packed *packed;
    uint32_t packed_count;
    struct piece *pieces;
    uint32_t piece_count;
    uint64_t outputs; // channels of all groups
    size_t room;
};

// Making ------------------------------------------------------------------------------

static bool describe_image(dnnl_memory_desc_t *layout, int64_t channels, int64_t height,
                           int64_t width)
{
    const dnnl_dims_t dims = {1, channels, height, width};
    return onednn.memory_desc_init_by_tag(layout, 4, dims, dnnl_f32, dnnl_nhwc) == dnnl_success;
}

static bool describe_weights(const struct convolution *c, int64_t channels, bool plain,
                             dnnl_memory_desc_t *layout)
{
    const dnnl_dims_t grouped = {c->groups, channels, c->inputs, c->kernel[0], c->kernel[1]};
    const dnnl_format_tag_t tag = c->groups > 1 ? dnnl_goihw : dnnl_oihw;
    return onednn.memory_desc_init_by_tag(layout, c->groups > 1 ? 5 : 4,
                                          c->groups > 1 ? grouped : grouped + 1, dnnl_f32,
                                          plain ? tag : dnnl_format_tag_any) == dnnl_success;
}

static bool describe_bias(const struct fused_convolution *fused, int64_t channels,
                          dnnl_memory_desc_t *layout)
{
    const dnnl_dims_t dims = {channels * fused->c.groups};
    return onednn.memory_desc_init_by_tag(layout, 1, dims, dnnl_f32, dnnl_a) == dnnl_success;
}

static bool make_attributes(dnnl_primitive_attr_t *out)
{
    return onednn.primitive_attr_create(out) == dnnl_success &&
           onednn.primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user) ==
               dnnl_success;
}

// Those of oneDNN's that are made of generated code.
static bool is_quick(const_dnnl_primitive_desc_t description)
{
    const char *name = NULL;
    if (onednn.primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name) !=
        dnnl_success)
        return false;
    return strncmp(name, "jit", 3) == 0 || strncmp(name, "brg", 3) == 0 ||
           strncmp(name, "brdg", 4) == 0;
}

static bool make_primitive(const struct fused_convolution *fused, struct shared *shared)
{
    const struct convolution *c = &fused->c;
    dnnl_memory_desc_t bias;
    if (!describe_image(&shared->source, c->inputs * c->groups, shared->rows_in, c->input[1]) ||
        !describe_image(&shared->result, shared->channels * c->groups, shared->rows_out,
                        c->output[1]) ||
        !describe_bias(fused, shared->channels, &bias) ||
        !describe_weights(c, shared->channels, false, &shared->weights))
        return false;
    const int64_t right = (c->output[1] - 1) * c->strides[1] + fused_cuts_reach(c, 1) - c->pads[1];
    const dnnl_dims_t strides = {c->strides[0], c->strides[1]};
    const dnnl_dims_t dilations = {c->dilations[0] - 1, c->dilations[1] - 1};
    const dnnl_dims_t before = {shared->before, c->pads[1]};
    const dnnl_dims_t after = {shared->after, right - c->input[1]};
    dnnl_convolution_desc_t convolution;
    dnnl_primitive_attr_t attributes;
    if (onednn.dilated_convolution_forward_desc_init(
            &convolution, dnnl_forward_inference, dnnl_convolution_direct, &shared->source,
            &shared->weights, fused->with_bias ? &bias : NULL, &shared->result, strides, dilations,
            before, after) != dnnl_success ||
        !make_attributes(&attributes))
        return false;
    dnnl_primitive_desc_t description;
    bool made = onednn.primitive_desc_create(&description, &convolution, attributes,
                                             onednn_engine(), NULL) == dnnl_success;
    onednn.primitive_attr_destroy(attributes);
    if (!made)
        return false;
    shared->weights = *onednn.primitive_desc_query_md(description, dnnl_query_weights_md, 0);
    shared->scratch = *onednn.primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    made = is_quick(description) &&
           onednn.primitive_create(&shared->primitive, description) == dnnl_success;
    onednn.primitive_desc_destroy(description);
    return made;
}

static const struct shared *find_shared(struct fused_convolution *fused,
                                        const struct shared *wanted)
{
    for (uint32_t i = 0; i < fused->shared_count; i++) {
        const struct shared *item = &fused->shared[i];
        if (item->rows_in == wanted->rows_in && item->rows_out == wanted->rows_out &&
            item->before == wanted->before && item->after == wanted->after &&
            item->channels == wanted->channels)
            return item;
    }
    struct shared *item = &fused->shared[fused->shared_count];
    *item = *wanted;
    if (!make_primitive(fused, item))
        return NULL;
    fused->shared_count++;
    return item;
}

static bool make_memory(const dnnl_memory_desc_t *layout, void *data, dnnl_memory_t *out_memory)
{
    return onednn.memory_create(out_memory, layout, onednn_engine(), data) == dnnl_success;
}

static bool fused_convolution_pack(const struct fused_convolution *fused, struct packed *packed,
                                   const struct fused_convolution_plan *plan)
{
    const struct convolution *c = &fused->c;
    const int64_t from = packed->channels->from;
    const int64_t each = c->inputs * c->kernel[0] * c->kernel[1];
    dnnl_memory_desc_t plain;
    return describe_weights(c, packed->channels->to - from, true, &plain) &&
           (packed->data =
                blocks_take(plan->blocks, onednn.memory_desc_get_size(&packed->layout))) != NULL &&
           make_memory(&packed->layout, packed->data, &packed->memory) &&
           onednn_reorder_scaled(&plain, (void *)(uintptr_t)(plan->weights + from * each),
                                 packed->memory, plan->scales != NULL ? plan->scales + from : NULL,
                                 c->groups);
}

// Primitives for other borders may want other layouts.
static dnnl_memory_t fused_convolution_find_packed(struct fused_convolution *fused,
                                                   const struct channels *channels,
                                                   const dnnl_memory_desc_t *layout,
                                                   const struct fused_convolution_plan *plan)
{
    for (uint32_t i = 0; i < fused->packed_count; i++) {
        if (fused->packed[i].channels == channels &&
            onednn.memory_desc_equal(&fused->packed[i].layout, layout))
            return fused->packed[i].memory;
    }
    struct packed *packed = &fused->packed[fused->packed_count++];
    packed->channels = channels;
    packed->layout = *layout;
    return fused_convolution_pack(fused, packed, plan) ? packed->memory : NULL;
}

static size_t fused_convolution_aligned(size_t bytes)
{
    return (bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
}

// Whether the result of the convolution lies where the piece's result goes.
static bool lies_in_place(const struct fused_convolution *fused, const struct channels *channels)
{
    if ((uint64_t)(channels->to - channels->from) == (uint64_t)fused->c.outputs)
        return !fused->has_after || fused->after.result == ELEMENT_F32;
    return fused->own && !fused->has_after;
}

static bool make_piece(struct fused_convolution *fused, const struct channels *channels,
                       const struct shared *shared, struct piece *piece)
{
    piece->shared = shared;
    piece->channels = channels;
    size_t room = fused_convolution_aligned(onednn.memory_desc_get_size(&shared->scratch));
    if (fused->has_before)
        room += fused_convolution_aligned(onednn.memory_desc_get_size(&shared->source));
    if (!lies_in_place(fused, channels))
        room += fused_convolution_aligned(onednn.memory_desc_get_size(&shared->result));
    fused->room = room > fused->room ? room : fused->room;
    return onednn.stream_create(&piece->stream, onednn_engine(), dnnl_stream_default_flags) ==
               dnnl_success &&
           make_memory(&shared->source, DNNL_MEMORY_NONE, &piece->source) &&
           make_memory(&shared->result, DNNL_MEMORY_NONE, &piece->result) &&
           make_memory(&shared->scratch, DNNL_MEMORY_NONE, &piece->scratch);
}

// Bytes of what is made of a piece's source before it is convolved.
static size_t source_bytes(const struct fused_convolution *fused, const struct piece *piece)
{
    return fused->bytes ? byte_image_room(&fused->image, piece->source_count)
                        : piece->source_count * sizeof(float);
}

// Bytes that the convolution of a piece needs.
static size_t scratch_bytes(const struct fused_convolution *fused, const struct piece *piece)
{
    if (piece->shared != NULL)
        return fused_convolution_aligned(onednn.memory_desc_get_size(&piece->shared->scratch));
    const struct panel_convolution *own = piece->channels->own;
    return fused_convolution_aligned(own != NULL ? panel_convolution_room(own, &piece->rows)
                                                 : depthwise_convolution_room(fused->depthwise));
}

static void make_own_piece(struct fused_convolution *fused, const struct channels *channels,
                           const struct shared *wanted, struct piece *piece)
{
    piece->channels = channels;
    piece->rows = (struct panel_convolution_rows){.in = wanted->rows_in,
                                                  .before = wanted->before,
                                                  .after = wanted->after,
                                                  .out = wanted->rows_out};
    size_t room = scratch_bytes(fused, piece);
    if (fused->has_before)
        room += fused_convolution_aligned(source_bytes(fused, piece));
    if (!lies_in_place(fused, channels))
        room += fused_convolution_aligned(piece->result_pixels * (uint64_t)wanted->channels *
                                          (uint64_t)fused->c.groups * sizeof(float));
    fused->room = room > fused->room ? room : fused->room;
}

// Rows [from, to) of the output of image `batch`.
static bool fused_convolution_add_piece(struct fused_convolution *fused,
                                        const struct channels *channels,
                                        const struct fused_convolution_plan *plan, int64_t batch,
                                        int64_t from, int64_t to)
{
    const struct convolution *c = &fused->c;
    const int64_t start = from * c->strides[0] - c->pads[0];
    const int64_t end = (to - 1) * c->strides[0] - c->pads[0] + fused_cuts_reach(c, 0);
    const int64_t first = start > 0 ? start : 0;
    const int64_t last = end < c->input[0] ? end : c->input[0];
    if (last <= first)
        return false;
    const struct shared wanted = {.rows_in = last - first,
                                  .rows_out = to - from,
                                  .before = first - start,
                                  .after = end - last,
                                  .channels = channels->to - channels->from};
    const struct shared *shared = fused->own ? NULL : find_shared(fused, &wanted);
    if (shared == NULL && !fused->own)
        return false;
    struct piece *piece = &fused->pieces[fused->piece_count++];
    const uint64_t row = (uint64_t)(c->input[1] * c->inputs * c->groups);
    piece->source_at = (uint64_t)(batch * c->input[0] + first) * row;
    piece->source_count = (uint64_t)wanted.rows_in * row;
    piece->result_at = (uint64_t)((batch * c->output[0] + from) * c->output[1]);
    piece->result_pixels = (uint64_t)(wanted.rows_out * c->output[1]);
    if (fused->own) {
        make_own_piece(fused, channels, &wanted, piece);
        return true;
    }
    piece->weights = fused_convolution_find_packed(fused, channels, &shared->weights, plan);
    return piece->weights != NULL && make_piece(fused, channels, shared, piece);
}

static struct panel_convolution *make_own(const struct fused_convolution *fused,
                                          const struct channels *channels,
                                          const struct making *making)
{
    const struct fused_convolution_plan *plan = making->plan;
    const struct byte_convolution *bytes = making->bytes;
    struct panel_convolution_plan own = {.convolution = &fused->c,
                                         .from = channels->from,
                                         .to = channels->to,
                                         .weights = plan->weights,
                                         .weights_turned = plan->weights_turned,
                                         .scales = plan->scales,
                                         .blocks = plan->blocks,
                                         .weights_stay = plan->weights_stay,
                                         .bias = fused->bias,
                                         .clips = fused->clips,
                                         .lowest = fused->lowest,
                                         .highest = fused->highest};
    if (fused->bytes) {
        own.weights = NULL;
        own.bytes = bytes->weights;
        own.scales = bytes->scales;
        own.form = bytes->image.form;
        own.zero = byte_image_zero(&bytes->image);
    }
    return panel_convolution_create(&own);
}

static bool take_parameters(struct fused_convolution *fused, struct channels *channels,
                            const struct making *making)
{
    if (fused->depthwise != NULL)
        return true;
    if (fused->own) {
        channels->own = make_own(fused, channels, making);
        fused->parts[fused->part_count] = channels->own;
        fused->part_count += channels->own != NULL;
        return channels->own != NULL;
    }
    dnnl_memory_desc_t bias;
    return describe_bias(fused, channels->to - channels->from, &bias) &&
           make_memory(&bias, fused->with_bias ? fused->bias + channels->from : DNNL_MEMORY_NONE,
                       &channels->bias);
}

static bool add_channels(struct fused_convolution *fused, const struct fused_cuts *cuts,
                         struct channels *channels, const struct making *making)
{
    const struct convolution *c = &fused->c;
    if (!take_parameters(fused, channels, making))
        return false;
    for (int64_t batch = 0; batch < c->batch; batch++) {
        for (int64_t part = 0; part < cuts->row_parts; part++) {
            if (!fused_convolution_add_piece(fused, channels, making->plan, batch,
                                             fused_cuts_row(c, cuts, part),
                                             fused_cuts_row(c, cuts, part + 1)))
                return false;
        }
    }
    return true;
}

static bool make_all(struct fused_convolution *fused, const struct making *making)
{
    const struct convolution *c = &fused->c;
    const struct fused_cuts cuts = fused_cuts_choose(c);
    const size_t parts = (size_t)cuts.channel_parts;
    const size_t pieces = parts * (size_t)(c->batch * cuts.row_parts);
    fused->channels = memory_allocate_zeroed(parts, sizeof *fused->channels);
    fused->parts = memory_allocate_zeroed(parts, sizeof(void *));
    fused->pieces = memory_allocate_zeroed(pieces, sizeof *fused->pieces);
    fused->packed = memory_allocate_zeroed(pieces, sizeof *fused->packed);
    fused->shared = memory_allocate_zeroed(pieces, sizeof *fused->shared);
    for (int64_t part = 0; part < cuts.channel_parts; part++) {
        struct channels *channels = &fused->channels[fused->channel_count++];
        channels->from = fused_cuts_channel(c, &cuts, part);
        channels->to = fused_cuts_channel(c, &cuts, part + 1);
        if (!add_channels(fused, &cuts, channels, making))
            return false;
    }
    return true;
}

// A clip right after the convolution is the panels' to do. oneDNN's makes numbers of NaN.
static void take_clip(struct fused_convolution *fused)
{
    struct chain *after = &fused->after;
    if (!fused->own || !fused->has_after || after->step_count < 2 ||
        after->steps[0].operation != CHAIN_READ || after->steps[1].operation != CHAIN_CLIP ||
        after->steps[1].left != 0)
        return;
    for (uint32_t i = 2; i < after->step_count; i++) {
        const struct chain_step *step = &after->steps[i];
        if (step->operation != CHAIN_READ && (step->left == 0 || step->right == 0) &&
            (step->left == 0 || step->operation <= CHAIN_GREATEST))
            return; // what comes before the clip is needed as well
    }
    fused->clips = true;
    fused->lowest = after->steps[1].a;
    fused->highest = after->steps[1].b;
    if (after->step_count == 2 && after->result == ELEMENT_F32) {
        fused->has_after = false;
        return;
    }
    after->steps[1] = after->steps[0]; // the result as it is
}

// After the clip was taken. Bytes are made of a few pixels at a time.
static bool take_depthwise(struct fused_convolution *fused,
                           const struct fused_convolution_plan *plan)
{
    fused->makes_bytes = fused->has_after && chain_only_quantizes(&fused->after, &fused->to_bytes);
    fused->has_after = fused->has_after && !fused->makes_bytes;
    const struct depthwise_convolution_plan own = {.convolution = &fused->c,
                                                   .weights = plan->weights,
                                                   .scales = plan->scales,
                                                   .bias = plan->bias,
                                                   .blocks = plan->blocks,
                                                   .clips = fused->clips,
                                                   .lowest = fused->lowest,
                                                   .highest = fused->highest,
                                                   .to_bytes = fused->makes_bytes ? &fused->to_bytes
                                                                                  : NULL};
    fused->depthwise = depthwise_convolution_create(&own);
    return fused->depthwise != NULL;
}

static void take_bias(struct fused_convolution *fused, const loose_float *bias)
{
    fused->with_bias = bias != NULL;
    if (bias == NULL)
        return;
    fused->bias = memory_allocate(fused->outputs * sizeof *fused->bias);
    memcpy(fused->bias, bias, fused->outputs * sizeof *fused->bias);
}

// Loaded for a network that has a use for it, which takes longer than a small one runs.
static bool takes_onednn(void)
{
    if (onednn_engine() == NULL)
        return false;
    onednn_single_thread();
    return true;
}

// oneDNN wants weights where floats lie.
static bool make_of_onednn(struct fused_convolution *fused,
                           const struct fused_convolution_plan *plan)
{
    if (plan->by_panels || !takes_onednn())
        return false;
    struct fused_convolution_plan moved = *plan;
    const struct convolution *c = &plan->convolution;
    const uint64_t each = (uint64_t)(c->inputs * c->kernel[0] * c->kernel[1]);
    float *weights = NULL;
    if ((uintptr_t)plan->weights % sizeof *weights != 0) {
        weights = memory_allocate(fused->outputs * each * sizeof *weights);
        memcpy(weights, plan->weights, fused->outputs * each * sizeof *weights);
        moved.weights = weights;
    }
    const bool made = make_all(fused, &(struct making){&moved, NULL});
    free(weights);
    return made;
}

struct fused_convolution *fused_convolution_create(const struct fused_convolution_plan *plan)
{
    if (!fused_cuts_suit(&plan->convolution))
        return NULL;
    struct fused_convolution *fused = memory_allocate_zeroed(1, sizeof *fused);
    fused->c = plan->convolution;
    struct byte_convolution bytes = byte_convolution_find(plan);
    fused->bytes = bytes.weights != NULL;
    fused->image = bytes.image;
    const bool depthwise = !fused->bytes && depthwise_convolution_suits(&fused->c);
    fused->own = fused->bytes || depthwise ||
                 (panel_convolution_suits(&fused->c) && fused->c.outputs >= OWN_OUTPUTS);
    fused->outputs = (uint64_t)(fused->c.outputs * fused->c.groups);
    fused->has_before = plan->before != NULL;
    fused->has_after = plan->after != NULL;
    if (fused->has_before)
        fused->before = *plan->before;
    if (fused->has_after)
        fused->after = *plan->after;
    take_clip(fused);
    take_bias(fused, plan->bias);
    const bool made = fused->own ? (!depthwise || take_depthwise(fused, plan)) &&
                                       make_all(fused, &(struct making){plan, &bytes})
                                 : make_of_onednn(fused, plan);
    byte_convolution_free(&bytes);
    if (made)
        return fused;
    fused_convolution_free(fused);
    return NULL;
}

static void free_of_onednn(struct fused_convolution *fused)
{
    for (uint32_t i = 0; i < fused->piece_count; i++) {
        onednn.memory_destroy(fused->pieces[i].source);
        onednn.memory_destroy(fused->pieces[i].result);
        onednn.memory_destroy(fused->pieces[i].scratch);
        onednn.stream_destroy(fused->pieces[i].stream);
    }
    for (uint32_t i = 0; i < fused->shared_count; i++)
        onednn.primitive_destroy(fused->shared[i].primitive);
    for (uint32_t i = 0; i < fused->channel_count; i++)
        onednn.memory_destroy(fused->channels[i].bias);
    for (uint32_t i = 0; i < fused->packed_count; i++)
        onednn.memory_destroy(fused->packed[i].memory);
}

void fused_convolution_free(struct fused_convolution *fused)
{
    if (fused == NULL)
        return;
    if (!fused->own && fused->channels != NULL)
        free_of_onednn(fused);
    for (uint32_t i = 0; i < fused->channel_count; i++)
        panel_convolution_free(fused->channels[i].own);
    depthwise_convolution_free(fused->depthwise);
    free(fused->packed);
    free(fused->bias);
    free(fused->channels);
    free(fused->parts);
    free(fused->pieces);
    free(fused->shared);
    free(fused);
}

size_t fused_convolution_room(const struct fused_convolution *fused)
{
    return fused->room;
}

size_t fused_convolution_weights(const struct fused_convolution *fused)
{
    return panel_arranging_bytes(fused->parts, fused->part_count);
}

void fused_convolution_arrange(struct fused_convolution *fused, void *place,
                               struct scratch_pool *rooms, struct parallel *parallel)
{
    panel_arranging_run(fused->parts, fused->part_count, place, rooms, parallel);
}

// Running -----------------------------------------------------------------------------

struct fused_pass {
    struct fused_convolution *fused;
    const void *source;
    const void *const *others;
    void *result;
    struct scratch_pool *rooms;
    atomic_bool failed;
};

static const void *fused_convolution_advance(const void *data, uint64_t places,
                                             enum element element)
{
    return (const char *)data + places * element_size(element);
}

// Runs the chain after the convolution over `pixels` that lie dense in `made`, and puts the result
// where it belongs.
static void fused_convolution_finish_pixels(const struct fused_pass *pass, const float *made,
                                            uint64_t pixel, uint64_t pixels,
                                            const struct channels *range)
{
    const struct fused_convolution *fused = pass->fused;
    const struct chain *after = &fused->after;
    const uint64_t from = (uint64_t)range->from;
    const uint64_t at = pixel * fused->outputs + from;
    const uint64_t width = (uint64_t)(range->to - range->from) * (uint64_t)fused->c.groups;
    const enum element element = fused->has_after ? after->result : ELEMENT_F32;
    char *to = (char *)pass->result + at * element_size(element);
    if (!fused->has_after) {
        for (uint64_t i = 0; (float *)(void *)to != made && i < pixels; i++)
            memcpy((float *)(void *)to + i * fused->outputs, made + i * width,
                   width * sizeof *made);
        return;
    }
    const void *inputs[CHAIN_INPUTS_MOST] = {made};
    for (uint32_t i = 1; i < after->input_count; i++) {
        const struct chain_input *input = &after->inputs[i];
        const uint64_t start = input->period == 0 ? at : input->period == 1 ? 0 : from;
        inputs[i] = fused_convolution_advance(pass->others[i - 1], start, input->element);
    }
    if (width == fused->outputs)
        chain_run(after, inputs, to, 0, pixels * width);
    else
        chain_run_lines(after, inputs, to, &(struct chain_lines){pixels, width, fused->outputs});
}

// Computes what lies at `made`, a pixel every `step`.
static bool fused_convolution_convolve(const struct fused_convolution *fused,
                                       const struct piece *piece, const void *source, void *scratch,
                                       void *made, uint64_t step)
{
    if (fused->depthwise != NULL) {
        depthwise_convolution_run(fused->depthwise, &piece->rows, source, scratch, made);
        return true;
    }
    if (fused->own) {
        panel_convolution_run(piece->channels->own, &piece->rows, source, scratch, made, step);
        return true;
    }
    onednn.memory_set_data_handle(piece->scratch, scratch);
    onednn.memory_set_data_handle(piece->source, (void *)(uintptr_t)source);
    onednn.memory_set_data_handle(piece->result, made);
    const dnnl_exec_arg_t arguments[] = {
        {DNNL_ARG_SRC, piece->source},          {DNNL_ARG_WEIGHTS, piece->weights},
        {DNNL_ARG_DST, piece->result},          {DNNL_ARG_SCRATCHPAD, piece->scratch},
        {DNNL_ARG_BIAS, piece->channels->bias},
    };
    return onednn.primitive_execute(piece->shared->primitive, piece->stream,
                                    fused->with_bias ? 5 : 4, arguments) == dnnl_success;
}

static bool fused_convolution_run_piece(const struct fused_pass *pass, const struct piece *piece,
                                        char *room)
{
    const struct fused_convolution *fused = pass->fused;
    const struct channels *range = piece->channels;
    const uint64_t channels = (uint64_t)(range->to - range->from) * (uint64_t)fused->c.groups;
    const bool in_place = lies_in_place(fused, range);
    const void *source = (const float *)pass->source + piece->source_at;
    char *scratch = room;
    room += scratch_bytes(fused, piece);
    if (fused->bytes) {
        source = byte_image_take(&fused->image, pass->source, piece->source_at, piece->source_count,
                                 room);
        room += fused_convolution_aligned(source_bytes(fused, piece));
    } else if (fused->has_before) {
        const void *from = fused_convolution_advance(pass->source, piece->source_at,
                                                     fused->before.inputs[0].element);
        chain_run(&fused->before, &from, room, 0, piece->source_count);
        source = room;
        room += fused_convolution_aligned(piece->source_count * sizeof(float));
    }
    const uint64_t step = in_place ? fused->outputs : channels;
    const uint64_t size = fused->makes_bytes ? 1 : sizeof(float);
    void *made =
        in_place ? (char *)pass->result + (piece->result_at * step + (uint64_t)range->from) * size
                 : room;
    if (!fused_convolution_convolve(fused, piece, source, scratch, made, step))
        return false;
    if (!in_place || fused->has_after)
        fused_convolution_finish_pixels(pass, made, piece->result_at, piece->result_pixels, range);
    return true;
}

static void fused_convolution_run_pieces(void *context, uint64_t from, uint64_t to)
{
    struct fused_pass *pass = context;
    if (!pass->fused->own)
        onednn_single_thread();
    char *room = scratch_pool_take(pass->rooms);
    if (room == NULL) {
        atomic_store(&pass->failed, true);
        return;
    }
    for (uint64_t i = from; i < to; i++) {
        if (!fused_convolution_run_piece(pass, &pass->fused->pieces[i], room))
            atomic_store(&pass->failed, true);
    }
    scratch_pool_give_back(pass->rooms, room);
}

status fused_convolution_run(struct fused_convolution *fused, const void *source,
                             const void *const *others, void *result, struct scratch_pool *rooms,
                             struct parallel *parallel)
{
    struct fused_pass pass = {fused, source, others, result, rooms, false};
    parallel_for(parallel, fused->piece_count, 1, fused_convolution_run_pieces, &pass);
    return atomic_load(&pass.failed) ? status_no_memory("a convolution") : STATUS_OK;
}
