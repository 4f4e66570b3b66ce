#include "capture/recorder/node_identity.h"

#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/kernel.h"

namespace headrace::capture {

uint64_t node_identity() {
  utsname system{};
  char boot[64], space[64];
  base::kernel_call(SYS_uname, &system);
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, "/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
  const long booted = fd < 0 ? 0 : base::kernel_call(SYS_read, fd, boot, sizeof boot);
  if (fd >= 0) base::kernel_call(SYS_close, fd);
  const long named = base::kernel_call(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/time", space, sizeof space);
  const auto text_of = [](const char* text, long length) {
    return std::string_view(text, length > 0 ? static_cast<size_t>(length) : 0);
  };
  const uint64_t host = base::hash_text({system.nodename, strlen(system.nodename)});
  const uint64_t mixed =
      base::mix(base::mix(host, base::hash_text(text_of(boot, booted))), base::hash_text(text_of(space, named)));
  return mixed != 0 ? mixed : 1;
}

}  // namespace headrace::capture
