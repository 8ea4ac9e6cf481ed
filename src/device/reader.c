/* As much of C's preprocessor as the signatures of kernels need. Includes are in place already. */
#include "device/reader.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool oct_word_is(oct_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.start, text, word.length) == 0;
}

bool oct_word_same(oct_word a, oct_word b)
{
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

static bool begins(oct_word text, const char *with)
{
    return text.length >= strlen(with) && memcmp(text.start, with, strlen(with)) == 0;
}

static void drop(oct_word *text, size_t count)
{
    text->start += count;
    text->length -= count;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Bytes of white space, of a continued line's end or of a comment that a text begins with. */
static size_t blank(oct_word text)
{
    if (text.length > 0 && isspace((unsigned char)text.start[0]))
        return 1;
    if (begins(text, "\\\n"))
        return 2;
    bool block = begins(text, "/*");
    if (!block && !begins(text, "//"))
        return 0;
    size_t length = 2;
    for (drop(&text, 2); text.length > 0 && !begins(text, block ? "*/" : "\n"); drop(&text, 1))
        length++;
    return text.length > 0 && block ? length + 2 : length;
}

/* Bytes of the name, number, string or character that a text begins with. */
static size_t word_length(oct_word text)
{
    size_t length = 1;
    char first = text.start[0];
    if (is_letter(first))
        while (length < text.length && is_letter(text.start[length]))
            length++;
    if (first != '"' && first != '\'')
        return length;
    while (length < text.length && text.start[length] != first && text.start[length] != '\n')
        length += text.start[length] == '\\' && length + 1 < text.length ? 2 : 1;
    return length < text.length ? length + 1 : text.length;
}

/* The next word of a text, or none: false. */
static bool take(oct_word *out, oct_word *text)
{
    for (size_t bytes; (bytes = blank(*text)) > 0;)
        drop(text, bytes);
    *out = (oct_word){text->start, text->length ? word_length(*text) : 0};
    drop(text, out->length);
    return out->length > 0;
}

/* Macros ------------------------------------------------------------------------------------ */

static size_t bucket(oct_word name)
{
    unsigned hash = 5381;
    for (size_t i = 0; i < name.length; i++)
        hash = hash * 33 + (unsigned char)name.start[i];
    return hash % OCT_READER_BUCKETS;
}

static oct_macro *find_macro(const oct_reader *reader, oct_word name)
{
    for (size_t i = reader->buckets[bucket(name)]; i > 0; i = reader->macros[i - 1].next)
        if (oct_word_same(reader->macros[i - 1].name, name))
            return &reader->macros[i - 1];
    return NULL;
}

static bool is_defined(const oct_reader *reader, oct_word name)
{
    const oct_macro *macro = find_macro(reader, name);
    return macro && macro->defined;
}

static void define(oct_reader *reader, oct_word rest)
{
    oct_word name;
    if (!take(&name, &rest))
        return;
    oct_macro *macro = find_macro(reader, name);
    if (!macro) {
        size_t n = reader->n_macros;
        /* In blocks of 64. */
        if (n % 64 == 0 && reader->status == OCT_STATUS_OK)
            reader->status =
                oct_realloc(&reader->macros, n + 64, sizeof *reader->macros, "macros of a kernel");
        if (reader->status != OCT_STATUS_OK)
            return;
        size_t *first = &reader->buckets[bucket(name)];
        macro = &reader->macros[n];
        *macro = (oct_macro){.name = name, .next = *first};
        *first = ++reader->n_macros;
    }
    macro->defined = true;
    macro->takes_arguments = rest.length > 0 && rest.start[0] == '(';
    macro->body = rest;
}

/* Conditions -------------------------------------------------------------------------------- */

/* An expression of #if, whose end may be reached too early: then it is no expression. */
typedef struct expression {
    const oct_reader *reader;
    oct_word rest;
    unsigned depth; /* operands so far, those of the macros that led here included */
    bool failed;
} expression;

enum { DEEPEST_EXPRESSION = 200 };

static long long evaluate(expression *e, int level);

static const struct {
    const char *text;
    int level;
} operators[] = {{"||", 0}, {"&&", 1}, {"==", 2}, {"!=", 2}, {"<=", 3}, {">=", 3}, {"<", 3},
                 {">", 3},  {"+", 4},  {"-", 4},  {"*", 5},  {"/", 5},  {"%", 5}};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

static long long apply(expression *e, const char *operator, long long a, long long b)
{
    bool equal = operator[1] == '=';
    switch (operator[0]) {
    case '|':
        return a || b;
    case '&':
        return a && b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return equal ? a <= b : a < b;
    case '>':
        return equal ? a >= b : a > b;
    case '+':
        return (long long)((unsigned long long)a + (unsigned long long)b);
    case '-':
        return (long long)((unsigned long long)a - (unsigned long long)b);
    case '*':
        return (long long)((unsigned long long)a * (unsigned long long)b);
    }
    e->failed = e->failed || b == 0 || (a == LLONG_MIN && b == -1);
    return e->failed ? 0 : operator[0] == '/' ? a / b : a % b;
}

static bool take_operator(expression *e, const char *text)
{
    oct_word before = e->rest;
    for (size_t bytes; (bytes = blank(e->rest)) > 0;)
        drop(&e->rest, bytes);
    if (begins(e->rest, text)) {
        drop(&e->rest, strlen(text));
        return true;
    }
    e->rest = before;
    return false;
}

/* A name stands for its macro's value, or for 0. */
static long long value_of_name(expression *e, oct_word name)
{
    const oct_macro *macro = find_macro(e->reader, name);
    if (!macro || !macro->defined)
        return 0;
    expression body = {.reader = e->reader, .rest = macro->body, .depth = e->depth};
    long long value = evaluate(&body, 0);
    e->depth = body.depth;
    e->failed = e->failed || body.failed || macro->takes_arguments;
    return value;
}

static long long evaluate_one(expression *e)
{
    oct_word word;
    if (e->depth++ > DEEPEST_EXPRESSION) {
        e->failed = true;
        return 0;
    }
    if (take_operator(e, "!"))
        return !evaluate_one(e);
    if (take_operator(e, "-"))
        return apply(e, "-", 0, evaluate_one(e));
    if (take_operator(e, "(")) {
        long long value = evaluate(e, 0);
        e->failed = e->failed || !take_operator(e, ")");
        return value;
    }
    if (!take(&word, &e->rest) || !is_letter(word.start[0])) {
        e->failed = true;
        return 0;
    }
    if (oct_word_is(word, "defined")) {
        bool open = take_operator(e, "(");
        bool named = take(&word, &e->rest);
        e->failed = e->failed || !named || (open && !take_operator(e, ")"));
        return named && is_defined(e->reader, word);
    }
    if (isdigit((unsigned char)word.start[0]))
        return strtoll(word.start, NULL, 0);
    return value_of_name(e, word);
}

/* Operators that bind at least as strongly as those of the level, from the left. */
static long long evaluate(expression *e, int level)
{
    long long value = evaluate_one(e);
    for (size_t i = 0; i < OPERATORS && !e->failed;) {
        if (operators[i].level >= level && take_operator(e, operators[i].text)) {
            value = apply(e, operators[i].text, value, evaluate(e, operators[i].level + 1));
            i = 0;
        } else {
            i++;
        }
    }
    return value;
}

/* What cannot be read is taken for false. */
static bool holds(const oct_reader *reader, oct_word condition)
{
    oct_word more;
    expression e = {.reader = reader, .rest = condition};
    long long value = evaluate(&e, 0);
    return !e.failed && !take(&more, &e.rest) && value != 0;
}

/* Directives -------------------------------------------------------------------------------- */

static bool leaves_out(const oct_reader *reader)
{
    return reader->skipped > 0;
}

static void open_condition(oct_reader *reader, bool holds_now)
{
    if (leaves_out(reader) || reader->n_choices == OCT_READER_DEEPEST) {
        reader->skipped++;
        return;
    }
    reader->chosen[reader->n_choices++] = holds_now;
    reader->skipped = !holds_now;
}

/* #elif and #else: taken where no branch before was. */
static void next_branch(oct_reader *reader, bool holds_now)
{
    if (reader->skipped > 1 || reader->n_choices == 0)
        return;
    bool *chosen = &reader->chosen[reader->n_choices - 1];
    reader->skipped = *chosen || !holds_now;
    *chosen = *chosen || holds_now;
}

static void close_condition(oct_reader *reader)
{
    if (reader->skipped > 1)
        reader->skipped--;
    else if (reader->n_choices > 0) {
        reader->n_choices--;
        reader->skipped = 0;
    }
}

static void set_place(oct_reader *reader, oct_word rest)
{
    oct_word number, file;
    if (!take(&number, &rest))
        return;
    reader->line = (unsigned)strtoul(number.start, NULL, 10) - 1;
    if (take(&file, &rest) && file.length >= 2)
        reader->file = (oct_word){file.start + 1, file.length - 2};
}

/* A whole line that begins with '#', without its end. */
static void obey(oct_reader *reader, oct_word line)
{
    oct_word verb, name;
    drop(&line, 1);
    if (!take(&verb, &line))
        return;
    oct_word rest = line;
    bool named = take(&name, &rest);
    if (oct_word_is(verb, "if"))
        open_condition(reader, holds(reader, line));
    else if (oct_word_is(verb, "ifdef"))
        open_condition(reader, named && is_defined(reader, name));
    else if (oct_word_is(verb, "ifndef"))
        open_condition(reader, named && !is_defined(reader, name));
    else if (oct_word_is(verb, "elif"))
        next_branch(reader, holds(reader, line));
    else if (oct_word_is(verb, "else"))
        next_branch(reader, true);
    else if (oct_word_is(verb, "endif"))
        close_condition(reader);
    else if (oct_word_is(verb, "line"))
        set_place(reader, line);
    else if (leaves_out(reader))
        return;
    else if (oct_word_is(verb, "define"))
        define(reader, line);
    else if (oct_word_is(verb, "undef") && named && is_defined(reader, name))
        find_macro(reader, name)->defined = false;
}

/* The rest of the line, with those that continue it. */
static oct_word rest_of_line(oct_word text)
{
    size_t length = 0;
    while (length < text.length && text.start[length] != '\n') {
        oct_word rest = {text.start + length, text.length - length};
        size_t bytes = blank(rest);
        length += bytes > 0 ? bytes : word_length(rest);
    }
    return (oct_word){text.start, length < text.length ? length : text.length};
}

/* Moves on in the text itself, and counts its lines. */
static void advance(oct_reader *reader, size_t count)
{
    for (size_t i = 0; i < count; i++)
        reader->line += reader->text.start[i] == '\n';
    drop(&reader->text, count);
}

/* The next word of the text that no condition leaves out. */
static bool next_of_text(oct_word *out, oct_reader *reader)
{
    while (reader->text.length > 0) {
        size_t bytes = blank(reader->text);
        char first = reader->text.start[0];
        if (bytes > 0) {
            reader->line_begins = reader->line_begins || first == '\n';
            advance(reader, bytes);
        } else if ((reader->line_begins && first == '#') || leaves_out(reader)) {
            oct_word line = rest_of_line(reader->text);
            advance(reader, line.length);
            if (reader->line_begins && first == '#')
                obey(reader, line);
            reader->line_begins = false;
        } else {
            *out = (oct_word){reader->text.start, word_length(reader->text)};
            reader->line_begins = false;
            advance(reader, out->length);
            return true;
        }
    }
    return false;
}

static bool next_raw(oct_word *out, oct_reader *reader)
{
    while (reader->n_open > 0) {
        if (take(out, &reader->rest[reader->n_open - 1]))
            return true;
        reader->macros[reader->open[--reader->n_open]].open = false;
    }
    return next_of_text(out, reader);
}

void oct_reader_begin(oct_reader *reader, const char *text)
{
    reader->text = (oct_word){text, strlen(text)};
    reader->line_begins = true;
    reader->line = 1;
}

bool oct_reader_next(oct_word *out, oct_reader *reader)
{
    while (reader->status == OCT_STATUS_OK && next_raw(out, reader)) {
        oct_macro *macro = is_letter(out->start[0]) ? find_macro(reader, *out) : NULL;
        if (!macro || !macro->defined || macro->takes_arguments || macro->open ||
            reader->n_open == OCT_READER_DEEPEST)
            return true;
        macro->open = true;
        reader->open[reader->n_open] = (size_t)(macro - reader->macros);
        reader->rest[reader->n_open++] = macro->body;
    }
    return false;
}

void oct_reader_clear(oct_reader *reader)
{
    free(reader->macros);
    *reader = (oct_reader){0};
}
