#include "collect/scan/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/scan/files.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr uint64_t kTableRows = 1U << 18;

}  // namespace

Result<RowFile> RowFile::open(const std::string& path, uint64_t length, uint64_t rows) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed(path + ": cannot be opened", errno);
  auto sink = format::FileSink::adopt(file, path);
  struct stat info;
  if (fstat(file, &info) != 0) return failed(path, errno);
  if (static_cast<uint64_t>(info.st_size) < length)
    return Status(Code::kTruncated, path + ": has " + std::to_string(info.st_size) + " bytes and is to have " +
                                        std::to_string(length) + ": the scan cannot go on, begin it without --resume");
  if (ftruncate(file, static_cast<off_t>(length)) != 0) return failed(path, errno);
  format::WriterOptions options;
  options.job = 1;
  options.first_sequence = rows;  // greater than that of every chunk before
  HEADRACE_ASSIGN(format::Writer writer, format::Writer::open(std::move(sink), options));
  return RowFile(file, std::move(writer), path, length, rows);
}

Status RowFile::append(RowBuffer& buffer) {
  const size_t count = buffer.paths.size();
  if (count == 0) return {};
  std::array<std::vector<int64_t>, 5> numbers;
  std::array<std::vector<uint64_t>, 6> ids;
  for (const Inode& inode : buffer.inodes) {
    numbers[0].push_back(inode.size);
    numbers[1].push_back(inode.capacity);
    for (size_t i = 0; i < 3; ++i) numbers[2 + i].push_back(inode.times[i]);
    const uint64_t all[] = {static_cast<uint64_t>(inode.type),
                            inode.owner.user,
                            inode.owner.group,
                            inode.links,
                            inode.device,
                            inode.number};
    for (size_t i = 0; i < ids.size(); ++i) ids[i].push_back(all[i]);
  }
  format::TableBuilder table("files." + std::to_string(rows_ / kTableRows));
  table.text("path", std::span<const std::string>(buffer.paths));
  constexpr const char* kNumbers[] = {"size", "capacity", "modified", "accessed", "changed"};
  for (size_t i = 0; i < numbers.size(); ++i) table.i64(kNumbers[i], numbers[i]);
  constexpr const char* kIds[] = {"type", "user", "group", "links", "device", "inode"};
  for (size_t i = 0; i < ids.size(); ++i) table.u64(kIds[i], ids[i]);
  HEADRACE_TRY(writer_->add(table));
  rows_ += count;
  buffer.paths.clear();
  buffer.inodes.clear();
  return {};
}

Status RowFile::sync() { return fdatasync(file_) == 0 ? Status() : failed(path_ + ": cannot be stored", errno); }

}  // namespace headrace::collect
