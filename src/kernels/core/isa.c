#include "isa.h"

#include <stdlib.h>
#include <string.h>

static const char VARIABLE[] = "OPSCOPE_ISA";
static const char *const NAMES[ISA_COUNT] = {"sse4", "avx2", "avx512", "vnni"};

enum isa isa_chosen;

// ISA_COUNT: not set, or not known.
static enum isa asked = ISA_COUNT;

static enum isa isa_of_the_processor(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return ISA_SSE4;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return __builtin_cpu_supports("avx512vnni") ? ISA_VNNI : ISA_AVX512;
    return ISA_AVX2;
#else
    return ISA_SSE4;
#endif
}

bool isa_avx2_has_vnni(void)
{
#if defined(__x86_64__) && !defined(__clang__)
    return isa_chosen == ISA_AVX2 && asked == ISA_COUNT && __builtin_cpu_supports("avxvnni");
#else
    return false;
#endif
}

void isa_limit(enum isa limit)
{
    const enum isa most = isa_of_the_processor();
    isa_chosen = limit < most ? limit : most;
}

__attribute__((constructor)) static void isa_read(void)
{
    const char *word = getenv(VARIABLE);
    for (enum isa isa = 0; word != NULL && isa < ISA_COUNT; isa++)
        if (strcmp(word, NAMES[isa]) == 0)
            asked = isa;
    isa_limit(asked);
}

status isa_check(void)
{
    const char *word = getenv(VARIABLE);
    if (word == NULL || word[0] == '\0' || asked != ISA_COUNT)
        return STATUS_OK;
    return status_make(STATUS_USAGE, "%s: '%s' is none of sse4, avx2, avx512, vnni", VARIABLE,
                       word);
}

bool isa_is_limited(enum isa *out_limit)
{
    *out_limit = asked;
    return asked != ISA_COUNT;
}
