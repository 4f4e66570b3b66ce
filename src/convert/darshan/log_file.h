#pragma once
// A Darshan log of format 3.41 in the making: little-endian, compressed by zlib. One thread at a time.

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "convert/darshan/header.h"
#include "convert/darshan/job_record.h"

namespace headrace::convert::darshan {

/// Versions of the traces that are written: the last ones without threads, which Darshan 3.5 and older can read.
inline constexpr uint32_t kDxtPosix = 1, kDxtMpiio = 2;

class LogFile {
 public:
  LogFile();
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Regions are begun in the order in which they lie in a log: job, names, modules by their numbers.
  void begin_job() { begin(&job_); }
  void begin_names() { begin(&names_); }
  void begin(Module module, uint32_t version);
  void u64(uint64_t value) { bytes({reinterpret_cast<const uint8_t*>(&value), sizeof value}); }
  void i64(int64_t value) { u64(static_cast<uint64_t>(value)); }
  void f64(double value) { u64(std::bit_cast<uint64_t>(value)); }
  void bytes(base::Bytes bytes);
  /// Exactly `room` bytes: cut or filled up with NUL bytes, of which there is one at least.
  void text(std::string_view text, size_t room);
  void text(std::string_view text) { bytes(base::as_bytes(text)); }
  void end();

  /// The whole file. `partial`: bit m for a module m that lacks records.
  std::vector<uint8_t> finish(uint64_t partial);

 private:
  struct Deflate;
  void begin(Region* region);
  void deflate(bool last);

  std::vector<uint8_t> file_;
  std::vector<uint8_t> waiting_;
  std::unique_ptr<Deflate> deflate_;
  Region job_, names_;
  std::array<Region, kModules> modules_;
  std::array<uint32_t, kModules> versions_{};
  Region* open_ = nullptr;
};

/// The job record as its region has it; what has no room is cut.
void write_job(LogFile& file, const JobRecord& job);

}  // namespace headrace::convert::darshan
