// The parts of a page's data, each written by its own file.

#ifndef OPSCOPE_REPORTS_PAGE_PARTS_H
#define OPSCOPE_REPORTS_PAGE_PARTS_H

#include "page.h"
#include "reports/table.h"
#include "timeline.h"
#include "verdict.h"

// Lanes, names, operators, flows and kinds, as members of an object. Blocks are elsewhere: each
// level says where.
void parts_write_timeline(struct json_writer *json, const struct page_timeline *timeline);

// {columns, rows, total}: as many of the first rows as have room in `most` bytes.
void parts_write_table(struct json_writer *json, const char *key, struct table *table,
                       uint64_t most);

// Verdict, breakdown, tables and trees of a profile, as members of an object.
status parts_write_analyses(struct json_writer *json, const struct page_source *source,
                            uint64_t room);

// The critical path, rooflines, who held memories and how full they were, as a member.
void parts_write_explanation(struct json_writer *json, const struct page_source *source,
                             const struct explanation *explanation, uint64_t room);

// The account of all tracks, and of each that is not whole.
void parts_write_ledger(struct json_writer *json, const struct profile *profile);

// What changed between two profiles.
void parts_write_diff(struct json_writer *json, const struct page_source *sources, uint64_t room);

void parts_write_verdict(struct json_writer *json, const struct verdict *verdict);

#endif
