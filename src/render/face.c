/* Widths, heights and shortening of text in either of the two. */
#include "render/face.h"

#include <stdio.h>
#include <string.h>

#include "render/font.h"
#include "render/helvetica.h"

double oct_face_width(oct_face face, const char *text, double size)
{
    return (face == OCT_FACE_TYPE ? oct_type_width : oct_font_width)(text, size);
}

double oct_face_capital(oct_face face, double size)
{
    return (face == OCT_FACE_TYPE ? oct_type_capital : oct_font_capital)(size);
}

void oct_face_shorten(char *out, size_t bytes, oct_face face, const char *text, double size,
                      double width)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    snprintf(out, bytes, "%s", text);
    if (oct_face_width(face, out, size) <= width && strlen(text) < bytes)
        return;
    size_t length = strlen(out);
    if (length + sizeof ellipsis > bytes)
        length = bytes - sizeof ellipsis;
    do {
        /* Cuts before a code point, never inside one. */
        while (length > 0 && (out[length] & 0xc0) == 0x80)
            length--;
        memcpy(out + length, ellipsis, sizeof ellipsis);
    } while (oct_face_width(face, out, size) > width && length-- > 0);
}
