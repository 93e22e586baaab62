// Operators on texts.

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "kernels/core/regex.h"
#include "kernels/core/unicode.h"
#include "kernels/kernel_tables.h"
#include "moving.h"
#include "vectorizer.h"

// StringNormalizer ---------------------------------------------------------------

typedef uint32_t (*change_function)(uint32_t character);

// The text with every character changed; bytes that are none stay.
static void change_case(struct view text, change_function change, struct bytes *out)
{
    out->size = 0;
    for (size_t at = 0; at < text.size;) {
        const size_t from = at;
        const uint32_t character = unicode_next(text, &at);
        if (character == UNICODE_INVALID) {
            bytes_append(out, text.data + from, at - from);
            continue;
        }
        char encoded[4];
        bytes_append(out, encoded, unicode_put(change(character), encoded));
    }
}

struct normalizer {
    struct arena arena;
    struct view *stopwords;
    uint32_t stopword_count;
    bool sensitive;
    change_function change; // NULL: none
    struct bytes scratch;
};

static struct normalizer normalizer_make(struct attributes attributes)
{
    const struct view action = attribute_text(attributes, "case_change_action", "NONE");
    struct normalizer n = {
        .sensitive = attribute_integer(attributes, "is_case_sensitive", 0) != 0,
        .change = view_is(action, "LOWER")   ? unicode_lower
                  : view_is(action, "UPPER") ? unicode_upper
                                             : NULL,
    };
    const struct attribute *stopwords = attribute_find(attributes, "stopwords", ATTRIBUTE_TEXTS);
    if (stopwords == NULL)
        return n;
    n.stopword_count = stopwords->count;
    n.stopwords = arena_allocate(&n.arena, (stopwords->count + 1) * sizeof *n.stopwords);
    for (uint32_t i = 0; i < stopwords->count; i++) {
        n.stopwords[i] = stopwords->texts[i];
        if (n.sensitive)
            continue;
        change_case(stopwords->texts[i], unicode_lower, &n.scratch);
        n.stopwords[i] = arena_copy(&n.arena, bytes_view(&n.scratch));
    }
    return n;
}

static bool is_stopword(struct normalizer *n, struct view text)
{
    if (!n->sensitive && n->stopword_count > 0) {
        change_case(text, unicode_lower, &n->scratch);
        text = bytes_view(&n->scratch);
    }
    for (uint32_t i = 0; i < n->stopword_count; i++) {
        if (view_equal(text, n->stopwords[i]))
            return true;
    }
    return false;
}

static status normalize(struct kernel_call *call, struct normalizer *n, bool *kept)
{
    const struct tensor *input = call->inputs[0];
    const struct view *texts = input->data;
    const uint64_t count = tensor_count(input);
    uint64_t left = 0;
    for (uint64_t i = 0; i < count; i++) {
        kept[i] = !is_stopword(n, texts[i]);
        left += kept[i];
    }
    struct shape shape = input->shape;
    shape.dims[shape.rank - 1] = left > 0 ? (int64_t)left : 1; // nothing left: one empty text
    struct tensor *output;
    STATUS_TRY(kernel_make(call, 0, ELEMENT_TEXT, &shape, &output));
    if (output == NULL)
        return STATUS_OK;
    struct view *results = output->data;
    for (uint64_t i = 0, at = 0; i < count; i++) {
        if (!kept[i])
            continue;
        struct view text = texts[i];
        if (n->change != NULL) {
            change_case(text, n->change, &n->scratch);
            text = bytes_view(&n->scratch);
        }
        results[at++] = kernel_text(call, 0, text);
    }
    return STATUS_OK;
}

static status run_normalizer(struct kernel_call *call)
{
    struct normalizer n = normalizer_make(call->attributes);
    bool *kept = memory_allocate_zeroed(tensor_count(call->inputs[0]) + 1, sizeof *kept);
    const status failure = normalize(call, &n, kept);
    free(kept);
    bytes_free(&n.scratch);
    arena_free(&n.arena);
    return failure;
}

// StringConcat -------------------------------------------------------------------

static status onnx_text_run_concat(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct datum *right;
    STATUS_TRY(datum_tensor(ELEMENT_TEXT, &output->shape, &right));
    moving_expand(call->parallel, call->inputs[0], output);
    moving_expand(call->parallel, call->inputs[1], &right->tensor);
    struct view *texts = output->data;
    const struct view *ends = right->tensor.data;
    const uint64_t count = tensor_count(output);
    struct bytes scratch = {0};
    for (uint64_t i = 0; i < count; i++) {
        scratch.size = 0;
        bytes_append(&scratch, texts[i].data, texts[i].size);
        bytes_append(&scratch, ends[i].data, ends[i].size);
        texts[i] = kernel_text(call, 0, bytes_view(&scratch));
    }
    bytes_free(&scratch);
    datum_release(right);
    return STATUS_OK;
}

// StringSplit --------------------------------------------------------------------

struct splitter {
    struct view delimiter; // empty: any blanks
    uint64_t most;         // splits
};

static struct splitter splitter_make(struct attributes attributes)
{
    const int64_t most = attribute_integer(attributes, "maxsplit", -1);
    return (struct splitter){attribute_text(attributes, "delimiter", ""),
                             most < 0 ? UINT64_MAX : (uint64_t)most};
}

static bool onnx_text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct view onnx_text_skip_blanks(struct view text)
{
    size_t at = 0;
    while (at < text.size && onnx_text_is_blank(text.data[at]))
        at++;
    return view_slice(text, at, text.size);
}

// Length of the text up to the next delimiter.
static size_t piece_length(const struct splitter *splitter, struct view text)
{
    const struct view delimiter = splitter->delimiter;
    if (delimiter.size > 0) {
        const char *found =
            text.size > 0 ? memmem(text.data, text.size, delimiter.data, delimiter.size) : NULL;
        return found != NULL ? (size_t)(found - text.data) : text.size;
    }
    size_t at = 0;
    while (at < text.size && !onnx_text_is_blank(text.data[at]))
        at++;
    return at;
}

static struct view cut_blanks(struct view text)
{
    while (text.size > 0 && onnx_text_is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

// Counts the pieces of a text, and writes them to `out` unless it is NULL. An
// empty text has none, as ONNX Runtime counts; ONNX itself does not say.
static uint64_t split_text(const struct splitter *splitter, struct view text, struct view *out)
{
    const bool blanks = splitter->delimiter.size == 0;
    uint64_t count = 0;
    if (blanks)
        text = cut_blanks(text);
    if (text.size == 0)
        return 0;
    for (;;) {
        if (blanks)
            text = onnx_text_skip_blanks(text);
        if (blanks && text.size == 0)
            return count;
        const size_t length = count < splitter->most ? piece_length(splitter, text) : text.size;
        if (out != NULL)
            out[count] = view_slice(text, 0, length);
        count++;
        if (length == text.size)
            return count;
        text = view_slice(text, length + (blanks ? 1 : splitter->delimiter.size), text.size);
    }
}

static status onnx_text_run_split(struct kernel_call *call)
{
    const struct tensor *input = call->inputs[0];
    const struct splitter splitter = splitter_make(call->attributes);
    const struct view *texts = input->data;
    const uint64_t count = tensor_count(input);
    const struct tensor *counts = kernel_output(call, 1);
    uint64_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t pieces = split_text(&splitter, texts[i], NULL);
        most = pieces > most ? pieces : most;
        if (counts != NULL)
            ((int64_t *)counts->data)[i] = (int64_t)pieces;
    }
    struct shape shape = input->shape;
    shape.dims[shape.rank++] = (int64_t)most;
    struct tensor *output;
    STATUS_TRY(kernel_make(call, 0, ELEMENT_TEXT, &shape, &output));
    if (output == NULL)
        return STATUS_OK;
    // What is after the last piece of a text stays empty.
    for (uint64_t i = 0; i < count; i++)
        split_text(&splitter, texts[i], (struct view *)output->data + i * most);
    moving_own_texts(call, 0);
    return STATUS_OK;
}

static status run_match(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct regex *regex;
    STATUS_TRY(regex_compile(attribute_text(call->attributes, "pattern", ""), &regex));
    const struct view *texts = call->inputs[0]->data;
    const uint64_t count = tensor_count(output);
    status failure = STATUS_OK;
    for (uint64_t i = 0; i < count && failure == STATUS_OK; i++) {
        bool matches = false;
        failure = regex_match(regex, texts[i], &matches);
        ((uint8_t *)output->data)[i] = matches;
    }
    regex_free(regex);
    return failure;
}

static const struct kernel ITEMS[] = {
    {"StringNormalizer", run_normalizer},   {"TfIdfVectorizer", vectorizer_run},
    {"StringConcat", onnx_text_run_concat}, {"StringSplit", onnx_text_run_split},
    {"RegexFullMatch", run_match},
};

const struct kernel_table ONNX_TEXT_KERNELS = KERNEL_TABLE(ITEMS);
