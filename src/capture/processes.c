#include "processes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/monotonic.h"

// Looking ---------------------------------------------------------------------

// "id (name) state parent group session ... 22nd: begun"
static bool read_stat(pid_t id, struct process *process, pid_t *out_session)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)id);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    char *name = strchr(text, '(');
    char *end = strrchr(text, ')');
    char state;
    int parent, group, session;
    unsigned long long begun;
    if (name == NULL || end == NULL ||
        sscanf(end + 1,
               " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &state, &parent, &group, &session, &begun) != 5 ||
        state == 'Z' || state == 'X')
        return false;
    *end = '\0';
    *process = (struct process){.id = id, .parent = (pid_t)parent, .begun = begun};
    snprintf(process->name, sizeof process->name, "%s", name + 1);
    *out_session = (pid_t)session;
    return true;
}

static struct process *processes_find_process(const struct processes *processes, pid_t id,
                                              uint64_t begun)
{
    for (size_t i = processes->count; i-- > 0;) {
        struct process *process = &processes->items[i];
        if (process->id == id && process->begun == begun)
            return process;
    }
    return NULL;
}

static bool is_alive(const struct processes *processes, pid_t id)
{
    for (size_t i = processes->count; i-- > 0;) {
        if (processes->items[i].id == id && processes->items[i].alive)
            return true;
    }
    return false;
}

// A process may leave the session of its parent; it stays one of the command's.
static bool is_ours(const struct processes *processes, const struct process *process, pid_t session)
{
    return session == processes->session ||
           processes_find_process(processes, process->id, process->begun) ||
           process->parent == getpid() || is_alive(processes, process->parent);
}

static void note_process(struct processes *processes, const struct process *found, uint64_t now)
{
    struct process *known = processes_find_process(processes, found->id, found->begun);
    if (known == NULL && processes->count < PROCESSES_MOST) {
        processes->items = memory_grow(processes->items, processes->count, &processes->capacity,
                                       sizeof *processes->items);
        known = &processes->items[processes->count++];
        *known = *found;
        known->seen = now;
    }
    if (known == NULL)
        return;
    memcpy(known->name, found->name, sizeof known->name);
    known->last = now;
    known->alive = true;
    processes->alive++;
}

void processes_look(struct processes *processes)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    const uint64_t now = monotonic_ns();
    if (folder == NULL)
        return;
    struct process *found = NULL;
    size_t count = 0;
    size_t capacity = 0;
    while ((entry = readdir(folder)) != NULL) {
        struct process process;
        pid_t session;
        const pid_t id = (pid_t)atoi(entry->d_name);
        if (!isdigit((unsigned char)entry->d_name[0]) || id == getpid() ||
            !read_stat(id, &process, &session) || !is_ours(processes, &process, session))
            continue;
        found = memory_grow(found, count, &capacity, sizeof *found);
        found[count++] = process;
    }
    closedir(folder);
    for (size_t i = 0; i < processes->count; i++)
        processes->items[i].alive = false;
    processes->alive = 0;
    for (size_t i = 0; i < count; i++)
        note_process(processes, &found[i], now);
    free(found);
}

// Listening -------------------------------------------------------------------

struct listener {
    unsigned long long inode;
    uint16_t port;
};

static size_t read_listeners(const char *path, uint16_t first, uint16_t last,
                             struct listener *listeners, size_t count, size_t most)
{
    enum { LISTENING = 0x0a };
    char line[512];
    FILE *file = fopen(path, "re");
    while (file != NULL && count < most && fgets(line, sizeof line, file) != NULL) {
        unsigned port, state;
        unsigned long long inode;
        if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %llu",
                   &port, &state, &inode) == 3 &&
            state == LISTENING && port >= first && port <= last)
            listeners[count++] = (struct listener){inode, (uint16_t)port};
    }
    if (file != NULL)
        fclose(file);
    return count;
}

static bool has_socket(pid_t id, unsigned long long inode)
{
    char path[64];
    char wanted[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)id);
    snprintf(wanted, sizeof wanted, "socket:[%llu]", inode);
    DIR *folder = opendir(path);
    bool found = false;
    struct dirent *entry;
    while (folder != NULL && !found && (entry = readdir(folder)) != NULL) {
        char link[512];
        char target[128];
        snprintf(link, sizeof link, "%s/%s", path, entry->d_name);
        const ssize_t size = readlink(link, target, sizeof target - 1);
        target[size > 0 ? size : 0] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

size_t processes_listening(const struct processes *processes, uint16_t first, uint16_t last,
                           struct listening *out_ports, size_t most)
{
    enum { LISTENERS = 512 };
    struct listener listeners[LISTENERS];
    size_t found = 0;
    size_t count = read_listeners("/proc/net/tcp", first, last, listeners, 0, LISTENERS);
    count = read_listeners("/proc/net/tcp6", first, last, listeners, count, LISTENERS);
    for (size_t i = 0; i < count && found < most; i++) {
        for (size_t k = 0; k < processes->count; k++) {
            const struct process *process = &processes->items[k];
            if (process->alive && has_socket(process->id, listeners[i].inode)) {
                out_ports[found++] = (struct listening){process->id, listeners[i].port};
                break;
            }
        }
    }
    return found;
}

void processes_free(struct processes *processes)
{
    free(processes->items);
    *processes = (struct processes){0};
}
