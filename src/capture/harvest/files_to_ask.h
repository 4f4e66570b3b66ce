// Files whose layouts are not in the log yet, of a rank whose figures were reduced. The rank leaves their names behind
// the copy of its spool, for whoever gathers that: asking file systems takes a process of its own (file_asker.h), which
// a program that is being observed must not get.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace headrace::capture {

struct FileToAsk {
  uint64_t process = 0, record = 0;  // of its row in the log
  std::string path;
};

/// Puts one behind `bytes`.
void append(const FileToAsk& file, std::vector<uint8_t>* bytes);

/// All that append() put there. kCorrupt: the end is missing; `files` has those before it.
base::Status read_files_to_ask(base::Bytes bytes, std::vector<FileToAsk>* files);

}  // namespace headrace::capture
