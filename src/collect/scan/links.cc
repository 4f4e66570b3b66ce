#include "collect/scan/links.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <queue>
#include <tuple>

#include "collect/scan/files.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// What the file has of an inode; fixed, since a scan may go on with another build.
struct Record {
  uint64_t device, number;
  int64_t size, capacity, ages[3];
  uint32_t user, group, place, links;
  uint8_t type, absolute, unused[6];

  auto key() const { return std::tie(device, number); }
  /// In all that it has: which name of a file counts must not depend on which thread was first.
  bool operator<(const Record& other) const {
    return std::tie(device, number, place, user, group, size, capacity, ages[0], links) <
           std::tie(other.device, other.number, other.place, other.user, other.group, other.size, other.capacity,
                    other.ages[0], other.links);
  }
};
static_assert(sizeof(Record) == 80);

Record record_of(const Inode& inode) {
  return {inode.device,
          inode.number,
          inode.size,
          inode.capacity,
          {inode.ages[0], inode.ages[1], inode.ages[2]},
          inode.owner.user,
          inode.owner.group,
          inode.owner.place,
          inode.links,
          static_cast<uint8_t>(inode.type),
          static_cast<uint8_t>(inode.absolute),
          {}};
}

Inode inode_of(const Record& record) {
  Inode inode;
  inode.device = record.device;
  inode.number = record.number;
  inode.size = record.size;
  inode.capacity = record.capacity;
  inode.ages = {record.ages[0], record.ages[1], record.ages[2]};
  inode.owner = {record.user, record.group, record.place};
  inode.links = record.links;
  inode.type = static_cast<FileType>(std::min<uint8_t>(record.type, 3));
  inode.absolute = record.absolute != 0;
  return inode;
}

/// A sorted part of the file, read little by little.
class Run {
 public:
  Run(int file, uint64_t begin, uint64_t end) : file_(file), at_(begin), end_(end) {}
  bool empty() const { return next_ == records_.size() && at_ == end_; }
  Status fill(const std::string& label) {
    constexpr uint64_t kRecords = 512;
    if (next_ < records_.size() || at_ == end_) return {};
    records_.resize(std::min<uint64_t>(kRecords, (end_ - at_) / sizeof(Record)));
    next_ = 0;
    HEADRACE_TRY(read_at(file_, records_.data(), records_.size() * sizeof(Record), at_, label));
    at_ += records_.size() * sizeof(Record);
    return {};
  }
  const Record& front() const { return records_[next_]; }
  void pop() { ++next_; }

 private:
  int file_;
  uint64_t at_, end_;
  std::vector<Record> records_;
  size_t next_ = 0;
};

}  // namespace

Result<LinkFile> LinkFile::open(const std::string& path, uint64_t length) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return failed(path + ": cannot be opened", errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK)
    return failed(path + ": cannot be locked, so that two scans might write to it", errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return Status(Code::kInvalid, path + ": another scan is at work for this output: wait for it, or give another -o");
  struct stat info;
  if (fstat(file.get(), &info) != 0) return failed(path, errno);
  if (info.st_uid != geteuid())
    return Status(Code::kInvalid, path + ": is another user's: remove it, or give another -o");
  if (static_cast<uint64_t>(info.st_size) < length || length % sizeof(Record) != 0)
    return Status(Code::kTruncated, path + ": has " + std::to_string(info.st_size) + " bytes and is to have " +
                                        std::to_string(length) + ": the scan cannot go on, begin it without --resume");
  if (ftruncate(file.get(), static_cast<off_t>(length)) != 0) return failed(path, errno);
  return LinkFile(std::move(file), path, length);
}

Status LinkFile::append(const std::vector<Inode>& inodes) {
  std::vector<Record> records(inodes.size());
  std::transform(inodes.begin(), inodes.end(), records.begin(), record_of);
  HEADRACE_TRY(write_at(file_.get(), records.data(), records.size() * sizeof(Record), bytes_, path_));
  bytes_ += records.size() * sizeof(Record);
  return {};
}

Status LinkFile::sync() {
  return bytes_ == 0 || fdatasync(file_.get()) == 0 ? Status() : failed(path_ + ": cannot be stored", errno);
}

Status LinkFile::sort_into(int runs, size_t memory) const {
  std::vector<Record> records;
  for (uint64_t at = 0; at < bytes_; at += records.size() * sizeof(Record)) {
    records.resize(std::min<uint64_t>(memory, (bytes_ - at) / sizeof(Record)));
    HEADRACE_TRY(read_at(file_.get(), records.data(), records.size() * sizeof(Record), at, path_));
    std::sort(records.begin(), records.end());
    HEADRACE_TRY(write_at(runs, records.data(), records.size() * sizeof(Record), at, path_));
  }
  return {};
}

Status LinkFile::each(const std::function<void(const Inode&, int64_t)>& take, size_t memory) const {
  if (bytes_ == 0) return {};
  HEADRACE_ASSIGN(const int number, open_unnamed(directory_of(path_)));
  const Descriptor sorted(number);
  HEADRACE_TRY(sort_into(number, memory));
  std::vector<Run> runs;
  const uint64_t step = memory * sizeof(Record);
  for (uint64_t at = 0; at < bytes_; at += step) runs.emplace_back(number, at, std::min(bytes_, at + step));
  const auto later = [&](size_t a, size_t b) { return runs[b].front() < runs[a].front(); };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> queue(later);
  for (size_t i = 0; i < runs.size(); ++i) {
    HEADRACE_TRY(runs[i].fill(path_));
    queue.push(i);
  }
  Record first{};
  int64_t names = 0;
  while (!queue.empty()) {
    const size_t i = queue.top();
    queue.pop();
    const Record& record = runs[i].front();
    if (names > 0 && record.key() != first.key()) {
      take(inode_of(first), names);
      names = 0;
    }
    if (names++ == 0) first = record;
    runs[i].pop();
    if (runs[i].empty()) continue;
    HEADRACE_TRY(runs[i].fill(path_));
    queue.push(i);
  }
  take(inode_of(first), names);
  return {};
}

}  // namespace headrace::collect
