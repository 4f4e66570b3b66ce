#include "forward/program/table.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "forward/program/process.h"

namespace headrace::forward::program {
namespace {

constexpr unsigned kMostDescriptors = 1 << 20;  // the kernel's own limit, unless an administrator raises it
Description** files;                            // pages appear as they are used
unsigned highest = 0;

/// Needs the lock.
void set(unsigned fd, Description* description) {
  Description* before = files[fd];
  if (before == description) return;
  if (description != nullptr) description->use();
  __atomic_store_n(&files[fd], description, __ATOMIC_RELEASE);
  if (before != nullptr) before->leave();
  if (description != nullptr) highest = std::max(highest, fd);
}

}  // namespace

bool prepare_table() {
  void* memory = mmap(nullptr, kMostDescriptors * sizeof *files, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  files = static_cast<Description**>(memory);
  return true;
}

void find_inherited() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return;
  std::vector<int> inherited;
  while (const dirent* entry = readdir(directory)) {
    const int fd = atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != dirfd(directory) && Description::is_placeholder(fd)) inherited.push_back(fd);
  }
  closedir(directory);
  for (const int fd : inherited) adopt_descriptor(fd);
}

Table table() { return {files, kMostDescriptors}; }

bool fits_table(int fd) { return fd >= 0 && static_cast<unsigned>(fd) < kMostDescriptors; }

Held::Held(int fd) : description_(nullptr) {
  if (!fits_table(fd)) return;
  const std::lock_guard<std::mutex> lock(table_mutex());
  description_ = files[fd];
  if (description_ != nullptr) description_->use();
}

Held::~Held() {
  if (description_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(table_mutex());
  description_->leave();
}

void set_descriptor(int fd, Description* description) {
  if (!fits_table(fd)) return;
  const std::lock_guard<std::mutex> lock(table_mutex());
  set(static_cast<unsigned>(fd), description);
}

/// Several may be one open file, which is closed with the last of them.
void adopt_descriptor(int fd) {
  if (!fits_table(fd)) return;
  Description* const made = Description::attach(fd);
  const std::lock_guard<std::mutex> lock(table_mutex());
  if (made != nullptr) made->use();
  Description* known = made;
  for (unsigned other = 0; made != nullptr && other <= highest; ++other)
    if (files[other] != nullptr && files[other]->owner() == made->owner()) known = files[other];
  set(static_cast<unsigned>(fd), known);
  if (made != nullptr) made->leave();
}

int next_number(unsigned first, unsigned last) {
  const std::lock_guard<std::mutex> lock(table_mutex());
  for (unsigned fd = first; fd <= std::min(last, highest); ++fd)
    if (files[fd] != nullptr) return static_cast<int>(fd);
  return -1;
}

bool is_last_number(int fd) {
  if (!fits_table(fd)) return false;
  const std::lock_guard<std::mutex> lock(table_mutex());
  const Description* wanted = files[fd];
  if (wanted == nullptr) return false;
  return std::count(files, files + highest + 1, wanted) == 1;
}

bool drop_number(int fd) {
  const std::lock_guard<std::mutex> lock(table_mutex());
  const Description* const was = files[fd];
  set(static_cast<unsigned>(fd), nullptr);
  return was != nullptr && std::count(files, files + highest + 1, was) == 0;
}

void forget_descriptors(unsigned first, unsigned last) {
  const std::lock_guard<std::mutex> lock(table_mutex());
  for (unsigned fd = first; fd <= std::min(last, highest); ++fd) set(fd, nullptr);
}

void copy_descriptor(int fd, int copy) {
  if (!fits_table(copy)) return;
  const std::lock_guard<std::mutex> lock(table_mutex());
  set(static_cast<unsigned>(copy), fits_table(fd) ? files[fd] : nullptr);
}

}  // namespace headrace::forward::program
