// Converts a profile from one format to another in one call: any that opscope reads to any
// that it writes, by the extension or by a name. Without arguments it lists the names.
//
//     convert IN OUT [FORMAT]

#include <stdio.h>

#include <opscope/profile.h>
#include <opscope/version.h>

static int list_formats(void)
{
    printf("opscope %s writes:\n", opscope_version());
    for (uint32_t i = 0; opscope_writable_format(i) != NULL; i++)
        printf("  %s\n", opscope_writable_format(i));
    return 0;
}

int main(int count, char **words)
{
    char message[512];
    if (count < 3)
        return list_formats();
    const char *format = count > 3 ? words[3] : NULL;
    const int result = opscope_convert(words[1], words[2], format, message, sizeof message);
    if (result != OPSCOPE_OK)
        fprintf(stderr, "convert: %s\n", message);
    // The same codes as the command: 3 says that the output is there, but not everything is in it.
    if (result == OPSCOPE_LOSS)
        return 3;
    return result == OPSCOPE_OK ? 0 : 1;
}
