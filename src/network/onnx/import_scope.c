#include <stdlib.h>

#include "base/memory.h"
#include "importer.h"

static struct binding *own(const struct scope *scope, struct view name, uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&scope->by_name, hash);
         (id = hash_next(&scope->by_name, hash, &at)) != HASH_NONE;) {
        if (view_equal(scope->bindings[id].name, name))
            return &scope->bindings[id];
    }
    return NULL;
}

struct binding *scope_own(const struct scope *scope, struct view name)
{
    return own(scope, name, hash_bytes(name.data, name.size));
}

const struct binding *scope_find(const struct scope *scope, struct view name)
{
    const uint32_t hash = hash_bytes(name.data, name.size);
    for (; scope != NULL; scope = scope->outer) {
        const struct binding *found = own(scope, name, hash);
        if (found != NULL)
            return found;
    }
    return NULL;
}

void scope_bind(struct scope *scope, struct view name, uint32_t value, enum binding_kind kind)
{
    scope->bindings =
        memory_grow(scope->bindings, scope->count, &scope->capacity, sizeof *scope->bindings);
    scope->bindings[scope->count] = (struct binding){name, value, kind};
    hash_add(&scope->by_name, hash_bytes(name.data, name.size), (uint32_t)scope->count);
    scope->count++;
}

void scope_free(struct scope *scope)
{
    free(scope->bindings);
    hash_free(&scope->by_name);
}
