// Operators on texts.

#include <inttypes.h>

#include "lists.h"
#include "network/operator_tables.h"

#define TEXT ELEMENT_BIT(ELEMENT_TEXT)

static status need_text(const struct inference *inference, uint32_t index,
                        const struct value_type **out_type)
{
    STATUS_TRY(inference_need_tensor(inference, index, out_type));
    return inference_check_element(inference, index, TEXT);
}

static status infer_normalizer(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(need_text(inference, 0, &type));
    const struct view action =
        attribute_text(inference->node->attributes, "case_change_action", "NONE");
    if (!view_is(action, "NONE") && !view_is(action, "LOWER") && !view_is(action, "UPPER"))
        return status_make(STATUS_DATA, "case_change_action '%.*s' is unknown",
                           VIEW_ARGUMENTS(action));
    inference_set_unranked(inference, 0, ELEMENT_TEXT);
    if (!type->ranked)
        return STATUS_OK;
    struct shape shape = type->shape;
    if (shape.rank == 0 || shape.rank > 2 ||
        (shape.rank == 2 && shape.dims[0] != 1 && shape.dims[0] != SHAPE_UNKNOWN)) {
        char text[SHAPE_TEXT_MOST];
        return status_make(STATUS_DATA, "shape %s instead of C or 1xC", shape_text(&shape, text));
    }
    shape.dims[shape.rank - 1] = SHAPE_UNKNOWN;
    inference_set(inference, 0, ELEMENT_TEXT, &shape);
    return STATUS_OK;
}

// TfIdfVectorizer ----------------------------------------------------------------

// Each length of n-grams begins somewhere in the pool, not before the last one.
static status check_pool(const struct inference *inference, uint64_t pool, uint32_t grams)
{
    const int64_t *starts = NULL;
    const uint32_t lengths =
        attribute_integers(inference->node->attributes, "ngram_counts", &starts);
    int64_t total = 0;
    for (uint32_t i = 0; i < lengths; i++) {
        const int64_t end = i + 1 < lengths ? starts[i + 1] : (int64_t)pool;
        if (starts[i] < 0 || end < starts[i] || end > (int64_t)pool)
            return status_make(STATUS_DATA, "ngram_counts do not fit a pool of %" PRIu64, pool);
        if ((end - starts[i]) % (i + 1) != 0)
            return status_make(STATUS_DATA,
                               "the pool does not hold whole n-grams of length %" PRIu32, i + 1);
        total += (end - starts[i]) / (i + 1);
    }
    if (total != grams)
        return status_make(STATUS_DATA, "%" PRIu32 " ngram_indexes for %" PRId64 " n-grams", grams,
                           total);
    return STATUS_OK;
}

static status check_grams(const struct inference *inference, int64_t *out_width)
{
    const struct attributes attributes = inference->node->attributes;
    const int64_t *indexes = NULL, *numbers = NULL;
    const uint32_t grams = attribute_integers(attributes, "ngram_indexes", &indexes);
    const struct attribute *texts = attribute_find(attributes, "pool_strings", ATTRIBUTE_TEXTS);
    const uint32_t pool =
        texts != NULL ? texts->count : attribute_integers(attributes, "pool_int64s", &numbers);
    STATUS_TRY(check_pool(inference, pool, grams));
    const double *weights = NULL;
    const uint32_t weight_count = attribute_reals(attributes, "weights", &weights);
    if (weight_count != 0 && weight_count != grams)
        return status_make(STATUS_DATA, "%" PRIu32 " weights for %" PRIu32 " n-grams", weight_count,
                           grams);
    int64_t most = -1;
    for (uint32_t i = 0; i < grams; i++) {
        if (indexes[i] < 0 || indexes[i] > INT32_MAX)
            return status_make(STATUS_DATA, "an n-gram at index %" PRId64, indexes[i]);
        most = indexes[i] > most ? indexes[i] : most;
    }
    *out_width = most + 1;
    return STATUS_OK;
}

static status infer_vectorizer(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    STATUS_TRY(inference_check_element(inference, 0, TEXT | LIST_INDEX_ELEMENTS));
    const struct attributes attributes = inference->node->attributes;
    const struct view mode = attribute_text(attributes, "mode", "");
    if (!view_is(mode, "TF") && !view_is(mode, "IDF") && !view_is(mode, "TFIDF"))
        return status_make(STATUS_DATA, "mode '%.*s' is unknown", VIEW_ARGUMENTS(mode));
    const int64_t least = attribute_integer(attributes, "min_gram_length", 1);
    const int64_t most = attribute_integer(attributes, "max_gram_length", 1);
    const int64_t skips = attribute_integer(attributes, "max_skip_count", 0);
    if (least < 1 || most < least || most > INT32_MAX || skips < 0 || skips > INT32_MAX)
        return status_make(STATUS_DATA,
                           "n-grams of %" PRId64 " to %" PRId64 " with %" PRId64 " skips", least,
                           most, skips);
    if (type->element != ELEMENT_NONE &&
        (type->element == ELEMENT_TEXT) != attribute_given(attributes, "pool_strings"))
        return status_make(STATUS_DATA, "the pool is not of %s", element_name(type->element));
    int64_t width;
    STATUS_TRY(check_grams(inference, &width));
    inference_set_unranked(inference, 0, ELEMENT_F32);
    if (!type->ranked)
        return STATUS_OK;
    if (type->shape.rank > 2)
        return status_make(STATUS_DATA, "rank %" PRIu32 " instead of 1 or 2", type->shape.rank);
    struct shape shape = {1, {width}};
    if (type->shape.rank == 2)
        shape = (struct shape){2, {type->shape.dims[0], width}};
    inference_set(inference, 0, ELEMENT_F32, &shape);
    return STATUS_OK;
}

// Others -------------------------------------------------------------------------

static status onnx_text_infer_concat(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(need_text(inference, 0, &type));
    STATUS_TRY(need_text(inference, 1, &type));
    return inference_broadcast(inference);
}

static status onnx_text_infer_split(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(need_text(inference, 0, &type));
    if (!type->ranked) {
        inference_set_unranked(inference, 0, ELEMENT_TEXT);
        inference_set_unranked(inference, 1, ELEMENT_I64);
        return STATUS_OK;
    }
    struct shape shape = type->shape;
    if (shape.rank == SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "a rank of more than %d", SHAPE_RANK_MOST);
    inference_set(inference, 1, ELEMENT_I64, &shape);
    shape.dims[shape.rank++] = SHAPE_UNKNOWN;
    inference_set(inference, 0, ELEMENT_TEXT, &shape);
    return STATUS_OK;
}

static status infer_match(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(need_text(inference, 0, &type));
    if (attribute_find(inference->node->attributes, "pattern", ATTRIBUTE_TEXT) == NULL)
        return status_make(STATUS_DATA, "attribute 'pattern' is missing");
    if (type->ranked)
        inference_set(inference, 0, ELEMENT_BOOL, &type->shape);
    else
        inference_set_unranked(inference, 0, ELEMENT_BOOL);
    return STATUS_OK;
}

static const struct operator_definition ITEMS[] = {
    {.name = "StringNormalizer",
     .class = OPERATOR_OTHER,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_normalizer,
     .price = PRICED_AS_OTHER},
    {.name = "TfIdfVectorizer",
     .class = OPERATOR_OTHER,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_vectorizer,
     .price = PRICED_AS_OTHER},
    {.name = "StringConcat",
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {2, 2},
     .outputs = {1, 1},
     .infer = onnx_text_infer_concat,
     .tiling = TILED_AS_ELEMENTS,
     .price = PRICED_AS_ELEMENTS},
    {.name = "StringSplit",
     .class = OPERATOR_OTHER,
     .inputs = {1, 1},
     .outputs = {1, 2},
     .infer = onnx_text_infer_split,
     .price = PRICED_AS_OTHER},
    {.name = "RegexFullMatch",
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_match,
     .tiling = TILED_AS_ELEMENTS,
     .price = PRICED_AS_ELEMENTS},
};

const struct operator_table ONNX_TEXT_OPERATORS = OPERATOR_TABLE(ITEMS);
