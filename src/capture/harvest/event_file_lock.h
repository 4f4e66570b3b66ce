// Who may store what is in a file of events: one at a time (flush_layout.h).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "capture/flush_layout.h"

namespace headrace::capture {

/// A file of events, mapped and locked, as a flusher has it. Not for the harvester, which trusts nothing in it.
class LockedEventFile {
 public:
  LockedEventFile(int directory, const std::string& name);
  ~LockedEventFile();
  LockedEventFile(const LockedEventFile&) = delete;
  LockedEventFile& operator=(const LockedEventFile&) = delete;

  /// Whether there is anything to store, and by us.
  bool ok() const { return header_ != nullptr; }
  uint64_t size() const { return size_; }
  const std::byte* bytes() const { return static_cast<const std::byte*>(memory_); }
  FlushHeader& header() { return *header_; }

 private:
  int descriptor_;
  void* memory_ = nullptr;
  uint64_t size_ = 0;
  FlushHeader* header_ = nullptr;
};

/// The harvester's: flushers that come from now on leave the file alone. Waits for one that is at work, some seconds.
class EventsTaken {
 public:
  EventsTaken(int directory, const std::string& name);
  /// False: a flusher does not end. True also where there is no such file.
  bool ok() const { return ok_; }
  /// False: there is no such file.
  bool there() const { return there_; }

 private:
  bool ok_ = true, there_ = true;
};

/// Waits until no flusher of a process that has ended is at work, some seconds: it keeps the process's memory in use.
/// `in_use`: whether that is so. Not long where there is no file of events, or no flusher.
void wait_for_flusher(int directory, const std::string& name, const std::function<bool()>& in_use);

}  // namespace headrace::capture
