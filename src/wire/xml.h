// Text inside XML.

#ifndef OPSCOPE_WIRE_XML_H
#define OPSCOPE_WIRE_XML_H

#include "base/bytes.h"

// Appends `text` for an element's content or a quoted attribute. What XML has no place for
// (control characters, bytes that are no UTF-8) becomes U+FFFD.
void xml_append(struct bytes *to, struct view text);

#endif
