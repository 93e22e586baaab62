// Small operations reports for the tests of the performance report.

#ifndef OPSCOPE_TESTS_UNIT_TT_PERF_SUPPORT_H
#define OPSCOPE_TESTS_UNIT_TT_PERF_SUPPORT_H

#include "reports/tenstorrent/perf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HEADER                                                                                     \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,"             \
    "HOST START TS,HOST DURATION [ns],OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],"          \
    "INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,INPUT_0_DATATYPE,INPUT_0_MEMORY,"                     \
    "INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,INPUT_1_DATATYPE,INPUT_1_MEMORY,"                     \
    "OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X,OUTPUT_0_DATATYPE,OUTPUT_0_MEMORY"

#define DRAM "DEV_0_DRAM_INTERLEAVED"
#define L1 "DEV_0_L1_BLOCK_SHARDED"

// A device operation without tensors: code, device, host start, gap, time.
#define PLAIN(code, device, start, gap, time)                                                      \
    code ",tt_dnn_device,1," device ",,,64," start ",1000," gap "," time ",,,,,,,,,,,,,,,,,,\r\n"
#define SIGNPOST(name, start) name ",signpost,,,,,," start ",,,,,,,,,,,,,,,,,,,,,\r\n"
#define TORCH(name, start)                                                                         \
    "(torch) " name ",python_fallback,1,,,,," start ",500,,,,,,,,,,,,,,,,,,,,\r\n"

// A matrix multiplication [M x K] x [K x N].
#define MATMUL(attributes, fidelity, cores, time, m, k, n, type0, memory0, type1, type2, memory2)  \
    "Matmul,tt_dnn_device,1,0," attributes "," fidelity "," cores ",1,1,0," time ",1,1," m "," k   \
    "," type0 "," memory0 ",1,1," k "," n "," type1 "," DRAM ",1,1," m "," n "," type2 "," memory2 \
    "\r\n"

struct fixture {
    char paths[4][64];
    size_t count;
    struct perf *perf;
};

static inline void add_file(struct fixture *fixture, const char *text)
{
    char *path = fixture->paths[fixture->count++];
    strcpy(path, "/tmp/test_tt_perf.XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

static inline status read_files(struct fixture *fixture, const struct perf_options *options)
{
    const char *paths[4];
    for (size_t i = 0; i < fixture->count; i++)
        paths[i] = fixture->paths[i];
    const status result = perf_read(paths, fixture->count, options, &fixture->perf);
    for (size_t i = 0; i < fixture->count; i++)
        unlink(fixture->paths[i]);
    return result;
}

static inline struct perf *read_text(const char *text, const struct perf_options *options)
{
    struct fixture fixture = {0};
    add_file(&fixture, text);
    const status failure = read_files(&fixture, options);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    return fixture.perf;
}

static inline void assert_value(struct perf_value value, double want, double tolerance)
{
    assert_true(value.known);
    if (fabs(value.value - want) > tolerance)
        fail_msg("%g instead of %g", value.value, want);
}

// Ids of the operations as a text: "2 3 5".
static inline void assert_ids(const struct perf *perf, const char *want)
{
    struct bytes ids = {0};
    for (size_t i = 0; i < perf->count; i++)
        bytes_append_format(&ids, "%s%llu", i > 0 ? " " : "", (unsigned long long)perf->ops[i].id);
    bytes_append(&ids, "", 1);
    assert_string_equal((const char *)ids.data, want);
    bytes_free(&ids);
}

#define DEVICES                                                                                    \
    HEADER "\r\n" PLAIN("A", "0", "10", "0", "1000") PLAIN("A", "1", "11", "0", "3000")            \
        PLAIN("AllGather", "0", "20", "100", "1000") PLAIN("AllGather", "1", "21", "100", "3000")

#endif
