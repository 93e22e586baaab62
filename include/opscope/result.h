// What functions of libopscope that can fail return: OPSCOPE_OK, or less than 0. They also
// put a text for the user into `message`, which has room for `size` bytes (NULL with 0 where
// nobody wants it); it is cut where it is longer and untouched when nothing failed. The text
// names the file, the place in it and what was expected.

#ifndef OPSCOPE_RESULT_H
#define OPSCOPE_RESULT_H

enum opscope_result {
    OPSCOPE_LOSS = 1,               // done, but the ledger shows loss (opscope_convert)
    OPSCOPE_OK = 0,                 // done
    OPSCOPE_ERROR_USAGE = -1,       // an argument makes no sense
    OPSCOPE_ERROR_NOT_FOUND = -2,   // a file or a named thing does not exist
    OPSCOPE_ERROR_IO = -3,          // the system refused to read or write
    OPSCOPE_ERROR_DATA = -4,        // the input is not what it should be
    OPSCOPE_ERROR_UNSUPPORTED = -5, // valid, but not handled
    OPSCOPE_ERROR_LIMIT = -6        // larger than a documented limit, or than there is memory for
};

#endif
