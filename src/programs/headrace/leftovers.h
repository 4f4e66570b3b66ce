// Directories of records that `headrace collect` finds by itself.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Directories of this user that may hold records: those of launched jobs that have their `job` file, then the one that
/// programs without a launcher share. They are looked for in $HEADRACE_SPOOL alone when that is set, else wherever the
/// launcher and the recorder put them, `configured` first unless "". A live launcher's are among them: only
/// JobDirectory::open tells, by its lock.
std::vector<std::string> directories_of_user(const std::string& configured);

/// The same of one place, such as a directory that was given to programs as HEADRACE_SPOOL.
std::vector<std::string> directories_in(const std::string& place);

/// Whether `path` has the name that programs without a launcher share.
bool is_shared_directory(const std::string& path);

}  // namespace headrace::programs
