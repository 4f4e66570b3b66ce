// All that a server holds of writes: which files, how much memory, and the threads that bring it to the files.
//
// Memory is that of Buffers; a quarter of it is left to messages, so that calls are still answered when writes
// have to wait. A file may hold three times what is free: one that cannot be flushed leaves room for the others.
// Safe in any thread.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "forward/backend/backend.h"
#include "forward/server/buffers.h"
#include "forward/server/held_file.h"
#include "forward/server/pool.h"

namespace headrace::forward {

class Opens;

struct WriteBufferOptions {
  bool on = true;                         // else writes are answered when the file system has them
  uint64_t flush_age_ns = 1'000'000'000;  // then data goes to the file
  size_t most_files = 1024;               // of which something is held, or remembered
  unsigned threads = 8;                   // that write to files
  uint64_t stripe = 0;                    // bytes of one; 0 = as the file system says
  uint64_t only_stripe = 0;               // of every file, whatever anybody says; 0 = none
};

class WriteBuffer {
 public:
  WriteBuffer(Backend& backend, Buffers& buffers, const WriteBufferOptions& options);
  ~WriteBuffer() { finish(); }

  bool on() const { return options_.on; }
  /// Null: nothing of the file is held or remembered.
  std::shared_ptr<HeldFile> find(const File& file);
  /// The file, opened for writing. Null: there are too many already.
  Outcome<std::shared_ptr<HeldFile>> open(const File& file);
  bool knows_any();
  /// Stripes of a file that is new or opened the next time; 0 = as the file system says.
  void set_stripe(const File& file, uint64_t bytes);
  /// Drops what is held of a file that has no name any more, and that nobody has open.
  void forget(const File& file);
  /// The file system is full: lets go of files that have no name any more, unless it is known who has them. `before`:
  /// spaces_made() when a write was begun that failed. Whether there is space since then.
  bool make_space(uint64_t before);
  uint64_t spaces_made() const { return spaces_made_; }
  void set_opens(Opens* opens) { opens_ = opens; }

  /// Everything is flushed when this returns. Whoever writes meanwhile is flushed too.
  void flush_all();
  bool empty();
  void finish();
  /// What could not be stored and nobody was told, in words: "PATH: 12 bytes from 0: No space left on device".
  std::vector<std::string> untold();
  /// Clients that wrote what could not be stored, and were not told.
  std::set<Nonce> losers();
  std::string open_metrics();

  // For HeldFile.
  Buffer take_page(uint64_t held_by_file);
  bool charge(size_t bytes) { return buffers_.charge(bytes, spare_); }
  bool is_tight() const { return buffers_.used() > buffers_.memory() / 2; }
  Buffers& buffers() { return buffers_; }
  void in_flush_thread(std::function<void()> work) { pool_.add(std::move(work)); }
  size_t flushes_of_file() const { return flushes_of_file_; }
  /// Something of the file is held since then, and is to be flushed when it is old.
  void watch(std::shared_ptr<HeldFile> file, uint64_t since_ns);

  struct Counts {
    std::array<std::atomic<uint64_t>, 6> flushes{};
    std::atomic<uint64_t> flush_writes = 0, flushed_bytes = 0, lost_bytes = 0;
    std::atomic<uint64_t> waited = 0;  // writes that waited for memory
  };
  Counts counters;

 private:
  struct Known {
    std::shared_ptr<HeldFile> file;
    std::list<uint64_t>::iterator place;
  };
  bool make_room_for_file();
  void watch_ages();
  std::vector<std::shared_ptr<HeldFile>> all();

  Backend& backend_;
  Buffers& buffers_;
  Opens* opens_ = nullptr;
  const WriteBufferOptions options_;
  const size_t spare_, flushes_of_file_;
  Pool pool_;

  std::mutex mutex_;
  std::unordered_map<uint64_t, Known> files_;  // by identity
  std::list<uint64_t> order_;                  // the last opened first
  std::unordered_map<uint64_t, uint64_t> stripes_;

  std::mutex age_mutex_;
  std::condition_variable age_changed_;
  std::multimap<uint64_t, std::weak_ptr<HeldFile>> ages_;  // by the time when something has to be flushed
  std::mutex space_mutex_;
  std::atomic<uint64_t> spaces_made_ = 0;
  bool pressed_ = false, ending_ = false;
  std::thread age_thread_;
};

}  // namespace headrace::forward
