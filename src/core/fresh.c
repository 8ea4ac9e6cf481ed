/* Compares what something was made from with what there is. */
#include "core/fresh.h"

oct_edition oct_edition_of(const oct_buffer *array)
{
    return array ? (oct_edition){array->serial, array->version} : (oct_edition){0};
}

bool oct_edition_same(oct_edition a, oct_edition b)
{
    return a.serial == b.serial && a.version == b.version;
}

oct_made oct_made_from(const oct_buffer *const arrays[OCT_MADE_FROM])
{
    oct_made made;
    for (size_t i = 0; i < OCT_MADE_FROM; i++)
        made.from[i] = oct_edition_of(arrays[i]);
    return made;
}

bool oct_made_fresh(const oct_made *made, const oct_made *now)
{
    bool same = made->from[0].serial != 0;
    for (size_t i = 0; i < OCT_MADE_FROM; i++)
        same = same && oct_edition_same(made->from[i], now->from[i]);
    return same;
}
