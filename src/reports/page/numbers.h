// Names and operators that a page holds, numbered as they are met.
//
// A name that is longer than NUMBERS_NAME_MOST bytes is cut there. Once the texts have as many
// bytes as they may, further names get the number 0: the page says that it does not have them.

#ifndef OPSCOPE_REPORTS_PAGE_NUMBERS_H
#define OPSCOPE_REPORTS_PAGE_NUMBERS_H

#include "levels.h"
#include "profile/profile.h"

enum { NUMBERS_NAME_MOST = 240, NUMBERS_OPERATORS_MOST = 8191 };

struct page_numbers {
    struct level_numbers give; // of a level's blocks
    const struct profile *profile;
    uint64_t room;    // bytes of names that may still come
    uint64_t refused; // names that found no room
    uint32_t *of_name;
    size_t of_name_count;
    uint32_t *names; // string ids by number; 0: the empty text
    size_t name_count, name_capacity;
    uint32_t *of_operator;
    size_t of_operator_count;
    uint32_t *operators; // ids by number; 0: none
    size_t operator_count, operator_capacity;
};

// When a tick was, in ns since `start`. A damaged file may have events before the first one that it
// says it has.
static inline uint64_t page_time(uint64_t start, const struct clock_domain *clock, uint64_t ticks)
{
    const uint64_t ns = clock_to_ns(clock, ticks);
    return ns > start ? ns - start : 0;
}

void page_numbers_start(struct page_numbers *numbers, const struct profile *profile, uint64_t room);
void page_numbers_free(struct page_numbers *numbers);

// The text of a number, as the page shows it.
struct view page_numbers_name(const struct page_numbers *numbers, size_t number);

#endif
