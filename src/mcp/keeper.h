// The process that keeps profiles open, and the calls that it answers.
//
// The server reads no file itself. A process beside it, the keeper, reads what a call names, keeps
// it, and splits off a process of its own for each call, which finds the profiles as they are and
// leaves them as they were. So a file that ends a process, or a query that takes for ever, costs
// one call and not the server. A call is stopped by ending its process, or the keeper while it
// reads. None of them outlives the server: each is ended by the system when its parent ends.
//
// One call at a time. What it writes comes in three streams, of which no more is held than is said.

#ifndef OPSCOPE_MCP_KEEPER_H
#define OPSCOPE_MCP_KEEPER_H

#include <poll.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/status.h"

struct mcp_tool;

// What the keeper does with files and calls.
struct keeper_work {
    size_t kept; // profiles at most
    void (*keep)(const char *path, size_t most);
    // The exit code. `side` is where the third stream is written to.
    int (*run)(const struct mcp_tool *tool, int count, char **words, int side);
};

// What a call writes: its answer, what it says to people, and what comes with the answer.
enum keeper_stream { KEEPER_OUT, KEEPER_ERR, KEEPER_SIDE, KEEPER_STREAMS };

enum keeper_state {
    KEEPER_IDLE,
    KEEPER_READING, // files
    KEEPER_RUNNING,
    KEEPER_STOPPING, // the call was stopped, and is about to end
};

// All zero is one without a process.
struct keeper {
    pid_t process; // 0: none
    int control;
    int files[KEEPER_STREAMS];
    enum keeper_state state;
    struct bytes streams[KEEPER_STREAMS]; // of the call at hand
    size_t most[KEEPER_STREAMS];          // bytes that are held
    bool over[KEEPER_STREAMS];            // there was more
    int wait_status;                      // of waitpid, when a call has ended
    const struct mcp_tool *tools;
    const struct keeper_work *work;
};

enum { KEEPER_JOB_MOST = 160 << 10, KEEPER_POLLS = 1 + KEEPER_STREAMS };

// Starts a call, and a process where there is none. `tools` is the array that `tool` is in. Words
// and files are not needed afterwards.
struct keeper_job {
    const struct mcp_tool *tool;
    const char *const *files;
    size_t file_count;
    const char *const *words;
    size_t word_count;
};
status keeper_start(struct keeper *keeper, const struct keeper_job *job);

// What to wait for; all -1 without a process.
void keeper_poll(const struct keeper *keeper, struct pollfd polls[KEEPER_POLLS]);

// Takes what is there. When the call has ended, KEEPER_ENDED or, where the whole process did,
// KEEPER_DIED; `wait_status` and the streams are those of the call then.
enum keeper_event { KEEPER_NOTHING, KEEPER_ENDED, KEEPER_DIED };
enum keeper_event keeper_take(struct keeper *keeper, const struct pollfd polls[KEEPER_POLLS]);

// Ends the call: KEEPER_ENDED follows, or KEEPER_DIED at once if it was still reading.
void keeper_stop(struct keeper *keeper);

// Ends the process and all that it does.
void keeper_end(struct keeper *keeper);

#endif
