/* Remarks become sentences and go to whoever asked for them. */
#include "core/review.h"

#include <stdarg.h>
#include <stdio.h>

static void say(const oct_reviewer *to, bool problem, const char *format, va_list arguments)
{
    char sentence[400];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    to->log(to->context, problem, sentence);
}

void oct_review_note(const oct_reviewer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(to, false, format, arguments);
    va_end(arguments);
}

void oct_review_problem(const oct_reviewer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(to, true, format, arguments);
    va_end(arguments);
}
