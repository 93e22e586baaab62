// How functions of the public libraries answer: codes and texts of failures, and structures whose
// size the caller knows.

#ifndef OPSCOPE_API_ANSWER_H
#define OPSCOPE_API_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

// OPSCOPE_ERROR_USAGE with this text.
int api_refuse(const char *text, char *message, size_t size);

// OPSCOPE_ERROR_LIMIT, and that there is no memory.
int api_no_memory(char *message, size_t size);

// The code of a result, which is freed; its text goes to `message`.
int api_answer(status result, char *message, size_t size);

// Hands out `from` to a structure of another size: what it has no room for is left out, what
// is not known is zero.
void api_give(void *out, size_t out_size, const void *from, size_t from_size);

// Takes a structure of another size over into `to`. False when it is absent, or says
// something that this version does not know.
bool api_take(void *to, size_t to_size, const void *from, size_t from_size);

#endif
