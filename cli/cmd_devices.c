/* octant devices: what OpenCL offers on this machine. */
#include <inttypes.h>
#include <stdio.h>

#include "cache.h"
#include "command.h"

static const oct_option options[] = {OCT_OPTION_JSON, {0}};

static void print_json(const oct_device_info *list, size_t n)
{
    printf("[");
    for (size_t i = 0; i < n; i++) {
        const oct_device_info *device = &list[i];
        printf("%s\n  {\"index\": %zu, \"name\": ", i ? "," : "", i);
        oct_json_text(device->name);
        printf(", \"kind\": \"%s\", \"vendor\": ", device->kind);
        oct_json_text(device->vendor);
        printf(", \"driver\": ");
        oct_json_text(device->driver);
        printf(", \"platform\": ");
        oct_json_text(device->platform);
        printf(", \"memory\": %" PRIu64 ", \"max_buffer\": %" PRIu64
               ", \"fp64\": %s, \"compute_units\": %u}",
               device->memory, device->max_buffer, device->fp64 ? "true" : "false",
               device->compute_units);
    }
    printf("%s]\n", n ? "\n" : "");
}

static void print_table(const oct_device_info *list, size_t n)
{
    printf("%-5s  %-4s  %-10s  %-10s  %-4s  %s\n", "index", "kind", "memory", "buffer", "fp64",
           "name, driver");
    for (size_t i = 0; i < n; i++) {
        const oct_device_info *device = &list[i];
        char memory[32], buffer[32];
        oct_format_bytes(memory, (double)device->memory);
        oct_format_bytes(buffer, (double)device->max_buffer);
        printf("%-5zu  %-4s  %-10s  %-10s  %-4s  %s, %s\n", i, device->kind, memory, buffer,
               device->fp64 ? "yes" : "no", OCT_SHOW(device->name), OCT_SHOW(device->driver));
    }
}

static int run(const oct_call *call)
{
    oct_device_info *list = NULL;
    size_t n = 0;
    oct_cache_prepare(false);
    oct_status status = oct_device_list(&list, &n);
    if (status != OCT_STATUS_OK)
        return oct_report_failure(status);
    if (oct_call_option(call, "json"))
        print_json(list, n);
    else
        print_table(list, n);
    oct_device_list_free(list);
    return 0;
}

const oct_command oct_cmd_devices = {
    .name = "devices",
    .arguments = "",
    .doc = "list the OpenCL devices of this machine",
    .example = "octant devices",
    .options = options,
    .run = run,
};
