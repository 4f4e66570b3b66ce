#pragma once
// A record of one of Darshan's modules as a file record of a job log. Pure functions.

#include <string>

#include "convert/darshan/layout.h"
#include "model/file_record.h"

namespace headrace::convert::darshan {

/// What cannot be said exactly.
struct Doubts {
  uint64_t rough_sizes = 0;  // operations of which only a range of sizes is known
};

/// `ranks`: how many processes the record stands for.
model::FileRecord to_file_record(const Layout& layout, const Record& record, const std::string& name, uint64_t ranks,
                                 Doubts& doubts);

model::Layer layer_of(Module module);

}  // namespace headrace::convert::darshan
