#include "run_blocks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "reports/torq/run_blocks.h"

enum { BLOCKS_SHOWN = 60 };

// Those of a dispatch beneath its name.
static void print_blocks(const struct run_blocks_report *report, struct table *table)
{
    const struct program *program = report->program;
    struct bytes line = {0};
    for (size_t i = 0; i < table_count(table); i++) {
        const uint32_t dispatch = report->blocks[i].dispatch;
        if (i == 0 || report->blocks[i - 1].dispatch != dispatch)
            printf("  %s\n", program_text(program, program->dispatches[dispatch].name));
        table_text_row(table, i, &line);
        fwrite(line.data, 1, line.size, stdout);
        line.size = 0;
    }
    bytes_free(&line);
}

void run_blocks_print(const struct run_actions *actions)
{
    char time[FIGURES_ROOM];
    size_t count, executions;
    struct run_block *blocks = run_blocks(actions, &count, &executions);
    const struct run_blocks_report report = {.program = actions->program, .blocks = blocks};
    struct table *table = table_create(&RUN_BLOCKS_FORM, &report, count);
    table_limit(table, BLOCKS_SHOWN);
    if (count > 0)
        printf("time of each block, by its first action, on this machine%s:\n",
               executions > count ? " (median)" : "");
    print_blocks(&report, table);
    uint64_t rest = 0;
    for (size_t i = BLOCKS_SHOWN; i < count; i++)
        rest += blocks[i].ns;
    if (count > BLOCKS_SHOWN)
        printf("  and %zu more blocks, %s together\n", count - BLOCKS_SHOWN,
               figures_time(rest, 1000000000, time));
    table_free(table);
    free(blocks);
}
