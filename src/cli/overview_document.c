#include "overview_document.h"

#include <stdio.h>

enum { RULE_LENGTH = 56 };

static void format_wall_time(uint64_t ns, char *text, size_t room)
{
    if (ns >= 1000000000)
        snprintf(text, room, "%.3fs", (double)ns / 1e9);
    else
        snprintf(text, room, "%.3fms", (double)ns / 1e6);
}

// Pads to `width` characters, not bytes.
static void print_right(const char *text, int width)
{
    int characters = 0;
    for (const char *at = text; *at != '\0'; at++)
        characters += ((unsigned char)*at & 0xc0) != 0x80;
    printf("%*s%s", characters < width ? width - characters : 0, "", text);
}

static void print_row(const struct overview_row *row)
{
    char duration[OVERVIEW_DURATION_ROOM] = "absent";
    if (row->present)
        overview_format_duration(row->ns, duration);
    printf("  %-26s ", row->name);
    print_right(duration, 14);
    if (row->has_percent)
        printf("  (%.2f%%)", row->percent);
    printf("\n");
}

void overview_document_print_head(void)
{
    printf("====================== Host Profile Overview =======================\n");
}

void overview_document_print(const struct overview_report *report, const struct table *table)
{
    const size_t count = table != NULL ? table_count(table) : report->rows->count;
    printf("  Model: %s\n  ", report->rows->model);
    for (int i = 0; i < RULE_LENGTH; i++)
        printf("\u2500");
    printf("\n");
    if (report->has_wall_time) {
        char text[OVERVIEW_DURATION_ROOM];
        format_wall_time(report->wall_time, text, sizeof text);
        printf("  %-26s %14s\n", "WALL_TIME", text);
    }
    for (size_t i = 0; i < count; i++)
        print_row(&report->rows->rows[table != NULL ? table_row(table, i) : i]);
    printf("\n");
}
