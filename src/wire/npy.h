// The header of numpy's .npy files, versions 1.0 to 3.0, without the meaning of
// the elements after it.

#ifndef OPSCOPE_WIRE_NPY_H
#define OPSCOPE_WIRE_NPY_H

#include "base/bytes.h"
#include "base/status.h"

enum { NPY_RANK_MOST = 32, NPY_ALIGNMENT = 64 };

struct npy_header {
    struct view type; // without the byte order: "f4", "i8", "b1", "V2", "bfloat16"
    bool big_endian;
    bool fortran_order; // the first index runs fastest
    unsigned rank;
    uint64_t dims[NPY_RANK_MOST];
    size_t size; // of the header: where the elements start
};

// Whether the bytes start like a .npy file.
bool npy_recognise(struct view bytes);

// Views point into `bytes`. Fails for structured types ("[('a', '<f4')]") and
// whatever else is no plain array; the caller adds the name of the file.
status npy_header_read(struct view bytes, struct npy_header *out_header);

// Appends a header of version 1.0, padded so that the elements are aligned.
// `type` is as numpy writes it: "<f4", "|b1".
void npy_header_append(struct bytes *file, const char *type, const uint64_t *dims, unsigned rank);

#endif
