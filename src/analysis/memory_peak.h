// Who held a memory when most of it was in use, and who held it longer than it was needed.
//
// Every unit of a memory (of a core, a device) is looked at by itself, from the lifetimes of its
// buffers; of units of one name the fullest counts. The last use of a buffer is the last end, while
// it lives, of its operator's work or of work that flows lead to from there; that is known only of
// runs of programs, whose flows are dependences of data, and not asked of what is held all the time
// (weights, inputs).
//
// Memory: 48 bytes a buffer.

#ifndef OPSCOPE_ANALYSIS_MEMORY_PEAK_H
#define OPSCOPE_ANALYSIS_MEMORY_PEAK_H

#include "dependence.h"

enum { MEMORY_HOLDERS_MOST = 16 };

struct memory_holder {
    uint32_t buffer;   // of the profile
    uint64_t from, to; // ns
    bool use_known;
    uint64_t last_use; // ns
};

struct memory_peak {
    uint32_t memory;       // string id
    uint32_t device, core; // number + 1 of the fullest unit; 0: not said, or of none
    uint64_t bytes;        // in use at the peak
    uint64_t at;           // ns
    uint64_t buffers;      // in use then
    struct memory_holder holders[MEMORY_HOLDERS_MOST]; // of them, the largest first
    size_t holder_count;
};

struct memory_peaks {
    const struct profile *profile;
    struct memory_peak *peaks; // a name each, the one with most bytes first
    size_t count;
};

// `dependence`: NULL, or that of the profile, which tells of last uses.
void memory_peaks_find(const struct profile *profile, const struct dependence *dependence,
                       struct memory_peaks *out_peaks);
void memory_peaks_free(struct memory_peaks *peaks);

#endif
