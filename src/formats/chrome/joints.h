// What stands between the values of events: a comma, blanks, a key, a colon. Who writes a trace
// writes the same few of these again and again, in nearly the same order, so a parser remembers
// those that it has seen and which came after which: the next one is known by comparing bytes,
// without looking for its key or at what it means.
//
// Memory: 24 KiB.

#ifndef OPSCOPE_FORMATS_CHROME_JOINTS_H
#define OPSCOPE_FORMATS_CHROME_JOINTS_H

#include "base/view.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Of an event, and of its args.
enum chrome_member_kind {
    CHROME_MEMBER_OTHER,
    CHROME_MEMBER_PHASE,
    CHROME_MEMBER_TS,
    CHROME_MEMBER_DUR,
    CHROME_MEMBER_PID,
    CHROME_MEMBER_TID,
    CHROME_MEMBER_CATEGORY,
    CHROME_MEMBER_NAME,
    CHROME_MEMBER_ARGS,
    CHROME_MEMBER_RARE,
    CHROME_MEMBER_ARGUMENT,
};

enum { JOINT_BYTES = 48, JOINTS_MOST = 192, JOINTS_AFTER = 4, JOINT_SLOTS = 512 };

struct chrome_joint {
    char bytes[JOINT_BYTES]; // those behind its end are 0
    char mask[JOINT_BYTES];  // 0xff for each of its own
    uint8_t size;            // 0: one that is never found
    uint8_t key_at;
    uint8_t key_size;
    uint8_t kind;
    uint8_t after[JOINTS_AFTER]; // those that followed it, the latest first; 0: none
    uint32_t text;               // for who takes the events: what he calls the key; 0 at first
};

// Those that stand for what is before the first member.
enum { JOINT_NONE, JOINT_EVENT, JOINT_ARGUMENTS, JOINTS_SPECIAL };

struct chrome_joints {
    struct chrome_joint list[JOINTS_MOST];
    uint32_t count;
    uint8_t slots[JOINT_SLOTS];
};

// Forgets all that was seen.
void chrome_joints_start(struct chrome_joints *joints);

// Once they are full nothing is added: who may forget all calls this now and then. Starts them,
// too, where they are all zero.
static inline void chrome_joints_refresh(struct chrome_joints *joints)
{
    if (joints->count == 0 || joints->count == JOINTS_MOST)
        chrome_joints_start(joints);
}

// JOINT_BYTES at `at` can be read.
static inline bool chrome_joint_is(const struct chrome_joint *joint, const char *at)
{
#ifdef __SSE2__
    __m128i differs = _mm_setzero_si128();
    for (int i = 0; i < JOINT_BYTES; i += 16) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(joint->bytes + i));
        const __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(joint->mask + i));
        differs = _mm_or_si128(differs, _mm_and_si128(_mm_xor_si128(here, bytes), mask));
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(differs, _mm_setzero_si128())) == 0xffff;
#else
    return memcmp(joint->bytes, at, joint->size) == 0;
#endif
}

// The one of those that followed number `before` that stands here; JOINT_NONE: none of them.
static inline uint32_t chrome_joint_after(const struct chrome_joints *joints, uint32_t before,
                                          const char *at, const char *end)
{
    if (end - at <= JOINT_BYTES)
        return JOINT_NONE;
    for (int i = 0; i < JOINTS_AFTER; i++) {
        const uint32_t next = joints->list[before].after[i];
        if (next == JOINT_NONE || chrome_joint_is(&joints->list[next], at))
            return next;
    }
    return JOINT_NONE;
}

// Remembers one that stands from `from` to `to`, after number `before`. JOINT_NONE: it is too long,
// or there is no room.
uint32_t chrome_joint_learn(struct chrome_joints *joints, uint32_t before, struct view bytes,
                            struct view key, enum chrome_member_kind kind);

#endif
