#include "bindings/log_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "convert/darshan/convert.h"

namespace headrace::bindings {

using base::Code;
using base::Result;
using base::Status;

namespace {

class ChunkFile : public LogSource {
 public:
  explicit ChunkFile(format::Reader reader) : reader_(std::move(reader)) {}
  std::vector<std::string> tables() override { return reader_.tables(); }
  const std::vector<uint64_t>& jobs() override { return reader_.jobs(); }
  Result<format::Table> table(const std::string& name, std::optional<uint64_t> job) override {
    return reader_.table(name, job);
  }
  std::vector<format::Damage> damage() override { return reader_.damage(); }
  Status verify() override { return reader_.verify(); }
  bool closed() override { return reader_.closed(); }
  uint64_t size() override { return reader_.size(); }

 private:
  format::Reader reader_;
};

/// What could not be read of a Darshan log is in its table `gaps`, so there is no damage to tell besides.
class Converted : public LogSource {
 public:
  Converted(std::vector<format::Table> tables, uint64_t size) : size_(size) {
    for (format::Table& table : tables) {
      names_.push_back(table.name);
      tables_.emplace(table.name, std::move(table));
    }
  }
  std::vector<std::string> tables() override { return names_; }
  const std::vector<uint64_t>& jobs() override { return jobs_; }
  Result<format::Table> table(const std::string& name, std::optional<uint64_t>) override {
    auto node = tables_.extract(name);
    if (node.empty()) return Status(Code::kNotFound, "there is no table '" + name + "'");
    return std::move(node.mapped());
  }
  std::vector<format::Damage> damage() override { return {}; }
  Status verify() override { return {}; }
  bool closed() override { return true; }
  uint64_t size() override { return size_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, format::Table> tables_;
  std::vector<uint64_t> jobs_ = {1};
  uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<LogSource>> open_log_source(const std::string& path) {
  if (convert::darshan::is_darshan_file(path)) {
    HEADRACE_ASSIGN(std::vector<format::Table> tables, convert::darshan::read_log(path));
    struct stat facts = {};
    (void)stat(path.c_str(), &facts);
    return std::unique_ptr<LogSource>(
        std::make_unique<Converted>(std::move(tables), static_cast<uint64_t>(facts.st_size)));
  }
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open(path));
  return std::unique_ptr<LogSource>(std::make_unique<ChunkFile>(std::move(reader)));
}

}  // namespace headrace::bindings
