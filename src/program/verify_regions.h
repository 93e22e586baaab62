// Who holds which part of a line of places: taking a part from whoever holds it costs, on
// average over many, a few steps, however many parts there are.

#ifndef OPSCOPE_PROGRAM_VERIFY_REGIONS_H
#define OPSCOPE_PROGRAM_VERIFY_REGIONS_H

#include <stddef.h>
#include <stdint.h>

struct verify_regions;

// Places 0 to `count` - 1, which nobody holds.
struct verify_regions *verify_regions_create(size_t count);
void verify_regions_free(struct verify_regions *regions);

// Gives the places from `first` to before `end` to `owner`. Returns who held some of them, from
// first to last, some perhaps more than once; valid until the next call.
const uint32_t *verify_regions_take(struct verify_regions *regions, size_t first, size_t end,
                                    uint32_t owner, size_t *out_count);

#endif
