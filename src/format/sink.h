#pragma once
// Where a Writer puts its chunks. A sink takes whole chunks; it never looks inside.
//
// One thread at a time per sink object. After fork only one of the two processes may go on using a FileSink's
// descriptor unless both merely append (O_APPEND keeps whole chunks apart).

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::format {

class Sink {
 public:
  virtual ~Sink() = default;

  /// Appends one whole chunk and returns the offset in bytes where it begins. On failure (kNoSpace, kIo) part of
  /// the chunk may have been stored: readers skip it, and later appends are still sound.
  virtual base::Result<uint64_t> append(std::span<const uint8_t> chunk) = 0;

  /// Where the next append would begin, if no other writer gets in between. `ours`: where the last one of this sink
  /// ended, which is right for sinks that have one writer.
  virtual uint64_t next_offset(uint64_t ours) { return ours; }

  /// Stores `chunk` in place of what an append that failed left of its own: on a full disk there is no other room to
  /// say so. False: it left less than that, or it cannot be written over.
  virtual bool replace_torn(std::span<const uint8_t>) { return false; }

  /// Nothing is appended afterwards. Errors the operating system kept until now come out here.
  virtual base::Status close() = 0;
};

/// A file opened with O_APPEND; one write(2) per chunk, so any number of writers may share the file.
/// A write that the kernel cuts short is continued, and its error reported when that fails too.
class FileSink : public Sink {
 public:
  enum class Mode {
    kCreate,   // the file must not exist yet
    kReplace,  // an existing file is emptied first
    kAppend,   // created if missing, kept otherwise
  };
  /// New files get permission bits 0666 less the umask. kInvalid: exists (kCreate). kNotFound: no such directory.
  static base::Result<std::unique_ptr<Sink>> open(const std::string& path, Mode mode);
  /// Takes over a descriptor opened for writing with O_APPEND; `label` names it in messages.
  static std::unique_ptr<Sink> adopt(int descriptor, std::string label);

  ~FileSink() override;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  base::Result<uint64_t> append(std::span<const uint8_t> chunk) override;
  uint64_t next_offset(uint64_t ours) override;
  bool replace_torn(std::span<const uint8_t> chunk) override;
  base::Status close() override;

 private:
  FileSink(int descriptor, std::string label);
  int descriptor_;
  std::string label_;
  uint64_t torn_at_ = 0, torn_bytes_ = 0;  // what the last append left, if it failed
};

/// Keeps everything in `bytes`, which must outlive the sink.
class MemorySink : public Sink {
 public:
  explicit MemorySink(std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  base::Result<uint64_t> append(std::span<const uint8_t> chunk) override;
  base::Status close() override { return {}; }

 private:
  std::vector<uint8_t>& bytes_;
};

/// Counts and forgets: for measuring what writing costs without storage.
class NullSink : public Sink {
 public:
  base::Result<uint64_t> append(std::span<const uint8_t> chunk) override;
  base::Status close() override { return {}; }

 private:
  uint64_t size_ = 0;
};

}  // namespace headrace::format
