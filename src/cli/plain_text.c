#include "plain_text.h"

#include "base/letters.h"

void plain_text_print(FILE *file, struct view text, int width)
{
    struct bytes shown = {0};
    const size_t length = letters_count(text);
    letters_append(&shown, text, length, LETTERS_CUT_MIDDLE);
    const int blanks = length < (size_t)width ? width - (int)length : 0;
    fprintf(file, "%.*s%*s", VIEW_ARGUMENTS(bytes_view(&shown)), blanks, "");
    bytes_free(&shown);
}

void plain_text_put(struct view text)
{
    plain_text_print(stdout, text, 0);
}

void plain_text_print_name(struct view name, int width)
{
    const size_t room = (size_t)width;
    if (name.size <= room) {
        plain_text_print(stdout, name, width);
        return;
    }
    printf("..");
    plain_text_put(view_slice(name, name.size - room + 2, name.size));
}
