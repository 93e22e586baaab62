// A file that is there as a whole or not at all: it is written beside its place, under a name
// that nobody can guess, and then moved there. Until then the old file stays as it is.
//
// Behind a link, what the link points to is replaced. What is no plain file (a pipe, a device,
// /dev/stdout whatever it leads to) is written as it is, and so is a file in a folder where
// nothing can be created. The new file has the permissions of the old one.

#ifndef OPSCOPE_BASE_REPLACE_H
#define OPSCOPE_BASE_REPLACE_H

#include <stdbool.h>

#include "status.h"

struct replace_temporary;

struct replacement {
    char *place;                         // the name of the file in its folder
    struct replace_temporary *temporary; // NULL: the file itself is written
    bool over_old;                       // a file of this name is there
};

// Opens what to write, empty or, to `append`, with what the file holds. `out_file` is for the
// caller to close, before `replace_finish`.
status replace_start(const char *path, bool append, struct replacement *out_replacement,
                     int *out_file);

// Whether that would be beside its place, so that nobody sees what was begun and failed.
bool replace_is_beside(const char *path);

// Moves the file to its place when it was `written`, else removes it. Returns the first failure.
status replace_finish(struct replacement *replacement, const char *path, status written);

// Removes it where nothing can be said any more: allocates nothing, frees nothing.
void replace_abandon(struct replacement *replacement);

// For the program, never for a library in somebody else's process ---------------------

// Signals that end the program remove what is half written first. Ignored ones stay ignored.
void replace_catch_signals(void);

// Removes what is half written; may be called from a signal handler. Does nothing in children,
// unless they were split off.
void replace_remove_all(void);

// In a process that was split off: what the other one is writing is not its to remove, and what it
// writes itself is.
void replace_split_off(void);

// A temporary file that a killed run left beside `path` is removed and told of. Without
// somebody to tell, nothing looks for them.
void replace_tell_of_remains(void (*tell)(const char *path, const char *temporary));

#endif
