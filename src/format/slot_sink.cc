#include "format/slot_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace headrace::format {

using base::Code;
using base::Result;
using base::Status;

namespace {

Status slot_failure(const std::string& label, const char* what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return {full              ? Code::kNoSpace
          : error == ENOENT ? Code::kNotFound
                            : Code::kIo,
          label + ": cannot " + what + ": " + std::strerror(error) +
              (full ? ": free some space, or write to another directory" : "")};
}

}  // namespace

Result<std::unique_ptr<Sink>> SlotSink::open(const std::string& path, const Slots& slots, uint64_t stream,
                                             uint64_t& position) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return slot_failure(path, "open the file for writing", errno);
  return std::unique_ptr<Sink>(new SlotSink(descriptor, path, slots, stream, position));
}

SlotSink::SlotSink(int descriptor, std::string label, const Slots& slots, uint64_t stream, uint64_t& position)
    : descriptor_(descriptor), label_(std::move(label)), slots_(slots), stream_(stream), position_(position) {}

SlotSink::~SlotSink() { (void)close(); }

Result<uint64_t> SlotSink::append(std::span<const uint8_t> chunk) {
  if (descriptor_ < 0) return Status(Code::kInvalid, label_ + ": is already closed");
  if (chunk.size() > kLargestExtent) return Status(Code::kLimit, label_ + ": a chunk is longer than a slot");
  Extent extent = extent_of(position_);
  while (position_ + chunk.size() > extent.begin + extent.bytes) {
    position_ = extent.begin + extent.bytes;
    extent = extent_of(position_);
  }
  const uint64_t offset = slots_.offset(stream_, position_);
  torn_bytes_ = 0;
  for (size_t done = 0; done < chunk.size();) {
    const ssize_t written =
        ::pwrite(descriptor_, chunk.data() + done, chunk.size() - done, static_cast<off_t>(offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return slot_failure(label_, "write", errno);
    if (written == 0) return Status(Code::kIo, label_ + ": the system takes no more bytes");
    done += static_cast<size_t>(written);
    torn_bytes_ = done;
  }
  torn_bytes_ = 0;
  position_ += chunk.size();
  return offset;
}

/// At the position that the next chunk would have.
bool SlotSink::replace_torn(std::span<const uint8_t> chunk) {
  if (descriptor_ < 0 || chunk.size() > torn_bytes_) return false;
  const auto offset = static_cast<off_t>(slots_.offset(stream_, position_));
  if (::pwrite(descriptor_, chunk.data(), chunk.size(), offset) != static_cast<ssize_t>(chunk.size())) return false;
  torn_bytes_ = 0;
  position_ += chunk.size();
  return true;
}

Status SlotSink::close() {
  if (descriptor_ < 0) return {};
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR) return slot_failure(label_, "close", errno);
  return {};
}

}  // namespace headrace::format
