#pragma once
// Several files as one, one behind the other. Internal to format.

#include <memory>
#include <vector>

#include "format/source.h"

namespace headrace::format {

class JoinedSource : public Source {
 public:
  explicit JoinedSource(std::vector<std::unique_ptr<Source>> parts);

  /// Bytes that lie in two parts are no bytes of a file: kCorrupt.
  base::Result<base::Bytes> read(uint64_t offset, size_t length, std::vector<uint8_t>& scratch) override;
  uint64_t next_data(uint64_t offset) override;
  std::string place(uint64_t offset) const override;

  /// Where part n begins; of the number of parts the end.
  uint64_t begin(size_t part) const { return begins_[part]; }
  size_t parts() const { return parts_.size(); }

 private:
  size_t part_at(uint64_t offset) const;
  std::vector<std::unique_ptr<Source>> parts_;
  std::vector<uint64_t> begins_;
};

}  // namespace headrace::format
