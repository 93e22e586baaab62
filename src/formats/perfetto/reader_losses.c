#include "reader_losses.h"

#include "fields.h"

static const struct loss_text TEXTS[PERFETTO_LOSSES] = {
    SPAN_LOSS_TEXTS,
    [PERFETTO_LOSS_NO_TYPE] = {LEDGER_LOST, "events that do not say what they are", NULL},
    [PERFETTO_LOSS_STATE_EVENT] = {LEDGER_LOST, "state events, which are not read", NULL},
    [PERFETTO_LOSS_LEGACY_PHASE] = {LEDGER_LOST, "legacy events of a phase that is not read",
                                    "phase"},
    [PERFETTO_LOSS_NO_VALUE] = {LEDGER_LOST, "counter samples without a value", NULL},
    [PERFETTO_LOSS_NOT_COUNTER] = {LEDGER_LOST, "counter samples on a track that is no counter",
                                   NULL},
    [PERFETTO_LOSS_ON_COUNTER] = {LEDGER_LOST, "spans or instants on a counter", NULL},
    [PERFETTO_LOSS_NO_COUNTER_TRACK] = {LEDGER_LOST, "extra counter values without a track", NULL},
    [PERFETTO_LOSS_NO_STATE] = {LEDGER_LOST,
                                "events that need names or defaults from a lost packet", NULL},
    [PERFETTO_LOSS_NO_TIME] = {LEDGER_LOST, "events without a timestamp", NULL},
    [PERFETTO_LOSS_NO_CLOCK] = {LEDGER_LOST, "events on a clock without a snapshot", "clock"},
    [PERFETTO_LOSS_TIME_RANGE] = {LEDGER_LOST, "events before time 0 or beyond 2^63 ns", NULL},
    [PERFETTO_LOSS_MALFORMED] = {LEDGER_LOST, "malformed packets", NULL},
    [PERFETTO_LOSS_CUT] = {LEDGER_LOST, "cut off", NULL},
    [PERFETTO_LOSS_GARBAGE] = {LEDGER_LOST, "nothing can be read", NULL},
    [PERFETTO_LOSS_PACKED_DAMAGED] = {LEDGER_LOST, "compressed packets that are damaged", NULL},
    [PERFETTO_LOSS_PACKED_LARGE] = {LEDGER_LOST, "compressed packets that unpack to too much",
                                    NULL},
    [PERFETTO_LOSS_PACKED_NESTED] = {LEDGER_LOST, "compressed packets inside compressed packets",
                                     NULL},
    [PERFETTO_LOSS_DROPPED_BEFORE] = {LEDGER_LOST,
                                      "places where the recorder says that it dropped packets",
                                      NULL},
    [PERFETTO_LOSS_NO_SEQUENCE] = {LEDGER_REMARK,
                                   "events without a sequence id, which Perfetto itself drops",
                                   NULL},
    [PERFETTO_LOSS_NAME_UNKNOWN] = {LEDGER_REMARK, "uses of interned texts that are not defined",
                                    NULL},
    [PERFETTO_LOSS_ANNOTATION] = {LEDGER_REMARK, "debug annotations that cannot be read", NULL},
    [PERFETTO_LOSS_EVENT_FIELD] = {LEDGER_REMARK, "event fields that are not read", "field"},
    [PERFETTO_LOSS_OTHER_PACKET] = {LEDGER_REMARK, "packets that are not read", NULL},
};

// The kinds of packets that traces commonly hold besides track events.
static const char *packet_name(uint64_t field)
{
    switch (field) {
    case 1:
        return "ftrace_events";
    case 2:
        return "process_tree";
    case 33:
        return "trace_config";
    case 35:
        return "trace_stats";
    case 36:
        return "synchronization_marker";
    case 43:
        return "process_descriptor";
    case 44:
        return "thread_descriptor";
    case 45:
        return "system_info";
    case PERFETTO_PACKET_GPU_COUNTER_EVENT:
        return "gpu_counter_event";
    case PERFETTO_PACKET_GPU_RENDER_STAGE_EVENT:
        return "gpu_render_stage_event";
    case 89:
        return "trace_uuid";
    case PERFETTO_PACKET_GPU_INFO:
        return "gpu_info";
    default:
        return NULL;
    }
}

void perfetto_losses_add(struct losses *losses, uint32_t track, enum perfetto_loss loss,
                         uint64_t detail, uint64_t offset)
{
    losses_add(losses, track, loss, detail, offset);
}

bool perfetto_losses_unknown(enum perfetto_loss loss)
{
    switch (loss) {
    case PERFETTO_LOSS_MALFORMED:
    case PERFETTO_LOSS_CUT:
    case PERFETTO_LOSS_GARBAGE:
    case PERFETTO_LOSS_PACKED_DAMAGED:
    case PERFETTO_LOSS_PACKED_LARGE:
    case PERFETTO_LOSS_PACKED_NESTED:
    case PERFETTO_LOSS_DROPPED_BEFORE:
        return true;
    default:
        return false;
    }
}

static void report_packets(const struct loss_entry *entry, struct profile *profile,
                           const char *path)
{
    const unsigned long long count = entry->count;
    const char *name = packet_name(entry->detail);
    if (name != NULL)
        profile_note(profile, 0, LEDGER_REMARK, entry->count,
                     "%s: %s packets, which are not read: %llu", path, name, count);
    else
        profile_note(profile, 0, LEDGER_REMARK, entry->count,
                     "%s: packets with field %llu, which are not read: %llu", path,
                     (unsigned long long)entry->detail, count);
}

static void perfetto_report_loss(const struct loss_entry *entry, struct profile *profile,
                                 const char *path)
{
    const unsigned long long offset = entry->offset;
    switch (entry->reason) {
    case PERFETTO_LOSS_OTHER_PACKET:
        report_packets(entry, profile, path);
        break;
    case PERFETTO_LOSS_CUT:
        profile_note(profile, 0, LEDGER_LOST, entry->count, "%s: cut off at byte %llu", path,
                     offset);
        break;
    case PERFETTO_LOSS_GARBAGE:
        profile_note(profile, 0, LEDGER_LOST, entry->count,
                     "%s: no packet starts at byte %llu; nothing from there on is read", path,
                     offset);
        break;
    default:
        losses_note(entry, &TEXTS[entry->reason], profile, path);
        break;
    }
}

void perfetto_losses_report(const struct losses *losses, struct profile *profile, const char *path)
{
    for (size_t i = 0; i < losses->count; i++)
        perfetto_report_loss(&losses->entries[i], profile, path);
}
