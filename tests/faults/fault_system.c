/* Memory, descriptors, names, threads and processes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault_parts.h"

#define CALLS(X)                                                                                   \
    X(malloc, "malloc")                                                                            \
    X(calloc, "malloc")                                                                            \
    X(realloc, "malloc")                                                                           \
    X(posix_memalign, "malloc")                                                                    \
    X(aligned_alloc, "malloc")                                                                     \
    X(strdup, "malloc")                                                                            \
    X(mmap, "mmap")                                                                                \
    X(open, "open")                                                                                \
    X(openat, "open")                                                                              \
    X(opendir, "open")                                                                             \
    X(read, "read")                                                                                \
    X(pread, "read")                                                                               \
    X(readdir, "read")                                                                             \
    X(write, "write")                                                                              \
    X(pwrite, "write")                                                                             \
    X(send, "write")                                                                               \
    X(ftruncate, "write")                                                                          \
    X(close, "write")                                                                              \
    X(fsync, "fsync")                                                                              \
    X(fdatasync, "fsync")                                                                          \
    X(flock, "lock")                                                                               \
    X(fcntl, "lock")                                                                               \
    X(rename, "rename")                                                                            \
    X(unlink, "unlink")                                                                            \
    X(remove, "unlink")                                                                            \
    X(rmdir, "unlink")                                                                             \
    X(link, "link")                                                                                \
    X(mkdir, "mkdir")                                                                              \
    X(mkdtemp, "mkdir")                                                                            \
    X(stat, "stat")                                                                                \
    X(lstat, "stat")                                                                               \
    X(fstat, "stat")                                                                               \
    X(access, "stat")                                                                              \
    X(realpath, "stat")                                                                            \
    X(pthread_create, "thread")                                                                    \
    X(pthread_mutex_init, "thread")                                                                \
    X(pthread_cond_init, "thread")                                                                 \
    X(fork, "spawn")                                                                               \
    X(pipe, "spawn")                                                                               \
    X(socketpair, "spawn")                                                                         \
    X(posix_spawn, "spawn")                                                                        \
    X(posix_spawnp, "spawn")                                                                       \
    X(socket, "socket")                                                                            \
    X(bind, "socket")                                                                              \
    X(listen, "socket")

/* Those of HDF5 itself, tens of thousands in a small run, are a kind of their own. */
#define HDF5_CALLS(X)                                                                              \
    X(malloc)                                                                                      \
    X(calloc)                                                                                      \
    X(realloc)                                                                                     \
    X(strdup)

#define INDEX(name, kind) CALL_##name,
#define HDF5_INDEX(name)  HDF5_##name,
enum { CALLS(INDEX) HDF5_CALLS(HDF5_INDEX) N_CALLS };

#define STRIKES(name) fault_strikes(&fault_system_calls[CALL_##name])

/* A function that sets errno and returns what says that it has failed. */
#define WRAP(type, name, parameters, arguments, failed, code)                                      \
    static type wrap_##name parameters                                                             \
    {                                                                                              \
        if (!STRIKES(name))                                                                        \
            return name arguments;                                                                 \
        errno = fault_errno(code);                                                                 \
        return failed;                                                                             \
    }

/* A function that returns the error number itself. */
#define WRAP_CODE(name, parameters, arguments, code)                                               \
    static int wrap_##name parameters                                                              \
    {                                                                                              \
        return STRIKES(name) ? fault_errno(code) : name arguments;                                 \
    }

WRAP(void *, malloc, (size_t bytes), (bytes), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t bytes), (n, bytes), NULL, ENOMEM)
WRAP(void *, realloc, (void *old, size_t bytes), (old, bytes), NULL, ENOMEM)

#define WRAP_HDF5(type, name, parameters, arguments)                                               \
    static type wrap_hdf5_##name parameters                                                        \
    {                                                                                              \
        if (!fault_strikes(&fault_system_calls[HDF5_##name]))                                      \
            return name arguments;                                                                 \
        errno = fault_errno(ENOMEM);                                                               \
        return NULL;                                                                               \
    }

WRAP_HDF5(void *, malloc, (size_t bytes), (bytes))
WRAP_HDF5(void *, calloc, (size_t n, size_t bytes), (n, bytes))
WRAP_HDF5(void *, realloc, (void *old, size_t bytes), (old, bytes))
WRAP_HDF5(char *, strdup, (const char *text), (text))

WRAP_CODE(posix_memalign, (void **out, size_t unit, size_t bytes), (out, unit, bytes), ENOMEM)
WRAP(void *, aligned_alloc, (size_t unit, size_t bytes), (unit, bytes), NULL, ENOMEM)
WRAP(char *, strdup, (const char *text), (text), NULL, ENOMEM)
WRAP(void *, mmap, (void *at, size_t bytes, int rights, int flags, int file, off_t from),
     (at, bytes, rights, flags, file, from), MAP_FAILED, ENOMEM)

/* A file that is made finds the disk full; one that is there finds no descriptor. */
static int opening_error(int flags)
{
    return fault_errno(flags & O_CREAT ? ENOSPC : EMFILE);
}

static int wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (!STRIKES(open))
        return open(path, flags, mode);
    errno = opening_error(flags);
    return -1;
}

static int wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (!STRIKES(openat))
        return openat(folder, path, flags, mode);
    errno = opening_error(flags);
    return -1;
}

WRAP(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
WRAP(ssize_t, read, (int file, void *to, size_t bytes), (file, to, bytes), -1, EIO)
WRAP(ssize_t, pread, (int file, void *to, size_t bytes, off_t from), (file, to, bytes, from), -1,
     EIO)
WRAP(struct dirent *, readdir, (DIR * folder), (folder), NULL, EIO)

/* A write, which may be done by half before the process is killed. What goes to the terminal is
 * spared: it is where failures are told. */
#define WRAP_WRITE(name, parameters, arguments, half)                                              \
    static ssize_t wrap_##name parameters                                                          \
    {                                                                                              \
        if (file == STDOUT_FILENO || file == STDERR_FILENO ||                                      \
            !fault_strikes_write(&fault_system_calls[CALL_##name]))                                \
            return name arguments;                                                                 \
        if (fault_cuts()) {                                                                        \
            (void)!name half;                                                                      \
            fault_kill();                                                                          \
        }                                                                                          \
        errno = fault_errno(ENOSPC);                                                               \
        return -1;                                                                                 \
    }

WRAP_WRITE(write, (int file, const void *from, size_t bytes), (file, from, bytes),
           (file, from, bytes / 2))
WRAP_WRITE(pwrite, (int file, const void *from, size_t bytes, off_t at), (file, from, bytes, at),
           (file, from, bytes / 2, at))
WRAP_WRITE(send, (int file, const void *from, size_t bytes, int flags), (file, from, bytes, flags),
           (file, from, bytes / 2, flags))

WRAP(int, ftruncate, (int file, off_t bytes), (file, bytes), -1, EIO)

/* The descriptor is gone even if what was written could not be kept. */
static int wrap_close(int file)
{
    bool strikes = STRIKES(close);
    int code = close(file);
    if (!strikes)
        return code;
    errno = fault_errno(EIO);
    return -1;
}

WRAP(int, fsync, (int file), (file), -1, EIO)
WRAP(int, fdatasync, (int file), (file), -1, EIO)
WRAP(int, flock, (int file, int what), (file, what), -1, ENOLCK)

/* Of all that it does, only locks can fail for want of something. */
static int wrap_fcntl(int file, int what, ...)
{
    va_list rest;
    va_start(rest, what);
    void *value = va_arg(rest, void *);
    va_end(rest);
    bool locks = what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK;
    if (!locks || !STRIKES(fcntl))
        return fcntl(file, what, value);
    errno = fault_errno(ENOLCK);
    return -1;
}

WRAP(int, rename, (const char *from, const char *to), (from, to), -1, EIO)
WRAP(int, unlink, (const char *path), (path), -1, EIO)
WRAP(int, remove, (const char *path), (path), -1, EIO)
WRAP(int, rmdir, (const char *path), (path), -1, EIO)
WRAP(int, link, (const char *from, const char *to), (from, to), -1, EPERM)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
WRAP(char *, mkdtemp, (char *pattern), (pattern), NULL, ENOSPC)
WRAP(int, stat, (const char *path, struct stat *out), (path, out), -1, EIO)
WRAP(int, lstat, (const char *path, struct stat *out), (path, out), -1, EIO)
WRAP(int, fstat, (int file, struct stat *out), (file, out), -1, EIO)
WRAP(int, access, (const char *path, int mode), (path, mode), -1, EIO)
WRAP(char *, realpath, (const char *path, char *out), (path, out), NULL, EIO)
WRAP_CODE(pthread_create,
          (pthread_t * out, const pthread_attr_t *how, void *(*body)(void *), void *context),
          (out, how, body, context), EAGAIN)
WRAP_CODE(pthread_mutex_init, (pthread_mutex_t * out, const pthread_mutexattr_t *how), (out, how),
          ENOMEM)
WRAP_CODE(pthread_cond_init, (pthread_cond_t * out, const pthread_condattr_t *how), (out, how),
          ENOMEM)
WRAP(pid_t, fork, (void), (), -1, EAGAIN)
WRAP(int, pipe, (int ends[2]), (ends), -1, EMFILE)
WRAP(int, socketpair, (int family, int type, int protocol, int ends[2]),
     (family, type, protocol, ends), -1, EMFILE)
WRAP_CODE(posix_spawn,
          (pid_t * out, const char *path, const posix_spawn_file_actions_t *actions,
           const posix_spawnattr_t *how, char *const words[], char *const environment[]),
          (out, path, actions, how, words, environment), EAGAIN)
WRAP_CODE(posix_spawnp,
          (pid_t * out, const char *file, const posix_spawn_file_actions_t *actions,
           const posix_spawnattr_t *how, char *const words[], char *const environment[]),
          (out, file, actions, how, words, environment), EAGAIN)
WRAP(int, socket, (int family, int type, int protocol), (family, type, protocol), -1, EMFILE)
WRAP(int, bind, (int file, const struct sockaddr *to, socklen_t bytes), (file, to, bytes), -1,
     EADDRINUSE)
WRAP(int, listen, (int file, int most), (file, most), -1, EADDRINUSE)

#define ENTRY(name, kind) {#name, kind, (fault_function)wrap_##name, 0, false},
#define HDF5_ENTRY(name)  {#name, "hdf5", (fault_function)wrap_hdf5_##name, 0, false},
fault_call fault_system_calls[] = {CALLS(ENTRY) HDF5_CALLS(HDF5_ENTRY)};
const size_t fault_n_system_calls = N_CALLS;
