/* Numbers of some bodies go through a packed buffer, which a kernel fills or empties. */
#include "core/access.h"

#include <stdlib.h>
#include <string.h>

#include "core/state.h"

/* The kernels and the buffers that numbers go through. */
struct oct_access {
    oct_program *program;
    oct_kernel *read, *write, *read_bytes, *write_bytes;
    oct_buffer *packed, *packed_bytes, *list; /* words, bytes, indices */
    /* What the next launch takes. */
    struct {
        oct_buffer *column, *list;
        uint32_t first, n, element, lane, width;
    } next;
};

static const oct_offer offers[] = {OCT_OFFER(struct oct_access, "packed", packed),
                                   OCT_OFFER(struct oct_access, "column", next.column),
                                   OCT_OFFER(struct oct_access, "list", next.list),
                                   OCT_OFFER(struct oct_access, "first", next.first),
                                   OCT_OFFER(struct oct_access, "n", next.n),
                                   OCT_OFFER(struct oct_access, "element", next.element),
                                   OCT_OFFER(struct oct_access, "lane", next.lane),
                                   OCT_OFFER(struct oct_access, "width", next.width),
                                   {0}};

static oct_status fail_unknown(const oct_domain *domain, const char *name)
{
    const char *names[32 + OCT_USER_COLUMNS];
    size_t n = 0;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->host)
            names[n++] = spec->name;
    for (size_t i = 0; i < domain->setup->n_columns; i++)
        names[n++] = domain->setup->columns[i].name;
    const char *nearest = oct_text_nearest(name, names, n);
    return OCT_FAIL(OCT_STATUS_MISSING, "bodies have no column '%.40s'%s%s%s", name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

oct_status oct_access_find(oct_access_column *out, oct_domain *domain, const char *name)
{
    const oct_column_spec *spec = oct_column_find(name);
    const char *within = spec ? spec->within : NULL;
    const oct_held_column *held = oct_domain_column(domain, within ? within : name);
    if (spec ? !spec->host : !held)
        return fail_unknown(domain, name);
    *out = (oct_access_column){.spec = spec ? *spec : held->spec,
                               .buffer = held ? held->buffer : NULL,
                               .lane = within ? held->spec.lanes - 1 : 0};
    out->number = oct_column_element(&out->spec, domain->precision) /
                  (out->spec.lanes ? out->spec.lanes : out->spec.width);
    return OCT_STATUS_OK;
}

static oct_status make_kernels(struct oct_access *access, oct_domain *domain)
{
    if (access->write_bytes)
        return OCT_STATUS_OK;
    if (!access->program)
        OCT_TRY(oct_domain_build(&access->program, domain, "domain_access.cl", NULL));
    const oct_binding rest = OCT_BIND_OFFERS(offers, access);
    if (!access->read)
        OCT_TRY(OCT_KERNEL(&access->read, access->program, "domain_access_read", rest));
    if (!access->write)
        OCT_TRY(OCT_KERNEL(&access->write, access->program, "domain_access_write", rest));
    if (!access->read_bytes)
        OCT_TRY(OCT_KERNEL(&access->read_bytes, access->program, "domain_access_read_bytes",
                           OCT_BIND_OUT("packed", &access->packed_bytes), rest));
    return OCT_KERNEL(&access->write_bytes, access->program, "domain_access_write_bytes",
                      OCT_BIND_IN("packed", &access->packed_bytes), rest);
}

/* Room for so many; what is there may be lost. */
static oct_status make_room(oct_buffer **at, oct_domain *domain, const char *name, size_t element,
                            size_t count)
{
    if (*at && (*at)->count >= count)
        return OCT_STATUS_OK;
    return oct_buffers_replace(domain->device, &(oct_buffer_plan){at, name, element, count}, 1);
}

/* Kernels, room for numbers of n bodies, and the list where there is one. */
static oct_status prepare(oct_buffer **packed, oct_domain *domain, const oct_access_column *column,
                          const uint32_t *list, size_t n)
{
    const size_t word = column->number == 1 ? 1 : sizeof(uint32_t);
    if (!domain->access)
        OCT_TRY(oct_alloc(&domain->access, 1, sizeof *domain->access, "access"));
    struct oct_access *access = domain->access;
    OCT_TRY(make_kernels(access, domain));
    oct_buffer **room = column->number == 1 ? &access->packed_bytes : &access->packed;
    OCT_TRY(
        make_room(room, domain, "access", word, column->spec.width * column->number * n / word));
    *packed = *room;
    if (!list)
        return OCT_STATUS_OK;
    OCT_TRY(make_room(&access->list, domain, "access list", sizeof *list, n));
    return oct_buffer_write(access->list, list, 0, n);
}

static oct_status launch(oct_domain *domain, const oct_access_column *column, bool list,
                         size_t first, size_t n, bool writes)
{
    struct oct_access *access = domain->access;
    const size_t word = sizeof(uint32_t);
    access->next.column = column->buffer;
    access->next.list = list ? access->list : NULL;
    access->next.first = (uint32_t)first;
    access->next.n = (uint32_t)n;
    access->next.element = (uint32_t)(column->buffer->element / word);
    access->next.lane = (uint32_t)(column->lane * column->number / word);
    access->next.width = (uint32_t)(column->spec.width * column->number / word);
    if (column->number == 1)
        return oct_kernel_launch(writes ? access->write_bytes : access->read_bytes, n, 0);
    return oct_kernel_launch(writes ? access->write : access->read, n, 0);
}

oct_status oct_access_read(void *out, oct_domain *domain, const oct_access_column *column,
                           const uint32_t *list, size_t first, size_t n)
{
    size_t bytes = column->spec.width * column->number * n;
    oct_buffer *packed;
    if (n == 0)
        return OCT_STATUS_OK;
    if (!column->buffer) {
        memset(out, 0, bytes);
        return OCT_STATUS_OK;
    }
    /* Bodies that lie together in an array of their own need no kernel. */
    if (!list && column->buffer->element * n == bytes)
        return oct_buffer_read(out, column->buffer, first, n);
    OCT_TRY(prepare(&packed, domain, column, list, n));
    OCT_TRY(launch(domain, column, list, first, n, false));
    return oct_buffer_read(out, packed, 0, bytes / packed->element);
}

oct_status oct_access_write(oct_domain *domain, const oct_access_column *column, const void *data,
                            const uint32_t *list, size_t first, size_t n)
{
    size_t bytes = column->spec.width * column->number * n;
    oct_buffer *packed;
    if (n == 0)
        return OCT_STATUS_OK;
    if (!list && column->buffer->element * n == bytes)
        return oct_buffer_write(column->buffer, data, first, n);
    OCT_TRY(prepare(&packed, domain, column, list, n));
    OCT_TRY(oct_buffer_write(packed, data, 0, bytes / packed->element));
    return launch(domain, column, list, first, n, true);
}

void oct_access_end(oct_domain *domain)
{
    struct oct_access *access = domain->access;
    if (!access)
        return;
    oct_kernel_free(access->read);
    oct_kernel_free(access->write);
    oct_kernel_free(access->read_bytes);
    oct_kernel_free(access->write_bytes);
    oct_program_free(access->program);
    oct_buffer_free(access->packed);
    oct_buffer_free(access->packed_bytes);
    oct_buffer_free(access->list);
    free(access);
}
