#include "cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/folder.h"
#include "base/input.h"

status cache_digest_file(struct digest *digest, const char *path)
{
    struct input *input;
    STATUS_TRY(input_map(path, &input));
    digest_add_number(digest, input->bytes.size);
    digest_add(digest, input->bytes.data, input->bytes.size);
    input_close(input);
    return STATUS_OK;
}

static char *cache_text(const struct bytes *bytes)
{
    return view_copy(bytes_view(bytes));
}

char *cache_folder(const char *cache, const struct digest *digest)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%s/%016" PRIx64, cache, digest_finish(digest));
    char *text = cache_text(&path);
    bytes_free(&path);
    return text;
}

status cache_begin(const char *folder, char **out_made)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%s.%ld", folder, (long)getpid());
    *out_made = cache_text(&path);
    bytes_free(&path);
    status result = folder_remove(*out_made);
    if (result == STATUS_OK)
        result = folder_make(*out_made);
    if (result != STATUS_OK) {
        free(*out_made);
        *out_made = NULL;
    }
    return result;
}

status cache_finish(const char *folder, char *made)
{
    status result = STATUS_OK;
    if (rename(made, folder) != 0) {
        if (errno != ENOTEMPTY && errno != EEXIST)
            result = status_system(errno, folder, "cannot keep what was compiled");
        result = status_first(result, folder_remove(made));
    }
    free(made);
    return result;
}

void cache_give_up(char *made)
{
    status_free(folder_remove(made));
    free(made);
}
