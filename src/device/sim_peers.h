// What goes from one device to another. Devices have one far memory between them in which each
// holds what its cores wrote: what a core reads and another device has written, and what is cast
// to cores of another device, comes over that device's link to the others (`peer` of the
// target's [link]). Inputs and constants lie on every device.

#ifndef OPSCOPE_DEVICE_SIM_PEERS_H
#define OPSCOPE_DEVICE_SIM_PEERS_H

#include "program/program.h"
#include "target/target.h"

// By task, for the caller to free: bytes that it reads of what other devices have written. NULL:
// there is one device, or no link between them.
uint64_t *sim_peers_read(const struct program *program, const struct target *target);

// The device that a task works for: of what casts, the one that it takes from.
uint32_t sim_peers_device(const struct program *program, const struct target *target,
                          const struct program_task *task);

// Whether a task casts to a core of another device, `device`.
bool sim_peers_casts_to(const struct program *program, const struct target *target,
                        const struct program_task *task, uint32_t device);

#endif
