// Names in reports: what has none says so in all of them alike.

#ifndef OPSCOPE_REPORTS_NAMES_H
#define OPSCOPE_REPORTS_NAMES_H

#include "base/view.h"

static inline struct view name_or_none(struct view name)
{
    return name.size > 0 ? name : VIEW_LITERAL("(no name)");
}

#endif
