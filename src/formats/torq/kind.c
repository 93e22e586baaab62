#include "kind.h"

#include "target/rules/price.h"

static enum torq_kind kind_of_transfer(const struct target *target,
                                       const struct target_engine *engine)
{
    const uint32_t far = target_far_memory(target);
    if (engine->from == far && engine->role == TARGET_ROLE_TRANSFER)
        return TORQ_KIND_DMA_IN;
    return engine->to == far && engine->role == TARGET_ROLE_TRANSFER ? TORQ_KIND_DMA_OUT
                                                                     : TORQ_KIND_CDMA;
}

enum torq_kind torq_kind_of(const struct target *target, uint32_t engine)
{
    const struct target_engine *own = &target->engines[engine];
    switch (own->role) {
    case TARGET_ROLE_TRANSFER:
    case TARGET_ROLE_COMMUNICATION:
        return kind_of_transfer(target, own);
    case TARGET_ROLE_CONTROL:
        return TORQ_KIND_CSS;
    case TARGET_ROLE_COMPUTE:
        // What computes everything where values lie is a processor.
        if (!target->memories[own->memory].local && target_takes_all(target, engine))
            return TORQ_KIND_HOST;
        return TORQ_KIND_SLICE;
    default:
        return TORQ_KIND_HOST;
    }
}

uint32_t torq_kind_engine(const struct target *target, enum torq_kind kind)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (torq_kind_of(target, i) == kind)
            return i;
    }
    return TARGET_NONE;
}

bool torq_kind_is_torq(const struct target *target)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (strncmp(target->engines[i].price->name, "torq-", 5) == 0)
            return true;
    }
    return false;
}
