#include "raw_stats.h"

#include <assert.h>
#include <inttypes.h>

static const char MAGIC[8] = {'Q', 'A', 'I', 'C', 'S', 'T', 'A', 'T'};

enum { VERSION = 1, SECTIONS_MOST = 64, CORES_MOST = 4096, THREADS_MOST = 64 };

static const uint64_t OPERATIONS_MOST = UINT64_C(1) << 40;

struct raw_header {
    char magic[8];
    uint32_t version;
    uint32_t sections;
    uint32_t level;
    uint32_t cores;
    uint32_t threads;
    uint32_t measured;
    uint32_t program;
    uint32_t device;
    uint64_t inference;
    uint64_t frequency;
};

struct raw_section {
    char name[16];
    uint32_t item_size;
    uint32_t reserved;
    uint64_t offset;
    uint64_t count;
};

static_assert(sizeof(struct raw_header) == 56 && sizeof(struct raw_section) == 40 &&
                  sizeof(struct qaic_raw_operation) == 48 &&
                  sizeof(struct qaic_raw_doorbell) == 16 && sizeof(struct qaic_raw_counter) == 32,
              "the layout of the file");

bool qaic_raw_recognise(struct view bytes)
{
    return bytes.size >= sizeof MAGIC && memcmp(bytes.data, MAGIC, sizeof MAGIC) == 0;
}

bool qaic_raw_is_cut(struct view bytes)
{
    return bytes.size < sizeof MAGIC &&
           (bytes.size == 0 || memcmp(bytes.data, MAGIC, bytes.size) == 0);
}

// Reading ------------------------------------------------------------------------------

// Items of a section that are in the file; whole ones only.
static const void *items_of(const struct input *input, const struct raw_section *section,
                            size_t item_size, uint64_t *out_count)
{
    const struct view bytes = input->bytes;
    *out_count = 0;
    if (section->item_size != item_size || section->offset > bytes.size ||
        section->offset % sizeof(uint64_t) != 0)
        return NULL;
    const uint64_t fits = (bytes.size - section->offset) / item_size;
    *out_count = section->count < fits ? section->count : fits;
    return bytes.data + section->offset;
}

static status raw_fail(const struct input *input, const char *what)
{
    return status_make(STATUS_DATA, "%s: %s: the buffer was cut off or damaged", input->path, what);
}

// The last section: what follows as many as it says is more of them.
static status take_operations(const struct input *input, const struct raw_section *section,
                              struct qaic_raw_stats *stats)
{
    if (section->count > OPERATIONS_MOST)
        return raw_fail(input, "no inference has so many operations");
    struct raw_section whole = *section;
    uint64_t count;
    whole.count = UINT64_MAX;
    stats->operations = items_of(input, &whole, sizeof *stats->operations, &count);
    stats->operation_count = (size_t)count;
    stats->cut = section->count > count ? section->count - count : 0;
    stats->added = count > section->count ? count - section->count : 0;
    return STATUS_OK;
}

static bool counters_are_sound(const struct qaic_raw_counter *items, uint64_t count,
                               const struct qaic_raw_stats *stats)
{
    for (uint64_t i = 0; i < count; i++) {
        if (items[i].core >= stats->cores || items[i].thread >= stats->threads ||
            memchr(items[i].name, '\0', sizeof items[i].name) == NULL)
            return false;
    }
    return true;
}

static status take_section(const struct input *input, const struct raw_section *section,
                           struct qaic_raw_stats *stats)
{
    const uint64_t lanes = (uint64_t)stats->cores * stats->threads;
    uint64_t count;
    const void *items;
    if (memcmp(section->name, "threads", 8) == 0) {
        items = items_of(input, section, sizeof *stats->thread_times, &count);
        if (items == NULL || count != lanes)
            return raw_fail(input, "its threads are not all there");
        stats->thread_times = items;
    } else if (memcmp(section->name, "ports", 6) == 0) {
        items = items_of(input, section, sizeof *stats->ports, &count);
        if (items == NULL || count != lanes)
            return raw_fail(input, "its ports are not all there");
        stats->ports = items;
    } else if (memcmp(section->name, "doorbells", 10) == 0) {
        items = items_of(input, section, sizeof *stats->doorbells, &count);
        if (items == NULL || count != section->count)
            return raw_fail(input, "its doorbells are not all there");
        stats->doorbells = items;
        stats->doorbell_count = (size_t)count;
    } else if (memcmp(section->name, "ddr", 4) == 0) {
        items = items_of(input, section, sizeof *stats->traffic, &count);
        if (items == NULL || count != stats->cores)
            return raw_fail(input, "the traffic of its cores is not all there");
        stats->traffic = items;
    } else if (memcmp(section->name, "pmu", 4) == 0) {
        items = items_of(input, section, sizeof *stats->counters, &count);
        if (items == NULL || count != section->count || !counters_are_sound(items, count, stats))
            return raw_fail(input, "its counters are not all there");
        stats->counters = items;
        stats->counter_count = (size_t)count;
    } else if (memcmp(section->name, "operations", 11) == 0) {
        return take_operations(input, section, stats);
    }
    return STATUS_OK; // what a later version adds is passed over
}

status qaic_raw_read(const struct input *input, struct qaic_raw_stats *out_stats)
{
    struct raw_header header;
    if (!qaic_raw_recognise(input->bytes) || input->bytes.size < sizeof header)
        return raw_fail(input, "it has no whole header");
    memcpy(&header, input->bytes.data, sizeof header);
    if (header.version != VERSION)
        return status_make(STATUS_UNSUPPORTED,
                           "%s: is of version %" PRIu32 " of the layout; this program knows %d",
                           input->path, header.version, VERSION);
    if (header.sections > SECTIONS_MOST || header.cores > CORES_MOST ||
        header.threads > THREADS_MOST ||
        input->bytes.size < sizeof header + header.sections * sizeof(struct raw_section))
        return raw_fail(input, "its list of sections is not whole");
    *out_stats = (struct qaic_raw_stats){.level = header.level,
                                         .cores = header.cores,
                                         .threads = header.threads,
                                         .measured = header.measured != 0,
                                         .program = header.program,
                                         .device = header.device,
                                         .inference = header.inference,
                                         .frequency = header.frequency};
    if (header.frequency == 0)
        return raw_fail(input, "its clock has no frequency");
    for (uint32_t i = 0; i < header.sections; i++) {
        struct raw_section section;
        memcpy(&section, input->bytes.data + sizeof header + i * sizeof section, sizeof section);
        STATUS_TRY(take_section(input, &section, out_stats));
    }
    return STATUS_OK;
}

// Writing ------------------------------------------------------------------------------

struct part {
    const char *name;
    size_t item_size;
    const void *items; // NULL: it is left out
    uint64_t count;
};

status qaic_raw_write(const char *path, const struct qaic_raw_stats *stats)
{
    const uint64_t lanes = (uint64_t)stats->cores * stats->threads;
    const struct part parts[] = {
        {"threads", sizeof *stats->thread_times, stats->thread_times, lanes},
        {"ddr", sizeof *stats->traffic, stats->traffic, stats->cores},
        {"pmu", sizeof *stats->counters, stats->counters, stats->counter_count},
        {"ports", sizeof *stats->ports, stats->ports, lanes},
        {"doorbells", sizeof *stats->doorbells, stats->doorbells, stats->doorbell_count},
        {"operations", sizeof *stats->operations, stats->operations, stats->operation_count},
    };
    enum { PARTS = sizeof parts / sizeof parts[0] };
    struct output *output;
    struct raw_header header = {.version = VERSION,
                                .level = stats->level,
                                .cores = stats->cores,
                                .threads = stats->threads,
                                .measured = stats->measured,
                                .program = stats->program,
                                .device = stats->device,
                                .inference = stats->inference,
                                .frequency = stats->frequency};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    for (size_t i = 0; i < PARTS; i++)
        header.sections += parts[i].items != NULL;
    STATUS_TRY(output_open(path, &output));
    output_write(output, &header, sizeof header);
    uint64_t offset = sizeof header + header.sections * sizeof(struct raw_section);
    for (size_t i = 0; i < PARTS; i++) {
        struct raw_section section = {
            .item_size = (uint32_t)parts[i].item_size, .offset = offset, .count = parts[i].count};
        if (parts[i].items == NULL)
            continue;
        memcpy(section.name, parts[i].name, strlen(parts[i].name));
        output_write(output, &section, sizeof section);
        offset += parts[i].count * parts[i].item_size;
    }
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].items != NULL)
            output_write(output, parts[i].items, (size_t)parts[i].count * parts[i].item_size);
    }
    return output_close(output);
}
