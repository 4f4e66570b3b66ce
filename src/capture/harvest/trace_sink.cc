#include "capture/harvest/trace_sink.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <charconv>

#include "events/trace_files.h"
#include "format/slots.h"

namespace headrace::capture {

using base::Code;
using base::Result;
using base::Status;

std::optional<SinkChoice> read_sink_choice(const std::string& text) {
  SinkChoice choice;
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const bool more = colon != std::string::npos;
  const std::string with = more ? text.substr(colon + 1) : "";
  if (kind == "shared") {
    const auto [end, error] = std::from_chars(with.data(), with.data() + with.size(), choice.files);
    const bool whole = error == std::errc() && end == with.data() + with.size();
    if (more && (!whole || choice.files < 1 || choice.files > format::kMostFiles)) return {};
    return choice;
  }
  choice.kind = kind == "process"  ? SinkChoice::Kind::kProcess
                : kind == "node"   ? SinkChoice::Kind::kNode
                : kind == "memory" ? SinkChoice::Kind::kMemory
                                   : SinkChoice::Kind::kNull;
  if (kind == "node") {
    choice.directory = more ? with : "/tmp";
    if (choice.directory[0] != '/' || choice.directory.size() > 200) return {};
    return choice;
  }
  if (more || (choice.kind == SinkChoice::Kind::kNull && kind != "null")) return {};
  return choice;
}

std::unique_ptr<TraceSink> make_trace_sink(const SinkChoice& choice, const std::string& trace, const std::string& spool,
                                           mode_t mode) {
  const StreamDirectory directory(trace, mode);
  switch (choice.kind) {
    case SinkChoice::Kind::kShared:
      return choice.files > 1 ? make_slot_files(directory, choice.files) : nullptr;
    case SinkChoice::Kind::kProcess:
      return make_process_files(directory);
    case SinkChoice::Kind::kNode:
      return make_node_file(directory, choice.directory, spool);
    default:
      return nullptr;
  }
}

StreamDirectory::StreamDirectory(const std::string& trace, mode_t mode)
    : path_(events::trace_directory(trace)), mode_(mode) {}

Result<std::string> StreamDirectory::path_of(const std::string& name) const {
  if (mkdir(path_.c_str(), 0777) == 0) {
    const mode_t may_look = mode_ | (mode_ & 0444) >> 2;  // who may read may enter
    if (mode_ != 0) (void)chmod(path_.c_str(), may_look | 0300);
  } else if (errno != EEXIST) {
    return Status(errno == ENOSPC || errno == EDQUOT ? Code::kNoSpace : Code::kIo,
                  path_ + ": cannot make the directory: " + strerror(errno));
  }
  return path_ + "/" + name;
}

void StreamDirectory::permit(const std::string& path) const {
  if (mode_ != 0) (void)chmod(path.c_str(), mode_);
}

}  // namespace headrace::capture
