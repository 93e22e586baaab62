// A board that is reached by ssh: the system's own client, with the user's keys and settings.
//
// Nothing but a POSIX shell, cat, mkdir, cksum and date is asked of the board. Paths there are
// taken from the folder in which a login begins. A connection that is lost is tried again, each
// time after a longer pause; what the board itself refuses is not. A command ends on the board
// when the connection does.

#ifndef OPSCOPE_SUITE_BOARD_H
#define OPSCOPE_SUITE_BOARD_H

#include "command.h"
#include "process.h"

struct board {
    const char *address; // "root@10.0.0.2"
    const char *port;    // NULL: ssh's choice
    const char *key;     // a file; NULL: ssh's choice
    const char *config;  // of ssh; NULL: the user's
    const char *folder;  // on the board
    unsigned attempts;   // at connecting, for each thing that is done
    // Of the network that is being tested.
    const char *log;
    const char *errors; // a file of its own for what ssh says
    uint64_t deadline;
    unsigned lost; // connections so far
};

// STATUS_NOT_FOUND when the board cannot be reached or refuses the key, STATUS_LIMIT when the time
// was over, STATUS_IO for what the board could not do.

// What `uname -m` says there, to free.
status board_machine(struct board *board, char **out_machine);

// A file into the board's folder, whole or not at all; what is there already, byte for byte by its
// checksum, is left. `mode` as chmod takes it.
status board_put(struct board *board, const char *local, const char *name, const char *mode);

struct board_times {
    uint64_t wall_ns; // with ssh
    bool has_own;     // the board knows
    uint64_t own_ns;  // by the board's clock, without ssh
    int code;         // of the command
};

// Runs a command in the board's folder, after `names`, files there, were removed.
status board_run(struct board *board, const struct command_words *words, const char *const *names,
                 size_t name_count, struct board_times *out_times);

// A file of the board's folder.
status board_get(struct board *board, const char *name, const char *local);

#endif
