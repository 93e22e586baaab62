// Names of values, variables and locations.

#include "base/memory.h"
#include "import_graph.h"

struct name {
    struct view text;
    uint32_t first;
    uint32_t count;
    bool lives;
};

struct location_alias {
    struct view alias;
    struct view name;
    struct view text;
};

void tosa_names_start(struct tosa_importer *importer)
{
    segments_start(&importer->names, sizeof(struct name));
    segments_start(&importer->variables, sizeof(struct tosa_variable));
    segments_start(&importer->places, sizeof(struct location_alias));
}

// All three kinds of things start with the view that they are found by.
static uint32_t import_names_find(const struct segments *items, const struct hash_index *index,
                                  struct view key)
{
    const uint32_t hash = hash_bytes(key.data, key.size);
    uint32_t id;
    for (uint32_t at = hash_first(index, hash); (id = hash_next(index, hash, &at)) != HASH_NONE;) {
        const struct view *text = segments_get(items, id);
        if (view_equal(*text, key))
            return id;
    }
    return HASH_NONE;
}

static void *import_names_add(struct segments *items, struct hash_index *index, struct view key)
{
    struct view *item = segments_add(items);
    *item = key;
    hash_add(index, hash_bytes(key.data, key.size), items->count - 1);
    return item;
}

status tosa_name_define(struct tosa_importer *importer, struct view name, uint32_t first,
                        uint32_t count)
{
    uint32_t id = import_names_find(&importer->names, &importer->name_index, name);
    struct name *entry;
    if (id != HASH_NONE) {
        entry = segments_get(&importer->names, id);
        if (entry->lives)
            return mlir_failure(importer->document, name.data, "'%%%.*s' is defined twice",
                                VIEW_ARGUMENTS(name));
    } else {
        entry = import_names_add(&importer->names, &importer->name_index, name);
        id = importer->names.count - 1;
    }
    entry->first = first;
    entry->count = count;
    entry->lives = true;
    importer->scope = memory_grow(importer->scope, importer->scope_count, &importer->scope_capacity,
                                  sizeof *importer->scope);
    importer->scope[importer->scope_count++] = id;
    return STATUS_OK;
}

status tosa_name_find(struct tosa_importer *importer, const struct mlir_operand *operand,
                      uint32_t *out_value)
{
    const uint32_t id = import_names_find(&importer->names, &importer->name_index, operand->name);
    const struct name *entry = id != HASH_NONE ? segments_get(&importer->names, id) : NULL;
    if (entry == NULL || !entry->lives)
        return mlir_failure(importer->document, operand->name.data, "'%%%.*s' is not defined",
                            VIEW_ARGUMENTS(operand->name));
    if (operand->number >= entry->count)
        return mlir_failure(importer->document, operand->name.data, "'%%%.*s' has only %u results",
                            VIEW_ARGUMENTS(operand->name), entry->count);
    *out_value = entry->first + operand->number;
    return STATUS_OK;
}

void tosa_names_forget(struct tosa_importer *importer, size_t mark)
{
    while (importer->scope_count > mark) {
        struct name *entry =
            segments_get(&importer->names, importer->scope[--importer->scope_count]);
        entry->lives = false;
    }
}

struct tosa_variable *tosa_variable_find(struct tosa_importer *importer, struct view name)
{
    const uint32_t id = import_names_find(&importer->variables, &importer->variable_index, name);
    return id != HASH_NONE ? segments_get(&importer->variables, id) : NULL;
}

static struct view variable_name(const struct mlir_operation *operation)
{
    const struct mlir_attribute *name = mlir_find(operation, "sym_name");
    if (name == NULL)
        name = mlir_find(operation, "name");
    return name != NULL ? name->text : operation->symbol;
}

// The generic form has the type in two attributes: element and shape.
static status variable_type(struct tosa_importer *importer, const struct mlir_operation *operation,
                            const struct mlir_attribute *initial, struct value_type *out_type)
{
    const struct mlir_type *type = NULL;
    if (initial != NULL && initial->type != NULL)
        type = initial->type;
    else if (operation->operand_types.count == 1)
        type = operation->operand_types.items[0];
    const struct mlir_attribute *element = mlir_find(operation, "type");
    if (type != NULL)
        return tosa_value_type(importer, type, out_type);
    if (element == NULL || element->kind != MLIR_TYPE)
        return mlir_failure(importer->document, operation->text.data, "the variable has no type");
    STATUS_TRY(tosa_value_type(importer, element->type, out_type));
    const struct mlir_attribute *shape = mlir_find(operation, "var_shape");
    if (shape == NULL)
        return STATUS_OK;
    const int64_t *dims;
    uint32_t rank;
    STATUS_TRY(tosa_integers(importer, shape, &dims, &rank));
    if (rank > SHAPE_RANK_MOST)
        return mlir_failure(importer->document, shape->text.data, "too many dimensions");
    out_type->shape.rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        out_type->shape.dims[i] = dims[i] < 0 ? SHAPE_UNKNOWN : dims[i];
    return STATUS_OK;
}

status tosa_variable_define(struct tosa_importer *importer, const struct mlir_operation *operation)
{
    const struct view name = variable_name(operation);
    if (name.size == 0)
        return mlir_failure(importer->document, operation->text.data, "the variable has no name");
    if (tosa_variable_find(importer, name) != NULL)
        return mlir_failure(importer->document, operation->text.data, "'@%.*s' is defined twice",
                            VIEW_ARGUMENTS(name));
    const struct mlir_attribute *initial = mlir_find(operation, "initial_value");
    if (initial == NULL && operation->literal_count > 0)
        initial = &operation->literals[0];
    struct value_type type;
    STATUS_TRY(variable_type(importer, operation, initial, &type));
    uint32_t value = NETWORK_NONE;
    if (initial != NULL) {
        const struct constant *constant;
        if (!value_type_static(&type))
            return mlir_failure(importer->document, operation->text.data,
                                "the shape of the initial value is not known");
        STATUS_TRY(
            tosa_literal_read(&importer->literals, initial, type.element, &type.shape, &constant));
        value = tosa_constant_add(importer, constant);
    }
    struct tosa_variable *variable =
        import_names_add(&importer->variables, &importer->variable_index, name);
    variable->type = type;
    variable->value = value;
    return STATUS_OK;
}

void tosa_place(struct tosa_importer *importer, const struct mlir_location *location,
                struct view *out_name, struct view *out_text)
{
    *out_name = *out_text = (struct view){"", 0};
    if (location == NULL)
        return;
    const bool shared = location->kind == MLIR_AT_REFERENCE;
    const uint32_t known =
        shared ? import_names_find(&importer->places, &importer->place_index, location->text)
               : HASH_NONE;
    if (known != HASH_NONE) {
        const struct location_alias *place = segments_get(&importer->places, known);
        *out_name = place->name;
        *out_text = place->text;
        return;
    }
    struct arena *arena = &importer->network->arena;
    *out_name = mlir_location_name(importer->document, location, arena);
    *out_text = mlir_location_text(importer->document, location, arena);
    if (!shared)
        return;
    struct location_alias *place =
        import_names_add(&importer->places, &importer->place_index, location->text);
    place->name = *out_name;
    place->text = *out_text;
}
