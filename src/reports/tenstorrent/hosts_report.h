// The operations report of several hosts that ran together: each has its logs in a folder of its
// own, and numbers its devices from 0.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_HOSTS_REPORT_H
#define OPSCOPE_REPORTS_TENSTORRENT_HOSTS_REPORT_H

#include "ops_report.h"

// The folders of hosts: those that were given where they are several and two hold a log of the same
// kind, or rank0, rank1, ... in the one that was given and holds no logs itself (as tt-run --tracy
// leaves them).
struct hosts {
    char **folders;
    size_t count; // 0: the logs are those of one host
};

void hosts_find(const char *const *paths, size_t count, struct hosts *out_hosts);
void hosts_free(struct hosts *hosts);

// The rows of all hosts, one host after the other. The device of host n is DEVICE ID + n * devices,
// where every host counts for as many devices as the one with most; the vendor's tools count so
// too.
status ops_report_of_hosts(struct ops_report *report, const struct hosts *hosts,
                           struct profile *ledger);

#endif
