// `opscope targets NAME --explain OPERATOR SHAPES`.

#ifndef OPSCOPE_CLI_TARGET_EXPLAIN_H
#define OPSCOPE_CLI_TARGET_EXPLAIN_H

#include "options.h"

// Prints what an operator costs on a target, and how that comes about.
status target_explain(const struct arguments *arguments);

#endif
