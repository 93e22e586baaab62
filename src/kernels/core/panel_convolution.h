// Convolutions of images with the channels last (NHWC), of one group and without dilation along
// the rows, as products with arranged weights (panels.h, byte_panels.h): a row of a window lies in
// a row of the image, so nothing is copied but what padding surrounds.
//
// Images are of f32, or of bytes where the weights are bytes as well. Results are f32, and do not
// depend on how an image is cut into rows.

#ifndef OPSCOPE_KERNELS_CORE_PANEL_CONVOLUTION_H
#define OPSCOPE_KERNELS_CORE_PANEL_CONVOLUTION_H

#include "base/blocks.h"
#include "byte_panels.h"
#include "convolution.h"
#include "loose.h"

struct panel_convolution_plan {
    const struct convolution *convolution; // two spatial dimensions; strides do not count
    int64_t from, to;                      // output channels
    // Of all output channels: outputs x inputs x kernel. One of the two.
    const loose_float *weights;
    bool weights_stay;   // they outlive it: panel_convolution_arrange; if not, they are not kept
    bool weights_turned; // inputs x outputs, for single pixels
    const int8_t *bytes;
    // What the weights of each output channel are multiplied with; NULL: none, but not with bytes.
    const float *scales;
    const float *bias; // of all output channels; NULL: none; not kept
    // Of bytes: in which form the image comes, and the byte that stands for 0 in it (in pairs: 0).
    enum byte_form form;
    uint8_t zero;
    struct blocks *blocks; // for packed weights; must outlive it
    bool clips;
    float lowest, highest;
};

struct panel_convolution;

// Whether there is something quick for it.
bool panel_convolution_suits(const struct convolution *convolution);

// The same of bytes, whose sums are exact.
bool panel_convolution_suits_bytes(const struct convolution *convolution);

// NULL when there is no memory.
struct panel_convolution *panel_convolution_create(const struct panel_convolution_plan *plan);
void panel_convolution_free(struct panel_convolution *convolution);

// Panels of weights that stay, and numbers of each: before it runs they are to be arranged, some at
// a time by any thread, in `place`, which has room for all of them. There they are used until it is
// said that they lie elsewhere. No panels: there is nothing to arrange.
uint64_t panel_convolution_panels(const struct panel_convolution *convolution);
uint64_t panel_convolution_panel(const struct panel_convolution *convolution);
void panel_convolution_arrange(const struct panel_convolution *convolution, uint64_t from,
                               uint64_t to, float *place, struct scratch_pool *rooms);
void panel_convolution_place(struct panel_convolution *convolution, const float *place);

// Some rows of the output, and the rows of the input that they see, without the `before`
// and `after` of padding around these.
struct panel_convolution_rows {
    int64_t in, before, after;
    int64_t out;
};

// Bytes of room that they need.
size_t panel_convolution_room(const struct panel_convolution *convolution,
                              const struct panel_convolution_rows *rows);

// `source` is of f32, or bytes in the plan's form. `made` gets the output channels of the plan, a
// pixel every `step` numbers.
void panel_convolution_run(const struct panel_convolution *convolution,
                           const struct panel_convolution_rows *rows, const void *source,
                           void *room, float *made, uint64_t step);

#endif
