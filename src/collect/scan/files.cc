#include "collect/scan/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

Status failed(const std::string& what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return {full ? Code::kNoSpace : Code::kIo, what + ": " + strerror(error)};
}

Status write_at(int file, const void* bytes, size_t length, uint64_t offset, const std::string& label) {
  const auto* from = static_cast<const char*>(bytes);
  while (length > 0) {
    const ssize_t done = pwrite(file, from, length, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failed(label + ": cannot be written", done < 0 ? errno : EIO);
    from += done;
    offset += static_cast<uint64_t>(done);
    length -= static_cast<size_t>(done);
  }
  return {};
}

Status read_at(int file, void* bytes, size_t length, uint64_t offset, const std::string& label) {
  auto* to = static_cast<char*>(bytes);
  while (length > 0) {
    const ssize_t done = pread(file, to, length, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failed(label + ": cannot be read", done < 0 ? errno : EIO);
    to += done;
    offset += static_cast<uint64_t>(done);
    length -= static_cast<size_t>(done);
  }
  return {};
}

Result<int> open_unnamed(const std::string& directory) {
  const int unnamed = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
  std::string name = directory + "/.headrace-scan-XXXXXX";  // file systems such as NFS have no unnamed files
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return failed(directory + ": no file can be made here", errno);
  unlink(name.c_str());
  return file;
}

std::string directory_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == file.npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
}

}  // namespace headrace::collect
