#include "reader_parts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/parts.h"
#include "base/progress.h"
#include "base/segments.h"
#include "fields.h"
#include "reader_unpack.h"

// What a part is cut to, in bytes; packets and what is compressed count for more.
enum { PART_COST = 256 << 10, COST_PACKET = 32, COST_PACKED = 4, PACKED_LEAST = 256 };

struct perfetto_part {
    struct perfetto_part *next_free;
    const unsigned char *start; // of the file
    enum perfetto_split_depth depth;
    // What is left to do:
    struct protobuf_reader packets;
    struct protobuf_reader inner; // of the compressed packet that is being gone over
    bool is_inside;
    enum perfetto_loss inner_loss; // at its end; 0: none
    uint64_t inner_offset;
    // What was found, until it is filled anew:
    struct bytes unpacked;
    struct perfetto_packet *found;
    uint32_t count;
    struct segments payloads; // struct perfetto_payloads
    struct perfetto_item *items;
    uint32_t item_count;
    struct perfetto_unpacker unpacker;
};

struct walk {
    struct perfetto_visitor *visitor;
    struct view trace;
    enum perfetto_split_depth depth;
    struct protobuf_reader reader; // what is not cut yet
    struct parts *parts;
    struct perfetto_part *free_parts;
};

// Filling ---------------------------------------------------------------------

static void reader_parts_damage(struct perfetto_part *part, enum perfetto_loss loss,
                                uint64_t offset)
{
    part->found[part->count++] =
        (struct perfetto_packet){.offset = offset, .loss = (unsigned char)loss};
}

// Field by field: packets are many and small, and what clears memory in one go takes its time to
// get going.
static void reader_parts_clear(struct perfetto_packet *packet, uint64_t offset)
{
    packet->offset = offset;
    packet->timestamp = 0;
    packet->sequence = 0;
    packet->clock = 0;
    packet->flags = 0;
    packet->other = 0;
    packet->event = (struct view){0};
    packet->payloads = NULL;
    packet->items = NULL;
    packet->uuid = 0;
    packet->item_count = 0;
    packet->type = 0;
    packet->has_uuid = false;
    packet->split = false;
    packet->has_timestamp = false;
    packet->dropped_before = false;
    packet->loss = 0;
}

// False when the packet holds compressed packets, which are then `*out_packed`.
static bool reader_parts_add(struct perfetto_part *part, struct view bytes, uint64_t offset,
                             struct protobuf_field *out_packed)
{
    struct perfetto_packet *packet = &part->found[part->count];
    reader_parts_clear(packet, offset);
    if (perfetto_packet_read(bytes, &part->payloads, packet, out_packed) != PROTOBUF_WHOLE) {
        reader_parts_damage(part, PERFETTO_LOSS_MALFORMED, offset);
        out_packed->number = 0;
        return true;
    }
    if (out_packed->number != 0)
        return false;
    if (packet->event.data != NULL)
        part->item_count += perfetto_split(packet, part->depth, part->items + part->item_count,
                                           PERFETTO_PART_ITEMS - part->item_count);
    part->count++;
    return true;
}

static void reader_parts_next_inner(struct perfetto_part *part)
{
    struct protobuf_field field;
    struct protobuf_field packed;
    if (!protobuf_next(&part->inner, &field)) {
        if (part->inner_loss == 0 && part->inner.ending != PROTOBUF_WHOLE)
            part->inner_loss = PERFETTO_LOSS_PACKED_DAMAGED;
        if (part->inner_loss != 0)
            reader_parts_damage(part, part->inner_loss, part->inner_offset);
        part->is_inside = false;
    } else if (field.number != PERFETTO_TRACE_PACKET || field.type != PROTOBUF_BYTES) {
        reader_parts_damage(part, PERFETTO_LOSS_MALFORMED, part->inner_offset);
    } else if (!reader_parts_add(part, field.bytes, part->inner_offset, &packed)) {
        reader_parts_damage(part, PERFETTO_LOSS_PACKED_NESTED, part->inner_offset);
    }
}

// False where there is no room, or, `alone`, not enough of it beside what is unpacked already.
static bool reader_parts_unpack(struct perfetto_part *part, const struct protobuf_field *packed,
                                uint64_t offset, bool alone)
{
    struct bytes *to = &part->unpacked;
    const size_t at = to->size;
    const bool has_all = alone && part->count == 0;
    const size_t most = has_all ? PERFETTO_UNPACK_MOST : to->capacity - at;
    const enum perfetto_unpack_result result =
        packed->number == PERFETTO_PACKET_COMPRESSED
            ? perfetto_unpack_zlib(&part->unpacker, packed->bytes, most, to)
            : perfetto_unpack_zstd(&part->unpacker, packed->bytes, most, to);
    if (result == PERFETTO_UNPACK_LARGE && !has_all) {
        to->size = at;
        return false;
    }
    part->inner = protobuf_read(view_slice(bytes_view(to), at, to->size));
    part->inner_offset = offset;
    part->inner_loss = 0;
    if (result == PERFETTO_UNPACK_LARGE)
        part->inner_loss = PERFETTO_LOSS_PACKED_LARGE;
    else if (result == PERFETTO_UNPACK_DAMAGED)
        part->inner_loss = PERFETTO_LOSS_PACKED_DAMAGED;
    part->is_inside = true;
    return true;
}

// False where nothing more can be found for now.
static bool reader_parts_next(struct perfetto_part *part, bool alone)
{
    const struct protobuf_reader before = part->packets;
    const uint64_t offset = (uint64_t)(before.at - part->start);
    struct protobuf_field field;
    struct protobuf_field packed;
    if (!protobuf_next(&part->packets, &field)) {
        part->packets.at = part->packets.end;
        return false;
    }
    if (field.number != PERFETTO_TRACE_PACKET || field.type != PROTOBUF_BYTES) {
        reader_parts_damage(part, PERFETTO_LOSS_MALFORMED, offset);
    } else if (!reader_parts_add(part, field.bytes, offset, &packed) &&
               !reader_parts_unpack(part, &packed, offset, alone)) {
        part->packets = before;
        return false;
    }
    return true;
}

static void reader_parts_fill(struct perfetto_part *part, bool alone)
{
    part->count = 0;
    part->payloads.count = 0;
    part->item_count = 0;
    if (!part->is_inside)
        part->unpacked.size = 0;
    while (part->count < PERFETTO_PART_PACKETS) {
        if (part->is_inside)
            reader_parts_next_inner(part);
        else if (!reader_parts_next(part, alone))
            break;
    }
}

static void reader_parts_work(void *part)
{
    reader_parts_fill(part, false);
}

// Cutting ---------------------------------------------------------------------

static struct perfetto_part *reader_parts_create(void)
{
    struct perfetto_part *part = memory_allocate_zeroed(1, sizeof *part);
    part->found = memory_allocate(PERFETTO_PART_PACKETS * sizeof *part->found);
    part->items = memory_allocate(PERFETTO_PART_ITEMS * sizeof *part->items);
    segments_start(&part->payloads, sizeof(struct perfetto_payloads));
    return part;
}

static void reader_parts_free(struct perfetto_part *part)
{
    perfetto_unpack_free(&part->unpacker);
    bytes_free(&part->unpacked);
    segments_free(&part->payloads);
    free(part->found);
    free(part->items);
    free(part);
}

static struct perfetto_part *reader_parts_get(struct walk *walk)
{
    struct perfetto_part *part = walk->free_parts;
    if (part == NULL)
        return reader_parts_create();
    walk->free_parts = part->next_free;
    return part;
}

// Compressed packets are all that their packet holds.
static bool looks_packed(struct view packet)
{
    if (packet.size < PACKED_LEAST)
        return false;
    struct protobuf_reader reader = protobuf_read(packet);
    struct protobuf_field field;
    return protobuf_next(&reader, &field) && (field.number == PERFETTO_PACKET_COMPRESSED ||
                                              field.number == PERFETTO_PACKET_COMPRESSED_ZSTD);
}

// False when all is cut.
static bool reader_parts_cut(struct walk *walk)
{
    struct protobuf_reader *reader = &walk->reader;
    const unsigned char *from = reader->at;
    struct protobuf_field field;
    size_t cost = 0;
    while (cost < PART_COST && protobuf_next(reader, &field)) {
        cost += COST_PACKET;
        if (field.type == PROTOBUF_BYTES)
            cost += looks_packed(field.bytes) ? field.bytes.size * COST_PACKED : field.bytes.size;
    }
    if (cost == 0)
        return false;
    struct perfetto_part *part = reader_parts_get(walk);
    part->start = (const unsigned char *)walk->trace.data;
    part->depth = walk->depth;
    part->packets = (struct protobuf_reader){from, reader->at, PROTOBUF_WHOLE};
    part->is_inside = false;
    if (part->unpacked.capacity != PERFETTO_PART_UNPACKED) {
        bytes_free(&part->unpacked);
        part->unpacked.data = memory_allocate(PERFETTO_PART_UNPACKED);
        part->unpacked.capacity = PERFETTO_PART_UNPACKED;
    }
    parts_put(walk->parts, part);
    return true;
}

// Visiting --------------------------------------------------------------------

static void reader_parts_visit_found(struct walk *walk, const struct perfetto_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const struct perfetto_packet *packet = &part->found[i];
        if (packet->loss == 0)
            walk->visitor->packet(walk->visitor, packet);
        else
            walk->visitor->damage(walk->visitor, packet->loss, packet->offset);
    }
}

static void reader_parts_visit_part(struct walk *walk, struct perfetto_part *part)
{
    reader_parts_visit_found(walk, part);
    while (part->is_inside || part->packets.at < part->packets.end) {
        reader_parts_fill(part, true);
        reader_parts_visit_found(walk, part);
    }
    progress_report((uint64_t)(part->packets.end - part->start), walk->trace.size);
    if (part->unpacked.capacity > PERFETTO_PART_UNPACKED)
        bytes_free(&part->unpacked);
    part->next_free = walk->free_parts;
    walk->free_parts = part;
}

void perfetto_parts_visit(struct view trace, enum perfetto_split_depth depth,
                          struct perfetto_visitor *visitor)
{
    struct walk walk = {.visitor = visitor,
                        .trace = trace,
                        .depth = depth,
                        .reader = protobuf_read(trace),
                        .parts = parts_open(reader_parts_work)};
    struct perfetto_part *part;
    for (;;) {
        while (parts_room(walk.parts) && reader_parts_cut(&walk))
            continue;
        if ((part = parts_take(walk.parts)) == NULL)
            break;
        reader_parts_visit_part(&walk, part);
    }
    parts_close(walk.parts);
    while ((part = walk.free_parts) != NULL) {
        walk.free_parts = part->next_free;
        reader_parts_free(part);
    }
    const uint64_t cut_at = (uint64_t)(walk.reader.at - (const unsigned char *)trace.data);
    if (walk.reader.ending == PROTOBUF_CUT)
        visitor->damage(visitor, PERFETTO_LOSS_CUT, cut_at);
    else if (walk.reader.ending == PROTOBUF_MALFORMED)
        visitor->damage(visitor, PERFETTO_LOSS_GARBAGE, cut_at);
}
