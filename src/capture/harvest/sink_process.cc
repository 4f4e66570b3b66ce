// A file for each process.
#include <stdio.h>

#include "capture/harvest/trace_sink.h"

namespace headrace::capture {
namespace {

using base::Result;

class ProcessFiles : public TraceSink {
 public:
  explicit ProcessFiles(const StreamDirectory& directory) : directory_(directory) {}

  Result<std::unique_ptr<format::Sink>> open(const StreamOf& of, StreamPlace& place) override {
    const bool is_new = place.file.empty();
    if (is_new) place.file = name_of(of);
    HEADRACE_ASSIGN(const std::string path, directory_.path_of(place.file));
    HEADRACE_ASSIGN(auto sink, format::FileSink::open(path, format::FileSink::Mode::kAppend));
    if (is_new) directory_.permit(path);
    return sink;
  }

 private:
  static std::string name_of(const StreamOf& of) {
    char name[64];
    if (of.ranks > 0)
      snprintf(name, sizeof name, "rank-%06ld-%016lx.hr", of.rank, of.process);
    else
      snprintf(name, sizeof name, "process-%u-%016lx.hr", of.process_id, of.process);
    return name;
  }

  StreamDirectory directory_;
};

}  // namespace

std::unique_ptr<TraceSink> make_process_files(const StreamDirectory& directory) {
  return std::make_unique<ProcessFiles>(directory);
}

}  // namespace headrace::capture
