/* Text that grows, and is escaped for JSON and HTML. */
#include "util/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_reserve(oct_text *text, size_t extra)
{
    if (text->failed)
        return false;
    size_t wanted = text->length + extra + 1;
    if (wanted <= text->capacity)
        return true;
    size_t capacity = wanted * 2;
    char *grown = realloc(text->data, capacity);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

void oct_text_add_bytes(oct_text *text, const char *bytes, size_t count)
{
    if (!text_reserve(text, count))
        return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void oct_text_add(oct_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && text_reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

/* The length of the character of UTF-8 that begins here, and which it is; 0 where there is none
 * (RFC 3629: shortest forms only, no surrogates, nothing above U+10FFFF). */
static size_t read_character(uint32_t *out, const unsigned char *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : 4;
    if (length == 4 && c[0] >> 3 != 30)
        return 0;
    *out = length == 1 ? c[0] : c[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (c[i] >> 6 != 2)
            return 0;
        *out = *out << 6 | (c[i] & 0x3fu);
    }
    bool surrogate = *out >= 0xd800 && *out < 0xe000;
    return *out < least[length] || *out > 0x10ffff || surrogate ? 0 : length;
}

/* What a terminal obeys, or turns the text around it: C0, DEL, C1, marks of direction and the ends
 * of lines and paragraphs. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
           (character >= 0x200e && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

void oct_text_add_json(oct_text *text, const char *string)
{
    oct_text_add(text, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c;) {
        uint32_t character;
        size_t length = read_character(&character, c);
        if (length == 0)
            oct_text_add(text, "\\ufffd");
        else if (is_control(character))
            oct_text_add(text, "\\u%04x", (unsigned)character);
        else if (*c == '"' || *c == '\\')
            oct_text_add(text, "\\%c", *c);
        else
            oct_text_add_bytes(text, (const char *)c, length);
        c += length ? length : 1;
    }
    oct_text_add(text, "\"");
}

oct_status oct_text_json(char **out, const char *text)
{
    oct_text quoted = {0};
    oct_text_add_json(&quoted, text);
    return oct_text_take(out, &quoted);
}

const char *oct_text_printable(char *out, size_t bytes, const char *text)
{
    size_t used = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        char shown[16];
        uint32_t character;
        size_t length = read_character(&character, c);
        if (length > 0 && (*c == '\t' || !is_control(character)))
            snprintf(shown, sizeof shown, "%.*s", (int)length, (const char *)c);
        else if (length < 2 || character < 0x100)
            snprintf(shown, sizeof shown, "\\x%02x", length ? (unsigned)character : *c);
        else
            snprintf(shown, sizeof shown, "\\u%04x", (unsigned)character);
        if (used + strlen(shown) >= bytes)
            break;
        memcpy(out + used, shown, strlen(shown));
        used += strlen(shown);
        c += length ? length : 1;
    }
    out[used] = '\0';
    return out;
}

void oct_text_add_number(oct_text *text, double value)
{
    if (isfinite(value))
        oct_text_add(text, "%.17g", value);
    else
        oct_text_add(text, "null");
}

void oct_text_add_html(oct_text *text, const char *string)
{
    static const char reserved[] = "<>&\"'";
    for (const char *c = string; *c; c++) {
        if (strchr(reserved, *c))
            oct_text_add(text, "&#%d;", *c);
        else
            oct_text_add_bytes(text, c, 1);
    }
}

oct_status oct_text_take(char **out, oct_text *text)
{
    if (!text->failed && !text->data)
        oct_text_add_bytes(text, "", 0);
    if (text->failed) {
        oct_text_clear(text);
        return OCT_FAIL(OCT_STATUS_MEMORY, "no memory for a text");
    }
    *out = text->data;
    *text = (oct_text){0};
    return OCT_STATUS_OK;
}

void oct_text_clear(oct_text *text)
{
    free(text->data);
    *text = (oct_text){0};
}

void oct_text_free(char *text)
{
    free(text);
}

oct_status oct_text_copy(char **out, const char *source)
{
    size_t bytes = strlen(source) + 1;
    OCT_TRY(oct_alloc(out, bytes, 1, "characters"));
    memcpy(*out, source, bytes);
    return OCT_STATUS_OK;
}

enum { LONGEST_NAME = 63 };

/* Levenshtein distance, whatever the case of letters; a name longer than any of ours is farther
 * than all of them. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), row[LONGEST_NAME + 1];
    if (la > LONGEST_NAME || lb > LONGEST_NAME)
        return LONGEST_NAME + 1;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t change = diagonal + !same;
            diagonal = row[j];
            size_t insert = row[j - 1] + 1, remove = row[j] + 1;
            row[j] = change < insert ? change : insert;
            row[j] = row[j] < remove ? row[j] : remove;
        }
    }
    return row[lb];
}

/* Near is what takes few changes and keeps more letters than it changes: of a name of one or two
 * letters any other would be one change away. */
static bool is_near(size_t distance, size_t length, size_t other)
{
    size_t most = length > 3 ? length / 3 : 1, longer = length > other ? length : other;
    return distance <= most && 2 * distance < longer;
}

/* The one candidate that the name is the beginning of. */
static const char *only_completion(const char *name, const char *const *candidates, size_t count)
{
    const char *found = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++) {
        if (length == 0 || strncmp(candidates[i], name, length) != 0)
            continue;
        if (found)
            return NULL;
        found = candidates[i];
    }
    return found;
}

const char *oct_text_nearest(const char *name, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t length = strlen(name), best_distance = LONGEST_NAME + 1;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(name, candidates[i]);
        if (distance < best_distance && is_near(distance, length, strlen(candidates[i]))) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best ? best : only_completion(name, candidates, count);
}
