// Columns that a program's operators have on a machine whose values lie in tiles: padded sides,
// layouts, memories, the fidelity of the matrix engine, and the vendor's performance model.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_MODELLED_COLUMNS_H
#define OPSCOPE_REPORTS_TENSTORRENT_MODELLED_COLUMNS_H

#include "formats/tenstorrent/arch.h"
#include "formats/tenstorrent/report.h"

// The machine that the profile is of, by its facts or else by the name of a process; "" when no
// such machine is known.
struct view modelled_machine(const struct profile *profile);

// Fills the columns of a row whose tensors and kernel duration are set. Nothing where the
// operator does not say that its values lie in tiles; without `arch` no performance model.
void modelled_columns_set(const struct profile *profile, uint32_t operator_id,
                          const struct arch *arch, uint64_t device, struct report *report,
                          size_t row);

#endif
