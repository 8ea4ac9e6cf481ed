/* Kernels of a batch: the list of arguments becomes a table's row of the member, which is dimension
 * 1 of the launch. Bodies stay as they are, so that members compute what they do alone. Calling
 * kernels from others would do too, but not where they have local variables (OpenCL 1.2, 6.9). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/batch_parts.h"
#include "util/text.h"

static const char heading[] =
    "#define OCT_WORD(type, i) (*(global type *)(oct_row + 8 * (i)))\n"
    "#define OCT_PIECE(i) \\\n"
    "    (OCT_WORD(const ulong, i) == ULONG_MAX ? (global uchar *)0 \\\n"
    "                                           : oct_arena + OCT_WORD(const ulong, i))\n"
    "#define oct_num_groups(d) ((d) == 0 ? oct_groups : (size_t)1)\n"
    "#define oct_global_size(d) ((d) == 0 ? oct_groups * get_local_size(0) : (size_t)1)\n"
    "#line 1\n";

static oct_status check(const oct_signature *s)
{
    OCT_CHECK(s->list > 0 && s->list_end > s->list && s->body > s->list_end, OCT_STATUS_INPUT,
              "%s:%u: kernel '%s' cannot run in a batch: expected its brackets to be written out",
              s->file, s->line, s->name);
    for (size_t i = 0; i < s->n; i++) {
        const oct_argument *a = &s->arguments[i];
        OCT_CHECK((a->pointer ? a->buffer : a->bytes > 0 && a->bytes <= 8) &&
                      strlen(a->declared) + 1 < sizeof a->declared,
                  OCT_STATUS_INPUT,
                  "%s:%u: kernel '%s' cannot run in a batch: expected a pointer to a buffer or a "
                  "number for argument '%s', got '%s'",
                  s->file, s->line, s->name, a->name, a->type);
    }
    return OCT_STATUS_OK;
}

/* As many lines as the list had, so that messages point to the right one. */
static void add_list(oct_text *out, const char *source, const oct_signature *s)
{
    oct_text_add(out, "global uchar *oct_arena, global const uchar *oct_table, const ulong oct_at");
    for (size_t i = s->list; i < s->list_end; i++)
        if (source[i] == '\n')
            oct_text_add(out, "\n");
}

/* Groups beyond those of a member leave as a whole, before any barrier. */
static void add_row(oct_text *out, const oct_signature *s, bool same_sizes)
{
    oct_text_add(out,
                 " global const uchar *oct_row = oct_table + oct_at + %zu * get_group_id(1);"
                 " const size_t oct_groups = OCT_WORD(const ulong, 0);%s",
                 8 * (s->n + 1), same_sizes ? "" : " if (get_group_id(0) >= oct_groups) return;");
    for (size_t i = 0; i < s->n; i++) {
        const oct_argument *a = &s->arguments[i];
        if (a->pointer)
            oct_text_add(out, " %s%s = (%s)OCT_PIECE(%zu);", a->declared, a->name, a->declared,
                         i + 1);
        else
            oct_text_add(out, " %s%s = OCT_WORD(%s, %zu);", a->declared, a->name, a->declared,
                         i + 1);
    }
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a text goes on with "constant TYPE *". */
static bool is_constant_pointer(const char *text)
{
    static const char word[] = "constant";
    if (strncmp(text, word, strlen(word)) != 0 || is_letter(text[strlen(word)]))
        return false;
    text += strlen(word);
    text += strspn(text, " \n");
    while (is_letter(*text))
        text++;
    return text[strspn(text, " \n")] == '*';
}

/* Pointers to constants become pointers to the memory that all members share, which is too large to
 * be constant on some devices. */
static oct_status add_globals(char **out, const char *text)
{
    oct_text all = {0};
    size_t at = 0, i = 0;
    for (; text[i]; i++) {
        if ((i > 0 && is_letter(text[i - 1])) || !is_constant_pointer(text + i))
            continue;
        oct_text_add_bytes(&all, text + at, i - at);
        oct_text_add(&all, "global const");
        at = i + strlen("constant");
    }
    oct_text_add_bytes(&all, text + at, i - at);
    return oct_text_take(out, &all);
}

oct_status oct_batch_source(char **out, bool *same_sizes, const char *source,
                            const oct_signatures *signatures)
{
    oct_text text = {0};
    char *edited, *whole;
    size_t at = 0;
    *out = NULL;
    for (size_t i = 0; i < signatures->n; i++)
        OCT_TRY(check(&signatures->list[i]));
    OCT_TRY(oct_text_copy(&edited, source));
    for (size_t i = 0; i < signatures->n_sizes; i++)
        memcpy(edited + signatures->sizes[i], "oct", 3); /* of get_num_groups, get_global_size */
    *same_sizes =
        *same_sizes || strstr(edited, "get_num_groups") || strstr(edited, "get_global_size");
    oct_text_add(&text, "%s", heading);
    for (size_t i = 0; i < signatures->n; i++) {
        const oct_signature *s = &signatures->list[i];
        oct_text_add_bytes(&text, edited + at, s->list - at);
        add_list(&text, source, s);
        oct_text_add_bytes(&text, edited + s->list_end, s->body - s->list_end);
        add_row(&text, s, *same_sizes);
        at = s->body;
    }
    oct_text_add(&text, "%s", edited + at);
    free(edited);
    OCT_TRY(oct_text_take(&whole, &text));
    oct_status status = add_globals(out, whole);
    free(whole);
    return status;
}
