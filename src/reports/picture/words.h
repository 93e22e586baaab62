// The words and numbers of a picture, the same however it is drawn.

#ifndef OPSCOPE_REPORTS_PICTURE_WORDS_H
#define OPSCOPE_REPORTS_PICTURE_WORDS_H

#include "base/letters.h"
#include "plot.h"

enum { WORDS_TIME_ROOM = 32, WORDS_NOTES_MOST = 8 };

// "1.23 ms": three digits or more.
void words_time(uint64_t ns, char text[WORDS_TIME_ROOM]);

// "12 345", "1.5e+09".
void words_number(double number, char text[WORDS_TIME_ROOM]);

// The same with a prefix where it is large: "3.8 G".
void words_compact(double number, char text[WORDS_TIME_ROOM]);

// The network and the target where the profile says, else `source` (a path).
void words_title(struct bytes *to, const struct plot *plot, const char *source);

// How much there is, and of which time.
void words_subtitle(struct bytes *to, const struct plot *plot);

// "modelled", "measured", "measured and modelled" ...
const char *words_provenance(const struct plot *plot);

// The name of a lane.
struct view words_lane(const struct plot *plot, const struct plot_lane *lane, struct bytes *room);

// The longest name of a lane with its indent, in letters, but at most `most`.
size_t words_label_length(const struct profile *profile, size_t most);

// Of the kind, after its bar: "45.3 % of 2 lanes, 12 spans".
void words_total(struct bytes *to, const struct plot *plot, unsigned kind);

// What a reader should know of what is not drawn as it is; false when there is no note
// `index`.
bool words_note(struct bytes *to, const struct plot *plot, unsigned index);

// The times at which the axis has a mark: `from`, `from` + step ... The text of each.
struct words_axis {
    uint64_t first;
    uint64_t step;
    uint64_t unit; // ns
    unsigned decimals;
};

// As many as have room, the plot being so many letters wide.
struct words_axis words_axis(const struct plot *plot, double letters);
void words_mark(const struct words_axis *axis, uint64_t ns, char text[WORDS_TIME_ROOM]);

#endif
