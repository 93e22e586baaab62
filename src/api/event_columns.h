// Events of a profile as columns: spans, instants, samples of counters.

#ifndef OPSCOPE_API_EVENT_COLUMNS_H
#define OPSCOPE_API_EVENT_COLUMNS_H

#include "columns.h"
#include "profile/profile.h"

// Fills an empty table with the events of a kind, track by track.
status event_columns_fill(struct profile *profile, enum event_kind kind,
                          const struct opscope_table_options *options, struct opscope_table *table);

// Whether `list`, words with commas between them, has the word; NULL has all.
bool columns_wanted(const char *list, struct view word);

// Takes the next word off a list with commas between them; false at its end.
bool columns_next_word(struct view *list, struct view *out_word);

#endif
