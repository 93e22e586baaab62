#include "unread.h"

#include <stdlib.h>

#include "memory.h"

void unread_add(struct unread *unread, uint64_t line)
{
    unread->lines =
        memory_grow(unread->lines, unread->count, &unread->capacity, sizeof *unread->lines);
    unread->lines[unread->count++] = line;
}

// The first one: those that come later may be ends.
bool unread_explains_end(struct unread *unread, uint64_t line)
{
    if (unread->first == unread->count || unread->lines[unread->first] > line)
        return false;
    unread->first++;
    unread->explained++;
    return true;
}

bool unread_explains_begin(struct unread *unread, uint64_t line)
{
    if (unread->first == unread->count || unread->lines[unread->count - 1] < line)
        return false;
    unread->count--;
    unread->explained++;
    return true;
}

void unread_free(struct unread *unread)
{
    free(unread->lines);
    *unread = (struct unread){0};
}
