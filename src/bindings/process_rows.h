#pragma once
// One row a process image. A log may have two: a rank's figures are reduced when its program finalizes, and whoever
// gathers what came after tells of the process again, with its end. Pure function.

#include "format/columns.h"

namespace headrace::bindings {

/// Of several rows of one process the one that says how it ended stays; of equal ones the last. Order stays.
void keep_one_row_a_process(format::Table& processes);

}  // namespace headrace::bindings
