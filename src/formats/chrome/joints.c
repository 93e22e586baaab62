#include "joints.h"

void chrome_joints_start(struct chrome_joints *joints)
{
    memset(joints, 0, sizeof *joints);
    joints->count = JOINTS_SPECIAL;
}

static uint32_t joint_slot(const struct chrome_joint *joint)
{
    uint64_t mixed = joint->kind;
    for (size_t i = 0; i < JOINT_BYTES; i += sizeof mixed) {
        uint64_t word;
        memcpy(&word, joint->bytes + i, sizeof word);
        mixed = (mixed ^ mixed >> 29 ^ word) * 0x9e3779b97f4a7c15;
    }
    return (uint32_t)(mixed >> 32) % JOINT_SLOTS;
}

// Its number, a new one where it was not seen before; JOINT_NONE: there is no room.
static uint32_t joint_number(struct chrome_joints *joints, const struct chrome_joint *joint)
{
    uint32_t at = joint_slot(joint);
    for (; joints->slots[at] != JOINT_NONE; at = (at + 1) % JOINT_SLOTS) {
        const struct chrome_joint *known = &joints->list[joints->slots[at]];
        if (known->kind == joint->kind && known->size == joint->size &&
            memcmp(known->bytes, joint->bytes, JOINT_BYTES) == 0)
            return joints->slots[at];
    }
    if (joints->count == JOINTS_MOST)
        return JOINT_NONE;
    joints->list[joints->count] = *joint;
    joints->slots[at] = (uint8_t)joints->count;
    return joints->count++;
}

uint32_t chrome_joint_learn(struct chrome_joints *joints, uint32_t before, struct view bytes,
                            struct view key, enum chrome_member_kind kind)
{
    struct chrome_joint joint = {.kind = (uint8_t)kind};
    if (bytes.size > JOINT_BYTES)
        return JOINT_NONE;
    memcpy(joint.bytes, bytes.data, bytes.size);
    memset(joint.mask, 0xff, bytes.size);
    joint.size = (uint8_t)bytes.size;
    joint.key_at = (uint8_t)(key.data - bytes.data);
    joint.key_size = (uint8_t)key.size;
    const uint32_t number = joint_number(joints, &joint);
    if (number == JOINT_NONE || before == JOINT_NONE)
        return number;
    uint8_t *after = joints->list[before].after;
    memmove(after + 1, after, JOINTS_AFTER - 1);
    after[0] = (uint8_t)number;
    return number;
}

_Static_assert(JOINTS_MOST <= 256, "numbers are bytes");
