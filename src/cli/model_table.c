#include "model_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/figures.h"
#include "base/memory.h"
#include "network_input.h"
#include "plain_text.h"

// Order -----------------------------------------------------------------------

struct ranked {
    uint32_t node;
    uint64_t flops;
    uint64_t bytes;
};

static int by_work(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->flops != b->flops)
        return a->flops < b->flops ? 1 : -1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

struct model_order model_order_of(const struct network *network, uint32_t top)
{
    const uint32_t count = network->nodes.count;
    struct ranked *ranked = memory_allocate_zeroed(count + 1, sizeof *ranked);
    uint32_t *nodes = memory_allocate_zeroed(count + 1, sizeof *nodes);
    for (uint32_t i = 0; i < count; i++) {
        const struct work *work = &network_node(network, i)->work;
        ranked[i] = (struct ranked){i, work->flops, work->bytes_read + work->bytes_written};
    }
    if (top < count)
        qsort(ranked, count, sizeof *ranked, by_work);
    const uint32_t shown = top < count ? top : count;
    for (uint32_t i = 0; i < shown; i++)
        nodes[i] = ranked[i].node;
    free(ranked);
    return (struct model_order){nodes, shown};
}

// Cells -----------------------------------------------------------------------

enum { NUMBER_ROOM = 8, NAME_MOST = 18, TYPE_MOST = 16, SHAPE_MOST = 17 };

// Three digits and a unit: "999", "1.23k", "45.6M", "789G".
static const char *short_number(uint64_t number, char text[NUMBER_ROOM])
{
    static const char units[] = " kMGTPE";
    size_t unit = 0;
    double scaled = (double)number;
    while (scaled >= 999.5 && unit + 2 < sizeof units) {
        scaled /= 1000;
        unit++;
    }
    if (unit == 0)
        snprintf(text, NUMBER_ROOM, "%" PRIu64, number);
    else
        snprintf(text, NUMBER_ROOM, "%.*f%c",
                 scaled < 9.995   ? 2
                 : scaled < 99.95 ? 1
                                  : 0,
                 scaled, units[unit]);
    return text;
}

static void print_number(bool known, uint64_t number)
{
    char text[NUMBER_ROOM];
    printf(" %6s", known ? short_number(number, text) : "absent");
}

// A sum that lacks something: "more than".
static void print_least(uint64_t number)
{
    char text[NUMBER_ROOM];
    char marked[NUMBER_ROOM + 1];
    snprintf(marked, sizeof marked, ">%s", short_number(number, text));
    printf(" %6s", marked);
}

static void print_start(struct view text, int width)
{
    const size_t room = (size_t)width;
    if (text.size <= room)
        printf("%-*.*s", width, (int)text.size, text.size > 0 ? text.data : "");
    else
        printf("%.*s..", width - 2, text.data);
}

static void print_work(const struct work *work)
{
    print_number(work->known, work->macs);
    print_number(work->known, work->flops);
    print_number(work->known, work->elements);
    print_number(work->known, work->bytes_read);
    print_number(work->known, work->bytes_written);
    print_number(work->known, work->weight_bytes);
}

static void print_least_work(const struct work *work)
{
    print_least(work->macs);
    print_least(work->flops);
    print_least(work->elements);
    print_least(work->bytes_read);
    print_least(work->bytes_written);
    print_number(true, work->weight_bytes);
}

static void print_row(const struct network *network, uint32_t id)
{
    const struct network_node *node = network_node(network, id);
    struct bytes type = {0};
    if (node->output_count > 0 && node->outputs[0] != NETWORK_NONE)
        network_input_append_type(&type, &network_value(network, node->outputs[0])->type);
    printf("%4" PRIu32 " ", id);
    plain_text_print_name(node->name, NAME_MOST);
    printf(" ");
    print_start(node->type, TYPE_MOST);
    printf(" ");
    print_start(bytes_view(&type), SHAPE_MOST);
    print_work(&node->work);
    printf("\n");
    bytes_free(&type);
}

// Head and foot ---------------------------------------------------------------

static void print_values(const char *title, const struct network *network, const uint32_t *values,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct network_value *value = network_value(network, values[i]);
        if (value->constant != NULL && value->producer == NETWORK_NONE)
            continue; // an initializer that is listed as an input as well
        struct bytes type = {0};
        network_input_append_type(&type, &value->type);
        printf("%-8s %.*s: %.*s\n", title, VIEW_ARGUMENTS(value->name),
               VIEW_ARGUMENTS(bytes_view(&type)));
        bytes_free(&type);
    }
}

static void print_head(const char *path, const struct network *network,
                       const struct summary *summary)
{
    const struct network_graph *graph = network_graph(network, 0);
    printf("%s: %s", path, network->dialect == NETWORK_ONNX ? "ONNX" : "TOSA");
    if (network->producer.size > 0)
        printf(", written by %.*s", VIEW_ARGUMENTS(network->producer));
    for (uint32_t i = 0; i < summary->opset_count && network->dialect == NETWORK_ONNX; i++) {
        const struct summary_opset *opset = &summary->opsets[i];
        printf(", %s%.*s%s%" PRIu32, opset->domain.size > 0 ? "" : "opset",
               VIEW_ARGUMENTS(opset->domain), " ", opset->version);
    }
    printf("\n");
    print_values("input", network, graph->inputs, graph->input_count);
    print_values("output", network, graph->outputs, graph->output_count);
}

static void print_foot(const struct summary *summary, const struct model_order *order)
{
    char number[NUMBER_ROOM];
    printf("%4s %-*s %*s", "", NAME_MOST, "total", TYPE_MOST + 1 + SHAPE_MOST, "");
    if (summary->work.known)
        print_work(&summary->work);
    else
        print_least_work(&summary->work);
    printf("\n%" PRIu32 " operators", summary->operators);
    if (order->count < summary->operators)
        printf(" (%" PRIu32 " shown)", order->count);
    printf(", %" PRIu32 " weights of %sB\n", summary->weight_count,
           short_number(summary->weight_bytes, number));
    if (summary->unknown > 0)
        printf("work of %" PRIu32 " operators is not known and not in the total: give shapes with "
               "--shape or\n--define-symbol\n",
               summary->unknown);
    if (summary->inner > 0)
        printf("%" PRIu32 " operators are inside others (If, Loop, Scan) and not in the total\n",
               summary->inner);
}

void model_table_print(const char *path, const struct network *network,
                       const struct summary *summary, const struct model_order *order)
{
    print_head(path, network, summary);
    printf("\n%4s %-*s %-*s %-*s %6s %6s %6s %6s %6s %6s\n", "#", NAME_MOST, "operator", TYPE_MOST,
           "type", SHAPE_MOST, "output", "MACs", "FLOPs", "elems", "read", "writes", "weight");
    for (uint32_t i = 0; i < order->count; i++)
        print_row(network, order->nodes[i]);
    print_foot(summary, order);
}
