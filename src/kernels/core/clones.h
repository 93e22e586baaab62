// Loops that are worth compiling several times: for every x86-64, for those with AVX2
// and those with AVX-512, chosen when the program starts. Products and sums are not
// fused, so that all give the same bits. Sanitizers do not get along with the choosing.

#ifndef OPSCOPE_KERNELS_CORE_CLONES_H
#define OPSCOPE_KERNELS_CORE_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) &&                        \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CORE_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define CORE_CLONES
#endif

#endif
