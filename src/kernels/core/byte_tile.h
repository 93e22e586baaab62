// Eight rows of eight bytes made columns: what turns images of bytes from channels first to
// channels last and back.

#ifndef OPSCOPE_KERNELS_CORE_BYTE_TILE_H
#define OPSCOPE_KERNELS_CORE_BYTE_TILE_H

#include <stdint.h>
#include <string.h>

enum { BYTE_TILE = 8 };

// Swaps blocks of `apart` bytes on the two sides of the diagonal, in rows as far apart. The lowest
// byte is the first one.
static inline void byte_tile_swap(uint64_t rows[BYTE_TILE], int apart, uint64_t mask)
{
    for (int i = 0; i < BYTE_TILE; i++) {
        if ((i & apart) != 0)
            continue;
        const uint64_t changed = (rows[i] >> (8 * apart) ^ rows[i + apart]) & mask;
        rows[i + apart] ^= changed;
        rows[i] ^= changed << (8 * apart);
    }
}

// to[j * to_step + i] = from[i * from_step + j].
static inline void byte_tile_turn(const uint8_t *from, uint64_t from_step, uint8_t *to,
                                  uint64_t to_step)
{
    uint64_t rows[BYTE_TILE];
    for (uint64_t i = 0; i < BYTE_TILE; i++)
        memcpy(&rows[i], from + i * from_step, sizeof rows[i]);
    byte_tile_swap(rows, 4, 0x00000000ffffffff);
    byte_tile_swap(rows, 2, 0x0000ffff0000ffff);
    byte_tile_swap(rows, 1, 0x00ff00ff00ff00ff);
    for (uint64_t i = 0; i < BYTE_TILE; i++)
        memcpy(to + i * to_step, &rows[i], sizeof rows[i]);
}

// The same of any number of rows and columns.
static inline void byte_tile_turn_all(const uint8_t *from, uint64_t from_step, uint64_t rows,
                                      uint64_t columns, uint8_t *to, uint64_t to_step)
{
    const uint64_t whole_rows = rows / BYTE_TILE * BYTE_TILE;
    const uint64_t whole_columns = columns / BYTE_TILE * BYTE_TILE;
    for (uint64_t j = 0; j < whole_columns; j += BYTE_TILE) {
        for (uint64_t i = 0; i < whole_rows; i += BYTE_TILE)
            byte_tile_turn(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
    }
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = i < whole_rows ? whole_columns : 0; j < columns; j++)
            to[j * to_step + i] = from[i * from_step + j];
    }
}

#endif
