#include "font_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"

static bool is_font(struct view name)
{
    return view_has_extension(name, ".ttf") || view_has_extension(name, ".otf") ||
           view_has_extension(name, ".ttc");
}

static void look_into(struct font_files *files, const char *folder, unsigned depth);

static void look_at(struct font_files *files, const char *folder, const struct dirent *entry,
                    unsigned depth)
{
    struct bytes path = {0};
    bytes_append_format(&path, "%s/%s", folder, entry->d_name);
    char *text = view_copy(bytes_view(&path));
    bytes_free(&path);
    const bool font = entry->d_type != DT_DIR && is_font(view_of(entry->d_name));
    if (font && files->count < FONT_FILES_MOST) {
        files->paths =
            memory_grow(files->paths, files->count, &files->capacity, sizeof *files->paths);
        files->paths[files->count++] = text;
        return;
    }
    if (entry->d_type == DT_DIR && depth < FONT_FOLDERS_DEEP)
        look_into(files, text, depth + 1);
    free(text);
}

static void look_into(struct font_files *files, const char *folder, unsigned depth)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    while (open != NULL && (entry = readdir(open)) != NULL) {
        if (entry->d_name[0] != '.')
            look_at(files, folder, entry, depth);
    }
    if (open != NULL)
        closedir(open);
}

static void look_into_each(struct font_files *files, struct view folders)
{
    while (folders.size > 0) {
        const size_t end = view_find(folders, ':');
        char *folder = view_copy(view_slice(folders, 0, end));
        look_into(files, folder, 0);
        free(folder);
        folders = view_slice(folders, end < folders.size ? end + 1 : end, folders.size);
    }
}

static void look_into_home(struct font_files *files, const char *below)
{
    struct bytes path = {0};
    const char *home = getenv("HOME");
    if (home == NULL || home[0] == '\0')
        return;
    bytes_append_format(&path, "%s/%s", home, below);
    look_into_each(files, bytes_view(&path));
    bytes_free(&path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct font_files font_files_find(void)
{
    struct font_files files = {0};
    const char *given = getenv("OPSCOPE_FONTS");
    if (given != NULL) {
        look_into_each(&files, view_of(given));
    } else {
        look_into_home(&files, ".local/share/fonts");
        look_into_home(&files, ".fonts");
        look_into_each(&files, VIEW_LITERAL("/usr/local/share/fonts:/usr/share/fonts"));
    }
    sort_items(files.paths, files.count, sizeof *files.paths, compare_paths);
    return files;
}

void font_files_free(struct font_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (struct font_files){0};
}
