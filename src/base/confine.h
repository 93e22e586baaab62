// Which files the program may read: all, or those below some folders alone.
//
// A server that reads what a client names confines itself once. From then on every file that is
// opened for reading (input.h) is looked up beneath the folders by the system itself, in the same
// step in which it is opened: no link and no "..", however it is changed meanwhile, leads outside.
// A link may lead to another place beneath the same folder if it is relative; where the system has
// no openat2, none is followed. What is neither a regular file nor a folder is not opened at all.

#ifndef OPSCOPE_BASE_CONFINE_H
#define OPSCOPE_BASE_CONFINE_H

#include <stdbool.h>

#include "arena.h"
#include "bytes.h"
#include "status.h"

enum { CONFINE_MOST = 64 };

// Adds a folder to those that are read from; the first one confines the program. Before other
// threads are started.
status confine_add(const char *folder);

bool confine_is_on(void);

// As open(2). Where the program is confined, `path` is one of confine_place's: errno is EXDEV when
// it is not below a folder, and the file is a regular one or a folder (else errno is EACCES).
int confine_open(const char *path, int flags);

// The absolute path of a file or folder that is there and may be read. A relative one is looked
// for in one folder after the other. Lives as long as the arena.
status confine_place(struct view path, struct arena *arena, const char **out_path);

// The folders, with commas between them.
void confine_list(struct bytes *to);

// What beneath the folder of a descriptor can be opened, no link being followed.
int confine_open_beneath(int folder, struct view location);

#endif
