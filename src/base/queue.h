// A bounded queue of pointers between one thread that puts and one that takes.

#ifndef OPSCOPE_BASE_QUEUE_H
#define OPSCOPE_BASE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { QUEUE_MOST = 16 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void *items[QUEUE_MOST];
    size_t first;
    size_t count;
    size_t most;
    bool closed;
};

// `most` is at most QUEUE_MOST.
void queue_start(struct queue *queue, size_t most);

// Waits while the queue is full.
void queue_put(struct queue *queue, void *item);

// Waits while it is empty; NULL once it is closed and empty.
void *queue_take(struct queue *queue);

void queue_close(struct queue *queue);
void queue_free(struct queue *queue);

#endif
