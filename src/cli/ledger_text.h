// The ledger as every command shows it.

#ifndef OPSCOPE_CLI_LEDGER_TEXT_H
#define OPSCOPE_CLI_LEDGER_TEXT_H

#include <stdio.h>

#include "profile/profile.h"
#include "wire/json.h"

// 7650 as "7 650".
enum { LEDGER_NUMBER_ROOM = 32 };
const char *ledger_number(uint64_t number, char text[LEDGER_NUMBER_ROOM]);

// One line; then, when something is wrong, why.
void ledger_print(FILE *file, const struct profile *profile);

// On stderr, and only when there is something to say.
void ledger_warn(const struct profile *profile);

void ledger_json(struct json_writer *json, const char *key, const struct profile *profile);

// The same with the sum of the accounts, for whoever writes it often: there may be many tracks.
void ledger_json_sum(struct json_writer *json, const char *key, const struct profile *profile,
                     struct ledger sum);

// The accounts alone, for a profile that is not there any more: members of an object.
uint64_t ledger_not_carried(const struct profile *profile);
void ledger_json_accounts(struct json_writer *json, struct ledger sum, uint64_t not_carried);

// EXIT_LOSS when events were lost, impossible or not carried, else 0.
int ledger_exit(const struct profile *profile);

#endif
