// Any bytes as a compiled program, with right checksums: opened, printed, proved,
// estimated, and run when it is proved and small. What is invented are mostly fields of
// tables, as a list of bytes would hardly ever be a program.

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "device/sim.h"
#include "program/print.h"
#include "../tools/program_mutator.h"
#include "../tools/program_prove_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
// Of libFuzzer; not there when seeds are replayed.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (rand_r(&seed) % 16 == 0 && LLVMFuzzerMutate != NULL)
        return LLVMFuzzerMutate(data, size, most);
    for (unsigned changes = 1 + (unsigned)rand_r(&seed) % 3; changes > 0; changes--)
        mutator_mutate(data, size, &seed);
    return size;
}

static void estimate(const struct program *program, const struct target *target)
{
    for (int rules = COST_RULES_BEST; rules <= COST_RULES_PUBLIC; rules++) {
        struct sim_result *result;
        const status failure = sim_run(program, target, (enum cost_rules)rules, &result);
        if (failure == STATUS_OK)
            sim_result_free(result);
        status_free(failure);
    }
}

// Loops may never end; branches do.
static bool may_loop(const struct program *program)
{
    static const char *const LOOPS[] = {"Loop", "tosa.while_loop"};
    for (uint32_t i = 0; i < program->node_count; i++) {
        for (size_t j = 0; j < sizeof LOOPS / sizeof *LOOPS; j++) {
            if (strcmp(program_text(program, program->nodes[i].type), LOOPS[j]) == 0)
                return true;
        }
    }
    return false;
}

static void run_both_ways(const struct program *program, const struct target *target)
{
    if (prove_run(program, target, 1) != prove_run(program, target, 2))
        abort();
}

// In a process of its own, which is stopped: nothing but time may end it.
static void run_with_loops(const struct program *program, const struct target *target)
{
    enum { SECONDS_MOST = 2 };
    const pid_t child = fork();
    if (child < 0)
        return;
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(SECONDS_MOST);
        run_both_ways(program, target);
        _exit(0);
    }
    int said = 0;
    if (waitpid(child, &said, 0) == child && said != 0 &&
        !(WIFSIGNALED(said) && WTERMSIG(said) == SIGALRM))
        abort();
}

static void use(const struct program *program)
{
    struct target *target;
    struct output *output;
    struct verify_counts counts;
    status failure = target_parse("fuzz", program->target_text, &target);
    if (failure == STATUS_OK) {
        if (output_open("/dev/null", &output) == STATUS_OK) {
            program_print(program, target, PROGRAM_PRINT_ALL, output);
            status_free(output_close(output));
        }
        estimate(program, target);
        failure = program_verify(program, target, &counts);
        if (failure == STATUS_OK && may_loop(program))
            run_with_loops(program, target);
        else if (failure == STATUS_OK)
            run_both_ways(program, target);
        target_free(target);
    }
    status_free(failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = memory_allocate(size);
    if (size > 0)
        memcpy(bytes, data, size);
    mutator_sign(bytes, size);
    struct program *program;
    const status failure =
        program_read(input_over("fuzz", (struct view){(const char *)bytes, size}), &program);
    if (failure == STATUS_OK) {
        use(program);
        program_free(program);
    }
    status_free(failure);
    free(bytes);
    return 0;
}
