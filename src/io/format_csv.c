/* CSV, and whatever else is text. */
#include "io/csv.h"
#include "io/format.h"

const oct_format oct_format_csv = {
    .about = {.name = "csv",
              .doc = "text, a line a body",
              .endings = ".csv",
              .written = true,
              .says_units = true},
    .text = true,
    .read = oct_csv_read,
    .write = oct_csv_write,
};
