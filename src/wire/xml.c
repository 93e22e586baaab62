#include "xml.h"

#include <string.h>

// Only tab, line feed and carriage return of what lies below the blank, and neither
// U+FFFE nor U+FFFF.
static bool is_xml(struct view text, size_t at, size_t size)
{
    const unsigned char byte = (unsigned char)text.data[at];
    if (size == 3 && memcmp(text.data + at, "\xef\xbf", 2) == 0)
        return (unsigned char)text.data[at + 2] < 0xbe;
    return size > 0 && (byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r');
}

void xml_append(struct bytes *to, struct view text)
{
    for (size_t at = 0; at < text.size;) {
        const size_t size = view_character_size(text, at);
        const char byte = text.data[at];
        if (!is_xml(text, at, size))
            bytes_append(to, "\xef\xbf\xbd", 3);
        else if (byte == '<' || byte == '>' || byte == '&' || byte == '"')
            bytes_append_format(to, "&#%d;", byte);
        else
            bytes_append(to, text.data + at, size);
        at += size > 0 ? size : 1;
    }
}
