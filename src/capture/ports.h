// Which TCP ports somebody on this machine listens at.
//
// Asked of the kernel by netlink, which takes some microseconds, so that it can be done often;
// where that is not allowed, read from /proc/net/tcp.

#ifndef OPSCOPE_CAPTURE_PORTS_H
#define OPSCOPE_CAPTURE_PORTS_H

#include <stddef.h>
#include <stdint.h>

enum { PORTS_LISTENERS = 512 };

struct listener {
    uint64_t inode; // of the socket
    uint16_t port;
};

struct ports {
    int netlink; // -1: there is none
    uint16_t first, last;
    struct listener listeners[PORTS_LISTENERS]; // when they were looked for last
    size_t count;
};

// For the ports from `first` to `last`.
void ports_open(struct ports *ports, uint16_t first, uint16_t last);
void ports_close(struct ports *ports);

// Looks who listens now; how many of them did not when that was asked before.
size_t ports_look(struct ports *ports);

#endif
