/* What kernels take is read from their source as the compiler reads it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/cl.h"
#include "scene_sim.h"

/* "name:type:bytes" of each argument of the only kernel. */
static void expect(const char *expected, const char *source, const char *options)
{
    oct_signatures s;
    char got[1024] = "";
    ref_ok(oct_signatures_read(&s, source, options));
    assert_int_equal(s.n, 1);
    for (size_t i = 0; i < s.list[0].n; i++) {
        const oct_argument *a = &s.list[0].arguments[i];
        size_t length = strlen(got);
        snprintf(got + length, sizeof got - length, "%s%s:%s:%zu", i > 0 ? " " : "", a->name,
                 a->type, a->bytes);
    }
    assert_string_equal(got, expected);
    oct_signatures_clear(&s);
}

static void arguments_have_names_types_and_sizes(void **state)
{
    (void)state;
    expect("out:float *:4 in:const double4 *:32 n:uint:4 seed:ulong:8 numbers:const float3 *:16",
           "kernel void f(global float *out, __global const double4 *restrict in, const uint n,\n"
           "              ulong seed, constant float3 *numbers)\n{\n}\n",
           "");
    expect("", "__kernel void f() {}", "");
    expect("x:thing *:0 y:const short16 *:32",
           "typedef struct { int a; } thing;\n"
           "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void\n"
           "f(volatile global thing *x, global short16 const *y);",
           "");
}

static void macros_and_conditions_are_heeded(void **state)
{
    static const char source[] = "#if OCT_PRECISION == 1 || !defined(WIDE)\n"
                                 "typedef float real;\n"
                                 "#elif OCT_PRECISION >= 2 && (WIDE + 1) * 2 == 4\n"
                                 "typedef double real;\n"
                                 "#else\n"
                                 "typedef half real;\n"
                                 "#endif\n"
                                 "/* kernel void no(int a); */ // kernel void nor(int b);\n"
                                 "#define real long /* not where kernels are */\n"
                                 "#undef real\n"
                                 "#ifndef FLAG\n"
                                 "#define FLAG uchar\n"
                                 "#endif\n"
                                 "#define TAKES(a) a\n"
                                 "#define MORE global const FLAG *flags, \\\n"
                                 "             real MORE_NAME\n"
                                 "#define MORE_NAME scale\n"
                                 "#ifdef NEVER\n"
                                 "#if 1\n"
                                 "it isn't read\n"
                                 "#else\n"
                                 "nor is this\n"
                                 "#endif\n"
                                 "kernel void g(int a) {}\n"
                                 "#endif\n"
                                 "kernel void f(MORE,\n"
                                 "#if WIDE\n"
                                 "              uint wide,\n"
                                 "#else\n"
                                 "              uint narrow,\n"
                                 "#endif\n"
                                 "              global sum *x) { char c = '\"'; }\n";
    (void)state;
    expect("flags:const uchar *:1 scale:real:4 narrow:uint:4 x:sum *:0", source,
           "-D OCT_PRECISION=1");
    expect("flags:const ushort *:2 scale:real:8 wide:uint:4 x:sum *:0", source,
           "-cl-std=CL1.2 -D OCT_PRECISION=2 -DWIDE -D FLAG=ushort");
    expect("flags:const uchar *:1 scale:real:2 wide:uint:4 x:sum *:0", source,
           "-D OCT_PRECISION=2 -D WIDE=7");
}

static void broken_text_is_read_to_its_end(void **state)
{
    static const char *const texts[] = {"#if",
                                        "#if (\n#elif 1 / 0\n#else\n",
                                        "#endif\n#else\n#define",
                                        "#define A A\n#if A\n#endif\nA",
                                        "kernel",
                                        "kernel void",
                                        "kernel void f(",
                                        "kernel void f(global",
                                        "typedef",
                                        "typedef int",
                                        "/* no end",
                                        "\"no end",
                                        "\\",
                                        "#line",
                                        "#line 3 \"",
                                        "#if 9223372036854775807 + 1 > -9223372036854775807 - 1",
                                        "kernel void f(a b c d e f g h i j k l m n o p q r s t)"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        oct_signatures s;
        ref_ok(oct_signatures_read(&s, texts[i], "-D"));
        oct_signatures_clear(&s);
    }
    /* Deeper than anything means to be. */
    char deep[4096] = "#if ";
    memset(deep + 4, '(', sizeof deep - 5);
    oct_signatures s;
    ref_ok(oct_signatures_read(&s, deep, ""));
    oct_signatures_clear(&s);
}

/* The compiler's own list, where the driver has one. */
static void compare_with_driver(oct_program *program, const oct_signature *s)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program->built.program, s->name, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_uint n = 0;
    assert_int_equal(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL), CL_SUCCESS);
    assert_int_equal(n, s->n);
    for (cl_uint i = 0; i < n; i++) {
        const oct_argument *a = &s->arguments[i];
        char name[64], type[64];
        cl_kernel_arg_type_qualifier qualifier = 0;
        cl_kernel_arg_address_qualifier space = 0;
        code = clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
        if (code == CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
            skip();
        assert_int_equal(code, CL_SUCCESS);
        /* PoCL has macros of its own for names of built-in functions. */
        assert_string_equal(strncmp(name, "_cl_", 4) == 0 ? name + 4 : name, a->name);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
        assert_int_equal(strchr(type, '*') != NULL, a->pointer);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier,
                           NULL);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL);
        bool read_only =
            (qualifier & CL_KERNEL_ARG_TYPE_CONST) != 0 || space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
        if (a->pointer)
            assert_int_equal(read_only, a->read_only);
    }
    clReleaseKernel(kernel);
}

static void it_is_the_compilers_list(void **state)
{
    static const char *const files[] = {"state.cl", "tree_octree.cl", "collision.cl",
                                        "array_compact.cl", "integrator_wh.cl"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        oct_program *program = NULL;
        const oct_build build = {
            .file = files[i],
            .precision = OCT_PRECISION_SINGLE,
            .options = "-cl-kernel-arg-info -D LAW=0 -D SPEED_ROWS=1 -D SPEED_BINS=1"};
        ref_ok(oct_program_create(&program, ref_device(), &build));
        assert_true(program->built.signatures.n > 0);
        for (size_t k = 0; k < program->built.signatures.n; k++)
            compare_with_driver(program, &program->built.signatures.list[k]);
        oct_program_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_have_names_types_and_sizes),
        cmocka_unit_test(macros_and_conditions_are_heeded),
        cmocka_unit_test(broken_text_is_read_to_its_end),
        cmocka_unit_test(it_is_the_compilers_list),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
