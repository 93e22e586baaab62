// A network with named dimensions becomes a program for each choice of their lengths, all of them
// in one container: what qaic-compile does for each of them.

#ifndef OPSCOPE_CLI_QAIC_PARTS_H
#define OPSCOPE_CLI_QAIC_PARTS_H

#include "compiling.h"
#include "formats/qaic/io_list.h"
#include "formats/qaic/specializations.h"
#include "qaic_settings.h"

struct qaic_parts {
    const struct arguments *arguments;
    struct qaic_settings settings;
    struct qaic_specializations choices; // none: the network is compiled as it is
    struct qaic_partitions partitions;   // none: one device
    struct input *partition_text;        // that they have their names in
    struct compile_partition *placed;    // the same for the compiler
    struct qaic_io_list ports;           // of -custom-IO-list-file
    struct input *port_text;             // that they have their names in
    struct compiling *items;
    size_t count;
};

// From -network-specialization-config, and the target for each. The settings are there already.
// `qaic_parts_free` is for the caller, also on failure.
status qaic_parts_open(struct qaic_parts *parts);
void qaic_parts_free(struct qaic_parts *parts);

// The network with the lengths of one choice: what the command line defines holds for all.
status qaic_parts_open_network(struct qaic_parts *parts, size_t index);

// How a part is called: QAicGraph, with its number where there are several.
enum { QAIC_PART_NAME_ROOM = 64 };
void qaic_parts_name(const struct qaic_parts *parts, size_t index, char name[QAIC_PART_NAME_ROOM]);

// programqpc.bin of all parts, once they are compiled. With -retained-state what stays on the
// device must be the same in all.
status qaic_parts_write(struct qaic_parts *parts);

#endif
