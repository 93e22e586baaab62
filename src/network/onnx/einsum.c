#include "einsum.h"

#include <inttypes.h>

static status malformed(struct view equation, const char *why)
{
    return status_make(STATUS_DATA, "equation '%.*s': %s", VIEW_ARGUMENTS(equation), why);
}

// In the order of the alphabet that implicit outputs have: capitals first.
static int label_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    return -1;
}

// The letters of a term, and how many dimensions its ellipsis stands for where its
// rank is known.
struct spelled {
    uint8_t letters[SHAPE_RANK_MOST];
    uint32_t count;
    bool ellipsis;
    uint32_t ellipsis_at; // before this letter
};

static status spell(struct view equation, struct view text, struct spelled *out_spelled)
{
    struct spelled spelled = {0};
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == ' ')
            continue;
        if (view_starts_with(view_slice(text, i, text.size), "...")) {
            if (spelled.ellipsis)
                return malformed(equation, "two ellipses in a term");
            spelled.ellipsis = true;
            spelled.ellipsis_at = spelled.count;
            i += 2;
            continue;
        }
        const int label = label_of(text.data[i]);
        if (label < 0)
            return malformed(equation, "a term holds what is no letter");
        if (spelled.count == SHAPE_RANK_MOST)
            return malformed(equation, "a term is too long");
        spelled.letters[spelled.count++] = (uint8_t)label;
    }
    *out_spelled = spelled;
    return STATUS_OK;
}

// `dimensions` are those of the ellipsis.
static status make_term(struct view equation, const struct spelled *spelled, uint32_t dimensions,
                        struct einsum_term *out_term)
{
    if (spelled->count + dimensions > SHAPE_RANK_MOST)
        return malformed(equation, "a term has too many dimensions");
    *out_term = (struct einsum_term){0};
    for (uint32_t i = 0; i <= spelled->count; i++) {
        for (uint32_t d = 0; spelled->ellipsis && i == spelled->ellipsis_at && d < dimensions; d++)
            out_term->labels[out_term->rank++] = (uint8_t)(EINSUM_LETTERS + dimensions - 1 - d);
        if (i < spelled->count)
            out_term->labels[out_term->rank++] = spelled->letters[i];
    }
    return STATUS_OK;
}

static status onnx_einsum_set_length(struct view equation, int64_t *length, int64_t given)
{
    if (*length == given || given == 1)
        return STATUS_OK;
    if (*length == 1 || *length == SHAPE_UNKNOWN) {
        *length = given;
        return STATUS_OK;
    }
    if (given == SHAPE_UNKNOWN)
        return STATUS_OK;
    return malformed(equation, "a label has two lengths");
}

static status parse_operand(struct view equation, struct view text, const struct shape *shape,
                            struct einsum *einsum, uint32_t *out_dimensions)
{
    struct spelled spelled;
    STATUS_TRY(spell(equation, text, &spelled));
    if (spelled.ellipsis ? shape->rank < spelled.count : shape->rank != spelled.count)
        return malformed(equation, "a term does not fit the rank of its operand");
    const uint32_t dimensions = spelled.ellipsis ? shape->rank - spelled.count : 0;
    *out_dimensions = dimensions > *out_dimensions ? dimensions : *out_dimensions;
    struct einsum_term *term = &einsum->operands[einsum->operand_count++];
    STATUS_TRY(make_term(equation, &spelled, dimensions, term));
    for (uint32_t d = 0; d < term->rank; d++)
        STATUS_TRY(
            onnx_einsum_set_length(equation, &einsum->lengths[term->labels[d]], shape->dims[d]));
    return STATUS_OK;
}

static void count_labels(const struct einsum *einsum, uint32_t counts[EINSUM_LABELS])
{
    memset(counts, 0, EINSUM_LABELS * sizeof *counts);
    for (uint32_t i = 0; i < einsum->operand_count; i++) {
        for (uint32_t d = 0; d < einsum->operands[i].rank; d++)
            counts[einsum->operands[i].labels[d]]++;
    }
}

// The ellipsis, then every letter that occurs once.
static status imply_output(struct view equation, struct einsum *einsum, uint32_t dimensions)
{
    uint32_t counts[EINSUM_LABELS];
    count_labels(einsum, counts);
    struct spelled spelled = {.ellipsis = true};
    for (int label = 0; label < EINSUM_LETTERS; label++) {
        if (counts[label] != 1)
            continue;
        if (spelled.count == SHAPE_RANK_MOST)
            return malformed(equation, "the output has too many dimensions");
        spelled.letters[spelled.count++] = (uint8_t)label;
    }
    return make_term(equation, &spelled, dimensions, &einsum->output);
}

static status parse_output(struct view equation, struct view text, struct einsum *einsum,
                           uint32_t dimensions)
{
    struct spelled spelled;
    STATUS_TRY(spell(equation, text, &spelled));
    STATUS_TRY(make_term(equation, &spelled, spelled.ellipsis ? dimensions : 0, &einsum->output));
    uint32_t counts[EINSUM_LABELS];
    count_labels(einsum, counts);
    uint64_t seen = 0;
    for (uint32_t d = 0; d < einsum->output.rank; d++) {
        const uint8_t label = einsum->output.labels[d];
        if (counts[label] == 0)
            return malformed(equation, "a label of the output is in no operand");
        if ((seen >> label & 1) != 0)
            return malformed(equation, "a label stands twice in the output");
        seen |= UINT64_C(1) << label;
    }
    return STATUS_OK;
}

status einsum_parse(struct view equation, uint32_t count, const struct shape *const *shapes,
                    struct einsum *out_einsum)
{
    if (count == 0 || count > EINSUM_OPERANDS_MOST)
        return status_make(STATUS_LIMIT, "an equation of %" PRIu32 " operands", count);
    struct einsum *einsum = out_einsum;
    *einsum = (struct einsum){0};
    for (int label = 0; label < EINSUM_LABELS; label++)
        einsum->lengths[label] = 1;
    const size_t arrow = view_find_text(equation, "->");
    struct view rest = view_slice(equation, 0, arrow);
    uint32_t dimensions = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t comma = view_find(rest, ',');
        if ((i + 1 == count) != (comma == rest.size))
            return malformed(equation, "as many terms as operands were expected");
        STATUS_TRY(
            parse_operand(equation, view_slice(rest, 0, comma), shapes[i], einsum, &dimensions));
        rest = view_slice(rest, comma < rest.size ? comma + 1 : comma, rest.size);
    }
    if (arrow == equation.size)
        return imply_output(equation, einsum, dimensions);
    return parse_output(equation, view_slice(equation, arrow + 2, equation.size), einsum,
                        dimensions);
}
