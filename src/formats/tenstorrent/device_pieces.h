// The lines of a device log, read in pieces on all threads (base/parts.h) and given in order.
//
// A piece is read by a log of its own, with lanes and zones of its own, as if the header at hand
// were good for all of it: it stops where another one stands. The one who takes the pieces in order
// gives lanes and zones the numbers of the whole, reads the first lines of a further log by itself,
// and has what follows cut anew.
//
// Memory: PARTS_OF_THREAD pieces for each thread, about 1 MiB each.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_PIECES_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_PIECES_H

#include "device_log.h"

struct device_pieces;

void device_pieces_free(struct device_pieces *pieces);

#endif
