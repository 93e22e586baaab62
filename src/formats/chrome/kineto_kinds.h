// What an event of a trace of PyTorch is, by its category: backends name theirs after the machine
// (cuda_runtime, xpu_runtime, gcu_memcpy), older versions said "Operator" and "Kernel".

#ifndef OPSCOPE_FORMATS_CHROME_KINETO_KINDS_H
#define OPSCOPE_FORMATS_CHROME_KINETO_KINDS_H

#include "events.h"
#include "profile/role.h"

// An operator of PyTorch on the host.
bool kineto_is_operator(const struct chrome_event *event);

// A call of a device's runtime or driver, which may launch work.
bool kineto_is_launch(const struct chrome_event *event);

// Work of a device: a kernel, a copy, a fill, a collective.
bool kineto_is_device(const struct chrome_event *event);

// On a stream's row, but no work: what lasts from the first kernel of an annotation to its last
// one, and what waits for a stream or an event. What its lane beside the stream's is called; NULL:
// it is none of these.
const char *kineto_beside(const struct chrome_event *event);

// Of a thread of the host.
bool kineto_is_host(const struct chrome_event *event);

// A call that returns when the device has done what it was given.
bool kineto_waits(const struct chrome_event *event);

// What work of a device is; none for all else.
enum role kineto_role_of(const struct chrome_event *event);

#endif
