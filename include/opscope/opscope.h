// All of libopscope: record, read, write and analyse profiles. docs/library.md is the guide.

#ifndef OPSCOPE_OPSCOPE_H
#define OPSCOPE_OPSCOPE_H

#include <opscope/analyse.h>
#include <opscope/profile.h>
#include <opscope/query.h>
#include <opscope/record.h>
#include <opscope/result.h>
#include <opscope/table.h>
#include <opscope/timechart.h>
#include <opscope/version.h>

#endif
