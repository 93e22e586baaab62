#include "kernel_tables.h"

static const struct kernel_table *const TABLES[] = {KERNEL_TABLES};

kernel_function kernel_find(const struct operator_definition *definition)
{
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        for (size_t j = 0; j < TABLES[i]->count; j++) {
            if (strcmp(TABLES[i]->items[j].name, definition->name) == 0)
                return TABLES[i]->items[j].run;
        }
    }
    return NULL;
}
