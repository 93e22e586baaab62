// Which groups of operators took the time of a run, for a terminal or as JSON.

#ifndef OPSCOPE_CLI_ANNOTATE_SUMMARY_H
#define OPSCOPE_CLI_ANNOTATE_SUMMARY_H

#include "options.h"
#include "reports/torq/annotate.h"

// Of a run that was joined and not folded. Reads --top and --json.
status annotate_summary(const struct arguments *arguments, const struct annotation *annotation);

#endif
