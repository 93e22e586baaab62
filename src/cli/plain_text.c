#include "plain_text.h"

#include "reports/picture/words.h"

void plain_text_print(FILE *file, struct view text, int width)
{
    struct bytes shown = {0};
    const size_t length = words_length(text);
    words_shorten(&shown, text, length);
    const int blanks = length < (size_t)width ? width - (int)length : 0;
    fprintf(file, "%.*s%*s", VIEW_ARGUMENTS(bytes_view(&shown)), blanks, "");
    bytes_free(&shown);
}
