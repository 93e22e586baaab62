// Runs a command and captures its processes: those that record with opscope's recorder
// (record/announce.h), each and every one, and those that Tracy is linked with.
//
// What is captured goes to files in a folder while the command runs, so that it survives whatever
// happens: memory does not grow with it. docs/capture.md tells the rest.

#ifndef OPSCOPE_CAPTURE_CAPTURE_H
#define OPSCOPE_CAPTURE_CAPTURE_H

#include <sys/resource.h>

#include "processes.h"
#include "server.h"
#include "tracy_client.h"

enum { CAPTURE_PORT_FIRST = 8086, CAPTURE_PORT_LAST = 8499, CAPTURE_PORT_OWN = 8105 };

struct capture_options {
    char *const *command;           // up to a NULL
    const char *const *environment; // NAME=VALUE, up to a NULL
    const char *folder;             // for what is captured: exists, and is ours
    uint16_t port;                  // of the one program with Tracy; 0: they choose, we find them
    uint64_t disk;                  // bytes that may be captured; 0: any
    unsigned linger_ms;             // how long processes may go on when the command has ended
};

struct capture {
    struct server server;
    struct processes processes;
    struct tracy_client *clients;
    size_t client_count;
    size_t client_capacity;
    pid_t command;
    int wait_status;       // of the command, as waitpid gives it
    uint64_t begun, ended; // ns of CLOCK_MONOTONIC
    struct rusage usage;   // of all that have ended
    unsigned interrupts;   // signals that asked to end
    int signal;            // the first of them
    uint64_t captured;     // bytes on the disk
    size_t lingering;      // processes that went on when the capture ended
    status problem;        // the first thing that could not be written
};

// Whether a port is free on this machine; the failure says what to do.
status capture_check_port(uint16_t port);

// The first free port of those that programs do not try themselves, where all of these are taken;
// 0 where one of them is free.
uint16_t capture_choose_port(void);

// Returns when the command is over, however that came. Fails when it could not be started. SIGINT,
// SIGTERM and SIGHUP stay blocked, so that what was captured can be written.
status capture_run(struct capture *capture, const struct capture_options *options);
void capture_free(struct capture *capture);

// As a shell tells it: 128 and the signal's number where a signal ended it.
int capture_exit_status(const struct capture *capture);

#endif
