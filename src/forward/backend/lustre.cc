#include "forward/backend/lustre.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

namespace headrace::forward {
namespace {

constexpr uint64_t kSuperMagic = 0x0BD00BD0;   // LUSTRE_SUPER_MAGIC
constexpr uint32_t kLayoutMagic = 0x0BD10BD0;  // LOV_USER_MAGIC_V1
constexpr uint32_t kMostStripes = 2000;        // LOV_MAX_STRIPE_COUNT
constexpr unsigned long kSetStripe = _IOW('f', 154, long);

/// struct lov_user_md_v1 without its objects, in the order of this machine's bytes.
struct UserLayout {
  uint32_t magic = kLayoutMagic;
  uint32_t pattern = 1;  // LOV_PATTERN_RAID0
  uint64_t object = 0, sequence = 0;
  uint32_t stripe_bytes = 0;       // 0 = the directory's
  uint16_t stripe_count = 0;       // the same; 65535 = as many as there are targets
  uint16_t first_target = 0xffff;  // any
};
static_assert(sizeof(UserLayout) == sizeof(LustreLayout));

}  // namespace

std::optional<LustreLayout> lustre_layout(const Hints& hints) {
  const bool bytes_fit = hints.stripe_bytes % kStripeUnit == 0 && hints.stripe_bytes <= UINT32_MAX;
  const bool count_fits = hints.stripe_count <= kMostStripes || hints.stripe_count == kAllStripes;
  UserLayout layout;
  if (bytes_fit) layout.stripe_bytes = static_cast<uint32_t>(hints.stripe_bytes);
  if (count_fits) layout.stripe_count = static_cast<uint16_t>(hints.stripe_count);
  if (layout.stripe_bytes == 0 && layout.stripe_count == 0) return std::nullopt;
  LustreLayout bytes;
  memcpy(bytes.data(), &layout, sizeof layout);
  return bytes;
}

bool is_lustre(int fd) {
  struct statfs found;
  return fstatfs(fd, &found) == 0 && static_cast<uint64_t>(found.f_type) == kSuperMagic;
}

int set_lustre_layout(int fd, LustreLayout layout) { return ioctl(fd, kSetStripe, layout.data()) == 0 ? 0 : errno; }

}  // namespace headrace::forward
