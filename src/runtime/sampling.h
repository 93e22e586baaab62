// Which inferences of a run are sampled. All that is asked for holds at the same time: sampling
// starts when the delay is over and the first iteration is there, takes every so many, ends after
// a number of samples or a time.

#ifndef OPSCOPE_RUNTIME_SAMPLING_H
#define OPSCOPE_RUNTIME_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct sampling {
    uint32_t samples;         // at most
    uint32_t start_iteration; // the first that may be one
    uint64_t delay_ns;        // after the start of the run; 0: none
    uint64_t duration_ns;     // after the first sample; 0: until the end of the run
    uint32_t every;           // 1: each inference after the first, 2: each second ...
};

// Of one activation.
struct sampling_state {
    uint32_t taken;
    uint32_t first;      // index of the first sample
    uint64_t first_time; // since the start of the run
};

// Whether inference `index`, which is queued so long after the start of the run, is sampled; it is
// counted then. Indexes must not fall.
bool sampling_take(const struct sampling *sampling, struct sampling_state *state, uint32_t index,
                   uint64_t elapsed_ns);

// Whether a run of `iterations` goes on at `index`. A delay may be longer than the run, or end with
// it: it goes on until the delay is over and the samples are there that were asked for (one where
// the run could never have had as many), but has no more inferences after the delay than one of
// `iterations` needs. `resumed` is kept by the caller, 0 at first: where it went on.
bool sampling_goes_on(const struct sampling *sampling, const struct sampling_state *state,
                      uint32_t iterations, uint32_t index, uint64_t elapsed_ns, uint32_t *resumed);

#endif
