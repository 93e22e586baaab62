// Loops that are worth compiling twice: for every x86-64, and for those with
// AVX2, chosen when the program starts. Without FMA, so that both give the same
// bits. Sanitizers do not get along with the choosing.

#ifndef OPSCOPE_KERNELS_CORE_CLONES_H
#define OPSCOPE_KERNELS_CORE_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) &&                        \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CORE_CLONES __attribute__((target_clones("default", "avx2")))
#else
#define CORE_CLONES
#endif

#endif
