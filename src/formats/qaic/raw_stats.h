// The statistics buffer of one inference (NAME-aiccyclecounts.bin), in opscope's own layout: the
// vendor's is not public. Sections name and measure themselves, and are there as the level of
// statistics promises (docs/formats/qaic.md).

#ifndef OPSCOPE_FORMATS_QAIC_RAW_STATS_H
#define OPSCOPE_FORMATS_QAIC_RAW_STATS_H

#include "base/input.h"
#include "base/output.h"

enum {
    QAIC_LEVEL_THREADS = 40,
    QAIC_LEVEL_PORTS = 50,
    QAIC_LEVEL_OPERATIONS = 70,
    QAIC_LEVEL_EXTENDED = 100,
    QAIC_PORT_INPUT = 100,
    QAIC_PORT_OUTPUT = 101,
};

// Times are ticks of the UTIMER.
struct qaic_raw_thread {
    uint64_t start, end;
    uint64_t pcycles;
    uint64_t activation;
};

struct qaic_raw_ports {
    uint64_t input_wait, output_wait;
};

// An input that came from the host.
struct qaic_raw_doorbell {
    uint32_t port;  // QAIC_PORT_INPUT
    uint32_t index; // of the network's inputs
    uint64_t time;
};

// A counter of a thread.
struct qaic_raw_counter {
    char name[16]; // ends in a NUL
    uint32_t core, thread;
    uint64_t value;
};

struct qaic_raw_traffic {
    uint64_t read, written; // bytes of DDR
};

struct qaic_raw_operation {
    uint32_t core;
    uint16_t thread;
    uint16_t group;
    uint32_t ordinal; // in the list of its core and group
    uint32_t task;    // of the program, to join dependencies; from its number on: of a semaphore
    uint64_t start, end;
    uint64_t pcycles;
    uint32_t sync;    // ticks that the thread waited before it
    uint32_t barrier; // and after it
};

struct qaic_raw_stats {
    uint32_t level;
    uint32_t cores, threads;
    uint32_t device;  // of several: number + 1, and cores are its own; 0: there is one
    bool measured;    // on the machine that ran it; else modelled
    uint32_t program; // checksum of the network's description that it belongs to
    uint64_t inference;
    uint64_t frequency;                         // of the UTIMER, Hz
    const struct qaic_raw_thread *thread_times; // [core * threads + thread]; NULL below the level
    const struct qaic_raw_ports *ports;         // the same
    const struct qaic_raw_doorbell *doorbells;  // in the order of inputs
    size_t doorbell_count;
    const struct qaic_raw_traffic *traffic;  // by core; NULL: not asked for
    const struct qaic_raw_counter *counters; // by core and thread; NULL: not asked for
    size_t counter_count;
    const struct qaic_raw_operation *operations; // at level 50 those that raise semaphores
    size_t operation_count;
    uint64_t cut;   // operations that the file ends before
    uint64_t added; // operations after as many as the buffer says that it has
};

bool qaic_raw_recognise(struct view bytes);

// Whether they end before that can be told.
bool qaic_raw_is_cut(struct view bytes);

// Views into the input. A buffer that is cut off gives what is there.
status qaic_raw_read(const struct input *input, struct qaic_raw_stats *out_stats);

status qaic_raw_write(const char *path, const struct qaic_raw_stats *stats);

#endif
