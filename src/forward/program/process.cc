#include "forward/program/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "forward/program/servers.h"
#include "forward/transport/socket_link.h"

namespace headrace::forward::program {
namespace {

constexpr int kPlace = 900;  // numbers from here on, where the limit allows: the kernel's table grows up to them
constexpr int kBelowLimit = 64;
constexpr size_t kMostOwn = 64;

struct Own {
  std::atomic<int> fd{-1};
  std::atomic<uint64_t> inode{0};
};
Own own[kMostOwn];
uint64_t* generation;

uint64_t inode_of(int fd) {
  struct stat status;
  const int saved = errno;
  const bool known = fstat(fd, &status) == 0;
  errno = saved;
  return known ? status.st_ino : 0;
}

}  // namespace

std::mutex& connection_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::mutex& table_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

void prepare_process() {
  generation = static_cast<uint64_t*>(
      mmap(nullptr, sizeof *generation, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(generation, sizeof *generation, MADV_WIPEONFORK);
  pthread_atfork([] { begin_child(), connection_mutex().lock(), table_mutex().lock(); },
                 [] { table_mutex().unlock(), connection_mutex().unlock(); },
                 [] {
                   table_mutex().unlock(), connection_mutex().unlock();
                   // Servers have to see the parent's end, whatever the child does.
                   close_inherited_descriptors();
                 });
  place_descriptors(&place_descriptor);
}

uint64_t process_generation() {
  static std::atomic<uint64_t> last = 0;
  if (*generation == 0) *generation = ++last;
  return *generation;
}

namespace {
std::atomic<uint64_t> children = 0;
}  // namespace

uint64_t children_begun() { return children; }
void begin_child() { ++children; }

bool has_children() {
  siginfo_t info = {};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

int place_descriptor(int fd) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const auto most = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
  const int placed = fcntl(fd, F_DUPFD_CLOEXEC, std::max(3, std::min(kPlace, most - kBelowLimit)));
  if (placed >= 0) {
    close(fd);
    fd = placed;
  }
  // That of a child of vfork is in its table of descriptors alone.
  if (OwnConnections::of_thread() != nullptr) return fd;
  for (Own& each : own) {
    const int before = each.fd;
    if (before >= 0 && before != fd && is_own_descriptor(before)) continue;
    each.fd = fd;
    each.inode = inode_of(fd);
    break;
  }
  return fd;
}

bool is_own_descriptor(int fd) {
  for (const Own& each : own)
    if (each.fd == fd && fd >= 0) return each.inode == inode_of(fd);
  return false;
}

int own_descriptor_in(unsigned first, unsigned last) {
  int lowest = -1;
  for (const Own& each : own) {
    const int fd = each.fd;
    if (fd < 0 || static_cast<unsigned>(fd) < first || static_cast<unsigned>(fd) > last) continue;
    if ((lowest < 0 || fd < lowest) && is_own_descriptor(fd)) lowest = fd;
  }
  return lowest;
}

void close_inherited_descriptors() {
  for (Own& each : own) {
    const int fd = each.fd;
    if (is_own_descriptor(fd)) close(fd);
    each.fd = -1;
  }
}

}  // namespace headrace::forward::program
