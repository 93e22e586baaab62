// The font files of this machine, where systems keep them.

#ifndef OPSCOPE_WIRE_FONT_FILES_H
#define OPSCOPE_WIRE_FONT_FILES_H

#include <stddef.h>

enum { FONT_FILES_MOST = 4096, FONT_FOLDERS_DEEP = 8 };

struct font_files {
    char **paths; // in order of their bytes
    size_t count, capacity;
};

// Files that end in .ttf, .otf or .ttc below the folders of OPSCOPE_FONTS (with : between them),
// else below those of the user and of the system; at most FONT_FILES_MOST. Folders that cannot be
// read have none.
struct font_files font_files_find(void);
void font_files_free(struct font_files *files);

#endif
