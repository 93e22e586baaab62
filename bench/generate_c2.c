// Writes a Torq compile profile of any size to the standard output: version C2
// (docs/formats/torq-csv.md), no header, times in cycles.
//
//     generate_c2 ROWS [SEED] [--own]
//
// The rows of the DMA engines come first, then those of the slices, then those
// of CSS, as in real files. The same arguments give the same bytes. One row of
// seven has a fused location; one DMA of a thousand starts before the one
// before it has ended. With --own each row has a plain location of its own.

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPERATORS = 5000, // each at a line of its own
    FUSED_EVERY = 7,
    OVERLAP_EVERY = 1000,
    SLICES = 2,
    CSS_CYCLES = 8000,
    ROW_MOST = 400,
    BUFFER = 1 << 20,
};

enum engine { DMA_IN, DMA_OUT, CDMA, SLICE_0, CSS = SLICE_0 + SLICES, ENGINES };

static const char *const op_types[] = {
    "fully_connected", "conv2d", "depthwise_conv2d", "add", "mul", "avg_pool2d",
    "max_pool2d",      "table",  "rescale",          "fma", "act", "transpose",
};

static const char *const cdma_ids[] = {"CDMA_L2D", "CDMA_L2I", "CDMA_D2L"};
static const char *const cdma_types[] = {"CDMA_LRAM_TO_DTCM", "CDMA_LRAM_TO_ITCM",
                                         "CDMA_DTCM_TO_LRAM"};

struct location {
    char plain[96];
    char fused[192];
    size_t plain_size;
    size_t fused_size;
};

struct generator {
    uint64_t random;
    uint64_t end[ENGINES]; // of the engine's last row, in cycles
    uint64_t row;
    bool own;
    struct location locations[OPERATORS];
    char buffer[BUFFER];
    size_t used;
};

// splitmix64
static uint64_t next_random(struct generator *generator, uint64_t limit)
{
    uint64_t z = generator->random += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
}

static void make_locations(struct location *locations)
{
    char calls[OPERATORS][80];
    for (int i = 0; i < OPERATORS; i++) {
        snprintf(calls[i], sizeof calls[i],
                 "callsite(\"/models/net.mlir\":%d:%d at \"/models/net.mlir\":2:3)", i + 4,
                 10 + i % 7);
    }
    for (int i = 0; i < OPERATORS; i++) {
        struct location *location = &locations[i];
        const char *next = calls[(i + 1) % OPERATORS];
        location->plain_size =
            (size_t)snprintf(location->plain, sizeof location->plain, "loc(%s)", calls[i]);
        location->fused_size = (size_t)snprintf(location->fused, sizeof location->fused,
                                                "loc(fused[%s, %s])", calls[i], next);
    }
}

static void put_text(struct generator *generator, const char *text, size_t size)
{
    memcpy(generator->buffer + generator->used, text, size);
    generator->used += size;
}

static void put_word(struct generator *generator, const char *word)
{
    put_text(generator, word, strlen(word));
}

static void put_number(struct generator *generator, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put_text(generator, digits + at, sizeof digits - at);
}

static void flush(struct generator *generator)
{
    if (fwrite(generator->buffer, 1, generator->used, stdout) != generator->used) {
        perror("generate_c2");
        exit(1);
    }
    generator->used = 0;
}

// All rows are called from one line.
static void put_own_location(struct generator *generator)
{
    put_word(generator, "loc(callsite(\"/models/net.mlir\":");
    put_number(generator, generator->row + 4);
    put_word(generator, ":10 at \"/models/net.mlir\":2:3))");
}

static void put_location(struct generator *generator, const struct location *location)
{
    if (generator->own)
        put_own_location(generator);
    else if (generator->row % FUSED_EVERY == 0)
        put_text(generator, location->fused, location->fused_size);
    else
        put_text(generator, location->plain, location->plain_size);
    generator->row++;
}

// Where the work is in the network: neighbouring rows belong to neighbouring operators.
static size_t pick_operator(struct generator *generator, uint64_t index)
{
    return (size_t)((index / 16 + next_random(generator, 8)) % OPERATORS);
}

// ",START,END,LOCATION," on `engine`, and the row's operator.
static size_t put_middle(struct generator *generator, enum engine engine, uint64_t index,
                         uint64_t cycles)
{
    const size_t operator_index = pick_operator(generator, index);
    const struct location *location = &generator->locations[operator_index];
    uint64_t start = generator->end[engine] + next_random(generator, 200);
    if (engine < SLICE_0 && next_random(generator, OVERLAP_EVERY) == 0 && start > 300)
        start -= 300;
    generator->end[engine] = start + cycles;

    put_word(generator, ",");
    put_number(generator, start);
    put_word(generator, ",");
    put_number(generator, start + cycles);
    put_word(generator, ",");
    put_location(generator, location);
    put_word(generator, ",");
    return operator_index;
}

static void put_dma_row(struct generator *generator, uint64_t index)
{
    const uint64_t kind = next_random(generator, 10);
    const uint64_t bytes = 64 + next_random(generator, 32768);
    const uint64_t cycles = bytes * 100 / 475 + 1;
    if (kind == 9) {
        const uint64_t direction = next_random(generator, 3);
        put_word(generator, cdma_ids[direction]);
        put_number(generator, index);
        put_middle(generator, CDMA, index, cycles);
        put_word(generator, cdma_types[direction]);
    } else {
        const enum engine engine = kind < 6 ? DMA_IN : DMA_OUT;
        put_word(generator, engine == DMA_IN ? "DI" : "DO");
        put_number(generator, index);
        put_middle(generator, engine, index, cycles);
        put_word(generator, engine == DMA_IN ? "DMA_IN" : "DMA_OUT");
    }
    put_word(generator, ",");
    put_number(generator, bytes);
    put_word(generator, "\n");
}

static void put_slice_row(struct generator *generator, uint64_t index)
{
    const uint64_t slice = next_random(generator, SLICES);
    put_word(generator, "S");
    put_number(generator, index);
    put_word(generator, "_");
    put_number(generator, slice);
    const size_t operator_index = put_middle(generator, (enum engine)(SLICE_0 + slice), index,
                                             50 + next_random(generator, 8000));
    put_word(generator, op_types[operator_index % (sizeof op_types / sizeof *op_types)]);
    put_word(generator, "\n");
}

static void put_css_row(struct generator *generator, uint64_t index)
{
    put_word(generator, "CSS");
    put_number(generator, index);
    put_middle(generator, CSS, index, CSS_CYCLES);
    put_word(generator, "CSS\n");
}

static void put_rows(struct generator *generator, uint64_t count,
                     void (*put)(struct generator *, uint64_t))
{
    for (uint64_t i = 0; i < count; i++) {
        if (generator->used > BUFFER - ROW_MOST)
            flush(generator);
        put(generator, i);
    }
}

int main(int argc, char **argv)
{
    static struct generator generator;
    generator.own = argc > 2 && strcmp(argv[argc - 1], "--own") == 0;
    argc -= generator.own;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: generate_c2 ROWS [SEED] [--own] > profile.csv\n");
        return 2;
    }
    const uint64_t rows = strtoull(argv[1], NULL, 10);
    generator.random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    make_locations(generator.locations);

    const uint64_t dma = rows * 45 / 100;
    const uint64_t css = rows * 4 / 100;
    put_rows(&generator, dma, put_dma_row);
    put_rows(&generator, rows - dma - css, put_slice_row);
    put_rows(&generator, css, put_css_row);
    flush(&generator);
    return fflush(stdout) == 0 ? 0 : 1;
}
