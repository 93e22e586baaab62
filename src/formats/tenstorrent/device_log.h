// Tenstorrent's profile_log_device.csv: what the processors of a chip's cores
// wrote while operations ran, one marker a row.
//
// Takes the 13 and 15 columns of 2025, the forms before them (run ID and run
// host ID; stat value and zone phase) and the first lines of every age, by the
// names in the header. A file may hold several logs, each with its own first
// lines: it is appended to. docs/formats/tenstorrent-logs.md has the columns.
//
// Rows come one by one, read ahead on all threads (device_pieces.h). Texts are views into the
// input. Memory: the distinct lanes (device, core, processor) and zones, whatever the number of
// rows, and that of the pieces.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_LOG_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_LOG_H

#include "base/hash.h"
#include "base/input.h"
#include "base/segments.h"
#include "device_doubles.h"
#include "wire/csv.h"

enum device_risc {
    DEVICE_BRISC,
    DEVICE_NCRISC,
    DEVICE_TRISC_0,
    DEVICE_TRISC_1,
    DEVICE_TRISC_2,
    DEVICE_ERISC,
    DEVICE_RISCS,
    DEVICE_RISC_OTHER = DEVICE_RISCS,
};

// One processor of one core.
struct device_lane {
    struct view text; // "0,1,1,BRISC,": how its rows start
    uint32_t device;
    uint32_t core_x;
    uint32_t core_y;
    uint32_t core; // index among the cores of all devices, in order of appearance
    enum device_risc risc;
    struct view risc_name;
};

enum device_zone_kind {
    DEVICE_ZONE_OTHER,
    DEVICE_ZONE_FW,     // BRISC-FW, NCRISC-FW, TRISC-FW or ERISC-FW
    DEVICE_ZONE_KERNEL, // likewise
    DEVICE_ZONE_WAIT_FRONT,
    DEVICE_ZONE_RESERVE_BACK,
    DEVICE_ZONE_DISPATCH, // CQ-DISPATCH, CQ_DISPATCH_...: on dispatch cores
};

// What a marker is about.
struct device_zone {
    struct view name;
    uint64_t timer_id;
    enum device_zone_kind kind;
    bool names_firmware; // "FW" is somewhere in its name
    struct view source_line;
    struct view source_file;
};

// More lanes or zones than this are no device's: rows of further ones are bad.
enum { DEVICE_LOG_DISTINCT_MOST = 1 << 16 };

enum { DEVICE_LOG_FIELDS_MOST = 24, DEVICE_ZONES_CACHED = 1 << 12 };

// How rows of a zone go on after their run host ID, to the end of the line.
struct device_log_tail {
    struct view text; // none yet: size 0
    uint64_t timer_id;
    uint32_t zone;
    enum device_marker marker;
};

enum { DEVICE_TAILS_CACHED = 1 << 8 };

struct device_pieces;

struct device_log {
    const struct input *input;
    struct csv_lines lines;
    struct csv_line line;
    struct view arch;                             // of the log at hand; "" when it does not say
    uint64_t megahertz;                           // likewise; 0
    uint64_t most_cores;                          // likewise; 0
    unsigned char fields[DEVICE_LOG_FIELDS_MOST]; // what stands after the lane
    unsigned field_count;
    struct segments lanes; // struct device_lane
    struct hash_index lane_index;
    uint32_t last_lane;
    uint32_t core_count;
    struct segments zones; // struct device_zone
    struct hash_index zone_index;
    uint32_t zone_cache[DEVICE_ZONES_CACHED]; // by timer id; index + 1
    bool names_zones;
    bool has_tails; // timer id, time, data and run host ID come first
    struct device_log_tail tails[DEVICE_TAILS_CACHED][2]; // by timer id: starts, and others
    struct device_doubles doubles;
    char problem[256]; // with the last DEVICE_LOG_BAD
    bool is_piece;     // of another log: it ends where first lines stand
    struct device_pieces *pieces;
};

bool device_log_recognise(struct view bytes);

// An input that is empty or starts like no device log is an error. `input`
// must outlive the log; free it also after a failure.
status device_log_open(const struct input *input, struct device_log *out_log);
void device_log_free(struct device_log *log);

enum device_log_result {
    DEVICE_LOG_ROW,
    DEVICE_LOG_SESSION, // the first lines of a further log: clock and columns may differ
    DEVICE_LOG_BAD,     // a line that is no row: `problem` says why
    DEVICE_LOG_DOUBLE,  // a row that was there before
    DEVICE_LOG_END,
};

// A log for lines of `log`, with its header and without its names. Free it like one.
void device_log_start_piece(const struct device_log *log, struct device_log *out_piece);

// What the next line is, by itself: rows that are there twice are rows.
enum device_log_result device_log_read_line(struct device_log *log, struct device_log_row *out_row);

// The result of the next line that is one, of the log as a whole (device_pieces.c).
enum device_log_result device_log_next(struct device_log *log, struct device_log_row *out_row);

static inline const struct device_lane *device_log_lane(const struct device_log *log, uint32_t lane)
{
    return segments_get(&log->lanes, lane);
}

static inline const struct device_zone *device_log_zone(const struct device_log *log, uint32_t zone)
{
    return segments_get(&log->zones, zone);
}

#endif
