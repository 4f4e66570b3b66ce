// What kind of file system it is: MPI libraries choose their driver by it, and ask Lustre for its stripes.
#include <errno.h>
#include <string.h>

#include <algorithm>

#include "programs/emulate/files.h"
#include "programs/emulate/model.h"
#include "programs/emulate/real.h"
#include "workload/emulation/constants.h"

namespace headrace::emulate {
namespace {

template <typename Info>
int named(int result, bool slow, Info* info) {
  if (result == 0 && slow) info->f_type = static_cast<decltype(info->f_type)>(file_system());
  return result;
}

bool is_named(const char* path) { return is_on() && file_system() != 0 && place_of(AT_FDCWD, path).slow; }
bool is_named(int fd) { return is_on() && file_system() != 0 && place_of(fd).slow; }

// Of Lustre's lustre_user.h: LL_IOC_LOV_SETSTRIPE and …_GETSTRIPE, and lov_user_md_v1 without objects.
constexpr unsigned long kSetStripes = _IOW('f', 154, long), kGetStripes = _IOW('f', 155, long);
struct Stripes {
  uint32_t magic = 0x0bd10bd0, pattern = 1;
  uint64_t object[2] = {};
  uint32_t size = 1 << 20;
  uint16_t count = 1, first = 0;
};

/// By the defaults of the file system, which nobody changes here.
int answer_of_lustre(unsigned long request, void* layout) {
  if (request == kSetStripes) return 0;
  Stripes stripes;
  if (stripe_size() != 0) stripes.size = static_cast<uint32_t>(std::min<uint64_t>(stripe_size(), 2U << 30));
  memcpy(layout, &stripes, sizeof stripes);
  return 0;
}

}  // namespace
}  // namespace headrace::emulate

using namespace headrace::emulate;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int statfs(const char* path, struct statfs* info) {
  return named(REAL(statfs)(path, info), is_named(path), info);
}
EXPORT int statfs64(const char* path, struct statfs64* info) {
  return named(REAL(statfs64)(path, info), is_named(path), info);
}
EXPORT int fstatfs(int fd, struct statfs* info) { return named(REAL(fstatfs)(fd, info), is_named(fd), info); }
EXPORT int fstatfs64(int fd, struct statfs64* info) { return named(REAL(fstatfs64)(fd, info), is_named(fd), info); }
EXPORT int ioctl(int fd, unsigned long request, ...) {
  va_list values;
  va_start(values, request);
  void* value = va_arg(values, void*);
  va_end(values);
  const bool asks = request == kSetStripes || request == kGetStripes;
  if (asks && value != nullptr && file_system() == headrace::workload::emulation::kLustre && is_named(fd))
    return answer_of_lustre(request, value);
  return REAL(ioctl)(fd, request, value);
}
