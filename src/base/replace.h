// A file that is there as a whole or not at all: it is written beside its place and
// then moved there.

#ifndef OPSCOPE_BASE_REPLACE_H
#define OPSCOPE_BASE_REPLACE_H

#include "status.h"

// Where to write what belongs to `path`: in the same folder and with the same
// extension. The path itself for what is no plain file (a device, a pipe), and after
// a link where the link points to. For `replace_finish` to free.
char *replace_start(const char *path);

// Moves the file to its place when it was `written`, else removes it. Returns the
// first failure.
status replace_finish(char *temporary, const char *path, status written);

#endif
