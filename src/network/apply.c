#include "network.h"

status network_apply(struct network *network, const struct network_options *options)
{
    (void)network;
    (void)options;
    return STATUS_OK;
}

status network_sort(struct network *network, uint32_t graph)
{
    (void)network;
    (void)graph;
    return STATUS_OK;
}
