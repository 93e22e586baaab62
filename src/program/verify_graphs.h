// That graphs inside operators can run node by node, as their values are known.

#ifndef OPSCOPE_PROGRAM_VERIFY_GRAPHS_H
#define OPSCOPE_PROGRAM_VERIFY_GRAPHS_H

#include "program.h"

// Every graph belongs to one attribute of one node, none contains itself; its nodes belong to
// it alone, its values are made once. What its nodes read was made before: in it, in a graph
// around it, or it is a constant or read by the task that calls the operator.
status verify_graphs(const struct program *program);

#endif
