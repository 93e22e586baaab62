// Whether a computed value is the one that was expected.
//
// Integers, bools and texts must be equal. Numbers with a fraction may differ by
// at most `atol + rtol * |expected| + of_largest * |largest expected|`, the largest of all finite
// numbers of the tensor; NaN equals NaN, and an infinity only
// itself. Sequences are compared item by item.

#ifndef OPSCOPE_NETWORK_COMPARE_H
#define OPSCOPE_NETWORK_COMPARE_H

#include "tensor.h"

struct compare_tolerance {
    double rtol;
    double atol;
    double of_largest;
};

enum { COMPARE_REASON_MOST = 400 };

// All zero before the first comparison; several add up.
struct comparison {
    bool different;
    // The largest differences among elements that are finite in both.
    double max_abs;
    double max_rel;                   // |got - want| / |want|, where want is not 0
    char reason[COMPARE_REASON_MOST]; // of the first difference: "" when there is none
};

void compare_data(const struct datum *got, const struct datum *want,
                  const struct compare_tolerance *tolerance, struct comparison *comparison);

#endif
