// The processes of a command, as /proc shows them: the session that it was started in, and what
// was left to us by those that ended (we are their reaper).

#ifndef OPSCOPE_CAPTURE_PROCESSES_H
#define OPSCOPE_CAPTURE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ports.h"

enum { PROCESS_NAME = 64, PROCESSES_MOST = 65536 };

struct process {
    pid_t id;
    pid_t parent;
    uint64_t begun; // in ticks of the machine since it started: with the id, which process it is
    uint64_t seen;  // ns of CLOCK_MONOTONIC, first and last
    uint64_t last;
    bool alive; // when it was looked for last
    char name[PROCESS_NAME];
};

struct processes {
    pid_t session;
    struct process *items;
    size_t count;
    size_t capacity;
    size_t alive;
};

// Looks which there are now. Those that live shorter than the time between two looks are not seen.
// `everywhere`: among all of the machine, so that none is overlooked; else at the tree below us,
// for which the time grows with the command's processes alone.
void processes_look(struct processes *processes, bool everywhere);

// Of the ports that somebody listens at, those of living processes of the command; at most `most`
// of them, each with its process.
struct listening {
    pid_t process;
    uint16_t port;
};
size_t processes_listening(const struct processes *processes, const struct ports *ports,
                           struct listening *out_ports, size_t most);

// Whether a port is somebody else's by now: what a process listened at is free when it has ended.
bool processes_lost_port(pid_t process, uint16_t port);

void processes_free(struct processes *processes);

#endif
