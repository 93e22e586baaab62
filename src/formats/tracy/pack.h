// The packing of .tracy files, when they are written: blocks of 64 KiB, each packed by LZ4 with the
// one before it as its history (docs/formats/tracy.md).

#ifndef OPSCOPE_FORMATS_TRACY_PACK_H
#define OPSCOPE_FORMATS_TRACY_PACK_H

#include "base/output.h"

struct tracy_pack;

status tracy_pack_open(const char *path, struct tracy_pack **out_pack);

void tracy_pack_bytes(struct tracy_pack *pack, const void *data, size_t size);

// The file is there only if all of it was `written`. Returns the first failure.
status tracy_pack_close(struct tracy_pack *pack, status written);

// Numbers, little-endian.
void tracy_pack_u8(struct tracy_pack *pack, unsigned number);
void tracy_pack_u16(struct tracy_pack *pack, unsigned number);
void tracy_pack_u24(struct tracy_pack *pack, uint32_t number);
void tracy_pack_u32(struct tracy_pack *pack, uint32_t number);
void tracy_pack_u64(struct tracy_pack *pack, uint64_t number);
void tracy_pack_f32(struct tracy_pack *pack, float number);
void tracy_pack_f64(struct tracy_pack *pack, double number);

// As many items of no bytes, or numbers that are 0.
void tracy_pack_zeros(struct tracy_pack *pack, size_t size);

// A length of 64 bits, then the text.
void tracy_pack_text(struct tracy_pack *pack, struct view text);

// A time, as the difference to the one before it.
void tracy_pack_time(struct tracy_pack *pack, uint64_t time, uint64_t *reference);

#endif
