// Which elements a network is computed in instead of its own: f32 as bf16 on one machine, as
// f16 on another, i64 as i32. A list of pairs is all that tells one vendor's conversion from
// another's.
//
// Every operator takes and gives the new elements, and rounds what it gives to nearest, ties to
// even; what it adds up it adds up in f32. These stay as they are:
//   - inputs whose element the operator itself fixes: shapes, axes, counts, scales
//     (`exact` in operators.h), and operators that do not take the new element;
//   - QuantizeLinear, DequantizeLinear and what stands between the two, which is computed
//     in integers;
//   - what depends on constants alone: it is calculated as before and rounded once;
//   - inputs and outputs of the network, behind casts, unless the list says "ports".

#ifndef OPSCOPE_NETWORK_CONVERSION_H
#define OPSCOPE_NETWORK_CONVERSION_H

#include "tensor.h"

struct network;

enum { CONVERSION_PAIRS_MOST = 8 };

struct conversion {
    struct conversion_pair {
        enum element from, to;
    } pairs[CONVERSION_PAIRS_MOST];
    uint32_t count;
    bool ports;   // inputs and outputs are converted as well
    bool weights; // of products are rounded to MXFP6 first (weights.h)
};

// "f32=bf16,i64=i32", with "ports" as a further item. Pairs are of f16, bf16, f32 and f64, which
// may also become bfp8_b or bfp4_b (block.h; not with "ports"), or i64=i32; none may begin with
// what another ends with. "weights=mxfp6" may stand besides, or alone.
status conversion_parse(const char *text, struct conversion *out_conversion);

// What stands for `element` afterwards; itself where no pair begins with it.
enum element conversion_of(const struct conversion *conversion, enum element element);

// How far the outputs of a converted network may be from those of the network itself, of the
// largest magnitude of each: 2^-8 where reals become f16, 2^-5 where they become bf16, 2^-4 and
// 2^-1 for bfp8_b and bfp4_b, 2^-4 for weights in mxfp6, 2^-20 for f32; 0 where no reals become
// shorter. Not a bound, which no
// network has, but what networks keep to that do not amplify roundings.
double conversion_tolerance(const struct conversion *conversion);

// What it did, kept with the network.
struct conversion_record {
    struct view text;   // as conversion_parse takes it; "" when nothing was converted
    uint64_t operators; // that take or give a new element, of all graphs
    uint64_t kept;      // that would have to and do not take it
    uint64_t constants; // that were rounded
    uint64_t casts;     // that were put in
    uint64_t weights;   // constants of products that are in MXFP6
    // Numbers of constants that are beyond the new element's largest, and are infinite now.
    uint64_t beyond;
    uint64_t beyond_constants;
    struct view beyond_first; // the first of these constants
    double beyond_greatest;   // the number of the greatest magnitude
};

// Converts a network whose types are inferred, and infers them again. Fails for an i64 of a
// constant that is no i32, and where an output cannot be what it was (a sequence of the new
// element). The network is of no use after a failure.
status network_convert(struct network *network, const struct conversion *conversion);

// For network_convert -----------------------------------------------------------------

// A copy of `constant` in another element, in the network's arena. `name` is for messages
// and the record.
status conversion_constant(struct network *network, const struct constant *constant,
                           struct view name, enum element element,
                           const struct constant **out_constant);

// By node id, to be freed: operators that stay because they are computed in integers.
bool *conversion_quantized(const struct network *network);

#endif
