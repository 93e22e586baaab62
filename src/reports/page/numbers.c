#include "numbers.h"

#include <stdlib.h>

#include "base/memory.h"

#define REFUSED UINT32_MAX

// What a text takes in JSON inside a page, at most.
static uint64_t json_size(struct view text)
{
    uint64_t size = 4;
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        size += byte < 0x20 || byte == '<' || byte == '>' || byte == '&' || byte >= 0x80 ? 6 : 1;
    }
    return size;
}

static uint32_t give_name(struct level_numbers *give, uint32_t name)
{
    struct page_numbers *numbers = (struct page_numbers *)give;
    if (name == 0)
        return 0;
    numbers->of_name =
        memory_extend(numbers->of_name, &numbers->of_name_count, name, sizeof *numbers->of_name);
    uint32_t *number = &numbers->of_name[name];
    if (*number == REFUSED)
        return 0;
    if (*number != 0)
        return *number;
    const uint64_t size =
        json_size(view_shortened(profile_text(numbers->profile, name), NUMBERS_NAME_MOST));
    if (size > numbers->room) {
        numbers->refused++;
        *number = REFUSED;
        return 0;
    }
    numbers->room -= size;
    numbers->names = memory_grow(numbers->names, numbers->name_count, &numbers->name_capacity,
                                 sizeof *numbers->names);
    *number = (uint32_t)numbers->name_count;
    numbers->names[numbers->name_count++] = name;
    return *number;
}

static uint32_t give_operator(struct level_numbers *give, uint32_t operator_id)
{
    struct page_numbers *numbers = (struct page_numbers *)give;
    if (operator_id == 0)
        return 0;
    numbers->of_operator = memory_extend(numbers->of_operator, &numbers->of_operator_count,
                                         operator_id, sizeof *numbers->of_operator);
    uint32_t *number = &numbers->of_operator[operator_id];
    if (*number != 0 || numbers->operator_count > NUMBERS_OPERATORS_MOST)
        return *number;
    numbers->operators = memory_grow(numbers->operators, numbers->operator_count,
                                     &numbers->operator_capacity, sizeof *numbers->operators);
    *number = (uint32_t)numbers->operator_count;
    numbers->operators[numbers->operator_count++] = operator_id;
    return *number;
}

void page_numbers_start(struct page_numbers *numbers, const struct profile *profile, uint64_t room)
{
    *numbers =
        (struct page_numbers){.give = {give_name, give_operator}, .profile = profile, .room = room};
    numbers->names = memory_grow(NULL, 0, &numbers->name_capacity, sizeof *numbers->names);
    numbers->names[numbers->name_count++] = 0;
    numbers->operators =
        memory_grow(NULL, 0, &numbers->operator_capacity, sizeof *numbers->operators);
    numbers->operators[numbers->operator_count++] = 0;
}

void page_numbers_free(struct page_numbers *numbers)
{
    free(numbers->of_name);
    free(numbers->names);
    free(numbers->of_operator);
    free(numbers->operators);
    *numbers = (struct page_numbers){0};
}

struct view page_numbers_name(const struct page_numbers *numbers, size_t number)
{
    return view_shortened(profile_text(numbers->profile, numbers->names[number]),
                          NUMBERS_NAME_MOST);
}
