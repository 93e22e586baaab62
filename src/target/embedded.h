// The targets that come with the program: the files of targets/, put in when it
// is built.

#ifndef OPSCOPE_TARGET_EMBEDDED_H
#define OPSCOPE_TARGET_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *name;
    const char *text;
};

// Ends with a NULL name.
extern const struct embedded_file TARGET_FILES[];

#endif
