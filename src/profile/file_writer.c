#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "file.h"
#include "file_layout.h"
#include "store.h"

enum { TABLE_BLOCK = 64 * 1024 };

// How many records of each table are in the file.
struct file_written {
    uint32_t strings, clocks, tracks, operators, calls, buffers, facts, notes;
};

struct file_writer {
    struct output *output;
    struct profile *profile;
    struct file_written written;
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
static void file_writer_record_end(struct file_writer *writer)
{
    bytes_append_text(&writer->payload, bytes_view(&writer->record));
    writer->record.size = 0;
    writer->count++;
    if (writer->payload.size >= TABLE_BLOCK)
        table_flush(writer);
}

static void file_writer_put(struct file_writer *writer, uint64_t number)
{
    bytes_append_varint(&writer->record, number);
}

static void write_strings(struct file_writer *writer)
{
    table_start(writer, FILE_STRINGS);
    const uint32_t count = writer->profile->strings.texts.count;
    for (uint32_t i = writer->written.strings; i < count; i++) {
        const struct view text = profile_text(writer->profile, i);
        bytes_append(&writer->record, text.data, text.size);
        file_writer_record_end(writer);
    }
}

static void write_clocks(struct file_writer *writer)
{
    table_start(writer, FILE_CLOCKS);
    for (uint32_t i = writer->written.clocks; i < writer->profile->clocks.count; i++) {
        const struct clock_domain *domain = profile_clock(writer->profile, i);
        file_writer_put(writer, domain->name);
        file_writer_put(writer, domain->frequency);
        file_writer_put(writer, domain->base_ticks);
        file_writer_put(writer, domain->base_ns);
        file_writer_put(writer, varint_fold(domain->drift_ppb));
        file_writer_record_end(writer);
    }
}

static void file_writer_write_tracks(struct file_writer *writer)
{
    table_start(writer, FILE_TRACKS);
    for (uint32_t i = writer->written.tracks; i < writer->profile->tracks.count; i++) {
        const struct track *track = profile_track(writer->profile, i);
        file_writer_put(writer, track->parent);
        file_writer_put(writer, track->name);
        file_writer_put(writer, track->clock);
        file_writer_put(writer, track->kind);
        file_writer_put(writer, track->role);
        file_writer_put(writer, track->index);
        file_writer_put(writer, track->provenance);
        file_writer_put(writer, varint_fold(track->rank));
        file_writer_put(writer, track->nests);
        file_writer_put(writer, track->unit);
        // Unknown is UINT64_MAX: one more makes it 0.
        file_writer_put(writer, track->ledger.expected + 1);
        file_writer_put(writer, track->ledger.recorded);
        file_writer_put(writer, track->ledger.lost);
        file_writer_put(writer, track->ledger.impossible);
        bytes_append_text(&writer->record, track->values);
        file_writer_put(writer, track->engine);
        file_writer_put(writer, track->device);
        file_writer_put(writer, track->core);
        file_writer_put(writer, track->queue);
        file_writer_put(writer, track->by_name);
        file_writer_record_end(writer);
    }
}

static void write_operators(struct file_writer *writer)
{
    table_start(writer, FILE_OPERATORS);
    for (uint32_t i = writer->written.operators; i < writer->profile->operators.count; i++) {
        const struct operator_description *op = profile_operator(writer->profile, i);
        file_writer_put(writer, op->name);
        file_writer_put(writer, op->type);
        file_writer_put(writer, op->location);
        bytes_append_text(&writer->record, op->values);
        file_writer_record_end(writer);
    }
}

static void write_calls(struct file_writer *writer)
{
    table_start(writer, FILE_CALLS);
    for (uint32_t i = writer->written.calls; i < writer->profile->calls.count; i++) {
        const struct call *call = profile_call(writer->profile, i);
        file_writer_put(writer, call->operator_id);
        file_writer_put(writer, call->parent);
        file_writer_put(writer, call->iteration);
        file_writer_put(writer, call->invocation);
        file_writer_put(writer, call->device);
        file_writer_put(writer, call->replay);
        file_writer_put(writer, call->domain);
        file_writer_put(writer, call->key);
        bytes_append_text(&writer->record, call->values);
        file_writer_record_end(writer);
    }
}

static void write_buffers(struct file_writer *writer)
{
    table_start(writer, FILE_BUFFERS);
    for (uint32_t i = writer->written.buffers; i < writer->profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = segments_get(&writer->profile->buffers, i);
        file_writer_put(writer, buffer->memory);
        file_writer_put(writer, buffer->owner);
        file_writer_put(writer, buffer->clock);
        file_writer_put(writer, buffer->address);
        file_writer_put(writer, buffer->size);
        file_writer_put(writer, buffer->from);
        file_writer_put(writer, buffer->to);
        file_writer_put(writer, buffer->device);
        file_writer_put(writer, buffer->core);
        file_writer_put(writer, buffer->name);
        file_writer_record_end(writer);
    }
}

static void file_writer_write_facts(struct file_writer *writer)
{
    table_start(writer, FILE_FACTS);
    for (uint32_t i = writer->written.facts; i < writer->profile->facts.count; i++) {
        const struct profile_fact *fact = segments_get(&writer->profile->facts, i);
        file_writer_put(writer, fact->key);
        file_writer_put(writer, fact->text);
        file_writer_record_end(writer);
    }
}

static void write_notes(struct file_writer *writer)
{
    table_start(writer, FILE_NOTES);
    for (uint32_t i = writer->written.notes; i < writer->profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&writer->profile->notes, i);
        file_writer_put(writer, note->kind);
        file_writer_put(writer, note->text);
        file_writer_put(writer, note->count);
        file_writer_record_end(writer);
    }
}

// What was counted without words.
static void write_counts(struct file_writer *writer)
{
    uint64_t noted[LEDGER_KINDS] = {0};
    for (uint32_t i = 0; i < writer->profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&writer->profile->notes, i);
        noted[note->kind] += note->count;
    }
    table_start(writer, FILE_NOTES);
    for (unsigned kind = 0; kind < LEDGER_KINDS; kind++) {
        if (writer->profile->note_counts[kind] == noted[kind])
            continue;
        file_writer_put(writer, kind);
        file_writer_put(writer, 0);
        file_writer_put(writer, writer->profile->note_counts[kind] - noted[kind]);
        file_writer_record_end(writer);
    }
}

static void write_events(struct file_writer *writer, const struct event_store *store)
{
    for (size_t i = 0; i < store_block_count(store); i++) {
        const struct store_block block = store_block_get(store, i);
        write_block(writer->output, FILE_EVENTS, block.track, block.count, block.data, block.size);
    }
}

static status start_file(struct file_writer *writer, struct profile *profile, const char *path,
                         status (*open)(const char *path, struct output **out_output))
{
    *writer = (struct file_writer){.profile = profile, .written = {.operators = 1, .calls = 1}};
    STATUS_TRY(open(path, &writer->output));
    struct file_header header = {.version = PROFILE_FILE_VERSION};
    memcpy(header.magic, FILE_MAGIC, sizeof header.magic);
    output_write(writer->output, &header, sizeof header);
    return STATUS_OK;
}

// The records that are not in the file yet.
static void write_tables(struct file_writer *writer)
{
    const struct profile *profile = writer->profile;
    write_strings(writer);
    write_clocks(writer);
    file_writer_write_tracks(writer);
    write_operators(writer);
    write_calls(writer);
    file_writer_write_facts(writer);
    write_notes(writer);
    write_buffers(writer);
    table_flush(writer);
    writer->written = (struct file_written){profile->strings.texts.count, profile->clocks.count,
                                            profile->tracks.count,        profile->operators.count,
                                            profile->calls.count,         profile->buffers.count,
                                            profile->facts.count,         profile->notes.count};
}

static status file_writer_end_file(struct file_writer *writer)
{
    write_counts(writer);
    table_flush(writer);
    write_block(writer->output, FILE_END, 0, 0, "", 0);
    bytes_free(&writer->payload);
    bytes_free(&writer->record);
    return output_close(writer->output);
}

status profile_save(struct profile *profile, const char *path)
{
    STATUS_TRY(profile_finish(profile));
    struct file_writer writer;
    STATUS_TRY(start_file(&writer, profile, path, output_open));
    write_tables(&writer);
    write_events(&writer, profile->store);
    return file_writer_end_file(&writer);
}

// Files that are written while events come -------------------------------------------

struct profile_stream {
    struct event_sink sink;
    struct event_store *store; // events since the last flush
    struct file_writer writer;
};

static status file_writer_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    return store_add(((struct profile_stream *)(void *)sink)->store, batch);
}

status profile_stream_open(struct profile *profile, const char *path,
                           struct profile_stream **out_stream)
{
    struct file_writer writer;
    STATUS_TRY(start_file(&writer, profile, path, output_open_growing));
    struct profile_stream *stream = memory_allocate_zeroed(1, sizeof *stream);
    stream->sink.take = file_writer_take_batch;
    stream->store = store_create();
    stream->writer = writer;
    profile_stream_to(profile, &stream->sink);
    *out_stream = stream;
    return STATUS_OK;
}

static void write_accounts(struct file_writer *writer)
{
    table_start(writer, FILE_ACCOUNTS);
    for (uint32_t i = 0; i < writer->profile->tracks.count; i++) {
        const struct ledger *ledger = &profile_track(writer->profile, i)->ledger;
        file_writer_put(writer, i);
        file_writer_put(writer, ledger->expected + 1);
        file_writer_put(writer, ledger->recorded);
        file_writer_put(writer, ledger->lost);
        file_writer_put(writer, ledger->impossible);
        file_writer_record_end(writer);
    }
}

static void write_clock_fits(struct file_writer *writer)
{
    table_start(writer, FILE_CLOCK_FITS);
    for (uint32_t i = 1; i < writer->profile->clocks.count; i++) {
        const struct clock_domain *domain = profile_clock(writer->profile, i);
        file_writer_put(writer, i);
        file_writer_put(writer, domain->frequency);
        file_writer_put(writer, domain->base_ticks);
        file_writer_put(writer, domain->base_ns);
        file_writer_put(writer, varint_fold(domain->drift_ppb));
        file_writer_record_end(writer);
    }
}

// Accounts go before the events that they count: after a cut, what is missing is known.
status profile_stream_flush(struct profile_stream *stream)
{
    struct file_writer *writer = &stream->writer;
    STATUS_TRY(profile_finish(writer->profile));
    STATUS_TRY(store_finish(stream->store));
    write_tables(writer);
    write_clock_fits(writer);
    write_accounts(writer);
    table_flush(writer);
    write_events(writer, stream->store);
    store_free(stream->store);
    stream->store = store_create();
    return output_flush(writer->output)
               ? STATUS_OK
               : status_make(STATUS_IO, "the profile cannot be written any more");
}

status profile_stream_close(struct profile_stream *stream)
{
    status result = profile_stream_flush(stream);
    // The reason for a failure comes with the file.
    const status closed = file_writer_end_file(&stream->writer);
    result = closed != STATUS_OK ? status_first(closed, result) : result;
    profile_stream_to(stream->writer.profile, NULL);
    store_free(stream->store);
    free(stream);
    return result;
}
