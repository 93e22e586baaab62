// Writes a ZIP archive as it comes: one file after the other, packed with deflate.
// The same input gives the same bytes: files have the date 1980-01-01, the format's
// first. Files and the archive are limited to 4 GiB.

#ifndef OPSCOPE_WIRE_ZIP_H
#define OPSCOPE_WIRE_ZIP_H

#include "base/output.h"

struct zip_writer;

struct zip_writer *zip_create(struct output *output);

// Begins a file; what is written goes to it until the next begins.
void zip_file(struct zip_writer *zip, const char *name);
void zip_write(struct zip_writer *zip, struct view bytes);

// Writes the directory and frees the writer; the output stays open. Fails when the
// archive is too large.
status zip_finish(struct zip_writer *zip);

#endif
