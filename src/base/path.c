#include "path.h"

struct view path_unpacked_name(struct view name)
{
    if (view_has_extension(name, ".gz"))
        name.size -= strlen(".gz");
    else if (view_has_extension(name, ".zst"))
        name.size -= strlen(".zst");
    return name;
}

const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}
