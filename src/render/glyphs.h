/* The drawings of the font's glyphs. */
#ifndef OCT_RENDER_GLYPHS_H
#define OCT_RENDER_GLYPHS_H

/* Strokes on a grid where capitals are 42 high and small letters 30, from the baseline up.
 * "P x y x y ...": straight on to these points. "A cx cy rx ry from to": on along an arc of an
 * ellipse, angles in degrees, counter-clockwise where they grow. "/": lifts the pen. */
typedef struct oct_glyph {
    unsigned code; /* Unicode */
    int width;     /* from the leftmost to the rightmost stroke */
    const char *path;
} oct_glyph;

/* The glyph of a code point, or NULL. */
const oct_glyph *oct_glyph_find(unsigned code);

#endif
