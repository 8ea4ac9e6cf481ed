/* Foreign text, made printable and valid JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/text.h"

/* Text, how a terminal may show it, and how JSON has it. */
static const struct sample {
    const char *text, *shown, *json;
} samples[] = {
    {"", "", "\"\""},
    {"plain", "plain", "\"plain\""},
    {"a\tb", "a\tb", "\"a\\u0009b\""},
    {"a\nb\r", "a\\x0ab\\x0d", "\"a\\u000ab\\u000d\""},
    {"\033[31m\177", "\\x1b[31m\\x7f", "\"\\u001b[31m\\u007f\""},
    {"quote \" and \\", "quote \" and \\", "\"quote \\\" and \\\\\""},
    {"caf\303\251 \342\202\254 \360\237\252\220", "caf\303\251 \342\202\254 \360\237\252\220",
     "\"caf\303\251 \342\202\254 \360\237\252\220\""},
    {"\302\233m", "\\x9bm", "\"\\u009bm\""},                          /* C1 in UTF-8 */
    {"\233m", "\\x9bm", "\"\\ufffdm\""},                              /* and as a byte of its own */
    {"\342\200\256x", "\\u202ex", "\"\\u202ex\""},                    /* right to left */
    {"\342\200\250", "\\u2028", "\"\\u2028\""},                       /* the end of a line */
    {"\377\376", "\\xff\\xfe", "\"\\ufffd\\ufffd\""},                 /* never in UTF-8 */
    {"\303", "\\xc3", "\"\\ufffd\""},                                 /* cut */
    {"\342\202", "\\xe2\\x82", "\"\\ufffd\\ufffd\""},                 /* cut */
    {"\300\257", "\\xc0\\xaf", "\"\\ufffd\\ufffd\""},                 /* too long for what it is */
    {"\355\240\200", "\\xed\\xa0\\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* surrogate */
    {"\364\220\200\200", "\\xf4\\x90\\x80\\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* U+110000 */
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void foreign_text_is_printable(void **state)
{
    char out[64];
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        assert_string_equal(oct_text_printable(out, sizeof out, samples[i].text), samples[i].shown);
}

static void foreign_text_is_valid_json(void **state)
{
    char *out;
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(oct_text_json(&out, samples[i].text), OCT_STATUS_OK);
        assert_string_equal(out, samples[i].json);
        oct_text_free(out);
    }
}

static void what_does_not_fit_is_cut_between_characters(void **state)
{
    char out[8];
    (void)state;
    assert_string_equal(oct_text_printable(out, 8, "12345678"), "1234567");
    assert_string_equal(oct_text_printable(out, 8, "12345\033"), "12345");
    assert_string_equal(oct_text_printable(out, 8, "123456\303\251"), "123456");
    assert_string_equal(oct_text_printable(out, 1, "x"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_text_is_printable),
        cmocka_unit_test(foreign_text_is_valid_json),
        cmocka_unit_test(what_does_not_fit_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
