// What kind of work a span is, and how it is coloured: hues that stay apart for colour-blind
// readers, in three shades each, so that neighbours of one kind are told apart by their names.

#ifndef OPSCOPE_REPORTS_PICTURE_KINDS_H
#define OPSCOPE_REPORTS_PICTURE_KINDS_H

#include "profile/profile.h"

// Kinds are numbers, in the order of the legend. A kind follows from the role of a lane; of
// several engines that compute in one process, each has its own, as far as there are enough.
enum { PICTURE_KINDS = 13, PICTURE_SHADES = 3, PICTURE_KIND_ROOM = 32 };

extern const unsigned PICTURE_WAIT, PICTURE_OTHER;

// The kinds of a profile's lanes.
struct picture_kinds {
    unsigned char *of_track; // by track id
    char names[PICTURE_KINDS][PICTURE_KIND_ROOM];
};

// By what the lanes say. A kind is called by its role; but for what computes alone, is of the
// host or was not said, by the engine where it is the only one of its kind.
struct picture_kinds picture_kinds_find(const struct profile *profile);
void picture_kinds_free(struct picture_kinds *kinds);

// 0xRRGGBB; shade 0 is the one of the legend.
uint32_t picture_kind_colour(unsigned kind, unsigned shade);

// A number of a terminal's 256 colours.
unsigned picture_kind_terminal_colour(unsigned kind);

// White or nearly black, whichever can be read on `colour`.
uint32_t picture_ink(uint32_t colour);

// Whether a name has these letters in it, large or small.
bool picture_has_word(struct view name, struct view word);

// The process that a track belongs to, itself perhaps; 0: none.
uint32_t picture_process_of(const struct profile *profile, uint32_t track);

// What the names of spans say, found out once for each: memory for what is distinct.
struct picture_names {
    const struct profile *profile;
    unsigned char *known; // by text id: 0, or a bit for waiting and the shade
    size_t count;
};

// What a role alone says; several engines that compute are not told apart by it.
unsigned picture_kind_of_role(enum role role);

// The kind of a span of this name on a lane of kind `lane`.
unsigned picture_names_kind(struct picture_names *names, uint32_t name, unsigned lane,
                            unsigned *out_shade);

#endif
