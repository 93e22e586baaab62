// The operators of a network with their shapes and work, as a table.

#ifndef OPSCOPE_REPORTS_MODEL_H
#define OPSCOPE_REPORTS_MODEL_H

#include "network/summary.h"
#include "table.h"

struct model_report {
    const struct network *network;
    const struct summary *summary;
};

// A row for each node of the network. The sum of all, as an extra row: MODEL_TOTAL.
extern const struct table_form MODEL_FORM;

#define MODEL_TOTAL SIZE_MAX

// The `top` operators with the most FLOPs, then the most bytes; all stand in the order of the
// file when there are not more. 0: all.
void model_table_pick(struct table *table, const struct network *network, size_t top);

// Every figure of some work as members of an object.
void model_work_json(struct json_writer *json, const struct work *work);

// Values as JSON has them: name, type, and whether they are constants.
void model_values_json(struct json_writer *json, const char *key, const struct network *network,
                       const uint32_t *values, uint32_t count);

#endif
