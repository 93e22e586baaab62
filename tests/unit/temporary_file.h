// A file for the tests of one program: made before the first, removed after the last.

#ifndef OPSCOPE_TESTS_TEMPORARY_FILE_H
#define OPSCOPE_TESTS_TEMPORARY_FILE_H

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/opscope-test-XXXXXX";

static inline int make_path(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static inline int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

#endif
