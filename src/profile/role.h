// What the work of a lane is, whoever built the machine. A closed vocabulary, which reports and
// pictures go by; what does the work (a track's engine) is a name of the machine's own.

#ifndef OPSCOPE_PROFILE_ROLE_H
#define OPSCOPE_PROFILE_ROLE_H

#include "base/view.h"

enum role {
    ROLE_NONE, // nobody said: never counted as anything else
    ROLE_COMPUTE,
    ROLE_TRANSFER_IN,   // from a memory far away to one near the engines that compute
    ROLE_TRANSFER_OUT,  // the way back
    ROLE_TRANSFER,      // within the device
    ROLE_COMMUNICATION, // between cores or devices
    ROLE_CONTROL,       // a processor of the device that tells others what to do, or helps out
    ROLE_WAIT,
    ROLE_HOST,
    ROLE_HOST_COPY, // the host moves data
    ROLE_HOST_CALL, // the host is in a runtime, a driver, an abstraction of the hardware
    ROLE_DEVICE,    // of the device as a whole, whatever part of it did the work
    ROLE_COUNT,
};

// "compute", "transfer in" ...; "none".
const char *role_name(enum role role);

// The inverse; false when the text is no role.
bool role_from_name(struct view text, enum role *out_role);

// On the device, as far as is known.
bool role_is_device(enum role role);

// Moves data: in, out or within the device.
bool role_is_transfer(enum role role);

#endif
