/* The types of a pass over pairs, as OpenCL C: what the scene names are members of structs. */
#include "force/force_pair.h"
#include "util/text.h"

/* As a member of a struct, and in an array on a device. */
static const char *member_type(const oct_pair_column *c)
{
    return c->integer ? (c->vector ? "long3" : "long") : c->vector ? "real3" : "real";
}

static const char *array_type(const oct_pair_column *c)
{
    return c->integer ? (c->vector ? "long4" : "long") : c->vector ? "real4" : "real";
}

/* What names a rate: `u` changes by `u_rate`. */
static const char *ending(const oct_pair_column *c)
{
    return c->rate ? "_rate" : "";
}

/* The arrays that a kernel takes: before each name goes `before`, after it `after`. */
static void add_arrays(oct_text *text, const oct_pair_shape *shape, bool types, const char *before,
                       const char *after)
{
    for (uint32_t i = 0; i < shape->n_read + shape->n_written; i++) {
        bool in = i < shape->n_read;
        const oct_pair_column *c = in ? &shape->read[i] : &shape->written[i - shape->n_read];
        oct_text_add(text, "%s", before);
        if (types)
            oct_text_add(text, "global %s%s *", in ? "const " : "", array_type(c));
        oct_text_add(text, "%s_%s%s%s", in ? "in" : "out", c->name, ending(c), after);
    }
}

static void add_columns(oct_text *text, const oct_pair_shape *shape)
{
    oct_text_add(text, "#define COLUMN_ARGUMENTS ");
    add_arrays(text, shape, true, ", ", "");
    oct_text_add(text, "\n#define COLUMN_NAMES ");
    add_arrays(text, shape, false, ", ", "");
    oct_text_add(text, "\ntypedef struct {\n    uint nothing;\n");
    add_arrays(text, shape, true, "    ", ";\n");
    oct_text_add(text, "} pair_columns;\n");
}

static void add_body(oct_text *text, const oct_pair_shape *shape)
{
    oct_text_add(text, "typedef struct {\n"
                       "    real3 d, v;\n"
                       "    real r2, range, time;\n"
                       "} octant_gap;\n"
                       "typedef struct {\n"
                       "    real3 position, velocity;\n"
                       "    real mass, radius;\n"
                       "    ulong id;\n"
                       "    uint type;\n");
    for (uint32_t i = 0; i < shape->n_read; i++)
        oct_text_add(text, "    %s %s;\n", member_type(&shape->read[i]), shape->read[i].name);
    oct_text_add(text, "} octant_body;\n"
                       "static inline void load_columns(octant_body *b, const pair_columns *c, "
                       "uint i)\n{\n");
    for (uint32_t i = 0; i < shape->n_read; i++)
        oct_text_add(text, "    b->%s = c->in_%s[i]%s;\n", shape->read[i].name, shape->read[i].name,
                     shape->read[i].vector ? ".xyz" : "");
    oct_text_add(text, "}\n");
}

static void add_sum(oct_text *text, const oct_pair_shape *shape)
{
    oct_text_add(text, "typedef struct {\n%s%s",
                 shape->acceleration ? "    real3 acceleration;\n" : "",
                 shape->potential ? "    real potential;\n" : "");
    for (uint32_t i = 0; i < shape->n_written; i++)
        oct_text_add(text, "    %s %s%s;\n", member_type(&shape->written[i]),
                     shape->written[i].name, ending(&shape->written[i]));
    oct_text_add(text, "} octant_sum;\n"
                       "static inline octant_sum no_sum(void)\n{\n    octant_sum s;\n");
    if (shape->acceleration)
        oct_text_add(text, "#define ACCELERATES\n    s.acceleration = (real3)(0);\n");
    if (shape->potential)
        oct_text_add(text, "#define HAS_POTENTIAL\n    s.potential = 0;\n");
    for (uint32_t i = 0; i < shape->n_written; i++)
        oct_text_add(text, "    s.%s%s = (%s)(0);\n", shape->written[i].name,
                     ending(&shape->written[i]), member_type(&shape->written[i]));
    oct_text_add(text, "    return s;\n}\n");
}

/* Sums are rows of numbers: acceleration, potential, then the columns; a vector takes three. */
static void add_results(oct_text *text, const oct_pair_shape *shape)
{
    uint32_t place = 4;
    oct_text_add(text, "static inline void store_sum(real *out, const octant_sum *s)\n{\n");
    oct_text_add(text, "    vstore3(%s, 0, out);\n    out[3] = %s;\n",
                 shape->acceleration ? "s->acceleration" : "(real3)(0)",
                 shape->potential ? "s->potential" : "0");
    for (uint32_t i = 0; i < shape->n_written; i++) {
        const oct_pair_column *c = &shape->written[i];
        if (c->vector)
            oct_text_add(text, "    vstore3(s->%s%s, 0, out + %u);\n", c->name, ending(c), place);
        else
            oct_text_add(text, "    out[%u] = s->%s%s;\n", place, c->name, ending(c));
        place += c->vector ? 3 : 1;
    }
    oct_text_add(text, "}\n#define RESULTS %u\n", place - 4);
    oct_text_add(text, "static inline void store_results(const pair_columns *c, const real *value, "
                       "uint i)\n{\n");
    place = 0;
    for (uint32_t i = 0; i < shape->n_written; i++) {
        const oct_pair_column *c = &shape->written[i];
        if (c->vector)
            oct_text_add(text, "    c->out_%s%s[i] = (real4)(vload3(0, value + %u), 0);\n", c->name,
                         ending(c), place);
        else
            oct_text_add(text, "    c->out_%s%s[i] = value[%u];\n", c->name, ending(c), place);
        place += c->vector ? 3 : 1;
    }
    oct_text_add(text, "}\n");
}

oct_status oct_pair_types(char **out, const oct_pair_shape *shape)
{
    oct_text text = {0};
    add_columns(&text, shape);
    add_body(&text, shape);
    add_sum(&text, shape);
    add_results(&text, shape);
    if (shape->range)
        oct_text_add(&text, "#define RANGE_OF(b) ((b)->%s)\n", shape->range);
    return oct_text_take(out, &text);
}
