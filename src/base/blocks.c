#include "blocks.h"

#include <pthread.h>
#include <stdlib.h>

#include "memory.h"

enum { PIECE = 32 << 20 };

struct piece {
    struct piece *next;
    char *data;
    size_t size;
    size_t used;
};

struct blocks {
    pthread_mutex_t lock;
    struct piece *pieces; // the one that is filled first
};

struct blocks *blocks_create(void)
{
    struct blocks *blocks = memory_allocate_zeroed(1, sizeof *blocks);
    pthread_mutex_init(&blocks->lock, NULL);
    return blocks;
}

void blocks_free(struct blocks *blocks)
{
    if (blocks == NULL)
        return;
    while (blocks->pieces != NULL) {
        struct piece *piece = blocks->pieces;
        blocks->pieces = piece->next;
        free(piece->data);
        free(piece);
    }
    pthread_mutex_destroy(&blocks->lock);
    free(blocks);
}

static struct piece *blocks_add_piece(struct blocks *blocks, size_t size)
{
    char *data = memory_take(size);
    if (data == NULL)
        return NULL;
    struct piece *piece = memory_allocate_zeroed(1, sizeof *piece);
    *piece = (struct piece){blocks->pieces, data, size, 0};
    blocks->pieces = piece;
    return piece;
}

static void *blocks_carve(struct blocks *blocks, size_t size)
{
    struct piece *piece = blocks->pieces;
    if (piece == NULL || piece->size - piece->used < size)
        piece = blocks_add_piece(blocks, size > PIECE ? size : PIECE);
    if (piece == NULL)
        return NULL;
    void *block = piece->data + piece->used;
    piece->used += size;
    return block;
}

void *blocks_take(struct blocks *blocks, size_t size)
{
    if (size > (size_t)-1 - MEMORY_ALIGNMENT)
        return NULL;
    pthread_mutex_lock(&blocks->lock);
    void *block =
        blocks_carve(blocks, (size + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT);
    pthread_mutex_unlock(&blocks->lock);
    return block;
}
