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

// "1.50 MiB".
void words_bytes(double bytes, char text[WORDS_TIME_ROOM]);

// Appends the name of a span, and how much of a stack was folded into it, in at most `most`
// letters. Of a name that is too long for them, what it says of where the function is declared and
// what it returns is left out first: "at::native::copy_kernel<..", "file.py(12): forward".
void words_span(struct bytes *to, const struct plot *plot, const struct plot_span *span,
                size_t most);

// The same in full, for those who ask.
void words_span_whole(struct bytes *to, const struct plot *plot, const struct plot_span *span);

// What the largest value of a counter is: "most 4 000 bytes".
void words_most(struct bytes *to, const struct plot *plot, const struct plot_lane *lane);

// The network and the target where the profile says, else `source` (a path).
void words_title(struct bytes *to, const struct profile *profile, const char *source);

// How much there is, and of which time.
void words_subtitle(struct bytes *to, const struct plot *plot);

// "modelled", "measured", "measured and modelled" ...
const char *words_provenance(const struct plot *plot);

// The name of a lane.
struct view words_lane(const struct plot *plot, const struct plot_lane *lane, struct bytes *room);

// The longest name of a lane with its indent, in letters, but at most `most`.
size_t words_label_length(const struct profile *profile, size_t most);

// How much of the time shown is busy: "45.3 %", "<0.1 %".
void words_percent(const struct plot *plot, uint64_t busy, uint64_t lanes,
                   char text[WORDS_TIME_ROOM]);

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
