#include "format/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace headrace::format {

using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

namespace {

class FileSource : public Source {
 public:
  FileSource(int descriptor, uint64_t size, std::string path)
      : Source(size, std::move(path)), descriptor_(descriptor) {}
  ~FileSource() override { ::close(descriptor_); }

  Result<Bytes> read(uint64_t offset, size_t length, std::vector<uint8_t>& scratch) override {
    if (scratch.size() < length) scratch.resize(length);
    size_t done = 0;
    while (done < length) {
      const ssize_t got = ::pread(descriptor_, scratch.data() + done, length - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Status(Code::kIo, label() + ": cannot read: " + std::strerror(errno));
      if (got == 0) return Status(Code::kTruncated, label() + ": became shorter while it was read");
      done += static_cast<size_t>(got);
    }
    return Bytes(scratch.data(), length);
  }

  uint64_t next_data(uint64_t offset) override {
    const off_t data = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0) return errno == ENXIO ? size() : offset;
    return std::clamp(static_cast<uint64_t>(data), offset, size());
  }

 private:
  int descriptor_;
};

class MemorySource : public Source {
 public:
  MemorySource(Bytes bytes, std::string label) : Source(bytes.size(), std::move(label)), bytes_(bytes) {}

  Result<Bytes> read(uint64_t offset, size_t length, std::vector<uint8_t>&) override {
    return bytes_.subspan(offset, length);
  }

 private:
  Bytes bytes_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_file_source(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    const int error = errno;
    const bool missing = error == ENOENT || error == ENOTDIR;
    return Status(missing ? Code::kNotFound : Code::kIo,
                  path + (missing ? ": there is no such file" : ": cannot open: " + std::string(std::strerror(error))));
  }
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(descriptor);
    return Status(Code::kIo, path + (S_ISDIR(facts.st_mode) ? ": is a directory: name a log file inside it"
                                                            : ": is no regular file, so it cannot be a log"));
  }
  return std::unique_ptr<Source>(new FileSource(descriptor, static_cast<uint64_t>(facts.st_size), path));
}

std::unique_ptr<Source> make_memory_source(Bytes bytes, std::string label) {
  return std::make_unique<MemorySource>(bytes, std::move(label));
}

}  // namespace headrace::format
