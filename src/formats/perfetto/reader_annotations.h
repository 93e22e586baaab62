// Debug annotations as values of an event.
//
// The key is the annotation's name. Dictionaries and arrays are flattened:
// "shape.width", "inputs[0]". Interned strings become VALUE_STRING, others
// VALUE_TEXT; pointers become numbers, JSON stays text. A string annotation
// called "location" is no value: it says where the operator stands in the
// source. Names below a name are kept up to PERFETTO_ANNOTATION_KEY bytes and
// PERFETTO_ANNOTATION_DEPTH levels.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_ANNOTATIONS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_ANNOTATIONS_H

#include "base/bytes.h"
#include "reader_sequences.h"

enum { PERFETTO_ANNOTATION_KEY = 255, PERFETTO_ANNOTATION_DEPTH = 32 };

struct perfetto_annotations {
    struct strings *strings;
    struct bytes *values; // where they go
    const struct perfetto_sequence *sequence;
    uint32_t location_key;
    uint32_t location; // string id, once an annotation gave it
    uint32_t call_key;
    uint32_t calls;   // that a number under this key may mean; 0: it is a value like others
    uint32_t call;    // once an annotation gave it
    uint32_t unread;  // annotations that could not be read
    uint32_t unknown; // interned texts that are not defined
    size_t path_size;
    char path[PERFETTO_ANNOTATION_KEY + 1];
};

// Takes a DebugAnnotation message.
void perfetto_annotations_add(struct perfetto_annotations *annotations, struct view message);

// Takes a value that is no dictionary and no array, whose annotation has the interned name `iid`
// and nothing else.
void perfetto_annotations_add_scalar(struct perfetto_annotations *annotations, uint64_t iid,
                                     const struct protobuf_field *value);

#endif
