// Types and attributes of MLIR as those of a network.

#include "importer.h"

// The element of a type inside a tensor. A quantized type is stored as its first
// parameter says: !quant.uniform<i8:f32, 0.1:3>.
static enum element tosa_import_attribute_element_of(const struct mlir_type *type)
{
    if (type->kind == MLIR_SCALAR)
        return view_is(type->name, "index") ? ELEMENT_I64 : element_named(type->name);
    if (type->kind == MLIR_OPAQUE && view_starts_with(type->name, "quant.")) {
        size_t end = 0;
        while (end < type->body.size && type->body.data[end] != ':' && type->body.data[end] != '<')
            end++;
        return element_named(view_trim(view_slice(type->body, 0, end)));
    }
    return ELEMENT_NONE;
}

static status tensor_type(struct tosa_importer *importer, const struct mlir_type *type,
                          struct value_type *out_type)
{
    const struct mlir_type *inner;
    STATUS_TRY(mlir_type_resolve(importer->document, type->element, &inner));
    const enum element element = tosa_import_attribute_element_of(inner);
    if (element == ELEMENT_NONE)
        return mlir_failure(importer->document, type->text.data,
                            "elements of type '%.*s' are not supported",
                            VIEW_ARGUMENTS(inner->text));
    *out_type = value_type_unranked(element);
    if (!type->ranked)
        return STATUS_OK;
    if (type->rank > SHAPE_RANK_MOST)
        return mlir_failure(importer->document, type->text.data, "more than %d dimensions",
                            SHAPE_RANK_MOST);
    out_type->ranked = true;
    out_type->shape.rank = type->rank;
    for (uint32_t i = 0; i < type->rank; i++)
        out_type->shape.dims[i] = type->dims[i];
    uint64_t count;
    if (!shape_known(&out_type->shape))
        return STATUS_OK;
    const status failure = shape_elements(&out_type->shape, &count);
    if (failure == STATUS_OK)
        return STATUS_OK;
    status_free(failure);
    return mlir_failure(importer->document, type->text.data, "the tensor is too large");
}

status tosa_value_type(struct tosa_importer *importer, const struct mlir_type *type,
                       struct value_type *out_type)
{
    STATUS_TRY(mlir_type_resolve(importer->document, type, &type));
    if (type->kind == MLIR_TENSOR)
        return tensor_type(importer, type, out_type);
    struct shape shape = {0};
    int64_t length;
    if (type->kind == MLIR_OPAQUE && view_is(type->name, "tosa.shape") &&
        view_to_i64(view_trim(type->body), &length) && length >= 0 && length <= UINT16_MAX) {
        shape.rank = 1;
        shape.dims[0] = length;
        *out_type = value_type_tensor(ELEMENT_I64, &shape);
        return STATUS_OK;
    }
    const enum element element = tosa_import_attribute_element_of(type);
    if (type->kind != MLIR_SCALAR || element == ELEMENT_NONE)
        return mlir_failure(importer->document, type->text.data,
                            "expected a tensor instead of '%.*s'", VIEW_ARGUMENTS(type->text));
    *out_type = value_type_tensor(element, &shape);
    return STATUS_OK;
}

// Numbers in brackets: integers, or reals if one of them is.
static bool items_are(const struct mlir_attribute *list, enum mlir_attribute_kind kind)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const enum mlir_attribute_kind item = list->items[i].kind;
        if (item != kind && !(kind == MLIR_INTEGER && item == MLIR_BOOL))
            return false;
    }
    return true;
}

static status list_integers(struct tosa_importer *importer, const struct mlir_attribute *list,
                            const int64_t **out_items, uint32_t *out_count)
{
    int64_t *items = arena_allocate(&importer->network->arena, (size_t)list->count * sizeof *items);
    for (uint32_t i = 0; i < list->count; i++) {
        if (!mlir_integer_of(&list->items[i], &items[i]))
            return mlir_failure(importer->document, list->items[i].text.data,
                                "expected an integer that fits 64 bits");
    }
    *out_items = items;
    *out_count = list->count;
    return STATUS_OK;
}

// A splat may claim any number.
enum { LIST_MOST = 4096 };

// dense<[...]> : tensor<4xi64>
static status dense_integers(struct tosa_importer *importer, const struct mlir_attribute *dense,
                             const int64_t **out_items, uint32_t *out_count)
{
    struct value_type type;
    const struct constant *constant;
    if (dense->type == NULL)
        return mlir_failure(importer->document, dense->text.data, "expected a type at the end");
    STATUS_TRY(tosa_value_type(importer, dense->type, &type));
    if (!value_type_static(&type) || element_is_float(type.element))
        return mlir_failure(importer->document, dense->text.data, "expected integers");
    STATUS_TRY(tosa_literal_read(&importer->literals, dense, type.element, &type.shape, &constant));
    const uint64_t count = tensor_count(&constant->tensor);
    if (count > LIST_MOST)
        return mlir_failure(importer->document, dense->text.data, "more than %d integers",
                            LIST_MOST);
    int64_t *items = arena_allocate(&importer->network->arena, count * sizeof *items);
    for (uint64_t i = 0; i < count; i++)
        items[i] = constant_integer(constant, i);
    *out_items = items;
    *out_count = (uint32_t)count;
    return STATUS_OK;
}

status tosa_integers(struct tosa_importer *importer, const struct mlir_attribute *source,
                     const int64_t **out_items, uint32_t *out_count)
{
    STATUS_TRY(mlir_attribute_resolve(importer->document, source, &source));
    const struct mlir_attribute single = {.items = source, .count = 1};
    switch (source->kind) {
    case MLIR_NUMBERS:
        return tosa_literal_integers(&importer->literals, source, out_items, out_count);
    case MLIR_ARRAY:
        return list_integers(importer, source, out_items, out_count);
    case MLIR_DENSE:
        return dense_integers(importer, source, out_items, out_count);
    case MLIR_INTEGER:
    case MLIR_BOOL:
        return list_integers(importer, &single, out_items, out_count);
    default:
        return mlir_failure(importer->document, source->text.data, "expected integers");
    }
}

static void tosa_import_attribute_set_text(struct attribute *attribute, struct view text)
{
    attribute->kind = ATTRIBUTE_TEXT;
    attribute->text = text;
}

static bool is_keyword(struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char byte = text.data[i];
        if ((unsigned)((byte | 32) - 'a') > 25 && (unsigned)(byte - '0') > 9 && byte != '_')
            return false;
    }
    return text.size > 0;
}

static status tosa_import_attribute_set_number(struct tosa_importer *importer,
                                               const struct mlir_attribute *source,
                                               struct attribute *attribute)
{
    enum element element = ELEMENT_F64;
    if (source->type != NULL && source->type->kind == MLIR_SCALAR)
        element = tosa_import_attribute_element_of(source->type);
    if (source->kind == MLIR_REAL || element_is_float(element)) {
        if (source->type != NULL || source->kind == MLIR_REAL) {
            attribute->kind = ATTRIBUTE_REAL;
            return tosa_literal_real(&importer->literals, source,
                                     element_is_float(element) ? element : ELEMENT_F64,
                                     &attribute->real);
        }
    }
    attribute->kind = ATTRIBUTE_INTEGER;
    if (!mlir_integer_of(source, &attribute->integer))
        return mlir_failure(importer->document, source->text.data,
                            "expected an integer that fits 64 bits");
    return STATUS_OK;
}

static status set_list(struct tosa_importer *importer, const struct mlir_attribute *source,
                       struct attribute *attribute)
{
    struct arena *arena = &importer->network->arena;
    attribute->count = source->count;
    if (items_are(source, MLIR_INTEGER)) {
        attribute->kind = ATTRIBUTE_INTEGERS;
        return list_integers(importer, source, &attribute->integers, &attribute->count);
    }
    if (items_are(source, MLIR_TEXT)) {
        struct view *texts = arena_allocate(arena, (size_t)source->count * sizeof *texts);
        for (uint32_t i = 0; i < source->count; i++)
            texts[i] = mlir_unescape(source->items[i].text, arena);
        attribute->kind = ATTRIBUTE_TEXTS;
        attribute->texts = texts;
        return STATUS_OK;
    }
    if (items_are(source, MLIR_REAL)) {
        double *reals = arena_allocate(arena, (size_t)source->count * sizeof *reals);
        for (uint32_t i = 0; i < source->count; i++)
            STATUS_TRY(
                tosa_literal_real(&importer->literals, &source->items[i], ELEMENT_F64, &reals[i]));
        attribute->kind = ATTRIBUTE_REALS;
        attribute->reals = reals;
        return STATUS_OK;
    }
    tosa_import_attribute_set_text(attribute, source->text);
    return STATUS_OK;
}

// The element that a type attribute names is all that operators ask for.
static status tosa_import_attribute_set_type(struct tosa_importer *importer,
                                             const struct mlir_attribute *source,
                                             struct attribute *attribute)
{
    const enum element element = tosa_import_attribute_element_of(source->type);
    if (element == ELEMENT_NONE) {
        tosa_import_attribute_set_text(attribute, source->text);
        return STATUS_OK;
    }
    const struct shape scalar = {0};
    struct value_type *type = arena_allocate(&importer->network->arena, sizeof *type);
    *type = value_type_tensor(element, &scalar);
    attribute->kind = ATTRIBUTE_TYPE;
    attribute->type = type;
    return STATUS_OK;
}

static status tosa_import_attribute_set_tensor(struct tosa_importer *importer,
                                               const struct mlir_attribute *source,
                                               struct attribute *attribute)
{
    struct value_type type;
    if (source->type == NULL)
        return mlir_failure(importer->document, source->text.data, "expected a type at the end");
    STATUS_TRY(tosa_value_type(importer, source->type, &type));
    if (!value_type_static(&type))
        return mlir_failure(importer->document, source->text.data, "expected a known shape");
    attribute->kind = ATTRIBUTE_TENSOR;
    return tosa_literal_read(&importer->literals, source, type.element, &type.shape,
                             &attribute->tensor);
}

status tosa_attribute(struct tosa_importer *importer, const struct mlir_attribute *source,
                      struct attribute *out_attribute)
{
    *out_attribute = (struct attribute){.name = source->key};
    STATUS_TRY(mlir_attribute_resolve(importer->document, source, &source));
    switch (source->kind) {
    case MLIR_UNIT:
        out_attribute->kind = ATTRIBUTE_INTEGER;
        out_attribute->integer = 1;
        return STATUS_OK;
    case MLIR_BOOL:
    case MLIR_INTEGER:
    case MLIR_REAL:
        return tosa_import_attribute_set_number(importer, source, out_attribute);
    case MLIR_NUMBERS:
        if (source->name.size > 0 && source->name.data[0] == 'f') {
            out_attribute->kind = ATTRIBUTE_REALS;
            return tosa_literal_reals(&importer->literals, source, &out_attribute->reals,
                                      &out_attribute->count);
        }
        out_attribute->kind = ATTRIBUTE_INTEGERS;
        return tosa_literal_integers(&importer->literals, source, &out_attribute->integers,
                                     &out_attribute->count);
    case MLIR_ARRAY:
        return set_list(importer, source, out_attribute);
    case MLIR_DENSE:
    case MLIR_RESOURCE:
        return tosa_import_attribute_set_tensor(importer, source, out_attribute);
    case MLIR_TYPE:
        return tosa_import_attribute_set_type(importer, source, out_attribute);
    case MLIR_TEXT:
        tosa_import_attribute_set_text(out_attribute,
                                       mlir_unescape(source->text, &importer->network->arena));
        return STATUS_OK;
    case MLIR_SYMBOL:
        tosa_import_attribute_set_text(out_attribute,
                                       view_slice(source->text, 1, source->text.size));
        return STATUS_OK;
    default:
        // #tosa.nan_mode<PROPAGATE> is what a pretty form calls PROPAGATE.
        tosa_import_attribute_set_text(out_attribute,
                                       is_keyword(source->body) ? source->body : source->text);
        return STATUS_OK;
    }
}
