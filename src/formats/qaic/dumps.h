// The files of -aic-dump-graphs-dir, which users of the compiler read memory and splits from:
//
//     NET__op_summary_final.log                        every operation, with its thread and time
//     NET__ddr_op_summary.log                          those that read or write the DDR
//     NET__memuse_estimate_final.log                   every allocation, and each core's memory
//     NET__splitPlan_SplitPlan_IntraCoreSize_final.log how operators are cut
//
// Of the vendor's only names, tags of allocations and the line of a core's memory are public;
// the rest of the form is ours (docs/formats/qaic.md).

#ifndef OPSCOPE_FORMATS_QAIC_DUMPS_H
#define OPSCOPE_FORMATS_QAIC_DUMPS_H

#include "device/sim.h"

// Makes the folder where it is not there.
status qaic_dumps_write(const char *folder, const char *network, const struct program *program,
                        const struct target *target, const struct sim_result *times);

#endif
