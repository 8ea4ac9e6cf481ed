/* Who may talk to the viewer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "view/guard.h"

static void tokens_are_random_and_long(void **state)
{
    oct_guard one = {0}, other = {0};
    (void)state;
    assert_int_equal(oct_guard_start(&one, NULL), OCT_STATUS_OK);
    assert_int_equal(oct_guard_start(&other, NULL), OCT_STATUS_OK);
    assert_int_equal(strlen(one.token), 32);
    assert_int_equal(strspn(one.token, "0123456789abcdef"), 32);
    assert_string_not_equal(one.token, other.token);
}

static void a_token_that_is_given_is_checked(void **state)
{
    static const char given[] = "00112233445566778899aabbccddeeff";
    oct_guard guard = {0};
    (void)state;
    assert_int_equal(oct_guard_start(&guard, given), OCT_STATUS_OK);
    assert_string_equal(guard.token, given);
    static const char *const others[] = {"", "0011", "00112233445566778899AABBCCDDEEFF",
                                         "00112233445566778899aabbccddeeff0",
                                         "00112233445566778899aabbccddeef\n"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(oct_guard_start(&guard, others[i]), OCT_STATUS_INPUT);
}

static void only_the_token_is_known(void **state)
{
    const oct_guard guard = {.token = "00112233445566778899aabbccddeeff"};
    (void)state;
    assert_true(oct_guard_knows(&guard, "00112233445566778899aabbccddeeff"));
    static const char *const others[] = {"",
                                         "0",
                                         "00112233445566778899aabbccddeef",
                                         "00112233445566778899aabbccddeefe",
                                         "10112233445566778899aabbccddeeff",
                                         "00112233445566778899AABBCCDDEEFF",
                                         "00112233445566778899aabbccddeeff0",
                                         " 0112233445566778899aabbccddeeff"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(oct_guard_knows(&guard, others[i]));
    assert_false(oct_guard_knows(&guard, NULL));
}

static void hosts_are_compared_exactly(void **state)
{
    const oct_guard local = {.address = "127.0.0.1", .port = 8642};
    const oct_guard bound = {.address = "10.1.2.3", .port = 8642}, any = {.port = 8642};
    (void)state;
    assert_true(oct_guard_host(&local, "127.0.0.1:8642", "127.0.0.1"));
    assert_true(oct_guard_host(&local, "localhost:8642", NULL));
    static const char *const others[] = {"",
                                         "localhost",
                                         "127.0.0.1",
                                         "localhost:8643",
                                         "localhost:86420",
                                         "localhost:8642 ",
                                         "localhost:08642",
                                         "LOCALHOST:8642",
                                         "localhost.:8642",
                                         "127.0.0.1.evil.example:8642",
                                         "evil.example:8642",
                                         "localhost:8642@evil.example",
                                         "10.1.2.3:8642"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(oct_guard_host(&local, others[i], "127.0.0.1"));
    assert_false(oct_guard_host(&local, NULL, NULL));
    assert_true(oct_guard_host(&bound, "10.1.2.3:8642", NULL));
    assert_false(oct_guard_host(&bound, "10.1.2.4:8642", "10.1.2.4"));
    assert_true(oct_guard_host(&any, "10.1.2.4:8642", "10.1.2.4"));
    assert_false(oct_guard_host(&any, "10.1.2.5:8642", "10.1.2.4"));
    assert_false(oct_guard_host(&any, "evil.example:8642", "10.1.2.4"));
}

static void origins_are_the_page_itself(void **state)
{
    const char *host = "127.0.0.1:8642";
    (void)state;
    assert_true(oct_guard_origin(NULL, host));
    assert_true(oct_guard_origin("http://127.0.0.1:8642", host));
    static const char *const others[] = {"",
                                         "null",
                                         "http://",
                                         "https://127.0.0.1:8642",
                                         "http://127.0.0.1:8642/",
                                         "http://127.0.0.1",
                                         "http://localhost:8642",
                                         "http://127.0.0.1:86421",
                                         "http://evil.example"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(oct_guard_origin(others[i], host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_random_and_long),
        cmocka_unit_test(a_token_that_is_given_is_checked),
        cmocka_unit_test(only_the_token_is_known),
        cmocka_unit_test(hosts_are_compared_exactly),
        cmocka_unit_test(origins_are_the_page_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
