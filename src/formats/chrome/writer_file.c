#include "writer_file.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/queue.h"
#include "base/recovery.h"

struct writer_file {
    struct output *output;
    struct queue full;
    struct queue empty;
    struct bytes buffers[WRITER_FILE_BUFFERS];
    struct recovery_thread thread;
    bool threaded; // false: there was no thread to be had
};

static void *chrome_pack_thread(void *argument)
{
    struct writer_file *file = argument;
    struct bytes *buffer;
    while ((buffer = queue_take(&file->full)) != NULL) {
        output_write(file->output, buffer->data, buffer->size);
        buffer->size = 0;
        queue_put(&file->empty, buffer);
    }
    return NULL;
}

// Whoever waits gets what was not written; joining fails.
static void chrome_pack_give_up(void *argument)
{
    struct writer_file *file = argument;
    struct bytes *buffer;
    while ((buffer = queue_take(&file->full)) != NULL)
        queue_put(&file->empty, buffer);
}

static void chrome_pack_stop(void *argument)
{
    queue_close(&((struct writer_file *)argument)->full);
}

status writer_file_open(const char *path, struct writer_file **out_file)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    struct writer_file *file = memory_allocate_zeroed(1, sizeof *file);
    file->output = output;
    queue_start(&file->full, WRITER_FILE_BUFFERS);
    queue_start(&file->empty, WRITER_FILE_BUFFERS);
    for (size_t i = 0; i < WRITER_FILE_BUFFERS; i++)
        queue_put(&file->empty, &file->buffers[i]);
    file->thread = (struct recovery_thread){.run = chrome_pack_thread,
                                            .give_up = chrome_pack_give_up,
                                            .stop = chrome_pack_stop,
                                            .context = file};
    file->threaded = recovery_thread_start(&file->thread) == 0;
    *out_file = file;
    return STATUS_OK;
}

void writer_file_put(struct writer_file *file, struct bytes *buffer)
{
    if (!file->threaded) {
        output_write(file->output, buffer->data, buffer->size);
        buffer->size = 0;
        return;
    }
    struct bytes *other = queue_take(&file->empty);
    const struct bytes swapped = *other;
    *other = *buffer;
    *buffer = swapped;
    queue_put(&file->full, other);
}

status writer_file_close(struct writer_file *file, status written)
{
    queue_close(&file->full);
    if (file->threaded)
        recovery_thread_join(&file->thread);
    for (size_t i = 0; i < WRITER_FILE_BUFFERS; i++)
        bytes_free(&file->buffers[i]);
    queue_free(&file->full);
    queue_free(&file->empty);
    const status result = output_finish(file->output, written);
    free(file);
    return result;
}
