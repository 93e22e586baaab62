// The summary that qaic-opstats writes, as a record: read from the vendor's own files of SDK 1.10
// to 1.21, or made of our own statistics, and printed in the published grammar to the byte
// (docs/formats/qaic.md).
//
// Read in a row, not in parts (base/parts.h): what a line says depends on the headings above it.

#ifndef OPSCOPE_FORMATS_QAIC_SUMMARY_H
#define OPSCOPE_FORMATS_QAIC_SUMMARY_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/input.h"
#include "base/output.h"

enum { QAIC_TICKS_A_SECOND = 19200000 }; // of the UTIMER that counts ucycles

// The line that says where times come from, in summaries that are not the vendor's.
#define QAIC_SUMMARY_MODELLED "opscope: times are modelled by the simulated card"
#define QAIC_SUMMARY_MEASURED "opscope: times are this machine's, at the card's clock"

// What begins the line that says how many operations are lost.
#define QAIC_SUMMARY_CUT "opscope: the buffer was cut off: "

// A kind of work of a core. What is not there is NAN and prints as N/A.
struct qaic_row {
    double ucycles;
    double ucycles_percent; // of the core's
    double pcycles;
    double pcycles_percent;
    double count;
    double out_kb;
    double ucycles_per_kb;
    double pcycles_per_kb;
    double deviation;    // of pcycles per KB
    struct view details; // "aicsoftmax HVX TCM (float16)", "sync HMX"
};

struct qaic_thread {
    struct view group;   // "HVX"
    uint64_t start, end; // UTIMER
    uint64_t ucycles, pcycles;
    double utilization;     // percent; NAN: not known
    uint64_t *port_ucycles; // by port of the summary
    bool has_activation;
    uint64_t activation;
};

struct qaic_core {
    uint32_t number;
    struct qaic_row *rows;
    size_t row_count;
    uint64_t ucycles, pcycles; // of the thread that took most
    struct qaic_thread *threads;
    size_t thread_count;
    bool has_inference;
    uint64_t inference_pcycles;
    double frequency; // MHz
    size_t port_count;
    uint32_t *ports; // numbers: 100 is the host's input, 101 its output
};

struct qaic_summary {
    struct arena arena;
    struct view specialization; // "": none is named
    struct qaic_core *cores;
    size_t core_count;
    struct view network;
    bool has_total;
    uint64_t start, end;
    struct view batch_rate, inference_rate; // "(1/0.0231603): 43.1774"
    bool has_waits;
    uint64_t input_wait, output_wait;
    struct bytes notes; // lines that are not the vendor's: "opscope: c00 DDR ..."
    bool modelled;      // one of them says that times are
    uint64_t cut;       // operations that are lost, as one of them says
    uint64_t unread;    // lines that say nothing known
    size_t first_unread;
};

bool qaic_summary_recognise(struct view bytes);

// Lines that are not understood are counted. Fails where no core is left.
status qaic_summary_read(const struct input *input, struct qaic_summary **out_summary);
void qaic_summary_free(struct qaic_summary *summary);

void qaic_summary_write(const struct qaic_summary *summary, struct output *output);

#endif
