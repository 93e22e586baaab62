// JSON values as Python prints them, which is how Tenstorrent's reports hold them.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_PYTHON_TEXT_H
#define OPSCOPE_FORMATS_TENSTORRENT_PYTHON_TEXT_H

#include "base/bytes.h"
#include "wire/json_reader.h"

// Appends a JSON value as Python prints it, commas as semicolons: a text as it
// is, {'a': 'x'; 'b': 1.5}, ['p'; 'q'], None, True.
void python_text_append(struct bytes *text, const struct json_value *value);

// The same, but texts in quotes: as they stand inside lists and dictionaries.
void python_text_append_nested(struct bytes *text, const struct json_value *value);

#endif
