/* Streams of the C library. What a stream buffers is written inside the library, out of reach: the
 * calls themselves fail, and leave the stream's error flag set as a failed write would. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "fault_parts.h"

/* Writes count as print where they go to standard output: by another call of the same name. */
#define CALLS(X)                                                                                   \
    X(fopen, "open")                                                                               \
    X(fdopen, "open")                                                                              \
    X(tmpfile, "open")                                                                             \
    X(fread, "read")                                                                               \
    X(getline, "read")                                                                             \
    X(fgetc, "read")                                                                               \
    X(getc, "read")                                                                                \
    X(fwrite, "write")                                                                             \
    X(fputs, "write")                                                                              \
    X(fputc, "write")                                                                              \
    X(putc, "write")                                                                               \
    X(fprintf, "write")                                                                            \
    X(vfprintf, "write")                                                                           \
    X(fflush, "write")                                                                             \
    X(fclose, "write")                                                                             \
    X(printf, "print")                                                                             \
    X(puts, "print")                                                                               \
    X(putchar, "print")                                                                            \
    X(popen, "spawn")

#define INDEX(name, kind) CALL_##name,
enum { CALLS(INDEX) PRINTED, N_CALLS };

#define STRIKES(name) fault_strikes(&fault_stream_calls[CALL_##name])

/* The error flag can be set only by an error: reading what is open for writing is one. */
static void spoil_written(FILE *stream)
{
    (void)getc(stream);
    errno = fault_errno(ENOSPC);
}

static void spoil_read(FILE *stream)
{
    (void)putc(0, stream);
    errno = fault_errno(EIO);
}

/* Whether a write fails; failures are told on standard error, which is spared. */
static bool write_strikes(fault_call *call, FILE *stream)
{
    if (stream == stderr)
        return false;
    if (stream == stdout)
        call = &fault_stream_calls[PRINTED];
    if (!fault_strikes_write(call))
        return false;
    if (fault_cuts()) {
        fflush(stream);
        fault_kill();
    }
    spoil_written(stream);
    return true;
}

#define WRAP_OPEN(name, parameters, arguments)                                                     \
    static FILE *wrap_##name parameters                                                            \
    {                                                                                              \
        if (!STRIKES(name))                                                                        \
            return name arguments;                                                                 \
        errno = fault_errno(EMFILE);                                                               \
        return NULL;                                                                               \
    }

WRAP_OPEN(fopen, (const char *path, const char *mode), (path, mode))
WRAP_OPEN(fdopen, (int file, const char *mode), (file, mode))
WRAP_OPEN(tmpfile, (void), ())
WRAP_OPEN(popen, (const char *command, const char *mode), (command, mode))

#define WRAP_READ(type, name, parameters, arguments, failed)                                       \
    static type wrap_##name parameters                                                             \
    {                                                                                              \
        if (!STRIKES(name))                                                                        \
            return name arguments;                                                                 \
        spoil_read(stream);                                                                        \
        return failed;                                                                             \
    }

WRAP_READ(size_t, fread, (void *to, size_t bytes, size_t n, FILE *stream), (to, bytes, n, stream),
          0)
WRAP_READ(ssize_t, getline, (char **line, size_t *room, FILE *stream), (line, room, stream), -1)
WRAP_READ(int, fgetc, (FILE * stream), (stream), EOF)
WRAP_READ(int, getc, (FILE * stream), (stream), EOF)

#define WRAP_WRITE(type, name, parameters, arguments, failed)                                      \
    static type wrap_##name parameters                                                             \
    {                                                                                              \
        return write_strikes(&fault_stream_calls[CALL_##name], stream) ? failed : name arguments;  \
    }

WRAP_WRITE(size_t, fwrite, (const void *from, size_t bytes, size_t n, FILE *stream),
           (from, bytes, n, stream), 0)
WRAP_WRITE(int, fputs, (const char *text, FILE *stream), (text, stream), EOF)
WRAP_WRITE(int, fputc, (int byte, FILE *stream), (byte, stream), EOF)
WRAP_WRITE(int, putc, (int byte, FILE *stream), (byte, stream), EOF)
WRAP_WRITE(int, vfprintf, (FILE * stream, const char *format, va_list rest), (stream, format, rest),
           -1)
WRAP_WRITE(int, fflush, (FILE * stream), (stream), EOF)
static int wrap_puts(const char *text)
{
    return write_strikes(&fault_stream_calls[PRINTED], stdout) ? EOF : puts(text);
}

static int wrap_putchar(int byte)
{
    return write_strikes(&fault_stream_calls[PRINTED], stdout) ? EOF : putchar(byte);
}

static int wrap_fprintf(FILE *stream, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    bool strikes = write_strikes(&fault_stream_calls[CALL_fprintf], stream);
    int count = strikes ? -1 : vfprintf(stream, format, rest);
    va_end(rest);
    return count;
}

static int wrap_printf(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    bool strikes = write_strikes(&fault_stream_calls[CALL_printf], stdout);
    int count = strikes ? -1 : vprintf(format, rest);
    va_end(rest);
    return count;
}

/* The stream is gone even if what it still held could not be written. */
static int wrap_fclose(FILE *stream)
{
    bool strikes = write_strikes(&fault_stream_calls[CALL_fclose], stream);
    int code = fclose(stream);
    if (!strikes)
        return code;
    errno = fault_errno(ENOSPC);
    return EOF;
}

#define ENTRY(name, kind) {#name, kind, (fault_function)wrap_##name, 0, false},
fault_call fault_stream_calls[] = {CALLS(ENTRY){"(standard output)", "print", NULL, 0, false}};
const size_t fault_n_stream_calls = N_CALLS;
