// I/O libraries that are linked into a program: its calls of them go past capture, which replaces those of shared ones.
// So do system calls of io_uring that a program makes itself.
#pragma once
#include <string>
#include <vector>

namespace headrace::capture {

struct LibraryInside {
  const char* name;   // "HDF5"
  const char* layer;  // of its functions in profiles; or how the names of these begin
  const char* what;   // becomes of its calls
};

/// Those of an executable; none where it cannot be read. Known by the functions that its table of symbols defines, or,
/// where it was stripped of that, by texts that each of these libraries contains. io_uring is known by machine code.
/// What was found is kept for a path, so that it costs little for programs that run often. One thread at a time.
const std::vector<LibraryInside>& libraries_inside(const std::string& executable);
/// Whether a shared library has machine code that enters rings of io_uring. Not liburing, whose functions are seen.
/// What was found is kept for a path. One thread at a time.
bool has_rings_inside(const std::string& library);

}  // namespace headrace::capture
