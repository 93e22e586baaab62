#include "block.h"
#include "summary.h"

#include <stdlib.h>

#include "base/memory.h"
#include "operators.h"

static void count_opset(struct summary *summary, const struct network_node *node)
{
    for (uint32_t i = 0; i < summary->opset_count; i++) {
        struct summary_opset *opset = &summary->opsets[i];
        if (opset->version == node->version && view_equal(opset->domain, node->domain)) {
            opset->nodes++;
            return;
        }
    }
    if (summary->opset_count < SUMMARY_OPSETS_MOST)
        summary->opsets[summary->opset_count++] =
            (struct summary_opset){node->domain, node->version, 1};
}

static void network_summary_add_work(struct summary *summary, const struct work *work)
{
    if (!work->known) {
        summary->unknown++;
        return;
    }
    summary->work.macs += work->macs;
    summary->work.flops += work->flops;
    summary->work.elements += work->elements;
    summary->work.bytes_read += work->bytes_read;
    summary->work.bytes_written += work->bytes_written;
}

// Held by the file, not calculated from what it holds.
static bool is_weight(const struct network *network, const struct network_value *value)
{
    if (value->constant == NULL)
        return false;
    return value->producer == NETWORK_NONE ||
           network_node(network, value->producer)->definition->class == OPERATOR_CONSTANT;
}

static void count_weights(struct summary *summary, const struct network *network,
                          const struct network_node *node, bool *seen)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t id = node->inputs[i];
        if (id == NETWORK_NONE || seen[id])
            continue;
        const struct network_value *value = network_value(network, id);
        seen[id] = true;
        if (!is_weight(network, value))
            continue;
        const struct tensor *tensor = &value->constant->tensor;
        summary->weight_count++;
        summary->weight_bytes +=
            element_is_block(tensor->element)
                ? block_bytes(tensor->element, &tensor->shape)
                : (tensor_count(tensor) * element_bits(tensor->element) + 7) / 8;
    }
}

void summary_of(const struct network *network, struct summary *out_summary)
{
    *out_summary = (struct summary){.operators = network->nodes.count};
    bool *seen = memory_allocate_zeroed(network->values.count + 1, sizeof *seen);
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        const struct network_node *node = network_node(network, i);
        count_opset(out_summary, node);
        count_weights(out_summary, network, node, seen);
        if (node->graph == 0)
            network_summary_add_work(out_summary, &node->work);
        else
            out_summary->inner++;
    }
    out_summary->work.known = out_summary->unknown == 0;
    out_summary->work.weight_bytes = out_summary->weight_bytes;
    free(seen);
}
