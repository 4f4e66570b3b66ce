#pragma once
// Rows of `files` by what the kernel says is one file: rows of one file get one path, files that had one path after
// the other get paths of their own.

#include "bindings/decode.h"
#include "bindings/names.h"

namespace headrace::bindings {

/// `files` with other ids in the columns `path` and `final_path` where names and files do not go together:
///   - a file that was opened under several names has the one under which it was opened first, and as final path the
///     last one that is true;
///   - of several files that were opened under one name, those that were renamed have their last name as path as well;
///     if that is not enough, their path has an id of its own, which `names` gets and which has the same text. Without
///     `names` (null) they have one path.
/// Rows without a file (column `identity` 0, as in logs of earlier versions) are of the file that has their path last.
/// The table itself where nothing changes.
SharedTable by_file(const SharedTable& files, Names* names);

}  // namespace headrace::bindings
