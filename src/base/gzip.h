// A gzip file of one member that all threads pack: pieces of its content, each by itself, put
// together in order. The bytes are the same for any number of threads.
//
// Memory: GZIP_PIECE and what it is packed into for each part under way (base/parts.h).

#ifndef OPSCOPE_BASE_GZIP_H
#define OPSCOPE_BASE_GZIP_H

#include <stddef.h>

enum { GZIP_PIECE = 512 << 10 };

struct gzip;

// `write` is called by whoever adds and ends.
struct gzip *gzip_open(void (*write)(void *context, const void *data, size_t size), void *context);

void gzip_add(struct gzip *gzip, const void *data, size_t size);

// Writes what is left and the end of the file, and frees it.
void gzip_close(struct gzip *gzip);

#endif
