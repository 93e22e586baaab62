#include <pthread.h>

#include "base/hash.h"
#include "kernel_tables.h"

static const struct kernel_table *const TABLES[] = {KERNEL_TABLES};

static const struct kernel *kernel_at(size_t index)
{
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        if (index < TABLES[i]->count)
            return &TABLES[i]->items[index];
        index -= TABLES[i]->count;
    }
    return NULL;
}

static struct hash_index by_name;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void index_names(void)
{
    const struct kernel *kernel;
    for (uint32_t i = 0; (kernel = kernel_at(i)) != NULL; i++)
        hash_add(&by_name, hash_bytes(kernel->name, strlen(kernel->name)), i);
}

kernel_function kernel_find(const struct operator_definition *definition)
{
    pthread_once(&once, index_names);
    const uint32_t hash = hash_bytes(definition->name, strlen(definition->name));
    uint32_t id;
    for (uint32_t at = hash_first(&by_name, hash);
         (id = hash_next(&by_name, hash, &at)) != HASH_NONE;) {
        const struct kernel *kernel = kernel_at(id);
        if (strcmp(kernel->name, definition->name) == 0)
            return kernel->run;
    }
    return NULL;
}
