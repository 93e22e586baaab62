// three_cores FILE: writes the program of three_cores.h.

#include "three_cores.h"

int main(int count, char **words)
{
    struct three_cores made;
    if (count != 2)
        return 2;
    three_cores_make(&made);
    const status failure = program_write(&made.program, words[1]);
    if (failure != STATUS_OK)
        fprintf(stderr, "%s\n", status_message(failure));
    three_cores_free(&made);
    status_free(failure);
    return failure != STATUS_OK;
}
