#include <stdlib.h>

#include "base/doubles.h"
#include "base/memory.h"
#include "file.h"
#include "file_layout.h"
#include "file_version_1.h"
#include "store.h"

// Larger files stay mapped; their events are checked again where they are read.
static const uint64_t SETTLED_MOST = 64ull << 20;

// Where blocks have to be looked for, this many times the file is read at most.
enum { SEARCHED_TIMES = 16 };

// A block of events that is equal to one before it.
struct file_copy {
    struct file_block block;
    const unsigned char *payload;
};

struct file_reader {
    struct profile *profile;
    struct input *input;
    uint32_t version;
    bool cut;          // a block ran past the end of the file
    bool ended;        // the end block was seen
    bool after_tracks; // a block that comes after all tracks was seen
    bool streamed;     // it was written while events came
    bool after_events; // a block of events was seen
    bool searched;     // something that is no block stands before the one at hand
    uint64_t checked;  // bytes that were looked at for blocks
    uint64_t unknown_blocks;
    struct doubles doubles; // of the headers of event blocks, which have checksums
    struct file_copy *copies;
    size_t copy_count;
    size_t copy_capacity;
    uint64_t *announced; // events by track, as the writer counted them
    size_t announced_count;
    unsigned char *numbered; // engines by track, of version 1
    size_t numbered_count;
};

// A record's fields, one after the other; missing ones read as 0.
struct record {
    const unsigned char *at;
    const unsigned char *end;
    bool damaged;
};

static uint64_t file_reader_read_number(struct record *record)
{
    uint64_t number = 0;
    if (record->at < record->end && !varint_get(&record->at, record->end, &number))
        record->damaged = true;
    return number;
}

static uint32_t take_below(struct record *record, uint64_t limit)
{
    const uint64_t number = file_reader_read_number(record);
    if (number >= limit) {
        record->damaged = true;
        return 0;
    }
    return (uint32_t)number;
}

// Whether a list is whole and names only texts and clocks that there are.
static bool values_are_sound(const struct profile *profile, struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key >= profile->strings.texts.count)
            return false;
        if (value.kind == VALUE_STRING && value.number >= profile->strings.texts.count)
            return false;
        if (value.kind == VALUE_TICKS && value.clock >= profile->clocks.count)
            return false;
    }
    return reader.at == reader.end;
}

static struct view file_reader_take_list(const struct file_reader *reader, struct record *record)
{
    const uint64_t size = file_reader_read_number(record);
    const struct view list = {(const char *)record->at, size};
    if (size > (uint64_t)(record->end - record->at) || !values_are_sound(reader->profile, list)) {
        record->damaged = true;
        return VIEW_LITERAL("");
    }
    record->at += size;
    return list;
}

static uint32_t take_string(struct file_reader *reader, struct record *record)
{
    return take_below(record, reader->profile->strings.texts.count);
}

static void read_string(struct file_reader *reader, struct record *record, uint32_t index)
{
    const struct view text = {(const char *)record->at, (size_t)(record->end - record->at)};
    // Texts 0 and 1 are in every profile.
    if (index < 2 && reader->profile->strings.texts.count == 2)
        record->damaged = !view_equal(profile_text(reader->profile, index), text);
    else
        strings_append(&reader->profile->strings, text);
}

static void take_map(struct record *record, struct clock_domain *domain)
{
    domain->frequency = file_reader_read_number(record);
    domain->base_ticks = file_reader_read_number(record);
    domain->base_ns = file_reader_read_number(record);
    domain->drift_ppb = varint_unfold(file_reader_read_number(record));
    clock_prepare(domain);
}

static void file_reader_read_clock(struct file_reader *reader, struct record *record,
                                   uint32_t index)
{
    struct clock_domain domain = {.name = take_string(reader, record)};
    take_map(record, &domain);
    if (record->damaged)
        return;
    if (index == 0 && reader->profile->clocks.count == 1)
        *profile_clock(reader->profile, 0) = domain;
    else
        *(struct clock_domain *)segments_add(&reader->profile->clocks) = domain;
}

static void take_ledger(struct record *record, struct ledger *ledger, uint64_t *out_recorded)
{
    ledger->expected = file_reader_read_number(record) - 1;
    *out_recorded = file_reader_read_number(record);
    ledger->lost = file_reader_read_number(record);
    ledger->impossible = file_reader_read_number(record);
}

static void file_reader_take_place(struct file_reader *reader, struct record *record,
                                   struct track *track)
{
    if (reader->version == 1)
        return;
    track->engine = take_string(reader, record);
    track->device = take_below(record, 1ull << 32);
    track->core = take_below(record, 1ull << 32);
    track->queue = take_string(reader, record);
    track->by_name = file_reader_read_number(record) != 0;
}

static void file_reader_keep_number(struct file_reader *reader, uint32_t track, uint32_t engine)
{
    reader->numbered =
        memory_extend(reader->numbered, &reader->numbered_count, track, sizeof *reader->numbered);
    reader->numbered[track] = (unsigned char)engine;
}

static void read_track(struct file_reader *reader, struct record *record, uint32_t index)
{
    struct profile *profile = reader->profile;
    struct track track = {.parent = take_below(record, profile->tracks.count)};
    track.name = take_string(reader, record);
    track.clock = take_below(record, profile->clocks.count);
    track.kind = (enum track_kind)take_below(record, TRACK_COUNTER + 1);
    const uint32_t role =
        take_below(record, reader->version == 1 ? (uint64_t)FILE_VERSION_1_ENGINES : ROLE_COUNT);
    track.role = reader->version == 1 ? ROLE_NONE : (enum role)role;
    track.index = take_below(record, UINT32_MAX);
    track.provenance = (enum provenance)take_below(record, 4);
    track.rank = (int32_t)varint_unfold(file_reader_read_number(record));
    track.nests = file_reader_read_number(record) != 0;
    track.unit = take_string(reader, record);
    uint64_t recorded;
    take_ledger(record, &track.ledger, &recorded);
    track.values = file_reader_take_list(reader, record);
    file_reader_take_place(reader, record, &track);
    if (record->damaged)
        return;
    uint32_t id = 0;
    if (index == 0 && profile->tracks.count == 1) {
        track.first = UINT64_MAX;
        track.values = arena_copy(&profile->arena, track.values);
        *profile_track(profile, 0) = track;
    } else {
        id = profile_track_add(profile, &track);
    }
    reader->announced =
        memory_extend(reader->announced, &reader->announced_count, id, sizeof *reader->announced);
    reader->announced[id] = recorded;
    if (reader->version == 1)
        file_reader_keep_number(reader, id, role);
}

static void read_operator(struct file_reader *reader, struct record *record)
{
    struct operator_description op = {.name = take_string(reader, record)};
    op.type = take_string(reader, record);
    op.location = take_string(reader, record);
    op.values = file_reader_take_list(reader, record);
    if (!record->damaged)
        profile_operator_add(reader->profile, &op);
}

static void file_reader_read_call(struct file_reader *reader, struct record *record)
{
    struct call call = {.operator_id = take_below(record, reader->profile->operators.count)};
    call.parent = take_below(record, reader->profile->calls.count);
    call.iteration = take_below(record, 1ull << 32);
    call.invocation = take_below(record, 1ull << 32);
    call.device = take_below(record, 1ull << 32);
    call.replay = take_below(record, 1ull << 32);
    call.domain = take_string(reader, record);
    call.key = file_reader_read_number(record);
    call.values = file_reader_take_list(reader, record);
    if (!record->damaged)
        profile_call_add(reader->profile, &call);
}

static void read_buffer(struct file_reader *reader, struct record *record)
{
    struct buffer_lifetime buffer = {.memory = take_string(reader, record)};
    buffer.owner = take_below(record, reader->profile->operators.count);
    buffer.clock = take_below(record, reader->profile->clocks.count);
    buffer.address = file_reader_read_number(record);
    buffer.size = file_reader_read_number(record);
    buffer.from = file_reader_read_number(record);
    buffer.to = file_reader_read_number(record);
    buffer.device = take_below(record, 1ull << 32);
    buffer.core = take_below(record, 1ull << 32);
    buffer.name = take_string(reader, record);
    if (!record->damaged)
        profile_buffer_add(reader->profile, &buffer);
}

static void read_fact(struct file_reader *reader, struct record *record)
{
    const struct profile_fact fact = {take_string(reader, record), take_string(reader, record)};
    if (!record->damaged)
        *(struct profile_fact *)segments_add(&reader->profile->facts) = fact;
}

static void read_note(struct file_reader *reader, struct record *record)
{
    const enum ledger_note_kind kind = (enum ledger_note_kind)take_below(record, LEDGER_KINDS);
    const uint32_t text = take_string(reader, record);
    const uint64_t count = file_reader_read_number(record);
    if (record->damaged)
        return;
    reader->profile->note_counts[kind] += count;
    if (text != 0) {
        const struct ledger_note note = {kind, text, count};
        *(struct ledger_note *)segments_add(&reader->profile->notes) = note;
    }
}

// Replaces what was said before.
static void read_account(struct file_reader *reader, struct record *record)
{
    const uint32_t id = take_below(record, reader->profile->tracks.count);
    struct ledger ledger = {.recorded = profile_track(reader->profile, id)->ledger.recorded};
    uint64_t recorded;
    take_ledger(record, &ledger, &recorded);
    if (record->damaged || id >= reader->announced_count)
        return;
    profile_track(reader->profile, id)->ledger = ledger;
    reader->announced[id] = recorded;
    reader->streamed = true;
}

static void read_clock_fit(struct file_reader *reader, struct record *record)
{
    const uint32_t id = take_below(record, reader->profile->clocks.count);
    struct clock_domain domain = *profile_clock(reader->profile, id);
    take_map(record, &domain);
    if (!record->damaged)
        *profile_clock(reader->profile, id) = domain;
}

static void read_record(struct file_reader *reader, enum file_block_kind kind,
                        struct record *record, uint32_t index)
{
    switch (kind) {
    case FILE_STRINGS:
        read_string(reader, record, index);
        break;
    case FILE_CLOCKS:
        file_reader_read_clock(reader, record, index);
        break;
    case FILE_TRACKS:
        read_track(reader, record, index);
        break;
    case FILE_OPERATORS:
        read_operator(reader, record);
        break;
    case FILE_CALLS:
        file_reader_read_call(reader, record);
        break;
    case FILE_BUFFERS:
        read_buffer(reader, record);
        break;
    case FILE_FACTS:
        read_fact(reader, record);
        break;
    case FILE_ACCOUNTS:
        read_account(reader, record);
        break;
    case FILE_CLOCK_FITS:
        read_clock_fit(reader, record);
        break;
    default:
        read_note(reader, record);
        break;
    }
}

static status file_reader_damaged(const struct file_reader *reader, const unsigned char *at,
                                  const char *what)
{
    const size_t offset = (size_t)(at - (const unsigned char *)reader->input->bytes.data);
    return status_make(STATUS_DATA, "%s: byte %zu: %s; write the profile again",
                       reader->input->path, offset, what);
}

// A table must be whole: what refers to it would be wrong otherwise.
static status read_table(struct file_reader *reader, const struct file_block *block,
                         const unsigned char *payload, size_t size)
{
    const unsigned char *at = payload;
    for (uint32_t index = 0; at < payload + size; index++) {
        uint64_t length;
        struct record record = {.at = at};
        if (!varint_get(&record.at, payload + size, &length) ||
            length > (uint64_t)(payload + size - record.at)) {
            if (reader->cut)
                return STATUS_OK;
            return file_reader_damaged(reader, at, "the table is damaged");
        }
        record.end = record.at + length;
        at = record.end;
        read_record(reader, (enum file_block_kind)block->kind, &record, index);
        if (record.damaged)
            return file_reader_damaged(reader, payload, "a record of a table is damaged");
    }
    return STATUS_OK;
}

static bool event_is_sound(const struct profile *profile, const struct event *event,
                           struct view values)
{
    return event->name < profile->strings.texts.count && event->call < profile->calls.count &&
           values_are_sound(profile, values);
}

// Keeps the whole events of the block and leaves out the rest.
static void file_reader_add_events(struct file_reader *reader, const struct file_block *header,
                                   const unsigned char *payload, size_t size)
{
    struct profile *profile = reader->profile;
    if (header->track >= profile->tracks.count) {
        profile_note(profile, 0, LEDGER_LOST, header->count,
                     "%s: %u events of a track that is not described", reader->input->path,
                     header->count);
        return;
    }
    struct store_block block = {.track = header->track,
                                .size = (uint32_t)size,
                                .data = payload,
                                .names = profile->strings.texts.count,
                                .calls = profile->calls.count};
    struct store_reader events = store_read(&block);
    struct event event;
    struct view values;
    const unsigned char *sound = payload;
    // After the last one of a cut block something else may look like an event.
    while (block.count < header->count && store_next(&events, &event, &values) &&
           event_is_sound(profile, &event, values)) {
        track_count_event(profile_track(profile, header->track), &event);
        block.count++;
        sound = events.at;
    }
    block.size = (uint32_t)(sound - payload);
    if (block.count > 0)
        store_add_mapped(profile->store, &block);
}

// One that is there twice waits until it is known how many events there should be.
static void file_reader_read_events(struct file_reader *reader, const struct file_block *block,
                                    const unsigned char *payload, size_t size)
{
    const struct view header = {(const char *)payload - sizeof *block, sizeof *block};
    if (reader->cut || !doubles_find(&reader->doubles, header)) {
        file_reader_add_events(reader, block, payload, size);
        return;
    }
    reader->copies = memory_grow(reader->copies, reader->copy_count, &reader->copy_capacity,
                                 sizeof *reader->copies);
    reader->copies[reader->copy_count++] = (struct file_copy){*block, payload};
}

// More than the writer counted is there twice.
static void read_copies(struct file_reader *reader)
{
    struct profile *profile = reader->profile;
    for (size_t i = 0; i < reader->copy_count; i++) {
        const struct file_block *block = &reader->copies[i].block;
        struct ledger *ledger =
            &profile_track(profile, block->track < profile->tracks.count ? block->track : 0)
                 ->ledger;
        if (block->track >= reader->announced_count ||
            ledger->recorded + block->count <= reader->announced[block->track]) {
            file_reader_add_events(reader, block, reader->copies[i].payload, block->size);
            continue;
        }
        if (ledger->expected != LEDGER_UNKNOWN)
            ledger->expected += block->count;
        profile_note(profile, block->track, LEDGER_IMPOSSIBLE, block->count,
                     "%s: a block of %u events is there twice", reader->input->path, block->count);
    }
    free(reader->copies);
}

static status file_reader_read_block(struct file_reader *reader, const struct file_block *block,
                                     const unsigned char *payload, size_t size, bool sound)
{
    reader->after_tracks |= block->kind > FILE_TRACKS;
    switch (block->kind) {
    case FILE_EVENTS:
        reader->after_events = true;
        if (sound)
            file_reader_read_events(reader, block, payload, size);
        return STATUS_OK;
    case FILE_END:
        reader->ended = sound;
        return STATUS_OK;
    case FILE_STRINGS:
    case FILE_CLOCKS:
    case FILE_TRACKS:
    case FILE_OPERATORS:
    case FILE_CALLS:
    case FILE_BUFFERS:
    case FILE_FACTS:
    case FILE_NOTES:
    case FILE_ACCOUNTS:
    case FILE_CLOCK_FITS:
        if (!sound)
            return file_reader_damaged(reader, payload, "a table does not match its checksum");
        // What is missing may be a table, too: numbers would not mean what they say.
        if (reader->searched && block->kind <= FILE_CALLS)
            return file_reader_damaged(reader, payload, "a table stands after what is damaged");
        return read_table(reader, block, payload, size);
    default:
        reader->unknown_blocks++;
        return STATUS_OK;
    }
}

static bool block_is_sound(const struct file_block *block, const unsigned char *payload,
                           size_t left)
{
    return block->magic == FILE_BLOCK_MAGIC && block->size <= left &&
           file_block_checksum(block, payload) == block->checksum;
}

// The next block that is whole; NULL: there is none.
static const unsigned char *find_block(struct file_reader *reader, const unsigned char *from,
                                       const unsigned char *end)
{
    const uint32_t magic = FILE_BLOCK_MAGIC;
    const unsigned char *at = from;
    while ((at = memmem(at, (size_t)(end - at), &magic, sizeof magic)) != NULL &&
           (size_t)(end - at) >= sizeof(struct file_block) &&
           reader->checked / SEARCHED_TIMES <= reader->input->bytes.size) {
        struct file_block block;
        memcpy(&block, at, sizeof block);
        const unsigned char *payload = at + sizeof block;
        reader->checked += block.size;
        if (block_is_sound(&block, payload, (size_t)(end - payload)))
            return at;
        at++;
    }
    return NULL;
}

// Among events, which tracks have counted, one that is damaged can be passed over: as far as the
// next one, wherever that is. NULL: there is none, or something else is damaged.
static const unsigned char *pass_over_damage(struct file_reader *reader, const unsigned char *at,
                                             const struct file_block *block,
                                             const unsigned char *end)
{
    const bool is_block = block->magic == FILE_BLOCK_MAGIC;
    const bool is_events = is_block && block->kind == FILE_EVENTS;
    if (is_block ? !is_events : !reader->after_events)
        return NULL;
    const unsigned char *next = find_block(reader, at + 1, end);
    const size_t step = sizeof *block + block->size + (8 - block->size % 8) % 8;
    reader->searched |= next != NULL && (!is_events || (size_t)(next - at) != step);
    return next;
}

static status read_blocks(struct file_reader *reader)
{
    const unsigned char *data = (const unsigned char *)reader->input->bytes.data;
    const unsigned char *at = data + sizeof(struct file_header);
    const unsigned char *end = data + reader->input->bytes.size;
    while (!reader->ended && (size_t)(end - at) >= sizeof(struct file_block)) {
        struct file_block block;
        memcpy(&block, at, sizeof block);
        const size_t left = (size_t)(end - at) - sizeof block;
        const bool sound = block_is_sound(&block, at + sizeof block, left);
        const unsigned char *next = sound ? NULL : pass_over_damage(reader, at, &block, end);
        if (next != NULL) {
            at = next;
            continue;
        }
        if (block.magic != FILE_BLOCK_MAGIC)
            return file_reader_damaged(reader, at, "no block starts here");
        at += sizeof block;
        reader->cut = block.size > left;
        const size_t size = reader->cut ? left : block.size;
        STATUS_TRY(file_reader_read_block(reader, &block, at, size, sound || reader->cut));
        const size_t padded = size + (8 - size % 8) % 8;
        at += padded < left ? padded : left;
    }
    return STATUS_OK;
}

// The writer said how many events each track has; fewer are here when the file
// is cut or damaged.
static void file_reader_account(struct file_reader *reader)
{
    struct profile *profile = reader->profile;
    const char *why = reader->ended ? "damaged" : "cut off";
    for (uint32_t i = 0; i < profile->tracks.count && i < reader->announced_count; i++) {
        struct track *track = profile_track(profile, i);
        if (track->ledger.recorded >= reader->announced[i])
            continue;
        const struct view name = profile_text(profile, track->name);
        profile_note(profile, i, LEDGER_LOST, reader->announced[i] - track->ledger.recorded,
                     "%s: the file is %s: events of track '%.*s' are missing", reader->input->path,
                     why, VIEW_ARGUMENTS(name));
    }
    if (!reader->ended)
        profile_note(profile, 0, LEDGER_REMARK, 1, "%s: the file is cut off at byte %zu",
                     reader->input->path, reader->input->bytes.size);
    if (!reader->ended && (!reader->after_tracks || reader->streamed)) {
        profile_track(profile, 0)->ledger.expected = LEDGER_UNKNOWN;
        profile_note(profile, 0, LEDGER_LOST, 1,
                     "%s: nothing says how many events there were after the cut",
                     reader->input->path);
    }
    if (reader->unknown_blocks > 0)
        profile_note(profile, 0, LEDGER_REMARK, reader->unknown_blocks,
                     "%s: blocks of an unknown kind, from a newer version, were left out",
                     reader->input->path);
    if (reader->input->damage != NULL)
        profile_note(profile, 0, LEDGER_REMARK, 1, "%s: %s", reader->input->path,
                     reader->input->damage);
}

bool profile_file_recognise(struct view bytes)
{
    return view_starts_with(bytes, FILE_MAGIC);
}

status profile_load(struct input *input, struct profile *profile)
{
    struct file_reader reader = {.profile = profile, .input = input};
    profile->source = input;
    struct file_header header;
    STATUS_TRY(input_settle(input, SETTLED_MOST));
    if (input->bytes.size < sizeof header)
        return status_make(STATUS_DATA, "%s: too short for a profile", input->path);
    memcpy(&header, input->bytes.data, sizeof header);
    if (header.version > PROFILE_FILE_VERSION)
        return status_make(STATUS_UNSUPPORTED,
                           "%s: profile version %u; this program reads up to %d: install a newer "
                           "opscope",
                           input->path, header.version, PROFILE_FILE_VERSION);
    reader.version = header.version > 0 ? header.version : 1;
    status result = read_blocks(&reader);
    for (uint32_t i = 0; i < profile->tracks.count && i < reader.numbered_count; i++)
        file_version_1_set_engine(profile, profile_track(profile, i), reader.numbered[i]);
    read_copies(&reader);
    if (result == STATUS_OK)
        file_reader_account(&reader);
    free(reader.announced);
    free(reader.numbered);
    result = status_first(result, input_check(input));
    return status_first(result, store_finish(profile->store));
}
