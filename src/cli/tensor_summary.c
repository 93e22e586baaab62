#include "tensor_summary.h"

#include <inttypes.h>
#include <math.h>

#include "base/figures.h"
#include "network/tensor_text.h"

enum { ENDS = 8 };

struct range {
    uint64_t least, most; // indices
    uint64_t numbers;     // that are numbers
    double sum;
};

static struct range tensor_summary_range_of(const struct tensor *tensor)
{
    const struct constant constant = {.tensor = *tensor};
    const uint64_t count = tensor_count(tensor);
    struct range range = {0};
    double least = 0, most = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double number = constant_real(&constant, i);
        if (isnan(number))
            continue;
        if (range.numbers == 0 || number < least) {
            least = number;
            range.least = i;
        }
        if (range.numbers == 0 || number > most) {
            most = number;
            range.most = i;
        }
        range.sum += number;
        range.numbers++;
    }
    return range;
}

static bool has_order(enum element element)
{
    return element_is_float(element) || element_is_integer(element) || element == ELEMENT_BOOL;
}

static void append_range(struct bytes *text, const struct tensor *tensor)
{
    const struct range range = tensor_summary_range_of(tensor);
    const uint64_t count = tensor_count(tensor);
    if (range.numbers > 0) {
        bytes_append_format(text, ", least ");
        tensor_text_append_element(text, tensor, range.least);
        bytes_append_format(text, ", most ");
        tensor_text_append_element(text, tensor, range.most);
        bytes_append_format(text, ", mean %.6g", range.sum / (double)range.numbers);
    }
    if (range.numbers < count)
        bytes_append_format(text, ", %" PRIu64 " not a number", count - range.numbers);
}

void tensor_summary_append(struct bytes *text, const struct tensor *tensor)
{
    const uint64_t count = tensor_count(tensor);
    char number[FIGURES_ROOM];
    tensor_text_append_type(text, tensor->element, &tensor->shape);
    bytes_append_format(text, ":");
    for (uint64_t i = 0; i < count; i++) {
        if (i == ENDS && count > 2 * ENDS) {
            bytes_append_format(text, " ...");
            i = count - ENDS;
        }
        bytes_append_format(text, " ");
        tensor_text_append_element(text, tensor, i);
    }
    bytes_append_format(text, "\n  %s elements", figures_count(count, number));
    if (has_order(tensor->element))
        append_range(text, tensor);
    bytes_append_format(text, "; --full prints all");
}
