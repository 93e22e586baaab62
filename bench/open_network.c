// Opens a network as a command does, and says how long it took and what it left in
// memory:
//     open_network FILE ROUNDS
// prints {"ms": [...], "nodes": N, "anonymous": BYTES, "file": BYTES}, where the memory
// is that of the process while the last one is open.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/executor.h"

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static unsigned long long resident(const char *key)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtoull(line + strlen(key), NULL, 10);
    }
    fclose(file);
    return kib * 1024;
}

static struct network *open_timed(const char *path, double *out_ms)
{
    struct network *network;
    const double start = now_ms();
    const status failure = network_open(path, NULL, &network);
    *out_ms = now_ms() - start;
    if (failure == STATUS_OK)
        return network;
    fprintf(stderr, "open_network: %s\n", status_message(failure));
    exit(1);
}

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: open_network FILE ROUNDS\n");
        return 2;
    }
    executor_fold_constants();
    struct network *network = NULL;
    const long rounds = strtol(words[2], NULL, 10);
    printf("{\"ms\": [");
    for (long i = 0; i < rounds; i++) {
        double ms;
        network_free(network);
        network = open_timed(words[1], &ms);
        printf("%s%.4f", i > 0 ? ", " : "", ms);
    }
    printf("], \"nodes\": %u, \"anonymous\": %llu, \"file\": %llu}\n",
           network != NULL ? network->nodes.count : 0, resident("RssAnon:"), resident("RssFile:"));
    network_free(network);
    return 0;
}
