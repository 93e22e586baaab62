// One network of a test session: compiled, run here or on a board, and its profile made into a
// trace. Everything that happens is in its folder:
//
//     log.txt        commands, what they printed, and the wall time
//     wall_time.txt  seconds, with ssh where there is a board; wall_time_board.txt: without it
//     trace.pb       and what else the commands for reports make
//     output.N.npy   outputs of the network

#ifndef OPSCOPE_SUITE_TRIAL_H
#define OPSCOPE_SUITE_TRIAL_H

#include "board.h"
#include "plan.h"

// How networks are compiled and run for a kind of target. Names in the commands: {opscope},
// {model}, {target}, {program}, {phases}, {hardware}; for those that run {runner}, {inputs},
// {outputs}, {profile}; for reports {folder} and {dump} too.
struct trial_kind {
    const char *compile;
    const char *run;
    const char *const *reports; // up to a NULL
    const char *program;        // the file's name: "program.vmfb"
    const char *profile;        // "host_profile.csv"
    const char *dump;           // pattern of a file among the phases; NULL: there is none
    const char *runner;         // what runs programs is called so on a board
    const char *command;        // of opscope that does the same; NULL: opscope itself
};

struct trial_settings {
    const char *opscope;       // the program itself
    const char *cache;         // folder
    bool recompute;            // whatever the cache has
    const char *hardware;      // as the runner calls it
    const struct board *board; // NULL: it runs here
    bool update;               // the runner is copied to the board
    const char *runner;        // the file; NULL: opscope, if it is made for the board's processor
};

struct trial {
    char *name; // of its folder, and of files on a board
    char *model;
    char *target;
    char *folder;
    const struct plan_networks *networks; // inputs, commands (NULL: the kind's)
    const struct trial_kind *kind;
    double timeout; // seconds for all of it
};

enum trial_status {
    TRIAL_PASS,
    TRIAL_FAIL,  // the network does not compile or run, or takes too long
    TRIAL_ERROR, // it could not be tried: no board, no disk
};

// Without pointers, so that it comes from a process of its own as it is.
struct trial_result {
    enum trial_status status;
    char step[16];     // where it failed: "compile"; "" where it did not
    char reason[1000]; // one line
    bool cached;       // it was compiled before
    bool has_wall_time;
    uint64_t wall_ns;
    bool has_board_time;
    uint64_t board_ns;
    uint32_t lost; // connections
    uint64_t total_ns;
};

const char *trial_status_name(enum trial_status number);

// Does all of it. The folder is emptied first.
void trial_run(const struct trial *trial, const struct trial_settings *settings,
               struct trial_result *out_result);

#endif
