#include "collect/devices/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <utility>

namespace headrace::collect {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kFirst = 16384, kMost = size_t{64} << 20;

}  // namespace

TextFile::~TextFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

TextFile::TextFile(TextFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(std::move(other.bytes_)) {}

Status TextFile::failure(int error) const {
  return {error == ENOENT ? Code::kNotFound : Code::kIo, path_ + ": cannot be read: " + strerror(error)};
}

Result<std::string_view> TextFile::read() {
  const bool was_open = descriptor_ >= 0;
  auto text = read_open();
  if (text.ok() || text.code() == Code::kLimit || !was_open) return text;
  return read_open();  // what it was may be gone, and something new in its place
}

Result<std::string_view> TextFile::read_open() {
  if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) return failure(errno);
  if (bytes_.empty()) bytes_.resize(kFirst);
  size_t size = 0;
  for (;;) {
    if (size == bytes_.size()) {
      if (size >= kMost) return Status(Code::kLimit, path_ + ": has more than 64 MiB");
      bytes_.resize(size * 2);
    }
    const ssize_t got = pread(descriptor_, bytes_.data() + size, bytes_.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      ::close(std::exchange(descriptor_, -1));
      return failure(error);
    }
    if (got == 0) return std::string_view(bytes_.data(), size);
    size += static_cast<size_t>(got);
  }
}

}  // namespace headrace::collect
