// A file that a thread of its own writes, and packs where its name says so.
//
// Memory: WRITER_FILE_BUFFERS buffers of what is handed over at once.

#ifndef OPSCOPE_FORMATS_CHROME_WRITER_FILE_H
#define OPSCOPE_FORMATS_CHROME_WRITER_FILE_H

#include "base/bytes.h"
#include "base/status.h"

enum { WRITER_FILE_BUFFERS = 4 };

struct writer_file;

status writer_file_open(const char *path, struct writer_file **out_file);

// Hands over what `buffer` holds; it is empty afterwards.
void writer_file_put(struct writer_file *file, struct bytes *buffer);

// Waits until all is written. The first failure comes out here; `written` says whether what was
// put is the whole (base/output.h).
status writer_file_close(struct writer_file *file, status written);

#endif
