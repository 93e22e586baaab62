#include "operator_work.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

struct work_reader {
    const struct profile *profile;
    uint32_t macs, flops, read, written, weights, inputs; // keys; HASH_NONE: nobody has it
};

// The narrowest of the inputs that are no single numbers: "1x3x8x8xi8, 8xf32".
static void read_element(struct view inputs, struct operator_work *work)
{
    while (inputs.size > 0) {
        const size_t end = view_find(inputs, ',');
        struct view one = {inputs.data, end};
        size_t at = one.size;
        while (at > 0 && one.data[at - 1] != 'x')
            at--;
        const struct view element = {one.data + at, one.size - at};
        size_t digits = element.size;
        while (digits > 0 && element.data[digits - 1] >= '0' && element.data[digits - 1] <= '9')
            digits--;
        uint64_t bits = 0;
        if (at > 0 && digits < element.size &&
            view_to_u64((struct view){element.data + digits, element.size - digits}, &bits) &&
            bits > 0 && bits <= 64 && (work->bits == 0 || bits < work->bits)) {
            work->bits = (unsigned)bits;
            work->is_float = element.data[0] != 'i' && element.data[0] != 'u';
        }
        inputs.data += end < inputs.size ? end + 1 : end;
        inputs.size -= end < inputs.size ? end + 1 : end;
    }
}

static struct operator_work read_work(const struct work_reader *keys, uint32_t id)
{
    struct operator_work work = {0};
    struct value_reader reader = value_read(profile_operator(keys->profile, id)->values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == 0)
            continue;
        if (value.key == keys->inputs && value.kind == VALUE_TEXT)
            read_element(value.text, &work);
        if (value.key == keys->inputs && value.kind == VALUE_STRING)
            read_element(profile_text(keys->profile, (uint32_t)value.number), &work);
        if (value.kind != VALUE_UINT)
            continue;
        double *to = value.key == keys->macs      ? &work.macs
                     : value.key == keys->flops   ? &work.flops
                     : value.key == keys->read    ? &work.read
                     : value.key == keys->written ? &work.written
                     : value.key == keys->weights ? &work.weights
                                                  : NULL;
        if (to == NULL)
            continue;
        *to = (double)value.number;
        work.known = true;
    }
    return work;
}

// What is between members is not read or written.
static void add_member(struct operator_work *sum, const struct operator_work *work)
{
    if (!work->known)
        return;
    sum->read += sum->known ? work->weights : work->read;
    sum->written = work->written;
    sum->weights += work->weights;
    sum->macs += work->macs;
    sum->flops += work->flops;
    if (work->bits > 0 && (sum->bits == 0 || work->bits < sum->bits)) {
        sum->bits = work->bits;
        sum->is_float = work->is_float;
    }
    sum->known = true;
}

// `own` says of which operators something is known without members.
static void add_members(const struct profile *profile, const bool *own, struct operator_work *works)
{
    uint32_t *first = memory_allocate_zeroed((size_t)profile->operators.count + 1, sizeof *first);
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        const struct call *call = profile_call(profile, i);
        if (call->parent == 0 || call->parent >= profile->calls.count || !own[call->operator_id])
            continue;
        const uint32_t owner = profile_call(profile, call->parent)->operator_id;
        if (owner == 0 || own[owner])
            continue;
        first[owner] = first[owner] == 0 ? call->parent : first[owner];
        if (first[owner] == call->parent)
            add_member(&works[owner], &works[call->operator_id]);
    }
    free(first);
}

struct operator_work *operator_works_read(const struct profile *profile)
{
    const struct strings *strings = &profile->strings;
    const struct work_reader keys = {.profile = profile,
                                     .macs = strings_find(strings, VIEW_LITERAL("macs")),
                                     .flops = strings_find(strings, VIEW_LITERAL("flops")),
                                     .read = strings_find(strings, VIEW_LITERAL("bytes_read")),
                                     .written =
                                         strings_find(strings, VIEW_LITERAL("bytes_written")),
                                     .weights = strings_find(strings, VIEW_LITERAL("weight_bytes")),
                                     .inputs = strings_find(strings, VIEW_LITERAL("inputs"))};
    const size_t count = profile->operators.count;
    struct operator_work *works = memory_allocate_zeroed(count + 1, sizeof *works);
    bool *own = memory_allocate_zeroed(count + 1, sizeof *own);
    for (uint32_t i = 1; i < count; i++) {
        works[i] = read_work(&keys, i);
        own[i] = works[i].known;
    }
    add_members(profile, own, works);
    free(own);
    return works;
}
