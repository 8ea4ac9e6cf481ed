/* Finds the tables of addresses in loaded objects and puts our functions into them. */
#include "fault.h"

#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault_parts.h"

typedef enum fault_mode { MODE_FAIL, MODE_STAY, MODE_KILL, MODE_CUT } fault_mode;

static struct {
    long k;
    fault_mode mode;
    int error;
    atomic_long seen;
} plan;

/* Shared with child processes, in which files are tried out. */
static atomic_bool alone, *struck = &alone;

static atomic_long objects;
static long entries;

/* From where each armed call came, where OCTANT_FAULT_SITES asks for it. */
enum { MOST_SITES = 1 << 20, DEPTH = 9 };
static uint32_t sites[MOST_SITES];
static const char *sites_path;

typedef void (*visit)(fault_call *call, void *context);

static void for_all(visit do_it, void *context)
{
    for (size_t i = 0; i < fault_n_system_calls; i++)
        do_it(&fault_system_calls[i], context);
    for (size_t i = 0; i < fault_n_stream_calls; i++)
        do_it(&fault_stream_calls[i], context);
    for (size_t i = 0; i < fault_n_cl_calls; i++)
        do_it(&fault_cl_calls[i], context);
}

void fault_kill(void)
{
    kill(getpid(), SIGKILL);
}

/* A number for the chain of callers: that of FNV-1a over their addresses. */
static uint32_t site_here(void)
{
    void *chain[DEPTH];
    uint32_t hash = 2166136261U;
    int depth = backtrace(chain, DEPTH);
    for (int i = 0; i < depth; i++)
        for (uintptr_t left = (uintptr_t)chain[i]; left > 0; left >>= 8)
            hash = (hash ^ (uint32_t)(left & 255)) * 16777619U;
    return hash;
}

bool fault_strikes_write(fault_call *call)
{
    atomic_fetch_add(&call->seen, 1);
    if (!atomic_load(&call->armed))
        return false;
    long n = atomic_fetch_add(&plan.seen, 1) + 1;
    if (sites_path && n <= MOST_SITES)
        sites[n - 1] = site_here();
    if (plan.k == 0 || n < plan.k || (n > plan.k && plan.mode != MODE_STAY))
        return false;
    atomic_store(struck, true);
    if (plan.mode == MODE_KILL)
        fault_kill();
    return true;
}

bool fault_strikes(fault_call *call)
{
    bool strikes = fault_strikes_write(call);
    if (strikes && plan.mode == MODE_CUT)
        fault_kill();
    return strikes;
}

bool fault_cuts(void)
{
    return plan.mode == MODE_CUT;
}

int fault_errno(int usual)
{
    return plan.error ? plan.error : usual;
}

void fault_count_object(long change)
{
    atomic_fetch_add(&objects, change);
}

long fault_objects(void)
{
    return atomic_load(&objects);
}

long fault_entries(void)
{
    return entries;
}

typedef struct wanted {
    const char *kind;
    int found;
} wanted;

static void arm_kind(fault_call *call, void *context)
{
    wanted *what = context;
    bool is_it = strcmp(call->kind, what->kind) == 0;
    atomic_store(&call->armed, is_it);
    what->found += is_it;
}

static void arm_symbol(fault_call *call, void *context)
{
    wanted *what = context;
    bool is_it = strcmp(call->symbol, what->kind) == 0;
    atomic_store(&call->armed, is_it);
    what->found += is_it;
}

static void disarm_call(fault_call *call, void *context)
{
    (void)context;
    atomic_store(&call->armed, false);
}

/* False where no call is of that kind. */
static bool arm(const char *kind, long k, fault_mode mode, int error)
{
    wanted what = {kind, 0};
    for_all(disarm_call, NULL);
    plan.k = k;
    plan.mode = mode;
    plan.error = error;
    atomic_store(&plan.seen, 0);
    atomic_store(struck, false);
    for_all(arm_kind, &what);
    if (what.found == 0)
        for_all(arm_symbol, &what);
    return what.found > 0;
}

bool fault_arm_words(const char *words)
{
    static const char *const modes[] = {"fail", "stay", "kill", "cut"};
    char kind[64], mode[8] = "fail";
    long k;
    int error = 0;
    if (sscanf(words, "%63[^:]:%ld:%7[a-z]:%d", kind, &k, mode, &error) < 2 || k < 0)
        return false;
    for (int i = 0; i < 4; i++)
        if (strcmp(mode, modes[i]) == 0)
            return arm(kind, k, (fault_mode)i, error);
    return false;
}

void fault_arm(const char *kind, long k)
{
    arm(kind, k, MODE_FAIL, 0);
}

long fault_disarm(void)
{
    for_all(disarm_call, NULL);
    return atomic_load(&plan.seen);
}

bool fault_struck(void)
{
    return atomic_load(struck);
}

/* Which objects are rewritten, and for which kinds: drivers and compilers abort without memory,
 * HDF5 when a file that it reads cannot be closed, and the HTTP server may not lose what wakes it.
 */
static bool is_rewritten(const char *object, bool is_octant, const char *kind)
{
    static const char *const whole[] = {"liboctant", "libpng", "libyaml"};
    const char *slash = strrchr(object, '/');
    const char *name = slash ? slash + 1 : object;
    bool allocates = strcmp(kind, "malloc") == 0, in_hdf5 = strcmp(kind, "hdf5") == 0;
    if (strncmp(name, "libhdf5", 7) == 0)
        return !allocates && strcmp(kind, "write") != 0;
    if (in_hdf5)
        return false;
    if (*name == '\0')
        return is_octant;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (strncmp(name, whole[i], strlen(whole[i])) == 0)
            return true;
    return strncmp(name, "libmicrohttpd", 13) == 0 &&
           (allocates || strcmp(kind, "thread") == 0 || strcmp(kind, "mmap") == 0);
}

typedef struct slot {
    const char *object, *symbol;
    bool is_octant;
    void **at;
} slot;

static void rewrite_slot(fault_call *call, void *context)
{
    slot *found = context;
    if (strcmp(found->symbol, call->symbol) != 0 ||
        !is_rewritten(found->object, found->is_octant, call->kind))
        return;
    /* After start the table may be read-only. */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)found->at / page * page;
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0)
        return;
    memcpy(found->at, &call->wrapper, sizeof call->wrapper);
    entries++;
}

static bool is_call_slot(unsigned long type)
{
#if defined(__x86_64__)
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#else
    return false;
#endif
}

static int rewrite_object(struct dl_phdr_info *object, size_t bytes, void *context)
{
    const ElfW(Dyn) *dynamic = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const ElfW(Rela) * tables[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    /* The vDSO keeps offsets where the others keep addresses. */
    if (!dynamic || strncmp(object->dlpi_name, "linux-vdso", 10) == 0)
        return 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *pointer = (const void *)dynamic->d_un.d_ptr;
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            symbols = pointer;
            break;
        case DT_STRTAB:
            names = pointer;
            break;
        case DT_JMPREL:
            tables[0] = pointer;
            break;
        case DT_PLTRELSZ:
            sizes[0] = dynamic->d_un.d_val;
            break;
        case DT_RELA:
            tables[1] = pointer;
            break;
        case DT_RELASZ:
            sizes[1] = dynamic->d_un.d_val;
            break;
        }
    }
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; tables[t] && i < sizes[t] / sizeof *tables[t]; i++) {
            const ElfW(Rela) *entry = &tables[t][i];
            slot found = {object->dlpi_name, names + symbols[ELF64_R_SYM(entry->r_info)].st_name,
                          *(const bool *)context, (void **)(object->dlpi_addr + entry->r_offset)};
            if (is_call_slot(ELF64_R_TYPE(entry->r_info)))
                for_all(rewrite_slot, &found);
        }
    return 0;
}

/* Not so in a test program, or in what the binary starts. */
static bool process_is_octant(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, "octant") == 0;
}

static pid_t logged; /* a copy of the process, which fork made, leaves no log */

__attribute__((constructor)) static void begin(void)
{
    bool is_octant = process_is_octant();
    const char *words = getenv("OCTANT_FAULT");
    dl_iterate_phdr(rewrite_object, &is_octant);
    void *page =
        mmap(NULL, sizeof *struck, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED)
        struck = page;
    if (!is_octant || !words)
        return;
    logged = getpid();
    sites_path = getenv("OCTANT_FAULT_SITES");
    /* A second process that helps with a first use is left in peace. */
    char copy[128];
    snprintf(copy, sizeof copy, "%s", words);
    words = copy;
    unsetenv("OCTANT_FAULT");
    if (!fault_arm_words(words)) {
        fprintf(stderr, "fault: '%s' is not KIND:K[:MODE[:ERRNO]]\n", words);
        _exit(125);
    }
}

static void log_call(fault_call *call, void *context)
{
    long seen = atomic_load(&call->seen);
    if (seen > 0)
        dprintf(*(const int *)context, "%s %s %ld\n", call->kind, call->symbol, seen);
}

static int open_log(const char *path)
{
    return path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
}

static void write_sites(void)
{
    long seen = atomic_load(&plan.seen);
    int to = open_log(sites_path);
    if (to < 0)
        return;
    size_t bytes = sizeof sites[0] * (size_t)(seen < MOST_SITES ? seen : MOST_SITES);
    const char *from = (const char *)sites;
    for (ssize_t done; bytes > 0 && (done = write(to, from, bytes)) > 0; from += done)
        bytes -= (size_t)done;
    close(to);
}

__attribute__((destructor)) static void end(void)
{
    if (logged != getpid())
        return;
    write_sites();
    int to = open_log(getenv("OCTANT_FAULT_LOG"));
    if (to < 0)
        return;
    for_all(log_call, &to);
    dprintf(to, "state struck %d\nstate objects %ld\n", fault_struck(), fault_objects());
    close(to);
}
