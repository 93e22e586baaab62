#include "sampling.h"

static bool has_started(const struct sampling *sampling, uint32_t index, uint64_t elapsed_ns)
{
    return index >= sampling->start_iteration && elapsed_ns >= sampling->delay_ns;
}

static bool has_ended(const struct sampling *sampling, const struct sampling_state *state,
                      uint64_t elapsed_ns)
{
    return sampling->duration_ns > 0 && state->taken > 0 &&
           elapsed_ns - state->first_time >= sampling->duration_ns;
}

bool sampling_take(const struct sampling *sampling, struct sampling_state *state, uint32_t index,
                   uint64_t elapsed_ns)
{
    if (state->taken >= sampling->samples || !has_started(sampling, index, elapsed_ns))
        return false;
    if (state->taken == 0) {
        state->first = index;
        state->first_time = elapsed_ns;
    }
    if ((index - state->first) % sampling->every != 0)
        return false;
    if (has_ended(sampling, state, elapsed_ns))
        return false;
    state->taken++;
    return true;
}

bool sampling_goes_on(const struct sampling *sampling, const struct sampling_state *state,
                      uint32_t iterations, uint32_t index, uint64_t elapsed_ns, uint32_t *resumed)
{
    const uint32_t wanted = sampling->samples <= iterations ? sampling->samples : 1;
    if (index < iterations)
        return true;
    if (sampling->delay_ns == 0 || iterations == 0 || state->taken >= wanted)
        return false;
    if (elapsed_ns < sampling->delay_ns)
        return true;
    if (has_ended(sampling, state, elapsed_ns))
        return false;
    if (*resumed == 0)
        *resumed = index;
    return index - *resumed < (uint64_t)iterations * sampling->every;
}
