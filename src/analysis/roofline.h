// How near each operator whose work is known came to what its machine can do: the roofline.
//
// The time of an operator is its share of the time that passed (work.h). Its bytes are those that
// its transfers moved, where they say so, else what it reads and writes at least; in a run of a
// program whose transfers say them, none where a device computed it and nothing was moved for it:
// its values lay near. The least that it
// could take is the larger of its multiply-adds at the peak of its engine and its bytes at the peak
// of the memory; what is larger bounds it.
//
// Peaks are the caller's: of a target, or measured. Without them rates are known, and no bound.

#ifndef OPSCOPE_ANALYSIS_ROOFLINE_H
#define OPSCOPE_ANALYSIS_ROOFLINE_H

#include "profile/profile.h"
#include "work.h"

// Of an engine with elements of so many bits.
struct roofline_peak {
    const char *engine; // as operators name it; NULL: of any
    unsigned bits;      // of the narrowest operand; 0: of any
    bool is_float;      // that operand is a real number
    double macs;        // multiply-adds in a second, of all its units together
};

struct roofline_peaks {
    const struct roofline_peak *compute;
    size_t compute_count;
    double bytes; // in a second, to and from the far memory; 0: not known
};

enum roofline_bound { ROOFLINE_UNKNOWN, ROOFLINE_COMPUTE, ROOFLINE_MEMORY };

// "unknown", "compute", "memory".
const char *roofline_bound_name(enum roofline_bound bound);

struct roofline_row {
    uint32_t operator_id;
    uint8_t bound; // enum roofline_bound
    bool moved;    // transfers say the bytes, which may be none
    uint64_t calls;
    double time; // ns, of all calls
    double macs; // of all calls
    double flops;
    double bytes;
    double peak;  // multiply-adds a second that its engine could do; 0: not known
    double least; // ns; 0: not known
};

struct roofline {
    struct roofline_row *rows; // what could be gained most first; without peaks, the slowest first
    size_t count;
    uint64_t without; // operators that took time and whose work is not known
    double time;      // ns: of the rows that have a least
    double least;     // ns: of these
};

status roofline_measure(struct profile *profile, const struct roofline_peaks *peaks,
                        struct roofline *out_roofline);
void roofline_free(struct roofline *roofline);

#endif
