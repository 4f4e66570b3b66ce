#include "workload/run/place.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "base/clock.h"
#include "base/random.h"
#include "workload/backend/failure.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kLongest = 4096;
constexpr uint64_t kPatienceNs = 500'000'000;
constexpr uint32_t kFewFiles = 1000;

std::string hexadecimal(uint64_t number) {
  char text[17];
  snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

std::string mebibytes(uint64_t bytes) {
  char text[32];
  snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

Status prepare(const std::string& path, bool existing) {
  struct stat info;
  if (existing) {
    if (stat(path.c_str(), &info) != 0) return failure(path + ": --read reads what an earlier run kept there");
    return S_ISDIR(info.st_mode) ? Status() : Status(Code::kInvalid, path + ": is no directory");
  }
  if (mkdir(path.c_str(), 0777) == 0) return {};
  if (errno == EEXIST)
    return {Code::kInvalid, path + ": is there already; give another --name, or --read to read what it has"};
  return failure(path + ": the directory of the run cannot be made");
}

}  // namespace

uint64_t available_memory() {
  std::ifstream lines("/proc/meminfo");
  for (std::string word; lines >> word;) {
    uint64_t kibibytes = 0;
    if (word == "MemAvailable:" && lines >> kibibytes) return kibibytes << 10;
  }
  return 0;
}

uint64_t memory_of_files(const Pattern& pattern, int ranks) {
  uint64_t largest = 0;
  for (uint32_t number = 0; number < pattern.files(); ++number) largest = std::max(largest, pattern.file(number).bytes);
  // Together they never have more than there is, which one of them may have by itself.
  const auto count = static_cast<uint64_t>(ranks);
  return std::min(largest, std::max(pattern.footprint(), largest) / count + 1);
}

/// Those that are in others have higher numbers. What is not empty stays; the directory of the run then tells.
void remove_directories(const Pattern& pattern, const std::string& where) {
  for (uint32_t number = pattern.files(); number-- > 0;) {
    const PlannedFile file = pattern.file(number);
    if (file.directory) rmdir((where + "/" + file.name).c_str());
  }
}

Result<Place> Place::make(const std::string& directory, const std::string& name, bool existing, Ranks& ranks) {
  char path[kLongest] = "", why[kLongest] = "";
  uint8_t code = 0;
  if (ranks.rank() == 0) {
    const std::string own = name.empty() ? "headrace-bench-" + hexadecimal(base::random_number()) : name;
    const std::string whole = directory + "/" + own;
    const Status status =
        whole.size() < kLongest ? prepare(whole, existing) : Status(Code::kInvalid, "--dir: the path is too long");
    snprintf(path, sizeof path, "%s", whole.c_str());
    snprintf(why, sizeof why, "%s", status.message().c_str());
    code = static_cast<uint8_t>(status.code());
  }
  const auto bytes_of = [](char* text) { return std::span(reinterpret_cast<uint8_t*>(text), kLongest); };
  ranks.share(bytes_of(path));
  ranks.share(bytes_of(why));
  ranks.share({&code, 1});
  if (code != 0) return Status(static_cast<Code>(code), why);
  Place place(path, existing);
  struct stat info;
  if (stat(path, &info) == 0) {
    place.device_ = info.st_dev;
    place.inode_ = info.st_ino;
  }
  uint64_t number = base::random_number();
  ranks.share({reinterpret_cast<uint8_t*>(&number), sizeof number});
  place.leaving_ = directory + "/.headrace-bench-leaving-" + hexadecimal(number);
  return place;
}

bool Place::is_own(const std::string& path) const {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

Status Place::check_room(uint64_t bytes, uint64_t files) const {
  struct statvfs info;
  if (statvfs(path_.c_str(), &info) != 0 || info.f_blocks == 0) return {};  // a file system that does not say
  if (info.f_files > 0 && info.f_favail < files)
    return {Code::kNoSpace, "there are " + std::to_string(files) + " files and directories, and " + path_ +
                                " has room for " + std::to_string(info.f_favail) + ": choose fewer, or another --dir"};
  const uint64_t room = uint64_t{info.f_bavail} * info.f_frsize;
  if (room >= bytes) return {};
  return {Code::kNoSpace, "the files take " + mebibytes(bytes) + ", and " + path_ + " has room for " + mebibytes(room) +
                              ": choose smaller sizes, or another --dir"};
}

Status check_memory(uint64_t bytes, int ranks) {
  const uint64_t memory = available_memory(), of_each = memory / static_cast<uint64_t>(ranks);
  if (memory == 0 || bytes <= of_each) return {};
  return {Code::kNoSpace, "each rank needs " + mebibytes(bytes) + " for data, and this node has memory for " +
                              mebibytes(of_each) + " each: choose smaller transfers or buffers"};
}

Status Place::empty(const Pattern& pattern, Ranks& ranks) const {
  Status status;
  for (uint32_t number = 0; number < pattern.files(); ++number) {
    const PlannedFile file = pattern.file(number);
    if (file.directory || file.owner != ranks.rank()) continue;
    const std::string path = path_ + "/" + file.name;
    if (unlink(path.c_str()) != 0 && errno != ENOENT) status = failure(path + ": cannot be removed");
  }
  ranks.wait_for_all();
  if (ranks.rank() == 0) remove_directories(pattern, path_);
  return status;
}

Status Place::remove(const Pattern& pattern, Ranks& ranks) const {
  uint8_t is_empty = ranks.rank() == 0 && rmdir(path_.c_str()) == 0;  // what a plan has removed is not asked for again
  ranks.share({&is_empty, 1});
  if (is_empty != 0) return {};
  Status status = empty(pattern, ranks);
  if (ranks.rank() == 0 && rmdir(path_.c_str()) != 0 && status.ok()) status = failure(path_ + ": cannot be removed");
  return status;
}

void Place::remove_in_haste(const Pattern& pattern) const {
  const auto empty = [&](const std::string& where) {
    for (uint32_t number = 0; number < pattern.files(); ++number)
      unlink((where + "/" + pattern.file(number).name).c_str());
    remove_directories(pattern, where);
  };
  // Launchers kill a moment after they have asked to end: what takes longer a process does that is none of theirs.
  const pid_t process = !existing_ && pattern.files() > kFewFiles ? fork() : -1;
  if (process > 0) return;
  if (process == 0) {
    setsid();
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
    close_range(0, ~0U, 0);
  }
  remove_in_haste(empty);
  if (process == 0) _exit(0);
}

Status Place::remove(const Empty& empty, Ranks& ranks) const {
  ranks.wait_for_all();
  if (ranks.rank() != 0) return {};
  empty(path_);
  return rmdir(path_.c_str()) == 0 ? Status() : failure(path_ + ": cannot be removed");
}

void Place::remove_in_haste(const Empty& empty) const {
  if (existing_) return;
  // Every rank that still can does all of it: the first one that is ready ends the others. The name is the run's own,
  // and nothing that has it already is touched.
  (void)renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, leaving_.c_str(), RENAME_NOREPLACE);
  std::string where = leaving_;
  if (!is_own(where)) where = path_;  // a file system without such a call, or nothing left to do
  if (!is_own(where)) return;
  const uint64_t begin = base::clock_ns(CLOCK_MONOTONIC);
  do {
    empty(where);
    if (rmdir(where.c_str()) == 0 || errno != ENOTEMPTY) return;
    usleep(10'000);  // another rank is in the middle of a creation
  } while (base::clock_ns(CLOCK_MONOTONIC) - begin < kPatienceNs);
}

}  // namespace headrace::workload
