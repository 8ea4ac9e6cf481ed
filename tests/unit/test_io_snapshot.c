/* Snapshots come back bit for bit, with what they say about themselves. */
#include "files.h"

#include "core/units.h"
#include "io/snapshot.h"

#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static oct_file_info sample_info(void)
{
    oct_file_info info = {.size = sizeof info, .title = "a test", .time = 3.5, .step = 7};
    info.units = *oct_units_find("solar");
    return info;
}

/* Writes bodies and reads them back. */
static void round_trip(oct_bodies *out, oct_file_info *found, const oct_bodies *bodies,
                       const oct_file_info *info)
{
    char path[128];
    scratch_path(path, "s.hdf5");
    assert_int_equal(oct_snapshot_write(bodies, info, "title: a test\n", path), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_read(out, found, path, NULL), OCT_STATUS_OK);
}

static void test_bodies_come_back_bit_for_bit(void **state)
{
    (void)state;
    static const char *const types[] = {"1", "4", "145", "6135"};
    for (size_t n = 1; n <= 100; n = 10 * n - 1)
        for (size_t t = 0; t < 4; t++) {
            oct_bodies bodies = {0}, again = {0};
            oct_file_info info = sample_info(), found = {.size = sizeof found};
            sample_bodies(&bodies, n, types[t]);
            bodies.position[0] = -0.0;
            bodies.position[1] = 1e-300;
            round_trip(&again, &found, &bodies, &info);
            assert_same_bodies(&bodies, &again);
            assert_memory_equal(bodies.potential, again.potential, n * sizeof(double));
            oct_bodies_clear(&bodies);
            oct_bodies_clear(&again);
        }
}

static void test_info_comes_back(void **state)
{
    (void)state;
    oct_bodies bodies = {0}, again = {0};
    oct_file_info info = sample_info(), found = {.size = sizeof found};
    sample_bodies(&bodies, 3, "1");
    info.periodic = info.spins = true;
    info.orbit = 1.5;
    snprintf(info.components, sizeof info.components, "primary secondary");
    info.box[0] = info.box[1] = info.box[2] = 2;
    round_trip(&again, &found, &bodies, &info);
    assert_string_equal(found.kind, "snapshot");
    assert_string_equal(found.title, "a test");
    assert_string_equal(found.components, "primary secondary");
    assert_non_null(strstr(found.generator, oct_version()));
    assert_true(found.time == info.time && found.step == info.step && found.periodic);
    assert_true(found.spins);
    assert_memory_equal(found.box, info.box, sizeof info.box);
    assert_true(found.orbit == 1.5);
    assert_string_equal(found.units.name, "solar");
    assert_true(found.units.length == info.units.length && found.units.G == info.units.G);
    oct_bodies_clear(&bodies);
    oct_bodies_clear(&again);
}

static void test_numbers_are_converted(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0}, again = {0};
    oct_file_info info = sample_info(), found = {.size = sizeof found};
    const oct_units *si = oct_units_find("si"), *nbody = oct_units_find("nbody");
    double length = info.units.length, mass = info.units.mass, time = info.units.time;
    sample_bodies(&bodies, 3, "1");
    bodies.spin[4] = 2.5;
    info.orbit = 1.5;
    scratch_path(path, "s.hdf5");
    assert_int_equal(oct_bodies_write(&bodies, &info, path), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_read(&again, &found, path, si), OCT_STATUS_OK);
    for (size_t i = 0; i < 9; i++) {
        assert_true(again.position[i] == bodies.position[i] * length);
        assert_true(again.velocity[i] == bodies.velocity[i] * (length / time));
        assert_true(again.spin[i] == bodies.spin[i] * (1 / time));
    }
    assert_true(again.mass[2] == bodies.mass[2] * mass && found.time == info.time * time);
    assert_true(found.orbit == 1.5 * time);
    assert_string_equal(found.units.name, "si");
    assert_refused(oct_bodies_read(&again, &found, path, nbody), "in units of solar", "nbody");
    oct_bodies_clear(&bodies);
    oct_bodies_clear(&again);
}

static void test_equal_contents_give_equal_bytes(void **state)
{
    (void)state;
    char path[128], *first, *second;
    oct_bodies bodies = {0};
    oct_file_info info = sample_info();
    sample_bodies(&bodies, 50, "145");
    scratch_path(path, "a.hdf5");
    assert_int_equal(oct_snapshot_write(&bodies, &info, "x: 1\n", path), OCT_STATUS_OK);
    size_t bytes = slurp(&first, path);
    sleep(1); /* HDF5's own time stamps count seconds */
    scratch_path(path, "b.hdf5");
    assert_int_equal(oct_snapshot_write(&bodies, &info, "x: 1\n", path), OCT_STATUS_OK);
    assert_int_equal(slurp(&second, path), bytes);
    assert_memory_equal(first, second, bytes);
    free(first);
    free(second);
    oct_bodies_clear(&bodies);
}

static double read_number(const char *path, const char *object, const char *name)
{
    double values[8] = {0};
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
    return values[0];
}

static void read_coordinates(double *out, const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "PartType1/Coordinates", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

/* Also with bodies on the faces of a box, which readers take as half open. */
static void test_coordinates_are_inside_the_box(void **state)
{
    (void)state;
    char path[128];
    double at[15];
    scratch_path(path, "s.hdf5");
    static const double extents[] = {0, 1e-12, 0.999999, 1, 1.3e11};
    for (size_t e = 0; e < 5; e++)
        for (int given = 0; given < (extents[e] > 0 ? 2 : 1); given++) {
            oct_bodies bodies = {0};
            oct_file_info info = sample_info();
            sample_bodies(&bodies, 5, "1");
            for (size_t i = 0; i < 15; i++)
                bodies.position[i] *= extents[e];
            bodies.position[0] = extents[e];
            bodies.position[4] = -extents[e];
            for (size_t d = 0; given && d < 3; d++)
                info.box[d] = 2 * extents[e];
            assert_int_equal(oct_snapshot_write(&bodies, &info, NULL, path), OCT_STATUS_OK);
            double box = read_number(path, "Header", "BoxSize");
            assert_true(given ? box == 2 * extents[e] : box >= 2 * extents[e]);
            assert_true(given || box <= 4.1 * extents[e] || extents[e] == 0);
            read_coordinates(at, path);
            for (size_t i = 0; i < 15; i++)
                assert_true(at[i] >= 0 && at[i] < box);
            oct_bodies_clear(&bodies);
        }
}

static void test_units_are_in_cgs(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0};
    oct_file_info info = sample_info();
    sample_bodies(&bodies, 2, "1");
    scratch_path(path, "s.hdf5");
    assert_int_equal(oct_snapshot_write(&bodies, &info, NULL, path), OCT_STATUS_OK);
    assert_true(read_number(path, "Units", "Unit length in cgs (U_L)") == 100 * info.units.length);
    assert_true(read_number(path, "Units", "Unit mass in cgs (U_M)") == 1000 * info.units.mass);
    assert_true(read_number(path, "InternalCodeUnits", "Unit time in cgs (U_t)") == 86400);
    info.units = *oct_units_find("nbody");
    assert_int_equal(oct_snapshot_write(&bodies, &info, NULL, path), OCT_STATUS_OK);
    assert_true(read_number(path, "Units", "Unit length in cgs (U_L)") == 1);
    assert_true(read_number(path, "Units", "Unit mass in cgs (U_M)") == 1);
    oct_bodies_clear(&bodies);
}

static void test_what_no_snapshot_can_hold_is_refused(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0};
    oct_file_info info = sample_info();
    scratch_path(path, "s.hdf5");
    assert_refused(oct_bodies_write(&bodies, &info, path), path, "no bodies");
    sample_bodies(&bodies, 2, "1");
    bodies.type[1] = 7;
    assert_refused(oct_bodies_write(&bodies, &info, path), "1007", "type 7");
    bodies.type[1] = 1;
    bodies.position[4] = NAN;
    assert_refused(oct_bodies_write(&bodies, &info, path), "1007", "finite");
    bodies.position[4] = 0;
    info.units.mass = 0;
    assert_refused(oct_bodies_write(&bodies, &info, path), path, "units");
    scratch_path(path, "s.dat");
    assert_refused(oct_bodies_write(&bodies, &info, path), path, ".hdf5");
    assert_int_equal(scratch_count(), 0);
    oct_bodies_clear(&bodies);
}

static void test_disk_full_leaves_the_old_one(void **state)
{
    (void)state;
    char path[128];
    oct_bodies bodies = {0}, again = {0};
    oct_file_info info = sample_info();
    struct rlimit before, small;
    sample_bodies(&bodies, 20000, "1");
    scratch_path(path, "s.hdf5");
    assert_int_equal(oct_bodies_write(&bodies, &info, path), OCT_STATUS_OK);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    for (rlim_t limit = 0; limit < 2000000; limit += 250000) {
        small = (struct rlimit){limit, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        oct_status status = oct_bodies_write(&bodies, &info, path);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, OCT_STATUS_IO);
        assert_int_equal(scratch_count(), 1);
    }
    assert_int_equal(oct_bodies_read(&again, NULL, path, NULL), OCT_STATUS_OK);
    assert_same_bodies(&bodies, &again);
    oct_bodies_clear(&bodies);
    oct_bodies_clear(&again);
}

static size_t small_snapshot(char path[128])
{
    char *data;
    oct_bodies bodies = {0};
    oct_file_info info = sample_info();
    sample_bodies(&bodies, 2, "1");
    scratch_path(path, "s.hdf5");
    assert_int_equal(oct_snapshot_write(&bodies, &info, NULL, path), OCT_STATUS_OK);
    oct_bodies_clear(&bodies);
    size_t bytes = slurp(&data, path);
    free(data);
    return bytes;
}

static void test_flipped_bits_are_noticed(void **state)
{
    (void)state;
    char path[128];
    size_t bytes = small_snapshot(path);
    oct_bodies again = {0};
    for (size_t i = 0; i < bytes; i += i < 1100 ? 1 : 61) {
        flip(path, i, i % 8);
        /* In the header it may as well be the number of bytes that has changed. */
        assert_refused(oct_bodies_read(&again, NULL, path, NULL), path, i < 512 ? "" : "damaged");
        flip(path, i, i % 8);
    }
    assert_int_equal(oct_bodies_read(&again, NULL, path, NULL), OCT_STATUS_OK);
    oct_bodies_clear(&again);
}

static void test_cut_files_are_noticed(void **state)
{
    (void)state;
    char path[128], cut[128], *data;
    small_snapshot(path);
    size_t bytes = slurp(&data, path);
    oct_bodies again = {0};
    scratch_path(cut, "cut.hdf5");
    for (size_t i = 0; i < bytes; i += i < 600 ? 1 : 199) {
        spill(cut, data, i);
        assert_refused(oct_bodies_read(&again, NULL, cut, NULL), cut,
                       i == 0  ? "empty"
                       : i < 7 ? "not an HDF5 file"
                               : "truncated");
    }
    data = realloc(data, bytes + 10);
    memset(data + bytes, 0, 10);
    spill(cut, data, bytes + 10);
    assert_refused(oct_bodies_read(&again, NULL, cut, NULL), cut, "10 bytes have been appended");
    assert_null(again.position);
    free(data);
}

static void test_the_one_before_is_offered(void **state)
{
    (void)state;
    char path[128], previous[128];
    oct_bodies again = {0};
    small_snapshot(path);
    scratch_path(previous, "s.hdf5.prev");
    flip(path, 3000, 1);
    assert_refused(oct_bodies_read(&again, NULL, path, NULL), path, "checksum");
    assert_null(strstr(oct_last_error(), previous));
    flip(path, 3000, 1);
    small_snapshot(path);
    flip(path, 3000, 1);
    assert_refused(oct_bodies_read(&again, NULL, path, NULL), "checksum", previous);
    assert_int_equal(oct_bodies_read(&again, NULL, previous, NULL), OCT_STATUS_OK);
    unlink(path);
    assert_refused(oct_bodies_read(&again, NULL, path, NULL), "no file", previous);
    flip(previous, 3000, 1);
    oct_status status = oct_bodies_read(&again, NULL, path, NULL);
    assert_int_equal(status, OCT_STATUS_MISSING);
    assert_null(strstr(oct_last_error(), previous));
    oct_bodies_clear(&again);
}

static void test_other_files_are_refused(void **state)
{
    (void)state;
    char path[128];
    oct_bodies again = {0};
    scratch_path(path, "text.hdf5");
    spill(path, "hello\n", 6);
    assert_refused(oct_bodies_read(&again, NULL, path, NULL), path, "not an HDF5 file");
    scratch_path(path, "noise");
    spill(path, "\x89HDF\r\n\x1a\n\0\0\0\0\0\0\0\0", 16);
    assert_refused(oct_bodies_read(&again, NULL, path, NULL), path, "HDF5");
    assert_refused(oct_bodies_read(&again, NULL, scratch, NULL), scratch, "folder");
    scratch_path(path, "empty.hdf5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused(oct_bodies_read(&again, NULL, path, NULL), path, "no snapshot");
}

/* Whoever uses HDF5 beside us finds its printing of errors as it was. */
static void test_error_printing_is_left_alone(void **state)
{
    (void)state;
    char path[128];
    H5E_auto2_t before, after;
    void *data;
    oct_bodies again = {0};
    small_snapshot(path);
    assert_true(H5Eget_auto2(H5E_DEFAULT, &before, &data) >= 0);
    assert_non_null(before);
    assert_int_equal(oct_bodies_read(&again, NULL, path, NULL), OCT_STATUS_OK);
    scratch_path(path, "noise");
    spill(path, "\x89HDF\r\n\x1a\n\0\0\0\0\0\0\0\0", 16);
    assert_refused(oct_bodies_read(&again, NULL, path, NULL), path, "HDF5");
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    assert_ptr_equal(before, after);
    oct_bodies_clear(&again);
}

/* A file as GADGET writes it, in single precision: two types, one of them with one mass. */
typedef struct gadget {
    hid_t file;
    char path[128];
} gadget;

static void put(hid_t owner, const char *name, hid_t type, hsize_t count, const void *values)
{
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t attribute = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, values) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_data(hid_t owner, const char *name, hid_t type, hsize_t rows, hsize_t columns,
                     const void *values)
{
    hsize_t shape[2] = {rows, columns};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, shape, NULL);
    hid_t set = H5Dcreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static gadget gadget_create(const uint32_t counts[6])
{
    static const double table[6] = {0, 2.5, 0, 0, 0, 0}, box = 10, time = 0.25;
    static const float numbers[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9.5f};
    static const uint32_t ids[3] = {11, 12, 13};
    gadget g;
    scratch_path(g.path, "gadget.hdf5");
    g.file = H5Fcreate(g.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t header = H5Gcreate2(g.file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put(header, "NumPart_ThisFile", H5T_NATIVE_UINT32, 6, counts);
    put(header, "MassTable", H5T_NATIVE_DOUBLE, 6, table);
    put(header, "BoxSize", H5T_NATIVE_DOUBLE, 1, &box);
    put(header, "Time", H5T_NATIVE_DOUBLE, 1, &time);
    H5Gclose(header);
    for (hsize_t n = 2; n <= 3; n++) {
        hid_t group = H5Gcreate2(g.file, n == 2 ? "PartType0" : "PartType1", H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
        put_data(group, "Coordinates", H5T_NATIVE_FLOAT, n, 3, numbers);
        put_data(group, "Velocities", H5T_NATIVE_FLOAT, n, 3, numbers);
        put_data(group, "ParticleIDs", H5T_NATIVE_UINT32, n, 1, ids);
        if (n == 2)
            put_data(group, "Masses", H5T_NATIVE_FLOAT, n, 1, numbers);
        H5Gclose(group);
    }
    return g;
}

static void test_gadget_files_are_read(void **state)
{
    (void)state;
    oct_bodies b = {0};
    oct_file_info info = {.size = sizeof info};
    gadget g = gadget_create((const uint32_t[6]){2, 3});
    H5Fclose(g.file);
    assert_int_equal(oct_bodies_read(&b, &info, g.path, oct_units_find("galactic")), OCT_STATUS_OK);
    assert_string_equal(info.kind, "gadget");
    assert_string_equal(info.units.name, "galactic");
    assert_true(info.time == 0.25 && info.box[0] == 10 && info.box[2] == 10);
    assert_int_equal(b.n, 5);
    assert_true(b.position[0] == 1 && b.position[14] == 9.5 && b.velocity[14] == 9.5);
    assert_true(b.mass[1] == 2 && b.mass[2] == 2.5 && b.mass[4] == 2.5);
    assert_int_equal(b.id[4], 13);
    assert_int_equal(b.type[0], OCT_TYPE_BODY);
    oct_bodies_clear(&b);
}

static void test_gadget_units_are_converted(void **state)
{
    (void)state;
    oct_bodies b = {0};
    const double length = 3.085678e21, mass = 1.989e43, speed = 1e5;
    gadget g = gadget_create((const uint32_t[6]){0, 3});
    hid_t units = H5Gcreate2(g.file, "Units", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put(units, "UnitLength_in_cm", H5T_NATIVE_DOUBLE, 1, &length);
    put(units, "UnitMass_in_g", H5T_NATIVE_DOUBLE, 1, &mass);
    put(units, "UnitVelocity_in_cm_per_s", H5T_NATIVE_DOUBLE, 1, &speed);
    H5Gclose(units);
    H5Fclose(g.file);
    assert_int_equal(oct_bodies_read(&b, NULL, g.path, oct_units_find("si")), OCT_STATUS_OK);
    /* Measured: 0 and 2.2e-16; a chain of three roundings allows 7e-16. */
    assert_true(fabs(b.position[0] / 3.085678e19 - 1) < 7e-16);
    assert_true(fabs(b.velocity[0] / 1e3 - 1) < 7e-16);
    assert_true(fabs(b.mass[0] / (2.5 * 1.989e40) - 1) < 7e-16);
    oct_bodies_clear(&b);
}

/* Counts that the data sets do not bear out are noticed before memory is taken for them. */
static void test_lying_counts_are_refused(void **state)
{
    (void)state;
    static const uint32_t counts[][6] = {
        {2, 4}, {0xffffffff, 3}, {2, 3, 1}, {0}, {0, 0xffffffff, 0xffffffff}};
    for (size_t c = 0; c < 5; c++) {
        oct_bodies b = {0};
        gadget g = gadget_create(counts[c]);
        H5Fclose(g.file);
        assert_refused(oct_bodies_read(&b, NULL, g.path, NULL), g.path, "");
        assert_null(b.position);
    }
}

static void test_links_and_hollow_data_are_refused(void **state)
{
    (void)state;
    oct_bodies b = {0};
    gadget g = gadget_create((const uint32_t[6]){2, 3});
    H5Ldelete(g.file, "PartType1/Coordinates", H5P_DEFAULT);
    H5Lcreate_external("other.hdf5", "/x", g.file, "PartType1/Coordinates", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Fclose(g.file);
    assert_refused(oct_bodies_read(&b, NULL, g.path, NULL), g.path, "no data set");

    const uint32_t huge = 4000000000u;
    g = gadget_create((const uint32_t[6]){0, huge});
    H5Ldelete(g.file, "PartType1/Coordinates", H5P_DEFAULT);
    hsize_t shape[2] = {huge, 3}, chunk[2] = {1000, 3};
    hid_t space = H5Screate_simple(2, shape, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, chunk);
    H5Dclose(H5Dcreate2(g.file, "PartType1/Coordinates", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                        list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
    H5Fclose(g.file);
    assert_refused(oct_bodies_read(&b, NULL, g.path, NULL), g.path, "more than the file holds");
}

/* No checksum vouches for a file of another code, and HDF5 itself may break down on it. */
static void test_damaged_foreign_files_crash_nothing(void **state)
{
    (void)state;
    char *data;
    gadget g = gadget_create((const uint32_t[6]){2, 3});
    H5Fclose(g.file);
    size_t bytes = slurp(&data, g.path), refused = 0;
    free(data);
    for (size_t i = 0; i < bytes; i += 101) {
        oct_bodies b = {0};
        flip(g.path, i, i % 8);
        oct_status status = oct_bodies_read(&b, NULL, g.path, NULL);
        if (status != OCT_STATUS_OK) {
            assert_refused(status, g.path, "");
            refused++;
        }
        assert_true((status == OCT_STATUS_OK) == (b.n > 0));
        flip(g.path, i, i % 8);
        oct_bodies_clear(&b);
    }
    assert_true(refused > 0 && refused < bytes / 101);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_bodies_come_back_bit_for_bit),
        CASE(test_info_comes_back),
        CASE(test_numbers_are_converted),
        CASE(test_equal_contents_give_equal_bytes),
        CASE(test_coordinates_are_inside_the_box),
        CASE(test_units_are_in_cgs),
        CASE(test_what_no_snapshot_can_hold_is_refused),
        CASE(test_disk_full_leaves_the_old_one),
        CASE(test_flipped_bits_are_noticed),
        CASE(test_cut_files_are_noticed),
        CASE(test_the_one_before_is_offered),
        CASE(test_other_files_are_refused),
        CASE(test_error_printing_is_left_alone),
        CASE(test_gadget_files_are_read),
        CASE(test_gadget_units_are_converted),
        CASE(test_lying_counts_are_refused),
        CASE(test_links_and_hollow_data_are_refused),
        CASE(test_damaged_foreign_files_crash_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
