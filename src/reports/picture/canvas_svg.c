#include <stdlib.h>

#include "base/memory.h"
#include "canvas.h"
#include "wire/xml.h"

// A monospaced font's letters are 0.6 of its size wide.
#define FONT_SIZE (CANVAS_LETTER / 0.6)
#define HEAD 4.0 // of an arrow, high and wide

struct svg {
    struct canvas canvas;
    struct bytes body;
};

static void canvas_svg_rectangle(struct canvas *canvas, double x, double y, double width,
                                 double height, uint32_t colour, struct view title)
{
    struct bytes *body = &((struct svg *)(void *)canvas)->body;
    bytes_append_format(body,
                        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"",
                        x, y, width, height, (unsigned)colour);
    if (title.size == 0) {
        bytes_append_format(body, "/>\n");
        return;
    }
    bytes_append_format(body, "><title>");
    xml_append(body, title);
    bytes_append_format(body, "</title></rect>\n");
}

static void canvas_svg_text_at(struct canvas *canvas, double x, double y,
                               const struct canvas_ink *ink, struct view text)
{
    struct bytes *body = &((struct svg *)(void *)canvas)->body;
    bytes_append_format(body, "<text x=\"%.2f\" y=\"%.2f\" fill=\"#%06x\"", x, y,
                        (unsigned)ink->colour);
    if (ink->size > 1)
        bytes_append_format(body, " font-size=\"%.1f\"", ink->size * FONT_SIZE);
    if (ink->weight == CANVAS_BOLD)
        bytes_append_format(body, " font-weight=\"bold\"");
    bytes_append_format(body, ">");
    xml_append(body, text);
    bytes_append_format(body, "</text>\n");
}

static void canvas_svg_arrow(struct canvas *canvas, double from_x, double from_y, double to_x,
                             double to_y, uint32_t colour)
{
    struct bytes *body = &((struct svg *)(void *)canvas)->body;
    const double middle = (from_y + to_y) / 2;
    const double head = to_y > from_y ? -HEAD : HEAD;
    bytes_append_format(body,
                        "<path d=\"M%.2f %.2fC%.2f %.2f %.2f %.2f %.2f %.2f\" fill=\"none\" "
                        "stroke=\"#%06x\" stroke-opacity=\"0.6\" shape-rendering=\"auto\"/>\n",
                        from_x, from_y, from_x, middle, to_x, middle, to_x, to_y, (unsigned)colour);
    bytes_append_format(body,
                        "<path d=\"M%.2f %.2fl%.2f %.2fh%.2fz\" fill=\"#%06x\" "
                        "shape-rendering=\"auto\"/>\n",
                        to_x, to_y, -HEAD / 2, head, HEAD, (unsigned)colour);
}

static status canvas_svg_write(struct canvas *canvas, struct bytes *file)
{
    struct svg *svg = (struct svg *)(void *)canvas;
    bytes_append(file, svg->body.data, svg->body.size);
    bytes_append_format(file, "</g>\n</svg>\n");
    bytes_free(&svg->body);
    free(svg);
    return STATUS_OK;
}

struct canvas *canvas_svg(double width, double height, struct view label)
{
    struct svg *svg = memory_allocate_zeroed(1, sizeof *svg);
    svg->canvas = (struct canvas){canvas_svg_rectangle, canvas_svg_text_at, canvas_svg_arrow,
                                  canvas_svg_write};
    bytes_append_format(&svg->body,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                        "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
                        width, height, width, height);
    xml_append(&svg->body, label);
    bytes_append_format(&svg->body,
                        "</title>\n<g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, "
                        "monospace\" font-size=\"%.1f\" xml:space=\"preserve\" "
                        "shape-rendering=\"crispEdges\">\n",
                        FONT_SIZE);
    return &svg->canvas;
}
