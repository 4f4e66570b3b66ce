#pragma once
// A file record of a job log as a record of one of Darshan's modules. Pure functions.

#include <string_view>

#include "convert/darshan/layout.h"
#include "model/file_record.h"

namespace headrace::convert::darshan {

/// Ids are content hashes of the names. What a job log does not know is 0, as in Darshan when it never happened.
Record from_file_record(const Layout& layout, const model::FileRecord& file, int64_t rank);

/// The file that a dataset "FILE:NAME" lies in.
std::string_view file_of_dataset(std::string_view path);

}  // namespace headrace::convert::darshan
