// A summary of qaic-opstats as a profile. It has sums and no times of single operations: what a
// kind of work took on a core is one span, laid after those of the same lane, and the lanes are
// called totals. Where what a group of threads did takes longer than the inference, each row lies
// in equal parts on as many lanes as that takes at least. The fact `placement` says `totals`: what
// depends on when things happened is not in such a profile.

#ifndef OPSCOPE_FORMATS_QAIC_SUMMARY_PROFILE_H
#define OPSCOPE_FORMATS_QAIC_SUMMARY_PROFILE_H

#include "base/input.h"
#include "profile/profile.h"

// Lines that are not understood are lost, rows that are there twice impossible.
status qaic_summary_profile_read(const struct input *input, struct profile *profile);

#endif
