// Reads Perfetto traces: track events of any writer, this project's and vendors'
// tools among them. docs/formats/perfetto.md says what becomes of what.
//
// The trace is gone over twice: for the tracks, then for the events. Memory: the
// tracks, sequences, interned texts and clocks of the trace, the spans that are
// open at once with their values (at most 512 a track), two parts of the trace
// for each thread (reader_parts.h), and one unpacked packet where there is one
// that unpacks to more than a part holds (at most 64 MiB; Perfetto's own are
// under 512 KiB). Tracks that must be put in order of time first go through a
// spool.
//
// Parts are unpacked and split into packets and fields on all threads. What the numbers in them
// stand for is found in a row: interned texts, clocks and open spans of a sequence run through from
// packet to packet.
//
// Malformed, cut off and contradictory traces are read as far as they go; the
// profile's ledger says what is missing and why.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_H
#define OPSCOPE_FORMATS_PERFETTO_READER_H

#include "base/input.h"
#include "profile/profile.h"

// Whether the bytes look like a trace. The start of one is enough.
bool perfetto_recognise(struct view bytes);

// Fills `profile`, which must be new. Fails where the system does (no room for
// temporary data) and on traces of more than 2^20 tracks or sequences.
status perfetto_read(struct input *input, struct profile *profile);

#endif
