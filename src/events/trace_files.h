#pragma once
// The files of a trace: the first one, and a directory of others beside it (docs/formats/trace.md).
//
// What others there are is told by the directory, never by a path in a file, and no link in it is followed.

#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::events {

/// Facts that end in the id of a process: the name of the file that has its events.
inline constexpr char kStream[] = "stream.";

/// Of the other files of a trace: its path with ".d" behind it.
std::string trace_directory(const std::string& trace);

/// The trace that a path stands for: itself, or of its directory the first file.
std::string trace_of_path(const std::string& path);

/// The other files, by name; none where there is no directory. kIo.
base::Result<std::vector<std::string>> other_files(const std::string& trace);

/// Gives the directory of a trace that gets another name its other name. What is there under that name goes first: it
/// was of a trace that is replaced.
base::Status move_other_files(const std::string& from, const std::string& to);

}  // namespace headrace::events
