#include "capture/harvest/flush_account.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "capture/flush_layout.h"
#include "capture/harvest/small_file.h"

namespace headrace::capture {

using base::ByteReader;
using base::Bytes;
using base::ByteWriter;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr size_t kLargest = 1 << 28;

void put(ByteWriter& to, const std::string& text) {
  to.u32(static_cast<uint32_t>(text.size()));
  to.append(base::as_bytes(text));
}

std::string take_text(ByteReader& from) { return std::string(base::as_text(from.take(from.u32()))); }

/// A count of things of `bytes` each, if so many can follow; else `from` fails.
uint32_t take_count(ByteReader& from, size_t bytes) {
  const uint32_t count = from.u32();
  if (count <= from.left() / bytes) return count;
  from.take(from.left() + 1);
  return 0;
}

void put(ByteWriter& to, uint32_t id, const FlushAccount::Thread& thread) {
  to.u32(id);
  for (const uint64_t each : {thread.raw, thread.at.sequence, thread.at.events, thread.at.latest}) to.u64(each);
  to.u32(static_cast<uint32_t>(thread.at.open.size()));
  for (const auto& [reference, time_class] : thread.at.open) {
    to.u64(reference);
    to.u8(static_cast<uint8_t>(time_class));
  }
}

void take_thread(ByteReader& from, FlushAccount& account) {
  FlushAccount::Thread& thread = account.threads[from.u32()];
  for (uint64_t* each : {&thread.raw, &thread.at.sequence, &thread.at.events, &thread.at.latest}) *each = from.u64();
  for (uint32_t left = take_count(from, 9); left > 0; --left) {
    const uint64_t reference = from.u64();
    thread.at.open.emplace_back(reference, static_cast<model::TimeClass>(from.u8() % model::kTimeClasses));
  }
}

Status failure(const std::string& file, int error) {
  return {error == ENOSPC || error == EDQUOT ? Code::kNoSpace : Code::kIo, file + ": " + strerror(error)};
}

}  // namespace

uint64_t FlushAccount::stored(uint32_t thread, uint64_t file_generation) const {
  const auto found = threads.find(thread);
  return generation != file_generation + 1 || found == threads.end() ? 0 : found->second.raw;
}

std::vector<uint8_t> encode(const FlushAccount& account) {
  std::vector<uint8_t> bytes;
  ByteWriter to(bytes);
  for (const uint64_t each : {kAccountMagic, account.generation, account.job, account.device, account.file,
                              account.moved, account.dropped, account.stream.position})
    to.u64(each);
  to.u8(account.is_part ? 1 : 0);
  put(to, account.trace);
  put(to, account.stream.file);
  to.u32(static_cast<uint32_t>(account.points.size()));
  for (const ClockPoint& point : account.points)
    for (const uint64_t each : {point.ticks, point.monotonic_ns, point.at_ns}) to.u64(each);
  to.u32(static_cast<uint32_t>(account.references.size()));
  for (const uint64_t each : account.references) to.u64(each);
  to.u32(static_cast<uint32_t>(account.threads.size()));
  for (const auto& [id, thread] : account.threads) put(to, id, thread);
  to.u32(static_cast<uint32_t>(account.communicators.size()));
  for (const auto& [number, name] : account.communicators) {
    to.u32(number);
    put(to, name);
  }
  to.u32(static_cast<uint32_t>(account.regions.size()));
  for (const auto& [number, region] : account.regions) {
    to.u32(number);
    to.u32(static_cast<uint32_t>(region.kind));
    put(to, region.name);
  }
  to.u32(static_cast<uint32_t>(account.thread_names.size()));
  for (const auto& [thread, name] : account.thread_names) {
    to.u32(thread);
    put(to, name);
  }
  to.u32(base::crc32c(bytes));
  return bytes;
}

Result<FlushAccount> decode_account(Bytes bytes) {
  const Status corrupt(Code::kCorrupt, "no account of stored events");
  if (bytes.size() < sizeof(uint32_t)) return corrupt;
  const Bytes body = bytes.first(bytes.size() - sizeof(uint32_t));
  if (base::load<uint32_t>(body.data() + body.size()) != base::crc32c(body)) return corrupt;
  ByteReader from(body);
  FlushAccount account;
  if (from.u64() != kAccountMagic) return corrupt;
  for (uint64_t* each : {&account.generation, &account.job, &account.device, &account.file, &account.moved,
                         &account.dropped, &account.stream.position})
    *each = from.u64();
  account.is_part = from.u8() != 0;
  account.trace = take_text(from);
  account.stream.file = take_text(from);
  account.points.resize(take_count(from, 24));
  for (ClockPoint& point : account.points)
    for (uint64_t* each : {&point.ticks, &point.monotonic_ns, &point.at_ns}) *each = from.u64();
  account.references.resize(take_count(from, 8));
  for (uint64_t& each : account.references) each = from.u64();
  for (uint32_t left = take_count(from, 40); left > 0; --left) take_thread(from, account);
  for (uint32_t left = take_count(from, 8); left > 0; --left) {
    std::string& name = account.communicators[from.u32()];
    name = take_text(from);
  }
  for (uint32_t left = take_count(from, 12); left > 0; --left) {
    RecordedEvents::Region& region = account.regions[from.u32()];
    region.kind = static_cast<RegionKind>(from.u32() % kRegionKinds);
    region.name = take_text(from);
  }
  for (uint32_t left = take_count(from, 8); left > 0; --left) {
    std::string& name = account.thread_names[from.u32()];
    name = take_text(from);
  }
  if (!from.ok() || from.left() != 0) return corrupt;
  return account;
}

Result<FlushAccount> read_account(int directory, const std::string& file) {
  if (faccessat(directory, file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return FlushAccount();
    return failure(file, errno);
  }
  const std::string text = read_small_file_at(directory, file.c_str(), kLargest);
  auto account = decode_account(base::as_bytes(text));
  if (!account.ok()) return Status(Code::kCorrupt, file + ": " + account.message());
  return account;
}

Status keep_account(int directory, const std::string& file, const FlushAccount& account) {
  const std::vector<uint8_t> bytes = encode(account);
  const std::string fresh = file + ".new";
  unlinkat(directory, fresh.c_str(), 0);  // of a flusher that was killed
  const int fd = openat(directory, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return failure(file, errno);
  size_t done = 0;
  int error = 0;
  while (done < bytes.size() && error == 0) {
    const ssize_t written = write(fd, bytes.data() + done, bytes.size() - done);
    if (written > 0)
      done += static_cast<size_t>(written);
    else if (written == 0 || errno != EINTR)
      error = written == 0 ? ENOSPC : errno;
  }
  close(fd);
  if (error == 0 && renameat(directory, fresh.c_str(), directory, file.c_str()) == 0) return {};
  if (error == 0) error = errno;
  unlinkat(directory, fresh.c_str(), 0);
  return failure(file, error);
}

}  // namespace headrace::capture
