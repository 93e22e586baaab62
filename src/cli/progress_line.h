// A line on the terminal for work that takes longer than a second. Nothing is
// shown when stderr is not a terminal.

#ifndef OPSCOPE_CLI_PROGRESS_LINE_H
#define OPSCOPE_CLI_PROGRESS_LINE_H

void progress_line_start(void);

// Takes the line away again.
void progress_line_stop(void);

#endif
