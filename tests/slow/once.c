/* Runs a fuzz target once over every file of the folders that are named, in the order of their
 * names, without a fuzzer: what was found once is not found again. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int run(const char *folder, const char *name)
{
    enum { LARGEST = 1 << 20 };
    static uint8_t data[LARGEST];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    printf("%s\n", name);
    fflush(stdout); /* the last name is the one that failed */
    return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    int failed = 0, count = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **entries;
        int n = scandir(argv[i], &entries, is_input, alphasort);
        for (int k = 0; k < n; k++) {
            failed += run(argv[i], entries[k]->d_name);
            free(entries[k]);
        }
        count += n > 0 ? n : 0;
        if (n >= 0)
            free(entries);
    }
    printf("%d inputs\n", count);
    return failed > 0 || count == 0;
}
