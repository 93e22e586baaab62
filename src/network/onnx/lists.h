// Short lists of integers (axes, pads, shapes) that an operator takes as an
// attribute in old operator sets and as an input in new ones.

#ifndef OPSCOPE_NETWORK_ONNX_LISTS_H
#define OPSCOPE_NETWORK_ONNX_LISTS_H

#include "network/operators.h"

enum { LIST_MOST = 2 * SHAPE_RANK_MOST };

struct list {
    bool given;
    bool known; // its items are
    bool sized; // `count` is
    uint32_t count;
    int64_t items[LIST_MOST];
};

// Input `index` where it is there, else the attribute (NULL: there is none).
// Fails for more than LIST_MOST items.
status list_infer(const struct inference *inference, const char *attribute, uint32_t index,
                  struct list *out_list);

// The same of a constant that is input `index`, or of the attribute alone.
status list_of_constant(const struct constant *constant, uint32_t index, struct list *out_list);
status list_attribute(struct attributes attributes, const char *attribute, struct list *out_list);

// Fails unless input `index` may be a list: i32 or i64, in operator set 1 also of
// the data's own element.
status list_check_element(const struct inference *inference, uint32_t index);

// One item of it.
int64_t list_item(const struct constant *constant, uint64_t index);

// Axes of a tensor of `rank`, each between -rank and rank - 1 and none twice.
status list_axes(const struct list *list, uint32_t rank, uint32_t axes[SHAPE_RANK_MOST]);

// The first integer of a known input of one element. `*out_known` says whether it is known.
status list_scalar(const struct inference *inference, uint32_t index, int64_t *out_value,
                   bool *out_known);

// Fails unless inputs `first` and `second`, where known, have the same element.
status list_same_elements(const struct inference *inference, uint32_t first, uint32_t second);

// An integer of indices: i32 or i64.
#define LIST_INDEX_ELEMENTS (ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_I64))

#endif
