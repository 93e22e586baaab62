#include "network.h"

status network_apply(struct network *network, const struct network_options *options)
{
    (void)network;
    (void)options;
    return STATUS_OK;
}
