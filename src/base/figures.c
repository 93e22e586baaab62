#include "figures.h"

#include <inttypes.h>
#include <stdio.h>

// For three digits: "8.42", "61.3", "498".
static int decimals_of(double number)
{
    return number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
}

static const char *figures_scaled(double number, double step, const char *const *units,
                                  size_t count, char text[FIGURES_ROOM])
{
    size_t unit = 0;
    while (number >= step - 0.5 && unit + 1 < count) {
        number /= step;
        unit++;
    }
    snprintf(text, FIGURES_ROOM, "%.*f %s", decimals_of(number), number, units[unit]);
    return text;
}

const char *figures_time(uint64_t cycles, uint64_t clock_hz, char text[FIGURES_ROOM])
{
    static const char *const UNITS[] = {"ns", "us", "ms", "s"};
    return figures_scaled((double)cycles * 1e9 / (double)clock_hz, 1000, UNITS, 4, text);
}

const char *figures_bytes(uint64_t bytes, char text[FIGURES_ROOM])
{
    static const char *const UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (bytes >= 1024)
        return figures_scaled((double)bytes, 1024, UNITS, 5, text);
    snprintf(text, FIGURES_ROOM, "%" PRIu64 " B", bytes);
    return text;
}

const char *figures_short(uint64_t number, char text[FIGURES_ROOM])
{
    static const char *const UNITS[] = {"", "k", "M", "G", "T", "P"};
    if (number >= 1000)
        return figures_scaled((double)number, 1000, UNITS, 6, text);
    snprintf(text, FIGURES_ROOM, "%" PRIu64, number);
    return text;
}

const char *figures_times(double factor, char text[FIGURES_ROOM])
{
    snprintf(text, FIGURES_ROOM,
             factor < 999.5  ? "%.3gx"
             : factor < 1e15 ? "%.0fx"
                             : "%.3gx",
             factor);
    return text;
}

const char *figures_letter(uint64_t number, char text[FIGURES_ROOM])
{
    static const char UNITS[] = " kMGTPE";
    size_t unit = 0;
    double scaled_down = (double)number;
    while (scaled_down >= 999.5 && unit + 2 < sizeof UNITS) {
        scaled_down /= 1000;
        unit++;
    }
    if (unit == 0)
        snprintf(text, FIGURES_ROOM, "%" PRIu64, number);
    else
        snprintf(text, FIGURES_ROOM, "%.*f%c", decimals_of(scaled_down), scaled_down, UNITS[unit]);
    return text;
}

const char *figures_count(uint64_t number, char text[FIGURES_ROOM])
{
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *end = text;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            *end++ = ' ';
        *end++ = digits[i];
    }
    *end = '\0';
    return text;
}
