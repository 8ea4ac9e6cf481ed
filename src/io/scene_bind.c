/* realpath is an XSI function. */
#define _XOPEN_SOURCE 700

#include "io/scene_bind.h"

#include "core/units.h"
#include "util/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value on its way into a field. */
typedef struct value {
    const oct_binder *binder;
    const oct_field *field;
    const oct_node *node;
    const oct_key_path *path;
} value;

enum { EXPECT_BYTES = 400 };

/* "'x' WHAT; expected a number above 0" */
static oct_status fail_value(const value *v, const char *what)
{
    char expect[EXPECT_BYTES], shortened[OCT_SHORT_BYTES], quoted[OCT_SHORT_BYTES + 4] = "";
    oct_field_expect(expect, sizeof expect, v->field);
    if (v->node->kind == OCT_NODE_SCALAR && (v->node->text[0] || v->node->quoted))
        snprintf(quoted, sizeof quoted, "'%s' ", oct_node_short(shortened, v->node->text));
    return oct_node_fail(v->binder->label, v->node, v->path, "%s%s; expected %s", quoted, what,
                         expect);
}

static oct_status want_scalar(const value *v)
{
    if (v->node->kind != OCT_NODE_SCALAR)
        return fail_value(v, v->node->kind == OCT_NODE_LIST ? "this is a list" : "this is a map");
    if (v->node->text[0] == '\0' && !v->node->quoted)
        return fail_value(v, "has no value");
    if (v->field->type == OCT_FIELD_CODE)
        return OCT_STATUS_OK;
    return oct_node_check_line(v->binder->label, v->node, v->path);
}

static bool in_range(const oct_field *f, double x)
{
    if (f->min == 0 && f->max == 0)
        return isfinite(x);
    /* An infinity is in range only where the table says so. */
    return x <= f->max && (f->above_min ? x > f->min : x >= f->min);
}

static oct_status bind_real(const value *v, double *out)
{
    OCT_TRY(want_scalar(v));
    bool wall = v->field->type == OCT_FIELD_SECONDS;
    const oct_units *units = wall ? oct_units_find("si") : &v->binder->units;
    oct_dimension dimension = wall ? OCT_TIME : v->field->unit;
    double x;
    oct_status status =
        oct_units_parse(&x, v->node->text, dimension, units, wall ? 0 : v->binder->orbit);
    if (status != OCT_STATUS_OK)
        return oct_node_within(status, v->binder->label, v->node, v->path);
    if (!in_range(v->field, x))
        return fail_value(v, "is out of range");
    *out = x;
    return OCT_STATUS_OK;
}

static oct_status bind_int(const value *v, int64_t *out)
{
    OCT_TRY(want_scalar(v));
    const double exact = 9007199254740992.0, past_last = 9223372036854775808.0; /* 2^53, 2^63 */
    const char *end, *text = v->node->text;
    double x;
    if (!oct_number_read(&x, &end, text) || *end != '\0')
        return fail_value(v, "is not an integer");
    if (x != floor(x))
        return fail_value(v, "is not a whole number");
    if (!in_range(v->field, x) || fabs(x) >= past_last)
        return fail_value(v, "is out of range");
    bool digits = text[strspn(text, "+-0123456789")] == '\0';
    if (!digits && fabs(x) > exact)
        return fail_value(v, "is too large to be exact; write all its digits");
    *out = digits ? strtoll(text, NULL, 10) : (int64_t)x;
    return OCT_STATUS_OK;
}

static oct_status bind_three(const value *v, void *out)
{
    if (v->node->kind != OCT_NODE_LIST)
        return fail_value(v, v->node->kind == OCT_NODE_SCALAR ? "is no list" : "this is a map");
    if (v->node->n != 3)
        return fail_value(v, "this list has another length");
    for (size_t i = 0; i < 3; i++) {
        oct_field number = *v->field;
        number.type = v->field->type == OCT_FIELD_REAL3 ? OCT_FIELD_REAL : OCT_FIELD_INT;
        oct_key_path path = {.parent = v->path, .index = i};
        value inner = {v->binder, &number, v->node->items[i], &path};
        OCT_TRY(number.type == OCT_FIELD_REAL ? bind_real(&inner, (double *)out + i)
                                              : bind_int(&inner, (int64_t *)out + i));
    }
    return OCT_STATUS_OK;
}

static oct_status bind_bool(const value *v, bool *out)
{
    OCT_TRY(want_scalar(v));
    bool yes = strcmp(v->node->text, "true") == 0;
    if (!yes && strcmp(v->node->text, "false") != 0)
        return fail_value(v, "is neither true nor false");
    *out = yes;
    return OCT_STATUS_OK;
}

static oct_status find_choice(const value *v, int *out)
{
    OCT_TRY(want_scalar(v));
    const char *const *choices = v->field->choices;
    size_t n = 0;
    for (; choices[n]; n++) {
        if (strcmp(choices[n], v->node->text) == 0) {
            *out = (int)n;
            return OCT_STATUS_OK;
        }
    }
    return oct_node_fail_unknown(v->binder->label, v->node, v->path, "value", v->node->text,
                                 choices, n);
}

static oct_status bind_texts(const value *v, oct_texts *out)
{
    if (v->node->kind != OCT_NODE_LIST)
        return fail_value(v, v->node->kind == OCT_NODE_SCALAR ? "is no list" : "this is a map");
    OCT_TRY(oct_alloc(&out->items, v->node->n, sizeof *out->items, "texts"));
    for (; out->n < v->node->n; out->n++) {
        oct_key_path path = {.parent = v->path, .index = out->n};
        value inner = {v->binder, v->field, v->node->items[out->n], &path};
        int index;
        OCT_TRY(v->field->choices ? find_choice(&inner, &index) : want_scalar(&inner));
        OCT_TRY(oct_text_copy(&out->items[out->n], inner.node->text));
    }
    return OCT_STATUS_OK;
}

/* A path that holds wherever it is read: absolute, and without links where the file exists. */
static oct_status bind_path(const value *v, char **out)
{
    OCT_TRY(want_scalar(v));
    const char *name = v->node->text;
    if (name[0] == '\0')
        return oct_text_copy(out, "");
    /* What the user typed on a command line is relative to where it was typed. */
    const char *folder = v->binder->folder && !v->node->assigned ? v->binder->folder : ".";
    oct_text joined = {0};
    char *base = name[0] == '/' ? NULL : realpath(folder, NULL);
    oct_text_add(&joined, "%s%s%s", base ? base : "", base ? "/" : "", name);
    free(base);
    OCT_TRY(oct_text_take(out, &joined));
    char *real = realpath(*out, NULL);
    if (real) {
        free(*out);
        *out = real;
    }
    if (!oct_node_printable(*out, strlen(*out)))
        return fail_value(v, "lies in a folder whose name is not text in UTF-8");
    return OCT_STATUS_OK;
}

/* Its label is the way to it, "forces.0.custom.code". */
static oct_status bind_code(const value *v, oct_code *out)
{
    OCT_TRY(want_scalar(v));
    OCT_TRY(oct_text_copy(&out->text, v->node->text));
    oct_text label = {0};
    oct_node_add_path(&label, v->path);
    return oct_text_take(&out->label, &label);
}

/* A map; or a scalar, which stands for the group's field `value` where it has one. */
static oct_status bind_group(const value *v, void *slot)
{
    char key[] = "value", *keys[] = {key};
    oct_node scalar = *v->node, *items[] = {&scalar};
    oct_node map = {.kind = OCT_NODE_MAP,
                    .assigned = v->node->assigned,
                    .line = v->node->line,
                    .n = 1,
                    .items = items,
                    .keys = keys};
    const oct_field *f = v->field->group;
    while (f->type != OCT_FIELD_END && strcmp(f->name, key) != 0)
        f++;
    bool wrapped = v->node->kind == OCT_NODE_SCALAR && f->type != OCT_FIELD_END;
    return oct_bind(v->binder, wrapped ? &map : v->node, v->path, NULL,
                    &(oct_part){slot, v->field->group}, 1);
}

static oct_status bind_quantity(const value *v, double *out)
{
    OCT_TRY(want_scalar(v));
    if (v->field->plain || v->field->type == OCT_FIELD_NUMBERS) {
        const char *end;
        bool number = oct_number_read(out, &end, v->node->text) && *end == '\0';
        return number && isfinite(*out) ? OCT_STATUS_OK : fail_value(v, "is no plain number");
    }
    oct_status status =
        oct_units_parse_any(out, v->node->text, &v->binder->units, v->binder->orbit);
    if (status != OCT_STATUS_OK)
        return oct_node_within(status, v->binder->label, v->node, v->path);
    return isfinite(*out) ? OCT_STATUS_OK : fail_value(v, "is not finite");
}

static oct_status bind_numbers(const value *v, oct_parameter *out)
{
    enum { MOST = 1024 };
    out->list = v->node->kind == OCT_NODE_LIST;
    if (v->node->kind == OCT_NODE_MAP || (out->list && (v->node->n == 0 || v->node->n > MOST)))
        return oct_node_fail(v->binder->label, v->node, v->path,
                             "expected a number or a list of 1 to %d numbers", MOST);
    OCT_TRY(oct_alloc(&out->values, out->list ? v->node->n : 1, sizeof *out->values, "parameters"));
    if (!out->list) {
        out->n = 1;
        return bind_quantity(v, out->values);
    }
    for (; out->n < v->node->n; out->n++) {
        oct_key_path path = {.parent = v->path, .index = out->n};
        value inner = {v->binder, v->field, v->node->items[out->n], &path};
        OCT_TRY(bind_quantity(&inner, &out->values[out->n]));
    }
    return OCT_STATUS_OK;
}

static oct_status bind_parameters(const value *v, oct_parameters *out)
{
    enum { MOST = 64 };
    if (v->node->kind != OCT_NODE_MAP)
        return fail_value(v, v->node->kind == OCT_NODE_LIST ? "this is a list" : "is no map");
    if (v->node->n > MOST)
        return oct_node_fail(v->binder->label, v->node, v->path,
                             "there are %zu parameters; expected at most %d", v->node->n, MOST);
    OCT_TRY(oct_alloc(&out->items, v->node->n, sizeof *out->items, "parameters"));
    for (; out->n < v->node->n; out->n++) {
        const oct_node *node = v->node->items[out->n];
        oct_key_path path = {.parent = v->path, .key = v->node->keys[out->n]};
        if (!oct_field_identifier(path.key))
            return oct_node_fail(v->binder->label, node, &path,
                                 "no name in OpenCL C; expected a letter, then letters, digits and "
                                 "'_', and no word of the language");
        value inner = {v->binder, v->field, node, &path};
        oct_parameter *item = &out->items[out->n];
        oct_status status = oct_text_copy(&item->name, path.key);
        if (status == OCT_STATUS_OK)
            status = bind_numbers(&inner, item);
        if (status != OCT_STATUS_OK) {
            out->n++; /* what it has is freed with the others */
            return status;
        }
    }
    return OCT_STATUS_OK;
}

static oct_status bind_value(const value *v, void *slot)
{
    switch (v->field->type) {
    case OCT_FIELD_REAL:
    case OCT_FIELD_SECONDS:
        return bind_real(v, slot);
    case OCT_FIELD_INT:
        return bind_int(v, slot);
    case OCT_FIELD_REAL3:
    case OCT_FIELD_INT3:
        return bind_three(v, slot);
    case OCT_FIELD_BOOL:
        return bind_bool(v, slot);
    case OCT_FIELD_CHOICE:
        return find_choice(v, slot);
    case OCT_FIELD_TEXTS:
        return bind_texts(v, slot);
    case OCT_FIELD_PATH:
        return bind_path(v, slot);
    case OCT_FIELD_CODE:
        return bind_code(v, slot);
    case OCT_FIELD_PARAMETERS:
        return bind_parameters(v, slot);
    case OCT_FIELD_NUMBERS:
        return bind_numbers(v, slot);
    case OCT_FIELD_GROUP:
        return bind_group(v, slot);
    case OCT_FIELD_MODEL:
        return oct_bind_model(v->binder, slot, v->node, v->path);
    default:
        OCT_TRY(want_scalar(v));
        return oct_text_copy(slot, v->node->text);
    }
}

/* The node that the table's default stands for. */
static oct_status default_node(oct_node **out, const value *v)
{
    const char *initial = v->field->initial;
    switch (v->field->type) {
    case OCT_FIELD_PARAMETERS:
    case OCT_FIELD_GROUP:
        return oct_node_map(out, NULL, NULL);
    case OCT_FIELD_REAL3:
    case OCT_FIELD_INT3:
    case OCT_FIELD_TEXTS:
        return oct_node_read(out, initial, strlen(initial), v->binder->label, NULL);
    default:
        OCT_TRY(oct_node_scalar(out, initial));
        (*out)->quoted = true;
        return OCT_STATUS_OK;
    }
}

/* Binds what the table gives for a key that the map, v->node, leaves out. */
static oct_status bind_default(const value *v, void *slot)
{
    if (!v->field->initial && v->field->type != OCT_FIELD_GROUP)
        return fail_value(v, "missing");
    oct_node *node = NULL;
    OCT_TRY(default_node(&node, v));
    node->line = v->node->line;
    node->assigned = v->node->assigned;
    value filled = {v->binder, v->field, node, v->path};
    oct_status status = bind_value(&filled, slot);
    oct_node_free(node);
    return status;
}

oct_status oct_bind_keys(const oct_binder *binder, const oct_node *map, const oct_key_path *path,
                         const char *const *names, size_t n)
{
    for (size_t k = 0; k < map->n; k++) {
        bool known = false;
        for (size_t i = 0; i < n && !known; i++)
            known = strcmp(names[i], map->keys[k]) == 0;
        oct_key_path inner = {.parent = path, .key = map->keys[k]};
        if (!known)
            return oct_node_fail_unknown(binder->label, map->items[k], &inner, "key", map->keys[k],
                                         names, n);
    }
    return OCT_STATUS_OK;
}

oct_status oct_bind_fields(const oct_binder *binder, const oct_node *map, const oct_key_path *path,
                           void *state, const oct_field *fields)
{
    for (const oct_field *f = fields; f && f->type != OCT_FIELD_END; f++) {
        void *slot = (char *)state + f->offset;
        const oct_node *node = oct_node_get(map, f->name);
        oct_key_path inner = {.parent = path, .key = f->name};
        value v = {binder, f, node ? node : map, &inner};
        OCT_TRY(node ? bind_value(&v, slot) : bind_default(&v, slot));
    }
    return OCT_STATUS_OK;
}

oct_status oct_bind(const oct_binder *binder, const oct_node *map, const oct_key_path *path,
                    const char *selector, const oct_part *parts, size_t n_parts)
{
    char shortened[OCT_SHORT_BYTES];
    if (map->kind == OCT_NODE_SCALAR)
        return oct_node_fail(binder->label, map, path, "'%s' is no map; expected keys with values",
                             oct_node_short(shortened, map->text));
    if (map->kind == OCT_NODE_LIST)
        return oct_node_fail(binder->label, map, path,
                             "this is a list; expected a map of keys with values");
    const char *names[OCT_SECTION_FIELDS];
    size_t n = 0;
    if (selector)
        names[n++] = selector;
    for (size_t p = 0; p < n_parts; p++)
        for (const oct_field *f = parts[p].fields; f && f->type != OCT_FIELD_END; f++)
            if (n < OCT_SECTION_FIELDS)
                names[n++] = f->name;
    OCT_TRY(oct_bind_keys(binder, map, path, names, n));
    for (size_t p = 0; p < n_parts; p++)
        OCT_TRY(oct_bind_fields(binder, map, path, parts[p].state, parts[p].fields));
    return OCT_STATUS_OK;
}
