// What the files are that users name, told by their content, and which commands read them: for
// messages to those who gave a command the wrong file, or a folder.

#ifndef OPSCOPE_CLI_FILE_KINDS_H
#define OPSCOPE_CLI_FILE_KINDS_H

#include "base/status.h"
#include "base/view.h"

struct file_kind {
    const char *called;          // "a network (ONNX)"
    const char *const *commands; // that read one, the best to look at it first; ends with NULL
};

extern const struct file_kind FILE_ONNX;
extern const struct file_kind FILE_TOSA;
extern const struct file_kind FILE_DUMP;
extern const struct file_kind FILE_PROGRAM;
extern const struct file_kind FILE_PROFILE; // whatever `opscope overview` reads
extern const struct file_kind FILE_TENSOR;
extern const struct file_kind FILE_CONTAINER;

// NULL: opscope does not know it, or it is no regular file.
const struct file_kind *file_kind_of(const char *path);
const struct file_kind *file_kind_of_bytes(struct view bytes);

// Whether a file that begins like this may be of a kind that opscope knows.
bool file_kind_may_be(struct view beginning);

// What `command`, called with `words`, failed with, said better where it was given a file of a
// kind that it does not read, or a folder. Takes the failure over.
status file_kinds_explain(const char *command, int count, char **words, status failure);

// The files in a folder that opscope reads, or in the folders in it where there are none: some
// of them, as command lines on stderr. Nothing when there are none, or when no word is a folder
// that `failure` is about.
void file_kinds_print_folder(const char *command, int count, char **words, status failure);

#endif
