#include "kineto_index.h"

#include "base/sort.h"
#include "dialect.h"
#include "json.h"

struct kineto_numbered {
    uint64_t process;
    uint64_t number;
    uint64_t offset; // in the file
    uint64_t size;
};

status kineto_index_see(struct kineto_index *index, const struct chrome_event *event)
{
    struct kineto_numbered numbered = {
        .process = event->pid.number, .offset = event->offset, .size = event->object.size};
    if (!chrome_number_of(chrome_argument_raw(event, "Ev Idx"), &numbered.number))
        return STATUS_OK;
    return spool_append(&index->spool, &numbered, sizeof numbered);
}

static bool kineto_index_by_number(const void *left, const void *right)
{
    const struct kineto_numbered *a = left;
    const struct kineto_numbered *b = right;
    if (a->process != b->process)
        return a->process < b->process;
    return a->number != b->number ? a->number < b->number : a->offset < b->offset;
}

static bool kineto_index_by_offset(const void *left, const void *right)
{
    const struct kineto_numbered *a = left;
    const struct kineto_numbered *b = right;
    return a->offset < b->offset;
}

static bool is_same_number(const struct kineto_numbered *a, const struct kineto_numbered *b)
{
    return a->process == b->process && a->number == b->number;
}

static bool is_same_event(const struct kineto_numbered *a, const struct kineto_numbered *b,
                          struct view bytes)
{
    return is_same_number(a, b) && a->size == b->size && a->offset + a->size <= bytes.size &&
           b->offset + b->size <= bytes.size &&
           memcmp(bytes.data + a->offset, bytes.data + b->offset, a->size) == 0;
}

// What a process has numbered: `count` numbers up to `most`. A trace of which more was left out
// than is there was cut down on purpose.
static uint64_t missing_of(uint64_t most, uint64_t count)
{
    return most - count < count ? most + 1 - count : 0;
}

// Numbers that are there once or more often, by process; what is missing of them.
static uint64_t count_missing(const struct kineto_numbered *numbered, size_t count)
{
    uint64_t missing = 0;
    uint64_t there = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kineto_numbered *next = i + 1 < count ? &numbered[i + 1] : NULL;
        if (next == NULL || !is_same_number(&numbered[i], next))
            there++;
        if (next != NULL && next->process == numbered[i].process)
            continue;
        missing += missing_of(numbered[i].number, there);
        there = 0;
    }
    return missing;
}

status kineto_index_finish(struct kineto_index *index, struct view bytes)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&index->spool, &data, &size));
    struct kineto_numbered *numbered = (struct kineto_numbered *)(void *)data;
    const size_t count = size / sizeof *numbered;
    sort_where_needed(numbered, count, sizeof *numbered, kineto_index_by_number);
    index->missing = count_missing(numbered, count);
    // Copies take the places of those that were looked at.
    struct kineto_numbered first = {0};
    for (size_t i = 0; i < count; i++) {
        const struct kineto_numbered this = numbered[i];
        if (i > 0 && is_same_event(&first, &this, bytes))
            numbered[index->copy_count++] = this;
        else
            first = this;
    }
    sort_in_place(numbered, index->copy_count, sizeof *numbered, kineto_index_by_offset);
    index->copies = numbered;
    return STATUS_OK;
}

bool kineto_index_is_copy(struct kineto_index *index, uint64_t offset)
{
    while (index->next < index->copy_count && index->copies[index->next].offset < offset)
        index->next++;
    return index->next < index->copy_count && index->copies[index->next].offset == offset;
}
