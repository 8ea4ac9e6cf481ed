/* The members of a scan: every combination of values, and every seed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/sweep.h"
#include "util/number.h"
#include "util/sized.h"

static void free_members(oct_sweep *sweep)
{
    for (size_t i = 0; i < sweep->n; i++) {
        oct_sweep_entry_clear(&sweep->members[i]);
        free(sweep->members[i].values);
    }
    free(sweep->members);
    sweep->members = NULL;
    sweep->n = 0;
}

static void free_varied(oct_varied *varied)
{
    for (size_t i = 0; i < varied->n; i++)
        free(varied->values[i]);
    free(varied->values);
    free(varied->key);
    *varied = (oct_varied){0};
}

void oct_sweep_free(oct_sweep *sweep)
{
    if (!sweep)
        return;
    free_members(sweep);
    for (size_t i = 0; i < sweep->n_keys; i++)
        free_varied(&sweep->varied[i]);
    free(sweep->varied);
    free(sweep->keys);
    oct_scene_free(sweep->scene);
    free(sweep);
}

/* Which value of a key a member has: the last key changes fastest, but for the seeds. */
static size_t choice(const oct_sweep *sweep, size_t member, size_t key)
{
    size_t index = member / sweep->seeds;
    for (size_t k = sweep->n_keys; k-- > key + 1;)
        index /= sweep->varied[k].n;
    return index % sweep->varied[key].n;
}

static bool varies(const oct_sweep *sweep, const char *key)
{
    bool found = false;
    for (size_t i = 0; i < sweep->n_keys; i++)
        found = found || strcmp(sweep->varied[i].key, key) == 0;
    return found;
}

/* Sets a key to a value, whose failure says which. */
static oct_status set(oct_scene *scene, const char *key, const char *value)
{
    char *assignment;
    oct_text text = {0};
    oct_text_add(&text, "%s=%s", key, value);
    OCT_TRY(oct_text_take(&assignment, &text));
    oct_status status = oct_scene_set(scene, assignment);
    oct_text_free(assignment);
    return status;
}

static oct_status set_values(oct_scene *scene, const oct_sweep *sweep, size_t member)
{
    for (size_t k = 0; k < sweep->n_keys; k++)
        OCT_TRY(set(scene, sweep->keys[k], sweep->members[member].values[k]));
    return OCT_STATUS_OK;
}

static oct_status set_seed(oct_scene *scene, const oct_sweep *sweep, size_t member)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, sweep->members[member].seed);
    return sweep->seeds > 1 ? set(scene, "seed", seed) : OCT_STATUS_OK;
}

/* The seed of a member's scene without one of the sweep's; false where the scene is refused, which
 * is told when it runs. */
static oct_status find_seed(bool *found, uint64_t *out, const oct_sweep *sweep, size_t member)
{
    oct_scene *scene;
    char *text = NULL;
    OCT_TRY(oct_scene_copy(&scene, sweep->scene));
    oct_status status = set_values(scene, sweep, member);
    if (status == OCT_STATUS_OK)
        status = oct_scene_get(&text, scene, "seed");
    *found = status == OCT_STATUS_OK;
    if (*found)
        *out = strtoull(text, NULL, 10);
    oct_text_free(text);
    oct_scene_free(scene);
    return status == OCT_STATUS_MEMORY ? status : OCT_STATUS_OK;
}

static oct_status count_members(size_t *out, const oct_sweep *sweep)
{
    size_t n = sweep->seeds;
    for (size_t k = 0; k < sweep->n_keys && n <= OCT_SWEEP_MOST; k++)
        n *= sweep->varied[k].n;
    OCT_CHECK(n <= OCT_SWEEP_MOST, OCT_STATUS_INPUT,
              "the sweep has more than %d members; expected fewer values or seeds", OCT_SWEEP_MOST);
    *out = n;
    return OCT_STATUS_OK;
}

/* Seeds follow that of the first member whose scene is fine; where `seed` is varied, each has its
 * own. */
static oct_status number_seeds(oct_sweep *sweep)
{
    uint64_t first = 1;
    bool found = false, own = varies(sweep, "seed");
    for (size_t i = 0; i < sweep->n && (own || !found); i += sweep->seeds) {
        OCT_TRY(find_seed(&found, &first, sweep, i));
        sweep->members[i].seed = first;
    }
    for (size_t i = 0; i < sweep->n && !own; i++)
        sweep->members[i].seed = first + i % sweep->seeds;
    return OCT_STATUS_OK;
}

static oct_status lay_out(oct_sweep *sweep)
{
    size_t n = 0;
    OCT_CHECK(sweep->seeds == 1 || !varies(sweep, "seed"), OCT_STATUS_INPUT,
              "`seed` is varied already: expected 1 seed for each of its values");
    OCT_TRY(count_members(&n, sweep));
    free_members(sweep);
    OCT_TRY(oct_alloc(&sweep->members, n, sizeof *sweep->members, "members of a sweep"));
    sweep->n = n;
    for (size_t i = 0; i < n; i++) {
        oct_sweep_entry *member = &sweep->members[i];
        OCT_TRY(oct_alloc(&member->values, sweep->n_keys + 1, sizeof *member->values, "values"));
        for (size_t k = 0; k < sweep->n_keys; k++)
            member->values[k] = sweep->varied[k].values[choice(sweep, i, k)];
    }
    return number_seeds(sweep);
}

oct_status oct_sweep_create(oct_sweep **out, const oct_scene *scene)
{
    oct_sweep *sweep;
    *out = NULL;
    OCT_TRY(oct_alloc(&sweep, 1, sizeof *sweep, "sweep"));
    sweep->seeds = 1;
    oct_status status = oct_scene_copy(&sweep->scene, scene);
    if (status == OCT_STATUS_OK)
        status = lay_out(sweep);
    if (status == OCT_STATUS_OK)
        *out = sweep;
    else
        oct_sweep_free(sweep);
    return status;
}

oct_status oct_sweep_scene(oct_scene **out, const oct_sweep *sweep, size_t member)
{
    *out = NULL;
    OCT_CHECK(member < sweep->n, OCT_STATUS_INPUT,
              "there is no member %zu: the sweep has %zu, counted from 0", member, sweep->n);
    OCT_TRY(oct_scene_copy(out, sweep->scene));
    oct_status status = set_values(*out, sweep, member);
    if (status == OCT_STATUS_OK)
        status = set_seed(*out, sweep, member);
    if (status != OCT_STATUS_OK) {
        oct_scene_free(*out);
        *out = NULL;
    }
    return status;
}

/* Takes the values over; a sweep that they make too large stays as it was. */
static oct_status add_varied(oct_sweep *sweep, oct_varied *varied)
{
    oct_status status;
    OCT_CHECK_DONE(!varies(sweep, varied->key), OCT_STATUS_INPUT, "%s is varied already",
                   varied->key);
    OCT_TRY_DONE(oct_realloc(&sweep->varied, sweep->n_keys + 1, sizeof *sweep->varied, "keys"));
    OCT_TRY_DONE(oct_realloc(&sweep->keys, sweep->n_keys + 1, sizeof *sweep->keys, "keys"));
    sweep->keys[sweep->n_keys] = varied->key;
    sweep->varied[sweep->n_keys++] = *varied;
    status = lay_out(sweep);
    if (status == OCT_STATUS_OK)
        return status;
    sweep->n_keys--;
    oct_error said;
    oct_error_save(&said);
    if (lay_out(sweep) == OCT_STATUS_OK)
        oct_error_restore(&said);
done:
    free_varied(varied);
    return status;
}

static oct_status add_value(oct_varied *varied, const char *value, size_t length)
{
    while (length > 0 && *value == ' ') {
        value++;
        length--;
    }
    while (length > 0 && value[length - 1] == ' ')
        length--;
    OCT_CHECK(length > 0, OCT_STATUS_INPUT, "%s: a value is missing; expected KEY=A,B,C",
              varied->key);
    OCT_CHECK(varied->n < OCT_SWEEP_MOST, OCT_STATUS_INPUT, "%s has more than %d values",
              varied->key, OCT_SWEEP_MOST);
    oct_text text = {0};
    oct_text_add_bytes(&text, value, length);
    OCT_TRY(oct_realloc(&varied->values, varied->n + 1, sizeof *varied->values, "values"));
    OCT_TRY(oct_text_take(&varied->values[varied->n], &text));
    varied->n++;
    return OCT_STATUS_OK;
}

/* The end of a value in a list: the next comma outside of brackets and quotes. */
static size_t value_length(const char *text)
{
    int depth = 0;
    char quote = '\0';
    size_t i = 0;
    for (; text[i] && (text[i] != ',' || depth > 0 || quote); i++) {
        char c = text[i];
        if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else
            depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    }
    return i;
}

/* "0.1 m:1.5 m:6:log" */
typedef struct value_range {
    double first, last, count;
    char unit[32];
    bool logarithmic;
} value_range;

/* A number and what follows it up to the next colon; false where there is none. */
static bool read_end(double *out, char unit[32], const char **text)
{
    const char *end;
    if (!oct_number_read(out, &end, *text))
        return false;
    size_t length = strcspn(end, ":");
    if (length >= 32 || memchr(end, ',', length) || end[length] != ':')
        return false;
    snprintf(unit, 32, "%.*s", (int)length, end);
    *text = end + length + 1;
    return true;
}

static bool read_range(value_range *out, const char *text)
{
    char unit[32];
    *out = (value_range){0};
    if (!read_end(&out->first, unit, &text) || !read_end(&out->last, out->unit, &text))
        return false;
    const char *end;
    if ((*unit && strcmp(unit, out->unit) != 0) || !oct_number_read(&out->count, &end, text))
        return false;
    out->logarithmic = strcmp(end, ":log") == 0;
    return *end == '\0' || out->logarithmic;
}

static oct_status add_range(oct_varied *varied, const value_range *r)
{
    OCT_CHECK(r->count >= 2 && r->count <= OCT_SWEEP_MOST && r->count == floor(r->count),
              OCT_STATUS_INPUT, "%s: a range has a whole number of values from 2 to %d, not %g",
              varied->key, OCT_SWEEP_MOST, r->count);
    OCT_CHECK(isfinite(r->first) && isfinite(r->last), OCT_STATUS_INPUT,
              "%s: the ends of a range are finite", varied->key);
    OCT_CHECK(!r->logarithmic || r->first * r->last > 0, OCT_STATUS_INPUT,
              "%s: equal ratios from %g to %g do not exist; expected ends of one sign, none 0",
              varied->key, r->first, r->last);
    for (double i = 0; i < r->count; i++) {
        double at = i / (r->count - 1), x = r->first + (r->last - r->first) * at;
        char number[OCT_NUMBER_BYTES], value[OCT_NUMBER_BYTES + 32];
        if (r->logarithmic)
            x = r->first * pow(r->last / r->first, at);
        /* Without the last digit, which is round-off: 0.38 and not 0.38000000000000006. */
        snprintf(number, sizeof number, "%.15g", x);
        oct_number_write(number, strtod(number, NULL));
        snprintf(value, sizeof value, "%s%s", number, r->unit);
        OCT_TRY(add_value(varied, value, strlen(value)));
    }
    return OCT_STATUS_OK;
}

static oct_status read_values(oct_varied *varied, const char *text)
{
    value_range range;
    if (read_range(&range, text))
        return add_range(varied, &range);
    for (;;) {
        size_t length = value_length(text);
        OCT_TRY(add_value(varied, text, length));
        if (text[length] == '\0')
            return OCT_STATUS_OK;
        text += length + 1;
    }
}

oct_status oct_sweep_vary(oct_sweep *sweep, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    OCT_CHECK(equals && equals > assignment && equals[1], OCT_STATUS_INPUT,
              "'%.100s' varies nothing; expected KEY=A,B,C or KEY=FIRST:LAST:COUNT, as in "
              "gravity.softening=0.01:0.1:4",
              assignment);
    oct_varied varied = {0};
    oct_text key = {0};
    oct_text_add_bytes(&key, assignment, (size_t)(equals - assignment));
    OCT_TRY(oct_text_take(&varied.key, &key));
    oct_status status = read_values(&varied, equals + 1);
    if (status == OCT_STATUS_OK)
        return add_varied(sweep, &varied);
    free_varied(&varied);
    return status;
}

oct_status oct_sweep_vary_list(oct_sweep *sweep, const char *key, const char *const *values,
                               size_t n)
{
    oct_varied varied = {0};
    OCT_CHECK(*key && n > 0, OCT_STATUS_INPUT, "'%.100s' has no values; expected one or more", key);
    OCT_TRY(oct_text_copy(&varied.key, key));
    oct_status status = OCT_STATUS_OK;
    for (size_t i = 0; i < n && status == OCT_STATUS_OK; i++)
        status = add_value(&varied, values[i], strlen(values[i]));
    if (status == OCT_STATUS_OK)
        return add_varied(sweep, &varied);
    free_varied(&varied);
    return status;
}

oct_status oct_sweep_set_seeds(oct_sweep *sweep, uint64_t seeds)
{
    uint64_t before = sweep->seeds;
    OCT_CHECK(seeds >= 1 && seeds <= OCT_SWEEP_MOST, OCT_STATUS_INPUT,
              "%" PRIu64 " seeds; expected 1 to %d", seeds, OCT_SWEEP_MOST);
    sweep->seeds = seeds;
    oct_status status = lay_out(sweep);
    if (status == OCT_STATUS_OK)
        return status;
    oct_error said;
    oct_error_save(&said);
    sweep->seeds = before;
    if (lay_out(sweep) == OCT_STATUS_OK)
        oct_error_restore(&said);
    return status;
}

size_t oct_sweep_count(const oct_sweep *sweep)
{
    return sweep->n;
}

const char *oct_member_state_name(oct_member_state state)
{
    static const char *const names[] = {"waiting", "running", "done", "failed", "stopped"};
    return names[state];
}

void oct_sweep_name(char out[OCT_SWEEP_NAME], size_t member)
{
    snprintf(out, OCT_SWEEP_NAME, "%04zu", member);
}

oct_status oct_sweep_member(oct_member *out, const oct_sweep *sweep, size_t index)
{
    OCT_TRY(OCT_SIZED_CHECK(oct_member, wall_s, out));
    OCT_CHECK(index < sweep->n, OCT_STATUS_INPUT,
              "there is no member %zu: the sweep has %zu, counted from 0", index, sweep->n);
    const oct_sweep_entry *member = &sweep->members[index];
    oct_member own = {.size = out->size,
                      .seed = member->seed,
                      .n = sweep->n_keys,
                      .keys = sweep->keys,
                      .values = member->values,
                      .state = member->state,
                      .failure = member->failure ? member->failure : "",
                      .time = oct_sweep_value(member, "time"),
                      .wall_s = oct_sweep_value(member, "wall_s")};
    double step = oct_sweep_value(member, "step");
    own.step = step > 0 ? (uint64_t)step : 0;
    oct_sweep_name(own.name, index);
    oct_sized_give(out, &own, sizeof own);
    return OCT_STATUS_OK;
}
