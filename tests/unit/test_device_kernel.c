/* Kernels are bound by name, and every mistake is found when they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/cl.h"
#include "scene_sim.h"

/* A kernel of a test's own, beside a user's force. */
static const oct_include own[] = {
    {.name = "user.clh",
     .label = "own.cl",
     .text = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
             "{ return (real4)(0); }\n"
             "#define COMMON global float *out, global const float *in\n"
             "kernel void own_scale(COMMON, real factor, uint n, ulong shift, int sign,\n"
             "                      float extra)\n"
             "{\n"
             "    uint i = (uint)get_global_id(0);\n"
             "    if (i < n)\n"
             "        out[i] = (in ? in[i] : 1) * (float)factor * sign + (float)shift + extra;\n"
             "}\n"},
    {0}};

enum { N = 8 };

typedef struct bench {
    oct_program *program;
    oct_kernel *kernel;
    oct_buffer *out, *in;
    double factor, extra;
    uint32_t n;
    uint64_t shift;
} bench;

static void open_bench(bench *b, oct_precision precision)
{
    const oct_build build = {.file = "force_custom.cl", .precision = precision, .includes = own};
    const float in[N] = {1, 2, 3, 4, 5, 6, 7, 8};
    *b = (bench){.factor = 2, .n = N};
    ref_ok(oct_program_create(&b->program, ref_device(), &build));
    ref_ok(oct_kernel_create(&b->kernel, b->program, "own_scale"));
    ref_ok(oct_buffer_create(&b->out, ref_device(), "out", sizeof(float), N));
    ref_ok(oct_buffer_create(&b->in, ref_device(), "in", sizeof(float), N));
    ref_ok(oct_buffer_write(b->in, in, 0, N));
}

static void close_bench(bench *b)
{
    oct_kernel_free(b->kernel);
    oct_program_free(b->program);
    oct_buffer_free(b->out);
    oct_buffer_free(b->in);
}

#define BUFFERS(b) OCT_BIND_OUT("out", &(b)->out), OCT_BIND_IN("in", &(b)->in)
#define REALS(b)   OCT_BIND_REAL("factor", &(b)->factor), OCT_BIND_REAL("extra", &(b)->extra)
#define WHOLE(b)                                                                                   \
    OCT_BIND_UINT("n", &(b)->n), OCT_BIND_ULONG("shift", &(b)->shift), OCT_FIX_INT("sign", -1)

static void refuses(oct_status status, const char *sentence)
{
    assert_int_equal(status, OCT_STATUS_INTERNAL);
    /* Every sentence says where the kernel is. */
    ref_says("own.cl:4: kernel 'own_scale'");
    ref_says(sentence);
}

static void every_mistake_is_found(void **state)
{
    bench b;
    oct_buffer *bytes = NULL;
    (void)state;
    open_bench(&b, OCT_PRECISION_SINGLE);
    oct_kernel *k = b.kernel;
    refuses(oct_kernel_launch(k, N, 0), "launched before its arguments were bound");
    refuses(OCT_BIND(k, BUFFERS(&b), REALS(&b)), "argument 'n' was bound to nothing");
    refuses(OCT_BIND(k, BUFFERS(&b), REALS(&b), WHOLE(&b), OCT_BIND_UINT("shft", &b.n)),
            "has no argument 'shft'; did you mean 'shift'?");
    refuses(OCT_BIND(k, BUFFERS(&b), REALS(&b), WHOLE(&b), OCT_BIND_REAL("zzzzzzz", &b.factor)),
            "has no argument 'zzzzzzz'");
    refuses(OCT_BIND(k, BUFFERS(&b), REALS(&b), WHOLE(&b), OCT_FIX_UINT("n", 3)),
            "argument 'n' was bound twice");
    refuses(OCT_BIND(k, OCT_BIND_IN("factor", &b.in)),
            "argument 'factor' is a 'real', but was bound to a buffer");
    refuses(OCT_BIND(k, OCT_BIND_IN("in", NULL)),
            "argument 'in' was bound to no place where a buffer could be");
    refuses(OCT_BIND(k, OCT_BIND_REAL("out", &b.factor)),
            "argument 'out' is a 'float *', but was bound to a real number");
    refuses(OCT_BIND(k, OCT_BIND_UINT("factor", &b.n)),
            "argument 'factor' is a 'real', but was bound to a uint");
    refuses(OCT_BIND(k, OCT_BIND_REAL("n", &b.factor)),
            "argument 'n' is a 'uint', but was bound to a real number");
    refuses(OCT_BIND(k, OCT_BIND_ULONG("n", &b.shift)),
            "argument 'n' is a 'uint', but was bound to a ulong");
    refuses(OCT_BIND(k, OCT_BIND_UINT("shift", &b.n)),
            "argument 'shift' is a 'ulong', but was bound to a uint");
    refuses(OCT_BIND(k, OCT_BIND_UINT("sign", &b.n)),
            "argument 'sign' is a 'int', but was bound to a uint");
    refuses(OCT_BIND(k, OCT_BIND_OUT("in", &b.in)),
            "argument 'in' is a 'const float *', but was bound as a buffer that is written");
    refuses(OCT_BIND(k, OCT_BIND_IN("out", &b.out)),
            "argument 'out' is a 'float *', but was bound as a buffer that is read");
    refuses(OCT_BIND(k, OCT_BIND_UNCHANGED("in", &b.in)),
            "argument 'in' is a 'const float *', but was bound as a buffer that is written");
    ref_ok(oct_buffer_create(&bytes, ref_device(), "bytes", 1, N));
    refuses(OCT_BIND(k, OCT_BIND_IN("in", &bytes)),
            "argument 'in' is a 'const float *' to elements of 4 bytes, but buffer 'bytes' has "
            "elements of 1");
    /* After a refusal it does not run with half of its arguments. */
    refuses(oct_kernel_launch(k, N, 0), "launched before its arguments were bound");
    ref_ok(OCT_BIND(k, BUFFERS(&b), REALS(&b), WHOLE(&b)));
    ref_ok(oct_kernel_launch(k, N, 0));
    /* A buffer that takes the place of another is looked at when it is passed. */
    oct_buffer *in = b.in;
    b.in = bytes;
    refuses(oct_kernel_launch(k, N, 0), "buffer 'bytes' has elements of 1");
    b.in = in;
    oct_buffer_free(bytes);
    close_bench(&b);
}

static void expect_line(bench *b, float slope, float offset)
{
    float got[N];
    ref_ok(oct_buffer_read(got, b->out, 0, N));
    for (int i = 0; i < N; i++)
        assert_true(got[i] == slope * (float)(i + 1) + offset);
}

static void a_launch_passes_what_is_there_now(void **state)
{
    bench b;
    (void)state;
    for (oct_precision p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_MIXED; p++) {
        if (p == OCT_PRECISION_MIXED && !oct_device_describe(ref_device())->fp64)
            break;
        open_bench(&b, p);
        ref_ok(OCT_BIND(b.kernel, BUFFERS(&b), REALS(&b), WHOLE(&b)));
        ref_ok(oct_kernel_launch(b.kernel, N, 0));
        expect_line(&b, -2, 0);
        b.factor = 0.5;
        b.shift = 1ull << 33;
        b.extra = 0.25;
        ref_ok(oct_kernel_launch(b.kernel, N, 0));
        expect_line(&b, -0.5f, 0x1p33f + 0.25f);
        b.shift = 3;
        b.extra = 0;
        uint64_t version = b.out->version, read = b.in->version;
        ref_ok(oct_kernel_launch(b.kernel, N, 0));
        ref_ok(oct_kernel_launch(b.kernel, N, 0));
        expect_line(&b, -0.5f, 3);
        assert_true(b.out->version == version + 2);
        assert_true(b.in->version == read);
        /* What a kernel is known to leave as it is has no new version. */
        ref_ok(OCT_BIND(b.kernel, OCT_BIND_UNCHANGED("out", &b.out)));
        ref_ok(oct_kernel_launch(b.kernel, N, 0));
        assert_true(b.out->version == version + 2);
        /* Those that are to change, and no others. */
        ref_ok(OCT_BIND(b.kernel, OCT_FIX_INT("sign", 1), OCT_FIX_REAL("factor", 4)));
        ref_ok(oct_kernel_launch(b.kernel, N, 0));
        expect_line(&b, 4, 3);
        close_bench(&b);
    }
}

static void buffers_may_be_replaced(void **state)
{
    bench b;
    (void)state;
    open_bench(&b, OCT_PRECISION_SINGLE);
    ref_ok(OCT_BIND(b.kernel, BUFFERS(&b), REALS(&b), WHOLE(&b)));
    ref_ok(oct_kernel_launch(b.kernel, N, 0));
    /* A driver may give a new buffer the handle of the old one: it is another one all the same. */
    for (int i = 0; i < 20; i++) {
        const float in[N] = {1, 2, 3, 4, 5, 6, 7, 8};
        oct_buffer_free(b.out);
        oct_buffer_free(b.in);
        ref_ok(oct_buffer_create(&b.in, ref_device(), "in", sizeof(float), N));
        ref_ok(oct_buffer_create(&b.out, ref_device(), "out", sizeof(float), N));
        ref_ok(oct_buffer_fill(b.out, 0));
        ref_ok(oct_buffer_write(b.in, in, 0, N));
        ref_ok(oct_kernel_launch(b.kernel, N, 0));
        expect_line(&b, -2, 0);
    }
    /* None gives a null pointer. */
    oct_buffer *in = b.in;
    b.in = NULL;
    ref_ok(oct_kernel_launch(b.kernel, N, 0));
    expect_line(&b, 0, -2);
    b.in = in;
    close_bench(&b);
}

static const oct_offer offers[] = {OCT_OFFER(bench, "out", out),
                                   OCT_OFFER(bench, "in", in),
                                   OCT_OFFER(bench, "factor", factor),
                                   OCT_OFFER(bench, "n", n),
                                   OCT_OFFER(bench, "shift", shift),
                                   OCT_OFFER(bench, "nobody_asks", n),
                                   {0}};

static void owners_offer_what_kernels_ask_for(void **state)
{
    bench b;
    double own_factor = 3;
    (void)state;
    open_bench(&b, OCT_PRECISION_SINGLE);
    refuses(OCT_BIND(b.kernel, OCT_BIND_OFFERS(offers, &b)),
            "argument 'sign' was bound to nothing");
    ref_ok(OCT_BIND(b.kernel, OCT_BIND_OFFERS(offers, &b), OCT_FIX_INT("sign", 1),
                    OCT_BIND_REAL("extra", &b.extra)));
    uint64_t version = b.out->version, read = b.in->version;
    b.shift = 5;
    ref_ok(oct_kernel_launch(b.kernel, N, 0));
    expect_line(&b, 2, 5);
    assert_true(b.out->version == version + 1);
    assert_true(b.in->version == read);
    refuses(OCT_BIND(b.kernel, OCT_BIND_OFFERS(offers, &b), OCT_BIND_OFFERS(offers, &b)),
            "argument 'out' was offered twice");
    /* What is bound by itself comes before what is offered, wherever it stands. */
    ref_ok(OCT_BIND(b.kernel, OCT_BIND_OFFERS(offers, &b), OCT_BIND_REAL("factor", &own_factor)));
    ref_ok(oct_kernel_launch(b.kernel, N, 0));
    expect_line(&b, 3, 5);
    close_bench(&b);
}

static void owners_may_come_and_go(void **state)
{
    bench b, other;
    const bench *owner = NULL;
    (void)state;
    open_bench(&b, OCT_PRECISION_SINGLE);
    open_bench(&other, OCT_PRECISION_SINGLE);
    /* Names and types are checked before there is one. */
    refuses(OCT_BIND(b.kernel, OCT_BIND_OFFERS_OF(offers, &owner)),
            "argument 'sign' was bound to nothing");
    ref_ok(OCT_BIND(b.kernel, OCT_BIND_OFFERS_OF(offers, &owner), OCT_FIX_INT("sign", 1),
                    OCT_FIX_REAL("extra", 0)));
    assert_int_equal(oct_kernel_launch(b.kernel, N, 0), OCT_STATUS_INTERNAL);
    ref_says("kernel 'own_scale' was launched without the owner of its argument 'out'");
    owner = &b;
    ref_ok(oct_kernel_launch(b.kernel, N, 0));
    expect_line(&b, 2, 0);
    other.factor = 5;
    owner = &other;
    uint64_t version = b.out->version;
    ref_ok(oct_kernel_launch(b.kernel, N, 0));
    expect_line(&other, 5, 0);
    assert_true(b.out->version == version);
    close_bench(&b);
    close_bench(&other);
}

static void kernels_that_cannot_be_read_are_refused(void **state)
{
    static const oct_include made[] = {
        {.name = "user.clh",
         .label = "made.cl",
         .text = "real4 octant_force(real3 x, real3 v, real m, ulong id, real t)\n"
                 "{ return (real4)(0); }\n"
                 "#define MAKE(name) kernel void name(global float *out) { out[0] = 1; }\n"
                 "MAKE(made_by_macro)\n"},
        {0}};
    const oct_build build = {
        .file = "force_custom.cl", .precision = OCT_PRECISION_SINGLE, .includes = made};
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    (void)state;
    ref_ok(oct_program_create(&program, ref_device(), &build));
    assert_int_equal(oct_kernel_create(&kernel, program, "made_by_macro"), OCT_STATUS_INTERNAL);
    ref_says("force_custom.cl: the arguments of kernel 'made_by_macro' cannot be read: expected it "
             "to be written out");
    assert_null(kernel);
    oct_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_found),
        cmocka_unit_test(a_launch_passes_what_is_there_now),
        cmocka_unit_test(buffers_may_be_replaced),
        cmocka_unit_test(owners_offer_what_kernels_ask_for),
        cmocka_unit_test(owners_may_come_and_go),
        cmocka_unit_test(kernels_that_cannot_be_read_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
