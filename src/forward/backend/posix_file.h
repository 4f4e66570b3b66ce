// The bytes of an open file descriptor, and what the kernel says of it.
#pragma once
#include <sys/types.h>

#include "forward/backend/backend.h"
#include "forward/backend/confined.h"

namespace headrace::forward {

class PosixFile : public OpenFile {
 public:
  explicit PosixFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Outcome<uint64_t> read(Extent where, uint8_t* into) override;
  Written write(Extent where, const uint8_t* from) override;
  Written write_parts(uint64_t offset, std::span<const iovec> parts) override;
  int commit() override;
  int resize(uint64_t size) override;
  int extend(uint64_t size) override;
  Outcome<Attributes> attributes() override;
  int set_attributes(uint32_t set, const Attributes& to) override;
  int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
};

/// `device`, unless null, receives the file system's number.
Outcome<Attributes> attributes_of(int fd, dev_t* device = nullptr);
/// The same of what a path below a directory leads to now, wherever that is; `itself`: of a link.
Outcome<Attributes> attributes_at(int directory, const char* path, dev_t* device, bool itself = false);
/// One of two times as utimensat() takes them.
timespec as_time(uint32_t set, uint32_t bit, int64_t nanoseconds);

}  // namespace headrace::forward
