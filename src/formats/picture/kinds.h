// What kind of work a span is, and how it is coloured: hues that stay apart for colour-blind
// readers, in three shades each, so that neighbours of one kind are told apart by their names.

#ifndef OPSCOPE_FORMATS_PICTURE_KINDS_H
#define OPSCOPE_FORMATS_PICTURE_KINDS_H

#include "profile/profile.h"

enum picture_kind {
    PICTURE_DMA_IN,
    PICTURE_DMA_OUT,
    PICTURE_CDMA,
    PICTURE_COMPUTE,
    PICTURE_CONTROL, // the device's own processor
    PICTURE_HOST,
    PICTURE_HOST_COPY,
    PICTURE_WAIT,
    PICTURE_OTHER,
    PICTURE_KINDS,
};

enum { PICTURE_SHADES = 3 };

const char *picture_kind_name(enum picture_kind kind);

// 0xRRGGBB; shade 0 is the one of the legend.
uint32_t picture_kind_colour(enum picture_kind kind, unsigned shade);

// A number of a terminal's 256 colours.
unsigned picture_kind_terminal_colour(enum picture_kind kind);

// White or nearly black, whichever can be read on `colour`.
uint32_t picture_ink(uint32_t colour);

enum picture_kind picture_engine_kind(enum engine engine);

// Whether a name has these letters in it, large or small.
bool picture_has_word(struct view name, const char *word);

// What the names of spans say, found out once for each: memory for what is distinct.
struct picture_names {
    const struct profile *profile;
    unsigned char *known; // by text id: 0, or a bit for waiting and the shade
    size_t count;
};

enum picture_kind picture_names_kind(struct picture_names *names, uint32_t name,
                                     enum picture_kind lane, unsigned *out_shade);

#endif
