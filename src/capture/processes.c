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

struct found_processes {
    struct process *items;
    size_t count;
    size_t capacity;
};

static void add_found(struct found_processes *found, const struct process *process)
{
    found->items = memory_grow(found->items, found->count, &found->capacity, sizeof *found->items);
    found->items[found->count++] = *process;
}

// All processes of the machine, of which some are ours.
static void look_everywhere(const struct processes *processes, struct found_processes *found)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        struct process process;
        pid_t session;
        const pid_t id = (pid_t)atoi(entry->d_name);
        if (isdigit((unsigned char)entry->d_name[0]) && id != getpid() &&
            read_stat(id, &process, &session) && is_ours(processes, &process, session))
            add_found(found, &process);
    }
    if (folder != NULL)
        closedir(folder);
}

// The children of a thread; false where the kernel does not tell.
static bool look_at_children(const char *path, struct found_processes *found)
{
    FILE *file = fopen(path, "re");
    int id;
    if (file == NULL)
        return false;
    while (fscanf(file, "%d", &id) == 1) {
        struct process process;
        pid_t session;
        if (read_stat((pid_t)id, &process, &session))
            add_found(found, &process);
    }
    fclose(file);
    return true;
}

static void look_below(pid_t id, struct found_processes *found)
{
    char path[512];
    snprintf(path, sizeof path, "/proc/%d/task", (int)id);
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)id, entry->d_name);
        look_at_children(path, found);
    }
    if (folder != NULL)
        closedir(folder);
}

// The tree below us, from one to its children: what lost its parent is our child. Quick, but one
// that ends while its brothers are read may hide one of them until the next look.
static bool look_down(struct found_processes *found)
{
    if (!look_at_children("/proc/thread-self/children", found))
        return false;
    for (size_t i = 0; i < found->count && found->count < PROCESSES_MOST; i++)
        look_below(found->items[i].id, found);
    return true;
}

void processes_look(struct processes *processes, bool everywhere)
{
    const uint64_t now = monotonic_ns();
    struct found_processes found = {0};
    if (everywhere || !look_down(&found))
        look_everywhere(processes, &found);
    for (size_t i = 0; i < processes->count; i++)
        processes->items[i].alive = false;
    processes->alive = 0;
    for (size_t i = 0; i < found.count; i++)
        note_process(processes, &found.items[i], now);
    free(found.items);
}

// Listening -------------------------------------------------------------------

static bool has_socket(pid_t id, uint64_t inode)
{
    char path[64];
    char wanted[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)id);
    snprintf(wanted, sizeof wanted, "socket:[%llu]", (unsigned long long)inode);
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

size_t processes_listening(const struct processes *processes, const struct ports *ports,
                           struct listening *out_ports, size_t most)
{
    size_t found = 0;
    for (size_t i = 0; i < ports->count && found < most; i++) {
        for (size_t k = 0; k < processes->count; k++) {
            const struct process *process = &processes->items[k];
            if (process->alive && has_socket(process->id, ports->listeners[i].inode)) {
                out_ports[found++] = (struct listening){process->id, ports->listeners[i].port};
                break;
            }
        }
    }
    return found;
}

bool processes_lost_port(pid_t process, uint16_t port)
{
    struct ports ports;
    ports_open(&ports, port, port);
    ports_look(&ports);
    ports_close(&ports);
    bool own = ports.count == 0;
    for (size_t i = 0; i < ports.count && !own; i++)
        own = has_socket(process, ports.listeners[i].inode);
    return !own;
}

void processes_free(struct processes *processes)
{
    free(processes->items);
    *processes = (struct processes){0};
}
