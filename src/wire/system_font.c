// Fonts of this machine, drawn by FreeType. The library is loaded when a picture needs letters:
// other commands start as quickly without it, and a machine that has none gets dots.

#include <dlfcn.h>
#include <ft2build.h>
#include <stdlib.h>
#include <string.h>

#include FT_FREETYPE_H

#include "base/memory.h"
#include "base/view.h"
#include "font_files.h"
#include "font_source.h"

enum {
    UNIT = 64,         // FreeType's lengths are 64ths of a pixel
    FACES_MOST = 12,   // that are kept open
    OPENED_MOST = 3000 // files, in search of letters that few fonts have
};

#define FREETYPE(X)                                                                                \
    X(FT_Init_FreeType)                                                                            \
    X(FT_Done_FreeType)                                                                            \
    X(FT_New_Face)                                                                                 \
    X(FT_Done_Face)                                                                                \
    X(FT_Get_Char_Index)                                                                           \
    X(FT_Set_Char_Size)                                                                            \
    X(FT_Load_Glyph)

struct functions {
#define FIELD(name) __typeof__(&name) name;
    FREETYPE(FIELD)
#undef FIELD
};

struct system_font {
    struct functions call;
    FT_Library library;
    struct font_files files;
    FT_Face main[FONT_WEIGHTS];
    FT_Face others[FACES_MOST]; // with letters that the first ones have not
    unsigned other_count;
    unsigned opened;
    bool no_memory;
};

// Names of files of fonts whose letters are all as wide, the best first, and of their bold ones.
static const struct {
    const char *names[FONT_WEIGHTS];
} KNOWN[] = {
    {{"DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"}},
    {{"JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf"}},
    {{"NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf"}},
    {{"LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf"}},
    {{"UbuntuMono-R.ttf", "UbuntuMono-B.ttf"}},
    {{"Hack-Regular.ttf", "Hack-Bold.ttf"}},
    {{"FreeMono.ttf", "FreeMonoBold.ttf"}},
};

// The library ----------------------------------------------------------------------

// It stays loaded: unloading saves nothing at the end of a command.
static bool load_functions(struct functions *functions)
{
    void *library = dlopen("libfreetype.so.6", RTLD_LAZY | RTLD_LOCAL);
    bool complete = library != NULL;
#define LOOK_UP(name)                                                                              \
    void *const found_##name = library != NULL ? dlsym(library, #name) : NULL;                     \
    complete = complete && found_##name != NULL;                                                   \
    memcpy(&functions->name, &found_##name, sizeof found_##name);
    FREETYPE(LOOK_UP)
#undef LOOK_UP
    return complete;
}

// Whether a call of FreeType did what it should; that there was no memory is remembered.
static bool did(struct system_font *font, FT_Error error)
{
    font->no_memory |= (error & 0xff) == FT_Err_Out_Of_Memory;
    return error == 0;
}

bool system_font_lacks_memory(const struct system_font *font)
{
    return font->no_memory;
}

// Faces ----------------------------------------------------------------------------

static FT_Face open_face(struct system_font *font, const char *path)
{
    FT_Face face = NULL;
    if (font->opened == OPENED_MOST)
        return NULL;
    font->opened++;
    if (!did(font, font->call.FT_New_Face(font->library, path, 0, &face)))
        return NULL;
    if (FT_IS_SCALABLE(face))
        return face;
    font->call.FT_Done_Face(face);
    return NULL;
}

static FT_Face open_named(struct system_font *font, const char *name)
{
    for (size_t i = 0; i < font->files.count; i++) {
        const struct view path = view_of(font->files.paths[i]);
        const size_t slash = view_find_last(path, '/');
        if (view_is(view_slice(path, slash < path.size ? slash + 1 : 0, path.size), name))
            return open_face(font, font->files.paths[i]);
    }
    return NULL;
}

static FT_Face open_any_fixed(struct system_font *font)
{
    for (size_t i = 0; i < font->files.count; i++) {
        FT_Face face = open_face(font, font->files.paths[i]);
        if (face != NULL && FT_IS_FIXED_WIDTH(face) && font->call.FT_Get_Char_Index(face, 'n') != 0)
            return face;
        if (face != NULL)
            font->call.FT_Done_Face(face);
    }
    return NULL;
}

static void open_main(struct system_font *font)
{
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN && font->main[FONT_REGULAR] == NULL; i++) {
        font->main[FONT_REGULAR] = open_named(font, KNOWN[i].names[FONT_REGULAR]);
        if (font->main[FONT_REGULAR] != NULL)
            font->main[FONT_BOLD] = open_named(font, KNOWN[i].names[FONT_BOLD]);
    }
    if (font->main[FONT_REGULAR] == NULL)
        font->main[FONT_REGULAR] = open_any_fixed(font);
    if (font->main[FONT_BOLD] == NULL)
        font->main[FONT_BOLD] = font->main[FONT_REGULAR];
}

struct system_font *system_font_open(void)
{
    struct system_font *font = memory_allocate_zeroed(1, sizeof *font);
    if (load_functions(&font->call)) {
        if (did(font, font->call.FT_Init_FreeType(&font->library))) {
            font->files = font_files_find();
            open_main(font);
        }
        if (font->main[FONT_REGULAR] != NULL || font->no_memory)
            return font;
        font->call.FT_Done_FreeType(font->library);
    }
    font_files_free(&font->files);
    free(font);
    return NULL;
}

void system_font_close(struct system_font *font)
{
    font->call.FT_Done_FreeType(font->library); // and its faces
    font_files_free(&font->files);
    free(font);
}

// Letters --------------------------------------------------------------------------

// A font that has a letter which the first ones have not.
static FT_Face search_face(struct system_font *font, uint32_t character)
{
    for (unsigned i = 0; i < font->other_count; i++) {
        if (font->call.FT_Get_Char_Index(font->others[i], character) != 0)
            return font->others[i];
    }
    for (size_t i = 0; i < font->files.count && font->other_count < FACES_MOST; i++) {
        FT_Face face = open_face(font, font->files.paths[i]);
        if (face != NULL && font->call.FT_Get_Char_Index(face, character) != 0)
            return font->others[font->other_count++] = face;
        if (face != NULL)
            font->call.FT_Done_Face(face);
    }
    return NULL;
}

// How large a font is whose letters are one cell apart.
static FT_F26Dot6 size_for(struct system_font *font, FT_Face face, uint32_t cell)
{
    const FT_UInt glyph = font->call.FT_Get_Char_Index(face, 'n');
    if (glyph == 0 || !did(font, font->call.FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE)) ||
        face->glyph->metrics.horiAdvance <= 0)
        return (FT_F26Dot6)(cell * UNIT * 5 / 3);
    const int64_t size =
        (int64_t)cell * UNIT * face->units_per_EM / face->glyph->metrics.horiAdvance;
    const int64_t most = (int64_t)cell * UNIT * 2;
    return (FT_F26Dot6)(size < most ? size : most);
}

static bool draw_glyph(struct system_font *font, FT_Face face, FT_UInt glyph, FT_F26Dot6 size)
{
    return did(font, font->call.FT_Set_Char_Size(face, 0, size, 72, 72)) &&
           did(font,
               font->call.FT_Load_Glyph(face, glyph, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT)) &&
           face->glyph->bitmap.pixel_mode == FT_PIXEL_MODE_GRAY;
}

static void take_pixels(FT_GlyphSlot slot, uint32_t cell, struct font_pixels *out_pixels)
{
    const FT_Bitmap *bitmap = &slot->bitmap;
    const int advance = (int)(slot->advance.x / UNIT);
    *out_pixels = (struct font_pixels){.glyph = {.left = slot->bitmap_left,
                                                 .top = slot->bitmap_top,
                                                 .width = bitmap->width,
                                                 .height = bitmap->rows}};
    if (advance < (int)cell)
        out_pixels->glyph.left += ((int)cell - advance) / 2;
    if (bitmap->width == 0 || bitmap->rows == 0)
        return;
    out_pixels->coverage = memory_allocate((size_t)bitmap->width * bitmap->rows);
    for (unsigned y = 0; y < bitmap->rows; y++)
        memcpy(out_pixels->coverage + (size_t)y * bitmap->width,
               bitmap->buffer + (ptrdiff_t)y * bitmap->pitch, bitmap->width);
}

bool system_font_letter(struct system_font *font, uint32_t character, uint32_t cell,
                        enum font_weight weight, struct font_pixels *out_pixels)
{
    FT_Face face = font->main[weight];
    if (face == NULL || character < ' ')
        return false;
    if (font->call.FT_Get_Char_Index(face, character) == 0)
        face = search_face(font, character);
    if (face == NULL)
        return false;
    const FT_UInt glyph = font->call.FT_Get_Char_Index(face, character);
    const FT_F26Dot6 size = size_for(font, face, cell);
    if (!draw_glyph(font, face, glyph, size))
        return false;
    const FT_Pos advance = face->glyph->advance.x;
    const FT_Pos room = (FT_Pos)(cell + 1) * UNIT;
    if (advance > room && !draw_glyph(font, face, glyph, size * (FT_Pos)cell * UNIT / advance))
        return false;
    take_pixels(face->glyph, cell, out_pixels);
    return true;
}
