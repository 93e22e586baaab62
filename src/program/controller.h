// Code of the controller, as a published dump of Torq has it: the jump to the next block
// takes 4 bytes, a block has at most 640. What a start and a wait take is said by the target.

#ifndef OPSCOPE_PROGRAM_CONTROLLER_H
#define OPSCOPE_PROGRAM_CONTROLLER_H

#include "program.h"

enum {
    CONTROLLER_NEXT = 4,
    CONTROLLER_BLOCK_MOST = 640, // also the size of each of the two slots that hold code
};

static inline uint32_t controller_code(const struct target_engine *engine,
                                       enum program_step_kind step)
{
    return (uint32_t)(step == PROGRAM_STEP_START ? engine->start_code : engine->wait_code);
}

#endif
