#include "onednn_engine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/recovery.h"
#include "isa.h"

#define TEXT_OF(number) #number
#define LIBRARY_OF(version) "libdnnl.so." TEXT_OF(version)

struct onednn_functions onednn;

// Of the OpenMP library that oneDNN was built with.
static void (*set_thread_count)(int threads);
static dnnl_engine_t engine;
static pthread_once_t engine_once = PTHREAD_ONCE_INIT;

// It stays loaded as long as the process lives.
static bool load_functions(void)
{
    void *library = dlopen(LIBRARY_OF(DNNL_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    recovery_watch_library(library);
    void *found = dlsym(library, "omp_set_num_threads");
    bool complete = found != NULL;
    memcpy(&set_thread_count, &found, sizeof found);
#define LOOK_UP(name)                                                                              \
    found = dlsym(library, "dnnl_" #name);                                                         \
    complete = complete && found != NULL;                                                          \
    memcpy(&onednn.name, &found, sizeof found);
    ONEDNN_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return complete;
}

// Before anything else is asked of oneDNN: from then on it keeps its choice.
static void limit_isa(void)
{
    enum isa limit;
    if (isa_is_limited(&limit) && limit < ISA_AVX512)
        onednn.set_max_cpu_isa(limit == ISA_AVX2 ? dnnl_cpu_isa_avx2 : dnnl_cpu_isa_sse41);
}

static void create_engine(void)
{
    if (!load_functions())
        return;
    limit_isa();
    if (onednn.engine_create(&engine, dnnl_cpu, 0) != dnnl_success)
        engine = NULL;
}

dnnl_engine_t onednn_engine(void)
{
    pthread_once(&engine_once, create_engine);
    return engine;
}

void onednn_single_thread(void)
{
    set_thread_count(1);
}
