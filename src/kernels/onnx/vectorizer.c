#include "vectorizer.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { ROOT = 0 };

#define NO_GRAM UINT32_MAX

// A place in the tree of n-grams: what stands before it, and its last word.
struct gram_node {
    uint32_t parent;
    uint32_t gram; // that ends here, or NO_GRAM
    struct view text;
    int64_t number;
};

struct vectorizer {
    bool texts;
    struct gram_node *places;
    size_t count, capacity;
    struct hash_index index;
    const int64_t *columns; // of the n-grams
    const double *weights;  // NULL: all 1
};

static uint32_t place_hash(uint32_t parent, const struct gram_node *word, bool texts)
{
    const uint32_t hash =
        texts ? hash_bytes(word->text.data, word->text.size) : hash_u64((uint64_t)word->number);
    return hash ^ hash_u64(parent);
}

// The place after `parent` with this word, or HASH_NONE.
static uint32_t find_place(const struct vectorizer *v, uint32_t parent,
                           const struct gram_node *word)
{
    const uint32_t hash = place_hash(parent, word, v->texts);
    uint32_t id;
    for (uint32_t at = hash_first(&v->index, hash);
         (id = hash_next(&v->index, hash, &at)) != HASH_NONE;) {
        const struct gram_node *place = &v->places[id];
        if (place->parent == parent &&
            (v->texts ? view_equal(place->text, word->text) : place->number == word->number))
            return id;
    }
    return HASH_NONE;
}

static uint32_t vectorizer_add_place(struct vectorizer *v, uint32_t parent, struct gram_node word)
{
    uint32_t id = find_place(v, parent, &word);
    if (id != HASH_NONE)
        return id;
    id = (uint32_t)v->count;
    word.parent = parent;
    word.gram = NO_GRAM;
    v->places = memory_grow(v->places, v->count, &v->capacity, sizeof *v->places);
    v->places[v->count++] = word;
    hash_add(&v->index, place_hash(parent, &word, v->texts), id);
    return id;
}

// Enters every n-gram of the pool; infer has checked that they are whole.
static void read_pool(struct vectorizer *v, struct attributes attributes)
{
    const struct attribute *texts = attribute_find(attributes, "pool_strings", ATTRIBUTE_TEXTS);
    const int64_t *numbers = NULL, *starts = NULL;
    const uint32_t pool =
        texts != NULL ? texts->count : attribute_integers(attributes, "pool_int64s", &numbers);
    const uint32_t lengths = attribute_integers(attributes, "ngram_counts", &starts);
    v->texts = texts != NULL;
    v->places = memory_grow(NULL, 0, &v->capacity, sizeof *v->places);
    v->places[v->count++] = (struct gram_node){.parent = NO_GRAM, .gram = NO_GRAM};
    uint32_t gram = 0;
    for (uint32_t length = 1; length <= lengths; length++) {
        const int64_t end = length < lengths ? starts[length] : (int64_t)pool;
        for (int64_t at = starts[length - 1]; at < end; at += length) {
            uint32_t place = ROOT;
            for (int64_t i = at; i < at + length; i++) {
                struct gram_node word = {0};
                if (v->texts)
                    word.text = texts->texts[i];
                else
                    word.number = numbers[i];
                place = vectorizer_add_place(v, place, word);
            }
            v->places[place].gram = gram++;
        }
    }
}

// One text: `count` words from `from` on.
struct line {
    const struct tensor *words;
    uint64_t from, count;
};

static struct gram_node line_word(const struct line *line, uint64_t index)
{
    struct gram_node word = {0};
    const uint64_t at = line->from + index;
    if (line->words->element == ELEMENT_TEXT)
        word.text = ((const struct view *)line->words->data)[at];
    else if (line->words->element == ELEMENT_I32)
        word.number = ((const int32_t *)line->words->data)[at];
    else
        word.number = ((const int64_t *)line->words->data)[at];
    return word;
}

// Counts the n-grams of at least `least` words that lie `distance` apart.
static void count_grams(const struct vectorizer *v, const struct line *line, uint64_t least,
                        uint64_t most, uint64_t distance, float *row)
{
    for (uint64_t start = 0; start < line->count; start++) {
        uint32_t place = ROOT;
        uint64_t at = start;
        for (uint64_t length = 1; length <= most && at < line->count; length++, at += distance) {
            const struct gram_node word = line_word(line, at);
            place = find_place(v, place, &word);
            if (place == HASH_NONE)
                break;
            const uint32_t gram = v->places[place].gram;
            if (length >= least && gram != NO_GRAM)
                row[v->columns[gram]] += 1;
        }
    }
}

static void count_line(const struct vectorizer *v, struct attributes attributes,
                       const struct line *line, float *row)
{
    uint64_t least = (uint64_t)attribute_integer(attributes, "min_gram_length", 1);
    const uint64_t most = (uint64_t)attribute_integer(attributes, "max_gram_length", 1);
    uint64_t skips = (uint64_t)attribute_integer(attributes, "max_skip_count", 0);
    skips = skips < line->count ? skips : line->count; // farther apart nothing lies
    for (uint64_t distance = 1; distance <= skips + 1; distance++) {
        count_grams(v, line, least, most, distance, row);
        // Single words have no distance: they count once.
        if (least == 1 && ++least > most)
            break;
    }
}

// Turns counts into what the mode asks for.
static void weigh(const struct vectorizer *v, struct attributes attributes, uint32_t grams,
                  float *row)
{
    const struct view mode = attribute_text(attributes, "mode", "");
    const bool counted = !view_is(mode, "IDF");
    if (view_is(mode, "TF"))
        return;
    for (uint32_t i = 0; i < grams; i++) {
        float *value = &row[v->columns[i]];
        const float weight = v->weights != NULL ? (float)v->weights[i] : 1;
        if (*value > 0)
            *value = counted ? *value * weight : weight;
    }
}

status vectorizer_run(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    memset(output->data, 0, tensor_bytes(output));
    if (tensor_count(output) == 0)
        return STATUS_OK;
    struct vectorizer v = {0};
    const uint32_t grams = attribute_integers(call->attributes, "ngram_indexes", &v.columns);
    attribute_reals(call->attributes, "weights", &v.weights);
    read_pool(&v, call->attributes);
    const uint64_t rows = input->shape.rank == 2 ? (uint64_t)input->shape.dims[0] : 1;
    const uint64_t words = tensor_count(input) / rows, columns = tensor_count(output) / rows;
    for (uint64_t i = 0; i < rows; i++) {
        const struct line line = {input, i * words, words};
        float *row = (float *)output->data + i * columns;
        count_line(&v, call->attributes, &line, row);
        weigh(&v, call->attributes, grams, row);
    }
    free(v.places);
    hash_free(&v.index);
    return STATUS_OK;
}
