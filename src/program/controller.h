// Code of the controller, as a published dump of Torq has it: a transfer takes 72
// bytes, a start and a wait of a slice 44, the jump to the next block 4; a block has at
// most 640.

#ifndef OPSCOPE_PROGRAM_CONTROLLER_H
#define OPSCOPE_PROGRAM_CONTROLLER_H

#include "program.h"

enum {
    CONTROLLER_NEXT = 4,
    CONTROLLER_BLOCK_MOST = 640, // also the size of each of the two slots that hold code
};

static inline uint32_t controller_code(enum target_engine_kind engine, enum program_step_kind step)
{
    const bool start = step == PROGRAM_STEP_START;
    if (engine == TARGET_DMA_IN || engine == TARGET_DMA_OUT || engine == TARGET_CDMA)
        return start ? 56 : 16;
    return start ? 24 : 20;
}

#endif
