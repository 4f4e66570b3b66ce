#include "events/unify.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/crc32c.h"
#include "events/event_chunk.h"
#include "events/parallel.h"
#include "events/unify_plan.h"

namespace headrace::events {

using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

namespace {

Status failed(const std::string& path, const char* what) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT;
  return {full ? Code::kNoSpace : Code::kIo, path + ": cannot " + what + ": " + std::strerror(error)};
}

/// The file in the making.
class Target {
 public:
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  explicit Target(std::string path) : path_(std::move(path)), descriptor_(open_file(path_.c_str())) {}
  ~Target() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  Status ready() const { return descriptor_ >= 0 ? Status() : failed(path_, "be written"); }

  /// Whether an earlier attempt has written these bytes. Reading costs less than writing.
  bool has(uint64_t offset, Bytes bytes, std::vector<uint8_t>& scratch) const {
    scratch.resize(bytes.size());
    const ssize_t got = ::pread(descriptor_, scratch.data(), bytes.size(), static_cast<off_t>(offset));
    return got == static_cast<ssize_t>(bytes.size()) && std::memcmp(scratch.data(), bytes.data(), bytes.size()) == 0;
  }

  Status write(uint64_t offset, Bytes bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return failed(path_, "write");
      bytes = bytes.subspan(static_cast<size_t>(put));
      offset += static_cast<uint64_t>(put);
    }
    return {};
  }

  Status finish(uint64_t size, const std::string& name) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return failed(path_, "be cut");
    if (::fsync(descriptor_) != 0) return failed(path_, "be written to the disk");
    return std::rename(path_.c_str(), name.c_str()) == 0 ? Status() : failed(name, "be made");
  }

 private:
  static int open_file(const char* path) {
    // Two at once would write the same bytes into it, so they need not know of each other.
    return ::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  }

  std::string path_;
  int descriptor_;
};

/// Header and stored payload of a chunk, whatever its checksum says: what is damaged stays so, and is told by readers.
Result<Bytes> bytes_of(const Piece& piece, std::vector<uint8_t>& scratch, std::vector<uint8_t>& chunk) {
  if (piece.source == nullptr) return Bytes(piece.bytes);
  const format::ChunkHeader& header = piece.chunk.header;
  HEADRACE_ASSIGN(const Bytes payload, piece.source->beginning(piece.chunk, header.stored_length, scratch));
  chunk.resize(format::kHeaderSize);
  format::encode_header(header, std::span(chunk).first<format::kHeaderSize>());
  chunk.insert(chunk.end(), payload.begin(), payload.end());
  return Bytes(chunk);
}

class Copy {
 public:
  Copy(const UnifyPlan& plan, const Target& target) : plan_(plan), target_(target) {}

  Status run(unsigned threads) {
    in_parallel(threads, [&] { work(); });
    return status_;
  }

  std::atomic<uint64_t> resumed{0}, damaged{0};

 private:
  void work() {
    std::vector<uint8_t> payload, chunk, there;
    for (size_t i = next_++; i < plan_.pieces.size() && !stop_; i = next_++) {
      const Status status = take(plan_.pieces[i], payload, chunk, there);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex_);
      status_ = status;
      stop_ = true;
    }
  }

  Status take(const Piece& piece, std::vector<uint8_t>& payload, std::vector<uint8_t>& chunk,
              std::vector<uint8_t>& there) {
    HEADRACE_ASSIGN(const Bytes bytes, bytes_of(piece, payload, chunk));
    const bool events = piece.source != nullptr && piece.chunk.header.kind == kEventsKind;
    if (events && base::crc32c(bytes.subspan(format::kHeaderSize)) != piece.chunk.header.payload_crc) damaged++;
    if (!target_.has(piece.offset, bytes, there)) return target_.write(piece.offset, bytes);
    resumed += bytes.size();
    return {};
  }

  const UnifyPlan& plan_;
  const Target& target_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  Status status_;
};

}  // namespace

Result<Unified> unify(const std::vector<std::string>& sources, const std::string& target, unsigned threads) {
  if (sources.empty()) return Status(Code::kInvalid, "unify: of no files there is no trace");
  std::vector<TraceReader> readers;
  for (const std::string& source : sources) {
    HEADRACE_ASSIGN(TraceReader reader, TraceReader::open(source));
    readers.push_back(std::move(reader));
  }
  HEADRACE_ASSIGN(const UnifyPlan plan, plan_unified(readers));
  const Target file(target + ".part");
  HEADRACE_TRY(file.ready());
  Copy copy(plan, file);
  HEADRACE_TRY(copy.run(threads == 0 ? usual_threads() : threads));
  HEADRACE_TRY(file.finish(plan.size, target));
  return Unified{plan.chunks, plan.events, plan.size, copy.resumed, copy.damaged};
}

}  // namespace headrace::events
