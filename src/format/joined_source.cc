#include "format/joined_source.h"

#include <algorithm>

namespace headrace::format {

using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

namespace {

uint64_t sum_of(const std::vector<std::unique_ptr<Source>>& parts) {
  uint64_t sum = 0;
  for (const auto& part : parts) sum += part->size();
  return sum;
}

}  // namespace

JoinedSource::JoinedSource(std::vector<std::unique_ptr<Source>> parts)
    : Source(sum_of(parts), parts.front()->label()), parts_(std::move(parts)) {
  uint64_t begin = 0;
  for (const auto& part : parts_) {
    begins_.push_back(begin);
    begin += part->size();
  }
  begins_.push_back(begin);
}

size_t JoinedSource::part_at(uint64_t offset) const {
  const auto behind = std::upper_bound(begins_.begin(), begins_.end() - 1, offset);
  return static_cast<size_t>(behind - begins_.begin()) - 1;
}

Result<Bytes> JoinedSource::read(uint64_t offset, size_t length, std::vector<uint8_t>& scratch) {
  const size_t part = part_at(offset);
  if (length > begins_[part + 1] - offset) return Status(Code::kCorrupt, place(offset) + ": ends inside of a chunk");
  return parts_[part]->read(offset - begins_[part], length, scratch);
}

uint64_t JoinedSource::next_data(uint64_t offset) {
  const size_t part = part_at(offset);
  return begins_[part] + parts_[part]->next_data(offset - begins_[part]);
}

std::string JoinedSource::place(uint64_t offset) const {
  const size_t part = part_at(offset);
  return parts_[part]->label() + ": at offset " + std::to_string(offset - begins_[part]);
}

}  // namespace headrace::format
