#include <stdlib.h>

#include "base/output.h"
#include "file.h"
#include "file_layout.h"
#include "store.h"

enum { TABLE_BLOCK = 64 * 1024 };

struct file_writer {
    struct output *output;
    struct profile *profile;
    struct bytes payload; // of the block being filled
    struct bytes record;
    enum file_block_kind kind;
    uint32_t count;
};

static void write_block(struct output *output, enum file_block_kind kind, uint32_t track,
                        uint32_t count, const void *payload, size_t size)
{
    static const char padding[8];
    struct file_block block = {.magic = FILE_BLOCK_MAGIC,
                               .kind = kind,
                               .size = (uint32_t)size,
                               .count = count,
                               .track = track};
    block.checksum = file_block_checksum(&block, payload);
    output_write(output, &block, sizeof block);
    output_write(output, payload, size);
    output_write(output, padding, (8 - size % 8) % 8);
}

static void table_flush(struct file_writer *writer)
{
    if (writer->count > 0)
        write_block(writer->output, writer->kind, 0, writer->count, writer->payload.data,
                    writer->payload.size);
    writer->payload.size = 0;
    writer->count = 0;
}

static void table_start(struct file_writer *writer, enum file_block_kind kind)
{
    table_flush(writer);
    writer->kind = kind;
}

// A record carries its length, so that a later version may append fields.
static void record_end(struct file_writer *writer)
{
    bytes_append_text(&writer->payload, bytes_view(&writer->record));
    writer->record.size = 0;
    writer->count++;
    if (writer->payload.size >= TABLE_BLOCK)
        table_flush(writer);
}

static void put(struct file_writer *writer, uint64_t number)
{
    bytes_append_varint(&writer->record, number);
}

static void write_strings(struct file_writer *writer)
{
    table_start(writer, FILE_STRINGS);
    const uint32_t count = writer->profile->strings.texts.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct view text = profile_text(writer->profile, i);
        bytes_append(&writer->record, text.data, text.size);
        record_end(writer);
    }
}

static void write_clocks(struct file_writer *writer)
{
    table_start(writer, FILE_CLOCKS);
    for (uint32_t i = 0; i < writer->profile->clocks.count; i++) {
        const struct clock_domain *domain = profile_clock(writer->profile, i);
        put(writer, domain->name);
        put(writer, domain->frequency);
        put(writer, domain->base_ticks);
        put(writer, domain->base_ns);
        record_end(writer);
    }
}

static void write_tracks(struct file_writer *writer)
{
    table_start(writer, FILE_TRACKS);
    for (uint32_t i = 0; i < writer->profile->tracks.count; i++) {
        const struct track *track = profile_track(writer->profile, i);
        put(writer, track->parent);
        put(writer, track->name);
        put(writer, track->clock);
        put(writer, track->kind);
        put(writer, track->engine);
        put(writer, track->index);
        put(writer, track->provenance);
        put(writer, varint_fold(track->rank));
        put(writer, track->nests);
        put(writer, track->unit);
        // Unknown is UINT64_MAX: one more makes it 0.
        put(writer, track->ledger.expected + 1);
        put(writer, track->ledger.recorded);
        put(writer, track->ledger.lost);
        put(writer, track->ledger.impossible);
        bytes_append_text(&writer->record, track->values);
        record_end(writer);
    }
}

static void write_operators(struct file_writer *writer)
{
    table_start(writer, FILE_OPERATORS);
    for (uint32_t i = 1; i < writer->profile->operators.count; i++) {
        const struct operator_description *op = profile_operator(writer->profile, i);
        put(writer, op->name);
        put(writer, op->type);
        put(writer, op->location);
        bytes_append_text(&writer->record, op->values);
        record_end(writer);
    }
}

static void write_calls(struct file_writer *writer)
{
    table_start(writer, FILE_CALLS);
    for (uint32_t i = 1; i < writer->profile->calls.count; i++) {
        const struct call *call = profile_call(writer->profile, i);
        put(writer, call->operator_id);
        put(writer, call->parent);
        put(writer, call->iteration);
        put(writer, call->invocation);
        put(writer, call->device);
        put(writer, call->replay);
        put(writer, call->domain);
        put(writer, call->key);
        bytes_append_text(&writer->record, call->values);
        record_end(writer);
    }
}

static void write_buffers(struct file_writer *writer)
{
    table_start(writer, FILE_BUFFERS);
    for (uint32_t i = 0; i < writer->profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = segments_get(&writer->profile->buffers, i);
        put(writer, buffer->memory);
        put(writer, buffer->owner);
        put(writer, buffer->clock);
        put(writer, buffer->address);
        put(writer, buffer->size);
        put(writer, buffer->from);
        put(writer, buffer->to);
        record_end(writer);
    }
}

static void write_facts(struct file_writer *writer)
{
    table_start(writer, FILE_FACTS);
    for (uint32_t i = 0; i < writer->profile->facts.count; i++) {
        const struct profile_fact *fact = segments_get(&writer->profile->facts, i);
        put(writer, fact->key);
        put(writer, fact->text);
        record_end(writer);
    }
}

static void write_notes(struct file_writer *writer)
{
    table_start(writer, FILE_NOTES);
    uint64_t noted[LEDGER_KINDS] = {0};
    for (uint32_t i = 0; i < writer->profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&writer->profile->notes, i);
        noted[note->kind] += note->count;
        put(writer, note->kind);
        put(writer, note->text);
        put(writer, note->count);
        record_end(writer);
    }
    // What was counted without words.
    for (unsigned kind = 0; kind < LEDGER_KINDS; kind++) {
        if (writer->profile->note_counts[kind] == noted[kind])
            continue;
        put(writer, kind);
        put(writer, 0);
        put(writer, writer->profile->note_counts[kind] - noted[kind]);
        record_end(writer);
    }
}

static void write_events(struct file_writer *writer)
{
    const struct event_store *store = writer->profile->store;
    for (size_t i = 0; i < store_block_count(store); i++) {
        const struct store_block block = store_block_get(store, i);
        write_block(writer->output, FILE_EVENTS, block.track, block.count, block.data, block.size);
    }
}

status profile_save(struct profile *profile, const char *path)
{
    STATUS_TRY(profile_finish(profile));
    struct file_writer writer = {.profile = profile};
    STATUS_TRY(output_open(path, &writer.output));

    struct file_header header = {.version = PROFILE_FILE_VERSION};
    memcpy(header.magic, FILE_MAGIC, sizeof header.magic);
    output_write(writer.output, &header, sizeof header);
    write_strings(&writer);
    write_clocks(&writer);
    write_tracks(&writer);
    write_operators(&writer);
    write_calls(&writer);
    write_facts(&writer);
    write_notes(&writer);
    write_buffers(&writer);
    table_flush(&writer);
    write_events(&writer);
    write_block(writer.output, FILE_END, 0, 0, "", 0);

    bytes_free(&writer.payload);
    bytes_free(&writer.record);
    return output_close(writer.output);
}
