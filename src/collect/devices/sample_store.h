// The files of one host in a store (docs/formats/sample-store.md): a tail that each sample goes to at once, and a
// compressed file that the tail's rows move to.
//
// One thread at a time; of several processes on a host one, which the lock sees to.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "collect/devices/earlier_run.h"
#include "collect/devices/sample_rows.h"
#include "format/writer.h"

namespace headrace::collect {

struct StoreSettings {
  std::string directory;  // of all hosts
  std::string host, boot;
  uint64_t run = 0;  // random, not 0
  int64_t interval_us = 1'000'000;
  uint32_t keep_days = 0;                    // finished files whose last change is older are removed; 0: none
  uint64_t tail_bytes = 1u << 20;            // moved to the file when the tail has so many
  uint64_t file_bytes = uint64_t{64} << 20;  // begins a new file when one has so many
};

class SampleStore {
 public:
  /// Makes the host's directory, takes its lock and finishes what killed monitors left. kInvalid: another monitor has
  /// the lock. kIo, kNoSpace, kNotFound. `problems` gets a sentence for each file that could not be finished; it stays.
  static base::Result<std::unique_ptr<SampleStore>> open(StoreSettings settings, int64_t now_us,
                                                         std::vector<std::string>& problems);
  ~SampleStore();
  SampleStore(const SampleStore&) = delete;
  SampleStore& operator=(const SampleStore&) = delete;

  /// When this returns, the rows are the operating system's, and stay though this process be killed. On an error none
  /// of them counts, and the next call may work again (kNoSpace, kIo).
  base::Status add(const Rows& rows, int64_t now_us);
  /// Finishes the file.
  base::Status close();

  /// The last sample that an earlier run stored here.
  const std::optional<EarlierRun>& earlier() const { return earlier_; }

 private:
  explicit SampleStore(StoreSettings settings) : settings_(std::move(settings)) {}
  base::Status lock();
  base::Status begin(int64_t now_us);
  format::WriterOptions file_options() const;
  base::Status begin_tail();
  base::Status move_tail();
  void remove_old(int64_t now_us) const;

  StoreSettings settings_;
  std::string directory_;  // of this host
  std::string base_;       // path of the file without what its name ends with; "": there is none
  int lock_ = -1;
  int64_t day_ = 0;
  std::optional<format::Writer> file_, tail_;
  std::unique_ptr<format::Sink> tail_file_;
  std::vector<uint8_t> tail_bytes_;       // what the tail's writer has made of one sample
  uint64_t file_end_ = 0, tail_end_ = 0;  // bytes of them that hold whole chunks
  Rows rows_;                             // of the tail
  Names names_;                           // of its devices
  std::optional<EarlierRun> earlier_;
};

/// `host` as a name of a directory.
std::string host_directory(const std::string& host);

}  // namespace headrace::collect
