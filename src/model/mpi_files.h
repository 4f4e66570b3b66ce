#pragma once
// Files that MPI libraries make for their own use. This is the one place that says which: docs/mpi-files.md.

#include <string>
#include <string_view>
#include <vector>

namespace headrace::model {

/// How such a path is known.
struct MpiFiles {
  enum class Match {
    kSession,    // a directory that begins so and ends in a dot and digits: for temporary files, or of a session by its
                 // content
    kPart,       // a part of the path that is this
    kBeginning,  // a name in a directory for shared memory or temporary files that begins so
    kEnd,        // a name that ends so and with digits
    kPointer,    // a hidden name that ends so and with numbers between dots
    kNumbered,   // a name that ends so, with numbers behind hyphens, and with ".sm"
  };
  Match match;
  std::string_view text;
  std::string_view library;
};

const std::vector<MpiFiles>& mpi_files();

/// What of a path shows it to be one of them: the part of the path and the rule; no rule when it is none.
struct MpiFile {
  const MpiFiles* rule = nullptr;
  std::string_view part;
};
MpiFile mpi_file(std::string_view path);

}  // namespace headrace::model
