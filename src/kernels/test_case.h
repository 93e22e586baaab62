// Test cases in ONNX's layout: a folder with model.onnx and folders
// test_data_set_N, which hold input_K.pb and output_K.pb.

#ifndef OPSCOPE_KERNELS_TEST_CASE_H
#define OPSCOPE_KERNELS_TEST_CASE_H

#include "network/compare.h"
#include "network/network.h"

enum test_case_status {
    TEST_CASE_PASS,
    TEST_CASE_FAIL,  // computed something else
    TEST_CASE_ERROR, // could not be computed
    TEST_CASE_SKIP,  // there is nothing to compare with
};

const char *test_case_status_name(enum test_case_status outcome);

// What computes the networks: open, run as executor_run does, close.
struct test_case_engine {
    status (*open)(struct network *network, unsigned threads, void **out_context);
    status (*run)(void *context, struct datum *const *inputs, size_t input_count,
                  struct datum **out_outputs);
    void (*close)(void *context);
};

struct test_case_options {
    struct compare_tolerance tolerance;
    const char *conversion;                // as network_options has it; may be NULL
    unsigned threads;                      // as in executor.h
    const struct test_case_engine *engine; // NULL: the plain executor
};

enum { TEST_CASE_REASON_MOST = 600 };

// Holds no pointers, so that it can come from another process.
struct test_case_result {
    enum test_case_status status;
    bool compared; // `max_abs` and `max_rel` are known
    double max_abs;
    double max_rel;
    unsigned data_sets;
    char reason[TEST_CASE_REASON_MOST]; // "" for a pass
};

enum { TEST_CASE_DEPTH_MOST = 16 };

struct test_case_list {
    char **paths;
    size_t count;
    size_t capacity;
};

// Appends the paths of the cases at or below `folder`, sorted. Links to folders are
// followed as long as the path has at most TEST_CASE_DEPTH_MOST steps. Fails when
// `folder` is none.
status test_case_find(const char *folder, struct test_case_list *list);
void test_case_list_free(struct test_case_list *list);

// Runs all data sets of the case in `folder`. Whatever goes wrong is in the result.
void test_case_run(const char *folder, const struct test_case_options *options,
                   struct test_case_result *out_result);

#endif
