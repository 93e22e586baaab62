#include "layouts.h"

#include <string.h>
#include <strings.h>

bool layouts_matter(const struct shape *shape)
{
    uint32_t longer = 0;
    for (uint32_t i = 0; i < shape->rank; i++)
        longer += shape->dims[i] > 1;
    return longer > 1;
}

bool layouts_names(const char *word, const struct operator_definition *definition)
{
    const char *dot = strrchr(definition->name, '.');
    return strcasecmp(dot != NULL ? dot + 1 : definition->name, word) == 0;
}

bool layouts_either(const struct target *target, uint32_t engine,
                    const struct operator_definition *definition)
{
    const char *const *either = target->engines[engine].either;
    for (size_t i = 0; either != NULL && either[i] != NULL; i++) {
        if (strcmp(either[i], "*") == 0 ||
            strcmp(either[i], operator_class_name(definition->class)) == 0 ||
            layouts_names(either[i], definition))
            return true;
    }
    return false;
}

bool layouts_view(const struct shape *from, const struct shape *to)
{
    return from->rank > 1 && to->rank > 1 && from->dims[from->rank - 1] == to->dims[to->rank - 1] &&
           from->dims[from->rank - 2] == to->dims[to->rank - 2];
}

bool layouts_is_packed(const struct program *program, const struct program_buffer *buffer)
{
    return buffer->value != PROGRAM_NONE && program->values[buffer->value].layout == PROGRAM_PACKED;
}
