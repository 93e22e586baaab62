// Protobuf's bytes: what is written is read back, and what is damaged is told.

#include "wire/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS = 30, ROOM = 4096 };

static uint64_t random_number(unsigned *seed)
{
    const unsigned bits = (unsigned)rand_r(seed) % 65;
    uint64_t number = 0;
    for (unsigned i = 0; i < bits; i += 15)
        number = number << 15 | (uint64_t)(rand_r(seed) & 0x7fff);
    return bits == 0 ? 0 : number >> (64 - bits) | (uint64_t)1 << (bits - 1);
}

static struct protobuf_field random_field(unsigned *seed, const char *text)
{
    static const enum protobuf_type types[] = {PROTOBUF_VARINT, PROTOBUF_FIXED64, PROTOBUF_BYTES};
    return (struct protobuf_field){
        .number = 1 + (uint32_t)(random_number(seed) % PROTOBUF_NUMBER_MOST),
        .type = types[rand_r(seed) % 3],
        .value = random_number(seed),
        .bytes = {text, (size_t)rand_r(seed) % 200},
    };
}

static unsigned char *put(unsigned char *to, const struct protobuf_field *field)
{
    if (field->type == PROTOBUF_VARINT)
        return protobuf_put_varint(to, field->number, field->value);
    if (field->type == PROTOBUF_FIXED64)
        return protobuf_put_fixed64(to, field->number, field->value);
    return protobuf_put_bytes(to, field->number, field->bytes);
}

static void assert_same(const struct protobuf_field *read, const struct protobuf_field *written)
{
    assert_int_equal(read->number, written->number);
    assert_int_equal(read->type, written->type);
    if (read->type == PROTOBUF_BYTES)
        assert_true(view_equal(read->bytes, written->bytes));
    else
        assert_true(read->value == written->value);
}

// A message cut anywhere gives the fields before the cut, and says that it is
// cut unless that is where a field ends.
static void what_is_written_is_read_up_to_any_cut(void **state)
{
    (void)state;
    char text[200];
    memset(text, 'x', sizeof text);
    for (unsigned round = 0; round < 40; round++) {
        unsigned seed = round;
        struct protobuf_field fields[FIELDS];
        size_t ends[FIELDS];
        unsigned char bytes[ROOM * 4];
        unsigned char *end = bytes;
        for (int i = 0; i < FIELDS; i++) {
            fields[i] = random_field(&seed, text);
            end = put(end, &fields[i]);
            ends[i] = (size_t)(end - bytes);
        }
        for (size_t cut = 0; cut <= (size_t)(end - bytes); cut++) {
            struct protobuf_reader reader = protobuf_read((struct view){(const char *)bytes, cut});
            struct protobuf_field field;
            int count = 0;
            while (protobuf_next(&reader, &field))
                assert_same(&field, &fields[count++]);
            const size_t whole = count == 0 ? 0 : ends[count - 1];
            assert_int_equal(reader.at - bytes, whole);
            assert_int_equal(reader.ending, whole == cut ? PROTOBUF_WHOLE : PROTOBUF_CUT);
            assert_true(whole <= cut && (count == FIELDS || cut < ends[count]));
        }
    }
}

static enum protobuf_ending ending_of(const char *bytes, size_t size)
{
    struct protobuf_reader reader = protobuf_read((struct view){bytes, size});
    struct protobuf_field field;
    while (protobuf_next(&reader, &field))
        continue;
    assert_false(protobuf_next(&reader, &field));
    return reader.ending;
}

static void what_no_field_starts_with_is_malformed(void **state)
{
    (void)state;
    assert_int_equal(ending_of("\x08\x01\x0b", 3), PROTOBUF_MALFORMED);             // a group
    assert_int_equal(ending_of("\x0c", 1), PROTOBUF_MALFORMED);                     // its end
    assert_int_equal(ending_of("\x0e\x01", 2), PROTOBUF_MALFORMED);                 // type 6
    assert_int_equal(ending_of("\x0f\x01", 2), PROTOBUF_MALFORMED);                 // type 7
    assert_int_equal(ending_of("\x00\x01", 2), PROTOBUF_MALFORMED);                 // number 0
    assert_int_equal(ending_of("\x80\x80\x80\x80\x20\x01", 6), PROTOBUF_MALFORMED); // 2^29
    assert_int_equal(ending_of("\xff\xff\xff\xff\x0f\x00", 6), PROTOBUF_MALFORMED);
    // No number has eleven bytes; one that stops after nine is cut off.
    assert_int_equal(ending_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12),
                     PROTOBUF_MALFORMED);
    assert_int_equal(ending_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10), PROTOBUF_CUT);
}

static void lengths_beyond_the_message_are_cuts(void **state)
{
    (void)state;
    assert_int_equal(ending_of("\x0a\x05"
                               "abcd",
                               6),
                     PROTOBUF_CUT);
    assert_int_equal(ending_of("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11), PROTOBUF_CUT);
    assert_int_equal(ending_of("\x0d\x01\x02\x03", 4), PROTOBUF_CUT);
    assert_int_equal(ending_of("\x0d\x01\x02\x03\x04", 5), PROTOBUF_WHOLE);
    assert_int_equal(ending_of(NULL, 0), PROTOBUF_WHOLE);
}

static size_t numbers_of(const struct protobuf_field *field, bool fixed, uint64_t *numbers)
{
    struct view rest = {0};
    size_t count = 0;
    while (fixed ? protobuf_next_fixed64(field, &rest, &numbers[count])
                 : protobuf_next_varint(field, &rest, &numbers[count]))
        count++;
    return count;
}

static void repeated_numbers_come_packed_or_alone(void **state)
{
    (void)state;
    uint64_t numbers[8];
    const struct protobuf_field alone = {.type = PROTOBUF_VARINT, .value = 300};
    assert_int_equal(numbers_of(&alone, false, numbers), 1);
    assert_int_equal(numbers[0], 300);

    const struct protobuf_field packed = {.type = PROTOBUF_BYTES,
                                          .bytes = VIEW_LITERAL("\x01\xac\x02\x7f")};
    assert_int_equal(numbers_of(&packed, false, numbers), 3);
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[1], 300);
    assert_int_equal(numbers[2], 127);

    const struct protobuf_field fixed = {
        .type = PROTOBUF_BYTES, .bytes = VIEW_LITERAL("\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80")};
    assert_int_equal(numbers_of(&fixed, true, numbers), 2);
    assert_int_equal(numbers[0], 5);
    assert_true(numbers[1] == (uint64_t)1 << 63);
}

static void damaged_packed_numbers_end_the_list(void **state)
{
    (void)state;
    uint64_t numbers[8];
    const struct protobuf_field cut = {.type = PROTOBUF_BYTES, .bytes = VIEW_LITERAL("\x01\xac")};
    assert_int_equal(numbers_of(&cut, false, numbers), 1);
    const struct protobuf_field short_fixed = {.type = PROTOBUF_BYTES,
                                               .bytes = VIEW_LITERAL("\x05\0\0\0\0\0\0\0\x01")};
    assert_int_equal(numbers_of(&short_fixed, true, numbers), 1);
    const struct protobuf_field empty = {.type = PROTOBUF_BYTES, .bytes = VIEW_LITERAL("")};
    assert_int_equal(numbers_of(&empty, false, numbers), 0);
    assert_int_equal(numbers_of(&empty, true, numbers), 0);
}

static void sizes_are_known_beforehand(void **state)
{
    (void)state;
    static unsigned char bytes[70000];
    static char text[66000];
    static const size_t sizes[] = {0, 1, 127, 128, 16383, 16384, 66000};
    static const uint32_t numbers[] = {1, 15, 16, 2047, 2048, PROTOBUF_NUMBER_MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            const unsigned char *end =
                protobuf_put_bytes(bytes, numbers[j], (struct view){text, sizes[i]});
            assert_int_equal(end - bytes, protobuf_bytes_size(numbers[j], sizes[i]));
        }
    }
}

static void doubles_keep_their_bits(void **state)
{
    (void)state;
    const double reals[] = {0.0, -0.0, 1.5, -1e300};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        const double back = protobuf_to_double(protobuf_from_double(reals[i]));
        assert_memory_equal(&back, &reals[i], sizeof back);
    }
    assert_true(protobuf_from_double(1.5) == 0x3ff8000000000000u);
}

// Of every length, and next to where it changes.
static void numbers_are_the_same_without_branches(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 64; bits++) {
        for (int near = -2; near <= 2; near++) {
            const uint64_t number = ((uint64_t)1 << bits) + (uint64_t)(int64_t)near;
            unsigned char expected[VARINT_MOST];
            unsigned char bytes[VARINT_MOST];
            const size_t size = (size_t)(varint_put(expected, number) - expected);
            assert_int_equal(varint_put_any(bytes, number) - bytes, size);
            assert_memory_equal(bytes, expected, size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_up_to_any_cut),
        cmocka_unit_test(what_no_field_starts_with_is_malformed),
        cmocka_unit_test(lengths_beyond_the_message_are_cuts),
        cmocka_unit_test(repeated_numbers_come_packed_or_alone),
        cmocka_unit_test(damaged_packed_numbers_end_the_list),
        cmocka_unit_test(sizes_are_known_beforehand),
        cmocka_unit_test(doubles_keep_their_bits),
        cmocka_unit_test(numbers_are_the_same_without_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
