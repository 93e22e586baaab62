// mutate_programs COUNT SEED FOLDER FILE...: COUNT mutants of the programs, each with one field
// of one table changed and its checksums mended, are opened, proved and, when they are proved,
// run with one and with two workers. A mutant that ends the process, that takes too long
// without a graph in it, or whose answers differ is kept in FOLDER. Prints how many were
// refused, proved, run to their end; exit 1 when one failed.

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "program_mutator.h"
#include "program_prove_run.h"

// Of the processor, whoever else uses it; and until one that waits for ever is ended.
enum { SECONDS_MOST = 20, WAITING_MOST = 600 };

enum stage { STAGE_OPEN, STAGE_PROVE, STAGE_RUN_1, STAGE_RUN_2, STAGE_DONE };

static const char *const STAGES[] = {"opened", "proved", "run", "run with two workers", "done"};

// Kept across the processes.
struct counts {
    uint64_t at;
    enum stage stage;
    bool graphs; // the mutant has some: its loops may never end
    bool differs;
    uint64_t refused, proved, ran, stopped, failed;
};

struct file {
    const char *path;
    unsigned char *bytes;
    uint64_t size;
};

static bool read_file(struct file *file)
{
    FILE *stream = fopen(file->path, "rb");
    if (stream == NULL)
        return false;
    fseek(stream, 0, SEEK_END);
    file->size = (uint64_t)ftell(stream);
    rewind(stream);
    file->bytes = malloc(file->size + 1);
    const bool whole = fread(file->bytes, 1, file->size, stream) == file->size;
    fclose(stream);
    return whole;
}

static unsigned char *make_mutant(const struct file *file, uint64_t number, unsigned seed)
{
    unsigned state = (unsigned)(number * 2654435761u) ^ seed * 40503u;
    unsigned char *bytes = memory_allocate(file->size);
    memcpy(bytes, file->bytes, file->size);
    mutator_mutate(bytes, file->size, &state);
    mutator_sign(bytes, file->size);
    return bytes;
}

static void run_proved(struct counts *counts, const struct program *program,
                       const struct target *target)
{
    counts->proved++;
    counts->graphs = program->graph_count > 0;
    counts->stage = STAGE_RUN_1;
    const uint64_t first = prove_run(program, target, 1);
    counts->stage = STAGE_RUN_2;
    const uint64_t second = prove_run(program, target, 2);
    counts->differs = first != second;
    counts->ran += first != 0;
    if (counts->differs)
        _exit(1);
}

static void try_mutant(struct counts *counts, const struct file *file, unsigned seed)
{
    unsigned char *bytes = make_mutant(file, counts->at, seed);
    struct program *program;
    struct target *target;
    struct verify_counts said;
    counts->stage = STAGE_OPEN;
    counts->graphs = counts->differs = false;
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS_MOST}};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(WAITING_MOST);
    status failure = program_read(
        input_over("mutant", (struct view){(const char *)bytes, file->size}), &program);
    if (failure == STATUS_OK) {
        failure = target_parse("mutant", program->target_text, &target);
        if (failure == STATUS_OK) {
            counts->stage = STAGE_PROVE;
            failure = program_verify(program, target, &said);
            if (failure == STATUS_OK)
                run_proved(counts, program, target);
            target_free(target);
        }
        program_free(program);
    }
    counts->refused += failure != STATUS_OK;
    status_free(failure);
    counts->stage = STAGE_DONE;
    free(bytes);
}

static void keep(const struct counts *counts, const struct file *file, unsigned seed,
                 const char *folder)
{
    char path[4096];
    unsigned char *bytes = make_mutant(file, counts->at, seed);
    snprintf(path, sizeof path, "%s/%llu.opx", folder, (unsigned long long)counts->at);
    FILE *stream = fopen(path, "wb");
    if (stream != NULL) {
        fwrite(bytes, 1, file->size, stream);
        fclose(stream);
    }
    fprintf(stderr, "%s: of %s: failed while it was %s%s\n", path, file->path,
            STAGES[counts->stage], counts->differs ? ": another answer" : "");
    free(bytes);
}

// Mutants one after the other, in a process of their own until one of them ends it.
static void try_some(struct counts *counts, uint64_t end, const struct file *files,
                     uint64_t file_count, unsigned seed, const char *folder)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        for (; counts->at < end; counts->at++)
            try_mutant(counts, &files[counts->at % file_count], seed);
        exit(0);
    }
    int said = 0;
    waitpid(child, &said, 0);
    if (said == 0 && counts->at >= end)
        return;
    // What leaks is told when all are done.
    const bool late = counts->at >= end;
    const bool stopped =
        WIFSIGNALED(said) && (WTERMSIG(said) == SIGALRM || WTERMSIG(said) == SIGPROF);
    if (stopped && counts->graphs && counts->stage >= STAGE_RUN_1) {
        counts->stopped++;
    } else {
        counts->failed++;
        if (!late)
            keep(counts, &files[counts->at % file_count], seed, folder);
    }
    counts->at++;
}

int main(int count, char **words)
{
    enum { BATCH = 2000 };
    if (count < 5) {
        fprintf(stderr, "mutate_programs COUNT SEED FOLDER FILE...\n");
        return 2;
    }
    const uint64_t mutants = strtoull(words[1], NULL, 10);
    const unsigned seed = (unsigned)strtoul(words[2], NULL, 10);
    const uint64_t file_count = (uint64_t)count - 4;
    struct file *files = memory_allocate_zeroed(file_count, sizeof *files);
    for (uint64_t i = 0; i < file_count; i++) {
        files[i].path = words[i + 4];
        if (!read_file(&files[i])) {
            perror(files[i].path);
            return 2;
        }
    }
    struct counts *counts =
        mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        return 2;
    while (counts->at < mutants) {
        const uint64_t end = counts->at + BATCH < mutants ? counts->at + BATCH : mutants;
        try_some(counts, end, files, file_count, seed, words[3]);
    }
    printf("%llu mutants: %llu refused, %llu proved, of which %llu gave an answer and %llu were "
           "stopped; %llu failed\n",
           (unsigned long long)mutants, (unsigned long long)counts->refused,
           (unsigned long long)counts->proved, (unsigned long long)counts->ran,
           (unsigned long long)counts->stopped, (unsigned long long)counts->failed);
    for (uint64_t i = 0; i < file_count; i++)
        free(files[i].bytes);
    free(files);
    return counts->failed > 0;
}
