// Images with the channels last, side by side in the channels of one, each with what is done to it
// element by element; or the channels of all of them in turns. They may be parts of larger ones.

#ifndef OPSCOPE_KERNELS_CORE_IMAGE_JOIN_H
#define OPSCOPE_KERNELS_CORE_IMAGE_JOIN_H

#include "chain.h"

struct image_part {
    const void *source;
    uint64_t channels;
    uint64_t step;       // elements from pixel to pixel of the source
    uint64_t at;         // its first channel in the joined image
    struct chain *chain; // whose input 0 is the source, dense; NULL: nothing is done to it
    // Of the chain, from its second one on: with an element for each channel, or one.
    const void *others[CHAIN_INPUTS_MOST];
};

struct image_join {
    uint64_t pixels, channels; // of the joined image
    uint64_t apart;            // from one channel of a part to its next one; over 1: no chains
    uint32_t size;             // bytes of its elements: 1 or 4
    struct image_part *parts;
    uint32_t part_count;
};

// With room for `parts`, each of which is all zeros, and channels that are not apart.
struct image_join *image_join_create(uint32_t parts);

// With its chains.
void image_join_free(struct image_join *join);

void image_join_run(const struct image_join *join, void *result, struct parallel *parallel);

#endif
