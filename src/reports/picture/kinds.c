#include "kinds.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/memory.h"

enum {
    TRANSFER_IN,
    TRANSFER_OUT,
    TRANSFER,
    COMMUNICATION,
    COMPUTE, // and those after it
    COMPUTE_LAST = COMPUTE + 3,
    CONTROL,
    HOST,
    HOST_COPY,
    WAIT,
    OTHER,
};

_Static_assert(OTHER + 1 == PICTURE_KINDS, "each has a colour");

const unsigned PICTURE_WAIT = WAIT;
const unsigned PICTURE_OTHER = OTHER;

static const struct {
    const char *name;
    uint32_t colour;
    unsigned terminal;
    bool by_engine; // called by its engine where that is the only one
} KINDS[PICTURE_KINDS] = {
    [TRANSFER_IN] = {"transfer in", 0x7accf2, 75, true},
    [TRANSFER_OUT] = {"transfer out", 0x344fa8, 25, true},
    [TRANSFER] = {"transfer", 0x44aa86, 37, true},
    [COMMUNICATION] = {"communication", 0x4c1060, 53, true},
    [COMPUTE] = {"compute", 0xe59e34, 214, false},
    [COMPUTE + 1] = {"compute 2", 0xc44c10, 166, true},
    [COMPUTE + 2] = {"compute 3", 0x603810, 58, true},
    [COMPUTE_LAST] = {"compute 4", 0xec244c, 197, true},
    [CONTROL] = {"control", 0xb23e7c, 132, true},
    [HOST] = {"host", 0x3d7f48, 65, false},
    [HOST_COPY] = {"host copy", 0xc4eea6, 151, false},
    [WAIT] = {"wait", 0xc9ccd1, 250, false},
    [OTHER] = {"other", 0x9a86b8, 139, false},
};

static const unsigned char BY_ROLE[ROLE_COUNT] = {
    [ROLE_NONE] = OTHER,
    [ROLE_COMPUTE] = COMPUTE,
    [ROLE_TRANSFER_IN] = TRANSFER_IN,
    [ROLE_TRANSFER_OUT] = TRANSFER_OUT,
    [ROLE_TRANSFER] = TRANSFER,
    [ROLE_COMMUNICATION] = COMMUNICATION,
    [ROLE_CONTROL] = CONTROL,
    [ROLE_WAIT] = WAIT,
    [ROLE_HOST] = HOST,
    [ROLE_HOST_COPY] = HOST_COPY,
    [ROLE_HOST_CALL] = HOST,
    [ROLE_DEVICE] = COMPUTE,
};

enum { KNOWN = 0x80, WAITS = 0x40, SHADE = 0x3f };

// Of a profile ---------------------------------------------------------------------

// What computes in a process, as it comes. Beyond the kinds that there are, the last one.
struct computing {
    uint32_t process;
    uint32_t engines[COMPUTE_LAST - COMPUTE + 1];
    unsigned count;
};

uint32_t picture_process_of(const struct profile *profile, uint32_t track)
{
    while (track != 0 && profile_track(profile, track)->kind != TRACK_PROCESS)
        track = profile_track(profile, track)->parent;
    return track;
}

static unsigned ordinal_of(struct computing *computing, uint32_t engine)
{
    unsigned at = 0;
    while (at < computing->count && computing->engines[at] != engine)
        at++;
    if (at == computing->count && at < COMPUTE_LAST - COMPUTE + 1)
        computing->engines[computing->count++] = engine;
    return at <= COMPUTE_LAST - COMPUTE ? at : COMPUTE_LAST - COMPUTE;
}

static unsigned kind_of_track(const struct profile *profile, uint32_t id,
                              struct computing *computing)
{
    const struct track *track = profile_track(profile, id);
    return track->role == ROLE_COMPUTE
               ? COMPUTE + ordinal_of(&computing[picture_process_of(profile, id)], track->engine)
               : BY_ROLE[track->role];
}

unsigned picture_kind_of_role(enum role role)
{
    return BY_ROLE[role];
}

static void name_kind(struct picture_kinds *kinds, const struct profile *profile, unsigned kind)
{
    uint32_t engine = 0;
    bool several = false;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (kinds->of_track[i] != kind || track->role == ROLE_DEVICE)
            continue;
        several |= track->engine == 0 || (engine != 0 && track->engine != engine);
        engine = track->engine;
    }
    const struct view word = view_shortened(profile_text(profile, engine), PICTURE_KIND_ROOM - 1);
    if (engine != 0 && !several)
        snprintf(kinds->names[kind], PICTURE_KIND_ROOM, "%.*s", VIEW_ARGUMENTS(word));
}

struct picture_kinds picture_kinds_find(const struct profile *profile)
{
    const uint32_t count = profile->tracks.count;
    struct picture_kinds kinds = {.of_track = memory_allocate_zeroed(count, 1)};
    struct computing *computing = memory_allocate_zeroed(count, sizeof *computing);
    bool several = false;
    for (uint32_t i = 0; i < count; i++) {
        kinds.of_track[i] = (unsigned char)kind_of_track(profile, i, computing);
        several |= kinds.of_track[i] > COMPUTE && kinds.of_track[i] <= COMPUTE_LAST;
    }
    for (unsigned kind = 0; kind < PICTURE_KINDS; kind++) {
        snprintf(kinds.names[kind], PICTURE_KIND_ROOM, "%s", KINDS[kind].name);
        if (KINDS[kind].by_engine || (kind == COMPUTE && several))
            name_kind(&kinds, profile, kind);
    }
    free(computing);
    return kinds;
}

void picture_kinds_free(struct picture_kinds *kinds)
{
    free(kinds->of_track);
    kinds->of_track = NULL;
}

// Colours --------------------------------------------------------------------------

uint32_t picture_kind_colour(unsigned kind, unsigned shade)
{
    static const struct {
        unsigned target; // each of red, green and blue goes there ...
        unsigned part;   // ... by so many parts of 20
    } SHADES[PICTURE_SHADES] = {{0, 0}, {255, 4}, {0, 2}};
    uint32_t mixed = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        const unsigned part = SHADES[shade % PICTURE_SHADES].part;
        const unsigned own = KINDS[kind].colour >> shift & 0xff;
        mixed |= ((own * (20 - part) + SHADES[shade % PICTURE_SHADES].target * part) / 20) << shift;
    }
    return mixed;
}

unsigned picture_kind_terminal_colour(unsigned kind)
{
    return KINDS[kind].terminal;
}

uint32_t picture_ink(uint32_t colour)
{
    const uint32_t light =
        (colour >> 16) * 299 + (colour >> 8 & 0xff) * 587 + (colour & 0xff) * 114;
    return light > 140000 ? 0x1f2933 : 0xffffff;
}

// Names ----------------------------------------------------------------------------

bool picture_has_word(struct view name, struct view word)
{
    for (size_t at = 0; at + word.size <= name.size; at++) {
        size_t same = 0;
        while (same < word.size && tolower((unsigned char)name.data[at + same]) ==
                                       tolower((unsigned char)word.data[same]))
            same++;
        if (same == word.size)
            return true;
    }
    return false;
}

static unsigned char kinds_look_at(struct view name)
{
    const bool waits = picture_has_word(name, VIEW_LITERAL("wait")) ||
                       picture_has_word(name, VIEW_LITERAL("idle")) ||
                       picture_has_word(name, VIEW_LITERAL("stall"));
    struct digest digest = digest_start();
    digest_add(&digest, name.data, name.size);
    return (unsigned char)(KNOWN | (waits ? WAITS : 0) | digest_finish(&digest) % PICTURE_SHADES);
}

unsigned picture_names_kind(struct picture_names *names, uint32_t name, unsigned lane,
                            unsigned *out_shade)
{
    names->known = memory_extend(names->known, &names->count, name, 1);
    if (names->known[name] == 0)
        names->known[name] = kinds_look_at(profile_text(names->profile, name));
    *out_shade = names->known[name] & SHADE;
    return (names->known[name] & WAITS) != 0 ? WAIT : lane;
}
