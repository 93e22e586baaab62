// The host's side of a trace (aic-profiling-program-N-trace.json of the runner), to stand in one
// trace with what the device did. Its events stay as they are: the device's are placed on its
// clock, where the host saw the inference begin on the device.

#ifndef OPSCOPE_REPORTS_QAIC_OPSTATS_HOST_H
#define OPSCOPE_REPORTS_QAIC_OPSTATS_HOST_H

#include "base/input.h"
#include "base/output.h"

struct opstats_host;

// Fails for what is no Chrome trace.
status opstats_host_read(const char *path, struct opstats_host **out_host);
void opstats_host_free(struct opstats_host *host);

// When the device began with an inference, in microseconds of the host's trace. Where the trace
// does not name it false, with the time of its first event.
bool opstats_host_find(const struct opstats_host *host, uint64_t activation, uint64_t inference,
                       double *out_us);

// Its events, a line each, but for those of processes of the device; another stands before them.
void opstats_host_write(const struct opstats_host *host, struct output *output);

#endif
