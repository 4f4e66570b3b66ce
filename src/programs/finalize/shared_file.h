// The job log as the place where the ranks' parts go.
#pragma once
#include <optional>
#include <string>

#include "capture/harvest/shared_log.h"
#include "capture/reduce/reduce.h"

namespace headrace::programs {

class SharedFile : public capture::PartStore {
 public:
  /// `log`: rank 0's; null at others, which know the path alone.
  SharedFile(std::string path, capture::SharedLog* log) : path_(std::move(path)), log_(log) {}
  base::Result<uint64_t> begin(uint64_t bytes) override;
  base::Status write(uint64_t offset, base::Bytes part) override;
  base::Status end(capture::Stored what) override;

 private:
  base::Status open_room();

  std::string path_;
  capture::SharedLog* log_;
  std::optional<capture::SharedLog::Section> section_;
  uint64_t begin_ = 0, end_ = 0;
};

}  // namespace headrace::programs
