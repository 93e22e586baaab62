#include "role.h"

static const struct {
    const char *name;
    bool device;
    bool transfer;
} ROLES[ROLE_COUNT] = {
    [ROLE_NONE] = {"none", false, false},
    [ROLE_COMPUTE] = {"compute", true, false},
    [ROLE_TRANSFER_IN] = {"transfer in", true, true},
    [ROLE_TRANSFER_OUT] = {"transfer out", true, true},
    [ROLE_TRANSFER] = {"transfer", true, true},
    [ROLE_COMMUNICATION] = {"communication", true, false},
    [ROLE_CONTROL] = {"control", true, false},
    [ROLE_WAIT] = {"wait", true, false},
    [ROLE_HOST] = {"host", false, false},
    [ROLE_HOST_COPY] = {"host copy", false, false},
    [ROLE_HOST_CALL] = {"host call", false, false},
    [ROLE_DEVICE] = {"device", true, false},
};

const char *role_name(enum role role)
{
    return ROLES[role < ROLE_COUNT ? role : ROLE_NONE].name;
}

bool role_from_name(struct view text, enum role *out_role)
{
    for (unsigned role = 0; role < ROLE_COUNT; role++) {
        if (view_is(text, ROLES[role].name)) {
            *out_role = (enum role)role;
            return true;
        }
    }
    return false;
}

bool role_is_device(enum role role)
{
    return ROLES[role].device;
}

bool role_is_transfer(enum role role)
{
    return ROLES[role].transfer;
}
