/* What `octant accuracy` is asked to measure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

/* What an option lists, or the scene's own value; none for a method without. */
typedef struct numbers {
    size_t n;
    double values[OCT_ACCURACY_VALUES];
} numbers;

typedef struct names {
    size_t n;
    char values[OCT_ACCURACY_VALUES][OCT_ACCURACY_NAME];
} names;

static bool read_numbers(numbers *out, const oct_call *call, const char *option)
{
    const char *list = oct_call_option(call, option);
    for (const char *c = list; c;) {
        char *end;
        double value = strtod(c, &end);
        if (end == c || (*end && *end != ',') || !isfinite(value)) {
            oct_report_usage("--%s is a list of numbers, as in 0.3,0.5, not `%s`", option, list);
            return false;
        }
        if (out->n == OCT_ACCURACY_VALUES) {
            oct_report_usage("--%s lists more than %d values", option, OCT_ACCURACY_VALUES);
            return false;
        }
        out->values[out->n++] = value;
        c = *end ? end + 1 : NULL;
    }
    return true;
}

static bool read_names(names *out, const oct_call *call, const char *option)
{
    const char *list = oct_call_option(call, option);
    for (const char *c = list; c;) {
        size_t length = strcspn(c, ",");
        if (length == 0 || length >= OCT_ACCURACY_NAME || out->n == OCT_ACCURACY_VALUES) {
            oct_report_usage("--%s is a list of names, as in offset,relative, not `%s`", option,
                             list);
            return false;
        }
        snprintf(out->values[out->n++], OCT_ACCURACY_NAME, "%.*s", (int)length, c);
        c = c[length] ? c + length + 1 : NULL;
    }
    return true;
}

static oct_status set_number(oct_scene *scene, const char *key, double value)
{
    char assignment[64];
    snprintf(assignment, sizeof assignment, "gravity.%s=%.17g", key, value);
    return isnan(value) ? OCT_STATUS_OK : oct_scene_set(scene, assignment);
}

oct_status oct_accuracy_apply(oct_scene *scene, const oct_accuracy_setting *to)
{
    char assignment[64];
    snprintf(assignment, sizeof assignment, "gravity.criterion=%s", to->criterion);
    oct_status status = to->criterion[0] ? oct_scene_set(scene, assignment) : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK)
        status = set_number(scene, "theta", to->theta);
    if (status == OCT_STATUS_OK)
        status = set_number(scene, "alpha", to->alpha);
    return status;
}

/* The scene's own value of a key of gravity; "" for a method without it. */
static oct_status own_value(char out[OCT_ACCURACY_NAME], const oct_scene *scene, const char *key)
{
    char *text = NULL;
    oct_status status = oct_scene_get(&text, scene, key);
    snprintf(out, OCT_ACCURACY_NAME, "%s", status == OCT_STATUS_OK ? text : "");
    oct_text_free(text);
    return status == OCT_STATUS_MISSING ? OCT_STATUS_OK : status;
}

/* The rows: each criterion with every angle, or with every α where it goes by that; its first
 * forces then take the scene's angle. */
static void list_settings(oct_accuracy_settings *out, const names *criteria, const numbers *angles,
                          const numbers *alphas, double own_angle)
{
    for (size_t c = 0; c < criteria->n; c++) {
        bool relative = strcmp(criteria->values[c], "relative") == 0;
        for (size_t i = 0; i < (relative ? alphas : angles)->n; i++) {
            oct_accuracy_setting *row = &out->list[out->n++];
            *row = (oct_accuracy_setting){.theta = relative ? own_angle : angles->values[i],
                                          .alpha = relative ? alphas->values[i] : NAN};
            snprintf(row->criterion, OCT_ACCURACY_NAME, "%s", criteria->values[c]);
        }
    }
}

static bool lists(const names *criteria, bool relative)
{
    for (size_t c = 0; c < criteria->n; c++)
        if ((strcmp(criteria->values[c], "relative") == 0) == relative)
            return true;
    return false;
}

int oct_accuracy_choose(oct_accuracy_settings *out, const oct_call *call, const oct_scene *scene,
                        const char *method)
{
    numbers angles = {0}, alphas = {0};
    names criteria = {0};
    char theta[OCT_ACCURACY_NAME], alpha[OCT_ACCURACY_NAME], criterion[OCT_ACCURACY_NAME];
    if (!read_numbers(&angles, call, "theta") || !read_numbers(&alphas, call, "alpha") ||
        !read_names(&criteria, call, "criterion"))
        return 2;
    if (strcmp(method, "none") == 0)
        return oct_report_usage("this scene has no gravity whose accuracy could be measured");
    oct_status status = own_value(theta, scene, "gravity.theta");
    if (status == OCT_STATUS_OK)
        status = own_value(alpha, scene, "gravity.alpha");
    if (status == OCT_STATUS_OK)
        status = own_value(criterion, scene, "gravity.criterion");
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    if (angles.n && !theta[0])
        return oct_report_usage("--theta: method %s has no opening angle; add --set "
                                "gravity.method=tree",
                                method);
    if ((criteria.n || alphas.n) && !criterion[0])
        return oct_report_usage("--%s: method %s has no criterion to choose; add --set "
                                "gravity.method=tree",
                                criteria.n ? "criterion" : "alpha", method);
    if (criteria.n == 0)
        snprintf(criteria.values[criteria.n++], OCT_ACCURACY_NAME, "%s", criterion);
    if (angles.n && !lists(&criteria, false))
        return oct_report_usage("--theta: criterion relative goes by α: list values with --alpha");
    if (alphas.n && !lists(&criteria, true))
        return oct_report_usage("--alpha: criterion %s goes by θ; add --criterion relative",
                                criteria.values[0]);
    double own_angle = theta[0] ? strtod(theta, NULL) : NAN;
    if (angles.n == 0)
        angles.values[angles.n++] = own_angle;
    if (alphas.n == 0)
        alphas.values[alphas.n++] = alpha[0] ? strtod(alpha, NULL) : NAN;
    list_settings(out, &criteria, &angles, &alphas, own_angle);
    return 0;
}

int oct_accuracy_vary(oct_accuracy_variation *out, const oct_call *call)
{
    const char *given = oct_call_option(call, "vary"), *equals = given ? strchr(given, '=') : NULL;
    *out = (oct_accuracy_variation){.n = given ? 0 : 1};
    if (!given)
        return 0;
    size_t length = equals ? (size_t)(equals - given) : 0;
    for (const char *c = length ? equals + 1 : NULL; c;) {
        size_t bytes = strcspn(c, ",");
        if (bytes == 0 || bytes >= OCT_ACCURACY_TEXT || length >= OCT_ACCURACY_TEXT ||
            out->n == OCT_ACCURACY_VALUES)
            break;
        snprintf(out->key, sizeof out->key, "%.*s", (int)length, given);
        snprintf(out->values[out->n++], OCT_ACCURACY_TEXT, "%.*s", (int)bytes, c);
        if (!c[bytes])
            return 0;
        c += bytes + 1;
    }
    return oct_report_usage("--vary is a key of the scene and a list of values, as in "
                            "models.0.plummer.n=32768,131072, not `%s`",
                            given);
}

oct_status oct_accuracy_scene(oct_scene **out, const oct_call *call,
                              const oct_accuracy_variation *variation, size_t value)
{
    char assignment[2 * OCT_ACCURACY_TEXT];
    oct_status status = oct_call_scene(out, call);
    snprintf(assignment, sizeof assignment, "%s=%s", variation->key, variation->values[value]);
    if (status == OCT_STATUS_OK && variation->key[0])
        status = oct_scene_set(*out, assignment);
    if (status != OCT_STATUS_OK) {
        oct_scene_free(*out);
        *out = NULL;
    }
    return status;
}
