// The page's own text, style and script: the files of this folder, put in when the program is built
// (scripts/page.py).

#ifndef OPSCOPE_REPORTS_PAGE_EMBEDDED_H
#define OPSCOPE_REPORTS_PAGE_EMBEDDED_H

extern const char PAGE_STYLE[];
extern const char PAGE_STYLE_DIGEST[]; // as a policy names it: sha256-...
extern const char PAGE_SCRIPT[];
extern const char PAGE_SCRIPT_DIGEST[];
extern const char PAGE_BODY[];

#endif
