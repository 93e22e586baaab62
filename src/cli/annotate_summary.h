// Which groups of operators took the time of a run, for a terminal or as JSON.

#ifndef OPSCOPE_CLI_ANNOTATE_SUMMARY_H
#define OPSCOPE_CLI_ANNOTATE_SUMMARY_H

#include "reports/torq/annotate.h"
#include "table_options.h"

// Of a run that was joined and not folded.
status annotate_summary(const struct table_options *options, const struct annotation *annotation);

#endif
