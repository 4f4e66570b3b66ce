// What `headrace mount --unmount` asks of the process behind a mount, by ioctl() on its directory.
#pragma once
#include <sys/ioctl.h>

#include <cstdint>

namespace headrace::forward::mount {

struct Report {
  int64_t process;  // that ends when the mount is gone
  char lost[4088];  // lines about what could not be stored since it was made; "" = nothing
};
/// Brings all that was written to the files first.
inline constexpr unsigned long kFinish = _IOR('h', 1, Report);

}  // namespace headrace::forward::mount
