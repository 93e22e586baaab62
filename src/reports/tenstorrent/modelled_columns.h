// Columns that a program's operators have on a machine whose values lie in tiles: padded sides,
// layouts, memories, the fidelity of the matrix engine, and the vendor's performance model.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_MODELLED_COLUMNS_H
#define OPSCOPE_REPORTS_TENSTORRENT_MODELLED_COLUMNS_H

#include "formats/tenstorrent/arch.h"
#include "formats/tenstorrent/report.h"

// The machine that the profile is of, by its facts or else by the name of a process; "" when no
// such machine is known.
struct view modelled_machine(const struct profile *profile);

// Whether an operator says that its values lie in tiles, on one of these machines: the one that it
// names, else the profile's (`arch`), or any whose tasks run through their processors.
bool modelled_columns_apply(const struct profile *profile, uint32_t operator_id,
                            const struct arch *arch, bool has_processors);

// Whether a value of such an operator is one of those that the columns below are made from.
bool modelled_columns_read(struct view key);

// Fills the columns of a row whose tensors and kernel duration are set. Of an
// operator that they apply to. The machine is the one that the operator
// names, else `arch`; without one there is no performance model.
void modelled_columns_set(const struct profile *profile, uint32_t operator_id,
                          const struct arch *arch, uint64_t device, struct report *report,
                          size_t row);

#endif
