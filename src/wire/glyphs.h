// Letters of 5 by 7 points and one below the line, for labels in pictures.

#ifndef OPSCOPE_WIRE_GLYPHS_H
#define OPSCOPE_WIRE_GLYPHS_H

enum { GLYPHS_WIDTH = 5, GLYPHS_HEIGHT = 8 };

// The columns of a printable ASCII character from left to right, bit 0 at the
// top; a filled box for anything else.
const unsigned char *glyphs_columns(char character);

#endif
