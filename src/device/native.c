/* How good a driver's native functions are. OpenCL leaves it open; some have twelve bits, which is
 * too few for pair forces in float. Measured once for each device and driver, then remembered. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cl.h"

enum { EXPONENTS = 254, MANTISSAS = 256, COUNT = EXPONENTS * MANTISSAS };

/* Four units in the last place. Seen: 8.9e-8 on PoCL; 5.9e-5 on Intel's CPU runtime, where a Newton
 * step leaves 7.2e-8. */
static const double good = 0x1p-21;

/* Every normal exponent; in each, mantissas spread over the octave and different from those of the
 * next. */
static void fill(float *x)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t exponent = 1 + i / MANTISSAS, step = (1u << 23) / MANTISSAS;
        uint32_t bits = exponent << 23 | (i % MANTISSAS * step + i * 2654435761u % step);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

/* Largest relative error; infinite where a result is no number. */
static double worst_of(const float *got, const float *x)
{
    double worst = 0;
    for (size_t i = 0; i < COUNT; i++) {
        double error = fabs(got[i] * sqrt(x[i]) - 1);
        worst = isnan(error) ? INFINITY : fmax(worst, error);
    }
    return worst;
}

static oct_status run_device(float *plain, float *refined, const float *x, oct_device *device)
{
    oct_status status;
    oct_program *program = NULL;
    oct_kernel *kernel = NULL;
    oct_buffer *in = NULL, *out[2] = {NULL};
    const oct_build build = {.file = "device_native.cl", .precision = OCT_PRECISION_SINGLE};
    OCT_TRY_DONE(oct_program_create(&program, device, &build));
    OCT_TRY_DONE(OCT_KERNEL(&kernel, program, "device_native_rsqrt", OCT_BIND_OUT("plain", &out[0]),
                            OCT_BIND_OUT("refined", &out[1]), OCT_BIND_IN("x", &in),
                            OCT_FIX_UINT("count", COUNT)));
    OCT_TRY_DONE(oct_buffer_create(&in, device, "numbers", sizeof *x, COUNT));
    OCT_TRY_DONE(oct_buffer_create(&out[0], device, "native roots", sizeof *plain, COUNT));
    OCT_TRY_DONE(oct_buffer_create(&out[1], device, "refined roots", sizeof *refined, COUNT));
    OCT_TRY_DONE(oct_buffer_write(in, x, 0, COUNT));
    OCT_TRY_DONE(oct_kernel_launch(kernel, COUNT, 0));
    OCT_TRY_DONE(oct_buffer_read(plain, out[0], 0, COUNT));
    status = oct_buffer_read(refined, out[1], 0, COUNT);
done:
    oct_buffer_free(in);
    oct_buffer_free(out[0]);
    oct_buffer_free(out[1]);
    oct_kernel_free(kernel);
    oct_program_free(program);
    return status;
}

oct_status oct_native_measure(oct_native_errors *out, oct_device *device)
{
    float *numbers;
    OCT_TRY(oct_alloc(&numbers, 3 * (size_t)COUNT, sizeof *numbers, "numbers"));
    float *x = numbers, *plain = x + COUNT, *refined = plain + COUNT;
    fill(x);
    oct_status status = run_device(plain, refined, x, device);
    *out = (oct_native_errors){worst_of(plain, x), worst_of(refined, x)};
    free(numbers);
    return status;
}

oct_native oct_native_choose(const oct_native_errors *errors)
{
    return errors->plain <= good     ? OCT_NATIVE_PLAIN
           : errors->refined <= good ? OCT_NATIVE_REFINED
                                     : OCT_NATIVE_EXACT;
}

/* What was measured before with this device and driver, if it was. */
static bool recall(oct_native_errors *out, const char *key)
{
    unsigned char *known;
    size_t bytes;
    oct_cache_read(&known, &bytes, key);
    bool good_size = known && bytes == sizeof *out;
    if (good_size)
        memcpy(out, known, sizeof *out);
    free(known);
    return good_size;
}

oct_status oct_native_rsqrt(oct_native *out, oct_device *device)
{
    char fingerprint[33], key[48];
    oct_native_errors errors;
    if (device->native == OCT_NATIVE_UNKNOWN) {
        OCT_TRY(oct_device_fingerprint(fingerprint, device, "native_rsqrt"));
        snprintf(key, sizeof key, "%s.native", fingerprint);
        if (!recall(&errors, key)) {
            OCT_TRY(oct_native_measure(&errors, device));
            oct_cache_write((const unsigned char *)&errors, sizeof errors, key);
        }
        device->native = oct_native_choose(&errors);
    }
    *out = device->native;
    return OCT_STATUS_OK;
}
