// What a program container of Cloud AI holds: how it was made, its networks, their inputs and
// outputs, and how many operations each group of threads of each core has.

#ifndef OPSCOPE_REPORTS_QAIC_CONTAINER_H
#define OPSCOPE_REPORTS_QAIC_CONTAINER_H

#include "formats/qaic/networkdesc.h"
#include "formats/qaic/qpc.h"
#include "reports/table.h"

// A network of a container.
struct container_network {
    struct view segment; // that describes it
    struct qaic_network *network;
};

struct container_row {
    const struct qaic_network *network;
    uint32_t core, group;
    uint32_t threads;
    uint64_t operations, bytes; // in its list, and what they write
};

struct container_report {
    const struct qpc *qpc;
    struct view command, version; // "": nobody said
    struct container_network *networks;
    size_t network_count;
    struct container_row *rows;
    size_t row_count;
};

extern const struct table_form CONTAINER_FORM;
extern const struct table_form CONTAINER_SEGMENTS_FORM;

// Of a container that stays open as long as the report.
status container_report_make(const struct qpc *qpc, struct container_report *out_report);
void container_report_free(struct container_report *report);

// All but the tables, as lines.
void container_report_print(const struct container_report *report, struct bytes *to);

// The same as members of an object.
void container_report_json(const struct container_report *report, struct json_writer *json);

#endif
