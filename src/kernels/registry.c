#include <pthread.h>

#include "base/memory.h"
#include "kernel_tables.h"

static const struct kernel_table *const TABLES[] = {KERNEL_TABLES};

static kernel_function *by_id; // of the operator
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void index_kernels(void)
{
    by_id = memory_allocate_zeroed(operator_count(), sizeof(*by_id));
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        for (size_t j = 0; j < TABLES[i]->count; j++) {
            const struct kernel *kernel = &TABLES[i]->items[j];
            const struct operator_definition *definition =
                operator_find(view_of(""), view_of(kernel->name));
            if (definition != NULL)
                by_id[definition->id] = kernel->run;
        }
    }
}

kernel_function kernel_find(const struct operator_definition *definition)
{
    pthread_once(&once, index_kernels);
    return by_id[definition->id];
}

const char *kernel_name_at(size_t index)
{
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        if (index < TABLES[i]->count)
            return TABLES[i]->items[index].name;
        index -= TABLES[i]->count;
    }
    return NULL;
}
