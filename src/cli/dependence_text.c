#include "dependence_text.h"

#include <stdio.h>

#include "ledger_text.h"

static void print_count(uint64_t count, const char *words)
{
    char number[LEDGER_NUMBER_ROOM];
    printf("%s %s", ledger_number(count, number), words);
}

void dependence_print(const struct dependence *dependence)
{
    const uint64_t unused = dependence->flows_back + dependence->flows_nowhere;
    print_count(dependence->node_count, "pieces of work: ");
    print_count(dependence->bound[DEPENDENCE_LANE], "waited last for their lane, ");
    print_count(dependence->bound[DEPENDENCE_FLOW], "for a flow, ");
    print_count(dependence->bound[DEPENDENCE_ASSUMED], "for what is assumed");
    if (dependence->bound[DEPENDENCE_WAY] > 0) {
        printf(", ");
        print_count(dependence->bound[DEPENDENCE_WAY], "for a way that they share");
    }
    printf(".\n");
    if (dependence->flows == 0)
        printf("The profile says of no two pieces that one needs the other: the order of the lanes "
               "counts, and\nthat what starts as something ends has waited for it.\n");
    if (unused > 0) {
        print_count(unused, "flows lead back in time or come from nowhere, and are left out.\n");
    }
}

void dependence_json(struct json_writer *json, const char *key, const struct dependence *dependence)
{
    json_open_object(json, key);
    json_uint(json, "pieces", dependence->node_count);
    json_uint(json, "waited_for_lane", dependence->bound[DEPENDENCE_LANE]);
    json_uint(json, "waited_for_flow", dependence->bound[DEPENDENCE_FLOW]);
    json_uint(json, "waited_for_assumed", dependence->bound[DEPENDENCE_ASSUMED]);
    json_uint(json, "waited_for_way", dependence->bound[DEPENDENCE_WAY]);
    json_uint(json, "flows", dependence->flows);
    json_uint(json, "flows_used", dependence->flows_used);
    json_uint(json, "flows_back_in_time", dependence->flows_back);
    json_uint(json, "flows_from_nowhere", dependence->flows_nowhere);
    json_close(json);
}
