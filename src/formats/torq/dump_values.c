#include "dump_values.h"

#include <stdlib.h>

#include "base/memory.h"
#include "dump_ndl.h"
#include "network/element.h"

static uint32_t dump_values_hash_of(struct view name, uint32_t number)
{
    return hash_bytes(name.data, name.size) ^ number;
}

static struct dump_value *dump_values_find(const struct dump_scope *scope, struct view name,
                                           uint32_t number)
{
    const uint32_t hash = dump_values_hash_of(name, number);
    uint32_t id;
    for (uint32_t at = hash_first(&scope->index, hash);
         (id = hash_next(&scope->index, hash, &at)) != HASH_NONE;) {
        struct dump_value *value = &scope->items[id];
        if (value->number == number && view_equal(value->name, name))
            return value;
    }
    return NULL;
}

void dump_scope_add(struct dump_scope *scope, struct dump_value value)
{
    struct dump_value *known = dump_values_find(scope, value.name, value.number);
    if (known != NULL) {
        *known = value;
        return;
    }
    scope->items = memory_grow(scope->items, scope->count, &scope->capacity, sizeof *scope->items);
    hash_add(&scope->index, dump_values_hash_of(value.name, value.number), (uint32_t)scope->count);
    scope->items[scope->count++] = value;
}

const struct dump_value *dump_scope_find(const struct dump_scope *scope, struct view name,
                                         uint32_t number)
{
    return dump_values_find(scope, name, number);
}

void dump_scope_free(struct dump_scope *scope)
{
    free(scope->items);
    hash_free(&scope->index);
}

// Memory -------------------------------------------------------------------------

static bool find_address(const struct mlir_operation *operation, uint64_t *out_address)
{
    static const char *const KEYS[] = {"lram_address", "xram_address", "dtcm_address",
                                       "itcm_address"};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        int64_t number;
        const struct mlir_attribute *attribute = mlir_find(operation, KEYS[i]);
        if (attribute != NULL && mlir_integer_of(attribute, &number) && number >= 0) {
            *out_address = (uint64_t)number;
            return true;
        }
    }
    return false;
}

// The type of what a pretty or generic form defines.
static const struct mlir_type *dump_values_result_type(const struct mlir_operation *operation)
{
    if (operation->result_types.count > 0)
        return operation->result_types.items[0];
    const uint32_t count = operation->operand_types.count;
    return count > 0 ? operation->operand_types.items[count - 1] : NULL;
}

void dump_scope_define_global(struct dump_scope *globals, const struct mlir_operation *operation)
{
    struct dump_value value = {.name = operation->symbol,
                               .kind = DUMP_MEMORY,
                               .type = dump_values_result_type(operation),
                               .label = operation->symbol};
    const struct view text = operation->text;
    value.is_constant = view_find_text(view_slice(text, 0, view_find(text, '@')), " constant ") <
                        view_find(text, '@');
    value.has_address = find_address(operation, &value.address);
    dump_scope_add(globals, value);
}

static bool starts_at_zero(const struct mlir_operation *subview)
{
    if (subview->literal_count == 0)
        return false;
    const struct mlir_attribute *offsets = &subview->literals[0];
    for (uint32_t i = 0; i < offsets->count; i++) {
        int64_t number;
        if (!mlir_integer_of(&offsets->items[i], &number) || number != 0)
            return false;
    }
    return offsets->kind == MLIR_ARRAY;
}

static void define_results_of_wait(struct dump_scope *scope, const struct mlir_operation *operation)
{
    const struct mlir_attribute *addresses = mlir_find(operation, "result_addresses");
    struct view rest =
        addresses != NULL && addresses->kind == MLIR_NUMBERS ? addresses->body : VIEW_LITERAL("");
    for (uint32_t i = 0; i + 1 < operation->operand_types.count; i++) {
        struct dump_value value = {.name = operation->results[0].name,
                                   .number = i,
                                   .kind = DUMP_MEMORY,
                                   .type = operation->operand_types.items[i + 1],
                                   .label = VIEW_LITERAL("code")};
        const size_t comma = view_find(rest, ',');
        value.has_address = view_to_u64(view_trim(view_slice(rest, 0, comma)), &value.address);
        rest = comma < rest.size ? view_slice(rest, comma + 1, rest.size) : VIEW_LITERAL("");
        dump_scope_add(scope, value);
    }
}

void dump_scope_define(struct dump_scope *scope, const struct dump_scope *globals,
                       const struct mlir_operation *operation)
{
    if (operation->result_count == 0)
        return;
    if (view_is(operation->name, "torq_hl.wait_program")) {
        define_results_of_wait(scope, operation);
        return;
    }
    struct dump_value value = {.kind = DUMP_MEMORY, .label = operation->results[0].name};
    const struct dump_value *source = NULL;
    if (view_is(operation->name, "memref.get_global"))
        source = dump_scope_find(globals, operation->symbol, 0);
    else if (view_starts_with(operation->name, "memref.") && operation->operand_count > 0)
        source = dump_scope_find(scope, operation->operands[0].name, operation->operands[0].number);
    if (source != NULL)
        value = *source;
    value.name = operation->results[0].name;
    value.number = 0;
    value.type = dump_values_result_type(operation);
    if (view_is(operation->name, "memref.subview") && !starts_at_zero(operation))
        value.has_address = false;
    if (view_is(operation->name, "torq_hl.map_binding"))
        value.is_port = true;
    uint64_t address;
    if (find_address(operation, &address)) {
        value.has_address = true;
        value.address = address;
    }
    if (value.type == NULL || value.type->kind != MLIR_MEMREF)
        value.kind = DUMP_OTHER;
    dump_scope_add(scope, value);
}

// Types --------------------------------------------------------------------------

// "strided<[64, 1], offset: 4>": the last element that is touched, and one more.
static bool strided_elements(const struct mlir_type *type, struct view strides, uint64_t *elements)
{
    uint64_t last = 0;
    struct view rest = strides;
    for (uint32_t i = 0; i < type->rank; i++) {
        const size_t comma = view_find(rest, ',');
        uint64_t stride, reach;
        if (!view_to_u64(view_trim(view_slice(rest, 0, comma)), &stride) || type->dims[i] <= 0 ||
            __builtin_mul_overflow(stride, (uint64_t)type->dims[i] - 1, &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return false;
        rest = comma < rest.size ? view_slice(rest, comma + 1, rest.size) : VIEW_LITERAL("");
    }
    *elements = last + 1;
    return last < DUMP_AMOUNT_MOST;
}

static uint64_t bytes_of_element(const struct mlir_type *element)
{
    if (element == NULL)
        return 0;
    if (element->kind == MLIR_COMPLEX)
        return 2 * bytes_of_element(element->element);
    const enum element known = element_named(element->name);
    return known == ELEMENT_NONE || known == ELEMENT_TEXT ? 0 : element_size(known);
}

bool dump_memory_size(const struct mlir_type *type, struct dump_size *out_size)
{
    if (type == NULL || type->kind != MLIR_MEMREF || !type->ranked)
        return false;
    uint64_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0 || __builtin_mul_overflow(count, (uint64_t)type->dims[i], &count) ||
            count > DUMP_AMOUNT_MOST)
            return false;
    }
    out_size->reach = count;
    const size_t at = view_find_text(type->encoding, "strided<[");
    if (at < type->encoding.size && count > 0) {
        struct view strides =
            view_slice(type->encoding, at + strlen("strided<["), type->encoding.size);
        strides.size = view_find(strides, ']');
        if (!strided_elements(type, strides, &out_size->reach))
            return false;
    }
    const uint64_t size = bytes_of_element(type->element);
    out_size->bytes = count * size;
    out_size->extent = out_size->reach * size;
    return size > 0 && out_size->bytes <= DUMP_AMOUNT_MOST && out_size->extent <= DUMP_AMOUNT_MOST;
}

uint32_t dump_memory_of(const struct target *target, const struct mlir_type *type)
{
    static const char KEY[] = "mem_space = ";
    const struct view encoding = type != NULL ? type->encoding : VIEW_LITERAL("");
    const size_t at = view_find_text(encoding, KEY);
    if (at == encoding.size)
        return target_far_memory(target);
    for (uint32_t i = 0; i < target->memory_count; i++) {
        const struct view name = view_slice(encoding, at + strlen(KEY), encoding.size);
        const size_t length = strlen(target->memories[i].name);
        if (view_starts_with(name, target->memories[i].name) &&
            (name.size == length || strchr(",> ", name.data[length]) != NULL))
            return i;
    }
    return TARGET_NONE;
}
