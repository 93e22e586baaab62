// Every command of the program, one file each.

#ifndef OPSCOPE_CLI_COMMANDS_H
#define OPSCOPE_CLI_COMMANDS_H

#include "options.h"

extern const struct command COMMAND_ANNOTATE;
extern const struct command COMMAND_ANNOTATE_PROFILING;
extern const struct command COMMAND_CALIBRATE;
extern const struct command COMMAND_CHECK;
extern const struct command COMMAND_COMPILE;
extern const struct command COMMAND_COMPLETION;
extern const struct command COMMAND_CONVERT;
extern const struct command COMMAND_DIFF;
extern const struct command COMMAND_ESTIMATE;
extern const struct command COMMAND_EXPLAIN;
extern const struct command COMMAND_GATE;
extern const struct command COMMAND_HELP;
extern const struct command COMMAND_INFER;
extern const struct command COMMAND_INFO;
extern const struct command COMMAND_IREE_RUN_MODULE;
extern const struct command COMMAND_LINKS;
extern const struct command COMMAND_MANUAL;
extern const struct command COMMAND_MCP;
extern const struct command COMMAND_MERGE;
extern const struct command COMMAND_MODEL;
extern const struct command COMMAND_OPERATORS;
extern const struct command COMMAND_TOP;
extern const struct command COMMAND_REPORT;
extern const struct command COMMAND_VIEW;
extern const struct command COMMAND_OVERVIEW;
extern const struct command COMMAND_PERFETTO_LOGGER;
extern const struct command COMMAND_PROFILE;
extern const struct command COMMAND_PROGRAM;
extern const struct command COMMAND_QAIC_COMPILE;
extern const struct command COMMAND_QAIC_EXEC;
extern const struct command COMMAND_QAIC_OPSTATS;
extern const struct command COMMAND_QAIC_RUNNER;
extern const struct command COMMAND_RUN;
extern const struct command COMMAND_SQL;
extern const struct command COMMAND_SUITE;
extern const struct command COMMAND_TARGETS;
extern const struct command COMMAND_TIMELINE;
extern const struct command COMMAND_TORQ_COMPILE;
extern const struct command COMMAND_TORQ_RUN_MODULE;
extern const struct command COMMAND_TT_PERF;
extern const struct command COMMAND_TT_PERF_REPORT;
extern const struct command COMMAND_PROCESS_OPS_LOGS;
extern const struct command COMMAND_SCORE;
extern const struct command COMMAND_TT_PROFILE;
extern const struct command COMMAND_TT_REPORT;
extern const struct command COMMAND_VERIFY;
extern const struct command COMMAND_WHATIF;

// In the order of the help text; ends with NULL.
extern const struct command *const COMMANDS[];

#endif
