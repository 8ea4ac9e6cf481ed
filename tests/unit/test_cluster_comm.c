/* Both transports do the same, to the bit, whoever comes first; and a rank that ends ends all. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cluster/comm.h"
#include "ranks.h"

enum { MOST = 4, LONG = 1 << 17 };

static const char *program;

/* What a rank has to say in a round, the same in every process. */
static double number(uint32_t rank, uint32_t round)
{
    static const double odd[] = {1e16, 1, -1e16, 0.1, -0.3, 3e-17};
    return odd[(rank + round * 5) % 6];
}

static void dawdle(uint32_t rank, uint32_t round)
{
    const struct timespec some = {.tv_nsec = (rank * 37 + round * 53) % 5 * 700000};
    nanosleep(&some, NULL);
}

static uint64_t digest(uint64_t before, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        before = (before ^ at[i]) * 0x100000001b3;
    return before;
}

/* Everything that a communicator does, once; *out: a digest of all that was received. */
static oct_status talk(uint64_t *out, oct_comm *comm, uint32_t round)
{
    uint32_t me = comm->rank, n = comm->size;
    double all[MOST] = {0}, sums[3], least[2], most[2];
    size_t bytes[MOST];
    char varied[256] = {0}, mine[64], word[8] = "";
    dawdle(me, round);
    OCT_TRY(oct_comm_gather(comm, all, &(double){number(me, round)}, sizeof *all));
    *out = digest(*out, all, sizeof all);
    for (uint32_t r = 0; r < n; r++)
        bytes[r] = 13 * ((r + round) % n);
    memset(mine, 'a' + (int)me, sizeof mine);
    OCT_TRY(oct_comm_gather_varied(comm, varied, mine, bytes));
    *out = digest(*out, varied, sizeof varied);
    if (me == 0)
        snprintf(word, sizeof word, "word%u", (unsigned)(round % 10));
    dawdle(me, round + 1);
    OCT_TRY(oct_comm_broadcast(comm, word, sizeof word));
    *out = digest(*out, word, sizeof word);
    for (uint32_t i = 0; i < 3; i++)
        sums[i] = number(me, round + i);
    memcpy(least, sums, sizeof least);
    memcpy(most, sums, sizeof most);
    OCT_TRY(oct_comm_sum(comm, sums, 3));
    OCT_TRY(oct_comm_barrier(comm));
    OCT_TRY(oct_comm_least(comm, least, 2));
    OCT_TRY(oct_comm_most(comm, most, 2));
    *out = digest(digest(digest(*out, sums, sizeof sums), least, sizeof least), most, sizeof most);
    return OCT_STATUS_OK;
}

/* Long messages of a size of their own for every pair, sent while the rank does something else. */
static oct_status swap(uint64_t *out, oct_comm *comm, uint32_t round)
{
    uint32_t me = comm->rank, n = comm->size;
    oct_parcel to[MOST] = {{0}}, from[MOST] = {{0}};
    oct_status status = OCT_STATUS_OK;
    for (uint32_t r = 0; r < n; r++) {
        to[r].bytes = (me * n + r + round) % 3 * (LONG / 2 + 8 * r);
        from[r].bytes = (r * n + me + round) % 3 * (LONG / 2 + 8 * me);
        to[r].data = malloc(to[r].bytes + 1);
        from[r].data = calloc(from[r].bytes + 1, 1);
        memset(to[r].data, (int)(16 * me + r + round), to[r].bytes);
    }
    OCT_TRY_DONE(oct_comm_start(comm, to, from));
    if (oct_comm_start(comm, to, from) != OCT_STATUS_INTERNAL ||
        oct_comm_barrier(comm) != OCT_STATUS_INTERNAL)
        status = OCT_FAIL(OCT_STATUS_INTERNAL, "two exchanges are under way at once");
    dawdle(me, round);
    OCT_TRY_DONE(oct_comm_wait(comm));
done:
    for (uint32_t r = 0; r < n; r++) {
        *out = digest(*out, from[r].data, from[r].bytes);
        free(to[r].data);
        free(from[r].data);
    }
    return status;
}

/* `context`: where the digests of all ranks go. */
static oct_status work(oct_comm *comm, void *context)
{
    enum { ROUNDS = 6 };
    uint64_t mine = 0xcbf29ce484222325, all[MOST] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        OCT_TRY(talk(&mine, comm, round));
        OCT_TRY(swap(&mine, comm, round));
    }
    OCT_TRY(oct_comm_gather(comm, all, &mine, sizeof mine));
    if (comm->rank == 0)
        memcpy(context, all, sizeof all);
    return OCT_STATUS_OK;
}

/* What one process would find without any messages, for what is summed. */
static void in_the_order_of_ranks(void **state)
{
    (void)state;
    double sum = number(0, 0);
    for (uint32_t r = 1; r < MOST; r++)
        sum += number(r, 0);
    double other = number(MOST - 1, 0);
    for (uint32_t r = MOST - 1; r > 0; r--)
        other += number(r - 1, 0);
    assert_true(sum != other); /* the order can be seen */
}

static oct_status sum_up(oct_comm *comm, void *context)
{
    double sum = number(comm->rank, 0), expected = number(0, 0);
    (void)context;
    for (uint32_t r = 1; r < comm->size; r++)
        expected += number(r, 0);
    dawdle(comm->rank, 3);
    OCT_TRY(oct_comm_sum(comm, &sum, 1));
    OCT_CHECK(sum == expected, OCT_STATUS_INTERNAL, "%g is not %g", sum, expected);
    return OCT_STATUS_OK;
}

static void sums_do_not_depend_on_time(void **state)
{
    (void)state;
    for (uint32_t ranks = 1; ranks <= MOST; ranks++)
        for (int again = 0; again < 5; again++)
            assert_int_equal(oct_comm_threads(ranks, sum_up, NULL), OCT_STATUS_OK);
}

static void both_transports_agree(void **state)
{
    (void)state;
    if (!ref_has_mpi())
        skip();
    for (int ranks = 1; ranks <= MOST; ranks++) {
        uint64_t local[MOST], again[MOST];
        char text[4096], expected[128];
        assert_int_equal(oct_comm_threads((uint32_t)ranks, work, local), OCT_STATUS_OK);
        assert_int_equal(oct_comm_threads((uint32_t)ranks, work, again), OCT_STATUS_OK);
        assert_memory_equal(local, again, sizeof local);
        assert_int_equal(ref_mpirun(text, sizeof text, ranks, program, "work"), 0);
        snprintf(expected, sizeof expected, "%016llx %016llx %016llx %016llx",
                 (unsigned long long)local[0], (unsigned long long)local[1],
                 (unsigned long long)local[2], (unsigned long long)local[3]);
        assert_non_null(strstr(text, expected));
    }
}

/* Ends ---------------------------------------------------------------------------------------- */

typedef struct ending {
    uint32_t who;
    oct_status status[MOST];
    char sentence[MOST][256];
} ending;

static oct_status end_one(oct_comm *comm, void *context)
{
    ending *e = context;
    double one = 1;
    oct_status status = OCT_STATUS_OK;
    for (int i = 0; i < 3 && status == OCT_STATUS_OK; i++)
        status = oct_comm_sum(comm, &one, 1);
    if (comm->rank == e->who)
        status = OCT_FAIL(OCT_STATUS_NUMBER, "the disk is full");
    else if (status == OCT_STATUS_OK)
        status = oct_comm_sum(comm, &one, 1);
    e->status[comm->rank] = status;
    snprintf(e->sentence[comm->rank], sizeof e->sentence[0], "%s", oct_last_error());
    return status;
}

static void a_thread_that_ends_ends_all(void **state)
{
    (void)state;
    for (uint32_t ranks = 2; ranks <= MOST; ranks++)
        for (uint32_t who = 0; who < ranks; who++) {
            ending e = {.who = who};
            char expected[128];
            double began = ref_seconds();
            assert_int_equal(oct_comm_threads(ranks, end_one, &e), OCT_STATUS_NUMBER);
            assert_string_equal(oct_last_error(), "the disk is full");
            assert_true(ref_seconds() - began < 5);
            snprintf(expected, sizeof expected, "rank %u of %u has ended: the disk is full",
                     (unsigned)who, (unsigned)ranks);
            for (uint32_t r = 0; r < ranks; r++)
                if (r != who)
                    assert_string_equal(e.sentence[r], expected);
        }
}

/* Frees what others are about to copy, as ranks do that end in the middle of an exchange. */
static oct_status end_within(oct_comm *comm, void *context)
{
    enum { BYTES = 1 << 22 };
    oct_parcel to[MOST] = {{0}}, from[MOST] = {{0}};
    char *sent = calloc(BYTES, 1), *got = calloc(MOST, BYTES);
    for (uint32_t r = 0; r < comm->size; r++) {
        to[r] = (oct_parcel){sent, BYTES};
        from[r] = (oct_parcel){got + r * (size_t)BYTES, BYTES};
    }
    oct_status status = oct_comm_start(comm, to, from);
    if (comm->rank == 1) {
        dawdle(*(const uint32_t *)context, 1);
        status = oct_comm_fail(comm, OCT_FAIL(OCT_STATUS_NUMBER, "the disk is full"));
    } else {
        status = oct_comm_wait(comm);
    }
    free(sent);
    free(got);
    return status;
}

static void who_ends_in_an_exchange_waits_for_those_who_copy(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(oct_comm_threads(MOST, end_within, &i), OCT_STATUS_NUMBER);
}

/* What ranks show each other, and who fails: to look, or to show it. */
typedef struct shown {
    uint32_t fails;
    bool looks; /* it fails as it looks; else it never shows anything */
    uint32_t seen[MOST];
} shown;

typedef struct viewer {
    shown *all;
    uint32_t rank;
} viewer;

/* Reads what may be freed as soon as its owner has left. */
static oct_status look(void *context, uint32_t rank, void *theirs)
{
    const viewer *v = context;
    const volatile uint32_t *numbers = theirs;
    uint32_t right = 1;
    dawdle(v->rank, rank);
    for (uint32_t k = 0; k < 1 << 12; k++)
        right = right && numbers[k] == rank;
    v->all->seen[v->rank] += right;
    OCT_CHECK(!v->all->looks || v->rank != v->all->fails, OCT_STATUS_NUMBER, "no memory to look");
    return OCT_STATUS_OK;
}

static oct_status show(oct_comm *comm, void *context)
{
    shown *all = context;
    viewer v = {all, comm->rank};
    uint32_t *numbers;
    OCT_TRY(oct_alloc(&numbers, 1 << 12, sizeof *numbers, "numbers"));
    for (uint32_t k = 0; k < 1 << 12; k++)
        numbers[k] = comm->rank;
    oct_status status;
    if (comm->rank == all->fails && !all->looks)
        status = oct_comm_fail(comm, OCT_FAIL(OCT_STATUS_NUMBER, "no memory to look"));
    else
        status = oct_comm_visit(comm, numbers, look, &v);
    memset(numbers, 255, (1 << 12) * sizeof *numbers);
    free(numbers);
    return status;
}

/* Nobody takes away what others look at, and all end with the sentence of who has failed. */
static void who_fails_to_look_waits_for_those_who_do(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        shown all = {.fails = i % MOST, .looks = i >= 4};
        assert_int_equal(oct_comm_threads(MOST, show, &all), OCT_STATUS_NUMBER);
        assert_non_null(strstr(oct_last_error(), "no memory to look"));
        for (uint32_t r = 0; all.looks && r < MOST; r++)
            assert_int_equal(all.seen[r], r == all.fails ? 1 : MOST - 1);
    }
    shown all = {.fails = MOST};
    assert_int_equal(oct_comm_threads(MOST, show, &all), OCT_STATUS_OK);
    for (uint32_t r = 0; r < MOST; r++)
        assert_int_equal(all.seen[r], MOST - 1);
}

static void a_process_that_ends_ends_all(void **state)
{
    (void)state;
    char text[8192];
    if (!ref_has_mpi())
        skip();
    double began = ref_seconds();
    assert_int_not_equal(ref_mpirun(text, sizeof text, 3, program, "fails"), 0);
    assert_non_null(strstr(text, "rank 1: the disk is full"));
    assert_int_not_equal(ref_mpirun(text, sizeof text, 3, program, "dies"), 0);
    assert_non_null(strstr(text, "rank 1"));
    assert_null(strstr(text, "went on"));
    assert_true(ref_seconds() - began < 20); /* about 2 */
}

static oct_status unequal(oct_comm *comm, void *context)
{
    oct_parcel to[MOST] = {{0}}, from[MOST] = {{0}};
    char data[8] = "";
    (void)context;
    to[1 - comm->rank] = (oct_parcel){data, 4};
    from[1 - comm->rank] = (oct_parcel){data, comm->rank ? 4 : 5};
    return oct_comm_exchange(comm, to, from);
}

static void what_is_refused(void **state)
{
    (void)state;
    assert_int_equal(oct_comm_threads(0, work, NULL), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "number of ranks"));
    assert_int_equal(oct_comm_threads(1000, work, NULL), OCT_STATUS_INPUT);
    assert_non_null(strstr(oct_last_error(), "number of ranks"));
    assert_int_equal(oct_comm_threads(2, unequal, NULL), OCT_STATUS_INTERNAL);
    assert_non_null(strstr(oct_last_error(), "size of a message"));
    if (!oct_feature_present("mpi")) {
        oct_comm *comm;
        assert_int_equal(oct_comm_open(&comm), OCT_STATUS_ABSENT);
    }
}

/* A process of mpirun's ----------------------------------------------------------------------- */

static int be_rank(const char *mode)
{
    uint64_t all[MOST] = {0};
    oct_comm *comm;
    oct_status status = oct_comm_open(&comm);
    if (status == OCT_STATUS_OK && strcmp(mode, "work") == 0)
        status = work(comm, all);
    else if (status == OCT_STATUS_OK) {
        status = oct_comm_barrier(comm);
        if (comm->rank == 1 && strcmp(mode, "dies") == 0)
            raise(SIGKILL);
        if (comm->rank == 1)
            status = OCT_FAIL(OCT_STATUS_NUMBER, "the disk is full");
        else if (status == OCT_STATUS_OK && oct_comm_barrier(comm) == OCT_STATUS_OK)
            printf("went on\n");
    }
    if (status != OCT_STATUS_OK)
        printf("rank %u: %s\n", comm ? (unsigned)comm->rank : 99, oct_last_error());
    else if (comm->rank == 0)
        printf("%016llx %016llx %016llx %016llx\n", (unsigned long long)all[0],
               (unsigned long long)all[1], (unsigned long long)all[2], (unsigned long long)all[3]);
    fflush(stdout);
    oct_comm_fail(comm, status);
    oct_comm_close(comm);
    return status != OCT_STATUS_OK;
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1)
        return be_rank(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_order_of_ranks),
        cmocka_unit_test(sums_do_not_depend_on_time),
        cmocka_unit_test(both_transports_agree),
        cmocka_unit_test(a_thread_that_ends_ends_all),
        cmocka_unit_test(who_ends_in_an_exchange_waits_for_those_who_copy),
        cmocka_unit_test(who_fails_to_look_waits_for_those_who_do),
        cmocka_unit_test(a_process_that_ends_ends_all),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
