// A recording, as a device is handed it to profile its runs into: the one of this process, which
// takes events while something runs, or one that holds what was modelled until it is written.

#ifndef OPSCOPE_RECORD_RECORDER_H
#define OPSCOPE_RECORD_RECORDER_H

#include "record.h"

struct recorder;

// This process records from now on (opscope/record.h); one recording at a time.
status recorder_start(const struct opscope_record_options *options, struct recorder **out_recorder);

// Of what is put into it at once. Nothing is written before it is finished.
struct recorder *recorder_create(const char *path);

// The profile that is recorded, for adding to its tables; NULL when the recording is over. Not
// NULL, recorder_unlock follows.
struct profile *recorder_lock(struct recorder *recorder);
void recorder_unlock(struct recorder *recorder);

// Ends the file and frees the recorder. `*out_account` is as in record.h; NULL: not wanted.
status recorder_finish(struct recorder *recorder, struct profile **out_account);

// Frees it without a file. Without effect on the one of this process, which has written already.
void recorder_drop(struct recorder *recorder);

#endif
