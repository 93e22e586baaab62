#include "ledger.h"

const char *ledger_note_kind_name(enum ledger_note_kind kind)
{
    static const char *const names[] = {"lost", "impossible", "not carried", "remark"};
    return names[kind < LEDGER_KINDS ? kind : LEDGER_REMARK];
}

struct ledger ledger_sum(struct ledger a, struct ledger b)
{
    const uint64_t expected = a.expected == LEDGER_UNKNOWN || b.expected == LEDGER_UNKNOWN
                                  ? LEDGER_UNKNOWN
                                  : a.expected + b.expected;
    return (struct ledger){expected, a.recorded + b.recorded, a.lost + b.lost,
                           a.impossible + b.impossible};
}
