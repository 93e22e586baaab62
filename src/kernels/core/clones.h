// Loops that are worth compiling several times: for every x86-64, for those with AVX2
// and those with AVX-512, chosen by isa.h when they are called. Products and sums are not
// fused, so that all give the same bits. In place of a function's head,
//
//     CORE_CLONES(void, add_row, (const float *from, float *to, int64_t count),
//                 (from, to, count))
//     {
//
// makes a static function; the last are the names of its parameters. Sanitizers do not
// get along with vectors on the stack (gcc's PR 110027), so there is one for them.

#ifndef OPSCOPE_KERNELS_CORE_CLONES_H
#define OPSCOPE_KERNELS_CORE_CLONES_H

#include "isa.h"

// The arguments may be macros themselves.
#define CORE_CLONES(type, name, parameters, arguments)                                             \
    CORE_CLONES_EXPANDED(type, name, parameters, arguments)

#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&                \
    !defined(__SANITIZE_THREAD__)
#define CORE_CLONES_AVX2 __attribute__((target("avx2")))
#define CORE_CLONES_AVX512                                                                         \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt," \
               "prefer-vector-width=512")))
#define CORE_CLONES_EXPANDED(type, name, parameters, arguments)                                    \
    static inline __attribute__((always_inline)) type name##_body parameters;                      \
    static type name##_sse parameters                                                              \
    {                                                                                              \
        return name##_body arguments;                                                              \
    }                                                                                              \
    CORE_CLONES_AVX2 static type name##_avx2 parameters                                            \
    {                                                                                              \
        return name##_body arguments;                                                              \
    }                                                                                              \
    CORE_CLONES_AVX512 static type name##_avx512 parameters                                        \
    {                                                                                              \
        return name##_body arguments;                                                              \
    }                                                                                              \
    static type name parameters                                                                    \
    {                                                                                              \
        const enum isa isa = isa_used();                                                           \
        if (isa >= ISA_AVX512)                                                                     \
            return name##_avx512 arguments;                                                        \
        return isa == ISA_AVX2 ? name##_avx2 arguments : name##_sse arguments;                     \
    }                                                                                              \
    static inline type name##_body parameters
#else
#define CORE_CLONES_EXPANDED(type, name, parameters, arguments) static type name parameters
#endif

#endif
