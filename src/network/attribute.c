#include "attribute.h"

const struct attribute *attribute_find(struct attributes attributes, const char *name,
                                       enum attribute_kind kind)
{
    const struct view wanted = view_of(name);
    for (uint32_t i = 0; i < attributes.count; i++) {
        const struct attribute *attribute = &attributes.items[i];
        if (attribute->kind == kind && view_equal(attribute->name, wanted))
            return attribute;
    }
    return NULL;
}

bool attribute_given(struct attributes attributes, const char *name)
{
    for (uint32_t i = 0; i < attributes.count; i++) {
        if (view_is(attributes.items[i].name, name))
            return true;
    }
    return false;
}

int64_t attribute_integer(struct attributes attributes, const char *name, int64_t fallback)
{
    const struct view wanted = view_of(name);
    for (uint32_t i = 0; i < attributes.count; i++) {
        const struct attribute *item = &attributes.items[i];
        if (item->kind == ATTRIBUTE_INTEGER && view_equal(item->name, wanted))
            return item->integer;
        if (item->kind == ATTRIBUTE_INTEGERS && item->count == 1 && view_equal(item->name, wanted))
            return item->integers[0];
    }
    return fallback;
}

double attribute_real(struct attributes attributes, const char *name, double fallback)
{
    const struct attribute *found = attribute_find(attributes, name, ATTRIBUTE_REAL);
    if (found != NULL)
        return found->real;
    found = attribute_find(attributes, name, ATTRIBUTE_INTEGER);
    return found != NULL ? (double)found->integer : fallback;
}

struct view attribute_text(struct attributes attributes, const char *name, const char *fallback)
{
    const struct attribute *found = attribute_find(attributes, name, ATTRIBUTE_TEXT);
    return found != NULL ? found->text : view_of(fallback);
}

uint32_t attribute_integers(struct attributes attributes, const char *name,
                            const int64_t **out_items)
{
    const struct attribute *found = attribute_find(attributes, name, ATTRIBUTE_INTEGERS);
    if (found != NULL) {
        *out_items = found->integers;
        return found->count;
    }
    found = attribute_find(attributes, name, ATTRIBUTE_INTEGER);
    if (found == NULL)
        return 0;
    *out_items = &found->integer;
    return 1;
}

uint32_t attribute_reals(struct attributes attributes, const char *name, const double **out_items)
{
    const struct attribute *found = attribute_find(attributes, name, ATTRIBUTE_REALS);
    if (found == NULL)
        return 0;
    *out_items = found->reals;
    return found->count;
}
