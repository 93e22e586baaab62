// The hardware that torq-compile's --torq-hw describes.

#ifndef OPSCOPE_CLI_TORQ_HW_H
#define OPSCOPE_CLI_TORQ_HW_H

#include "target/target.h"

// "SL2610", or ID:LRAM_KB:SLICES:CSS:NSS[:DMA_BYTES[:DMA_FACTOR[:TRIPLE[:CPU[:FEATURES]]]]],
// as settings of the target torq-sl2610.
status torq_hw_apply(struct target *target, const char *text);

// What --torq-hw=list prints, on the standard output.
void torq_hw_list(void);

#endif
