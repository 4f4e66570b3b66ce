// Calls that must happen once, on a disk of the server's node: a server that is killed leaves them to the next one,
// which neither does them again nor forgets what they came to.
//
// It stands in the kernel's memory from the moment it is written: it survives the process, not the machine. A call is
// noted before it is done, with what was there, and when it is done, with its answer. Thread-safe.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "forward/protocol/messages.h"

namespace headrace::forward {

class Journal {
 public:
  /// What a server before this one noted of a call.
  struct Left {
    bool done = false;
    std::vector<uint8_t> answer;  // of one that is done
    uint64_t before = 0;          // of one that began: the inode that its name had, 0 = none; of an append its place
  };
  /// Takes over what an earlier server left there. kIo: it cannot be written; kInvalid: it is somebody else's file.
  static base::Result<std::unique_ptr<Journal>> open(const std::string& path);
  ~Journal();

  std::optional<Left> left(const Nonce& client, uint64_t id);
  /// Of an append, `file` is the file's identity and `end` where the append ends.
  /// Also of a call that is begun again: it is this server's own then.
  void begin(const Nonce& client, uint64_t id, uint64_t before, uint64_t file = 0, uint64_t end = 0);
  void done(const Nonce& client, uint64_t id, base::Bytes answer);
  /// The client has the answers to all before this one.
  void passed(const Nonce& client, uint64_t id);
  void gone(const Nonce& client);
  /// Where appends that an earlier server began end at the most, 0 = there are none: their places stay theirs until
  /// they are written, or the file is cut.
  uint64_t taken(uint64_t file);
  void cut(uint64_t file);
  /// Whether there are calls of an earlier server that may come again.
  bool has_left();
  /// Held while a name is looked at, noted and changed: what is noted of it is then as the change finds it.
  std::unique_lock<std::mutex> alone(uint64_t directory, std::string_view name) {
    return std::unique_lock<std::mutex>(names_[(directory ^ std::hash<std::string_view>()(name)) % names_.size()]);
  }
  /// The name was made, or taken away, by this call: no other of an earlier server did it. False: another one has.
  bool claim(uint64_t directory, std::string_view name, bool made);
  /// Nobody needs it any more.
  void remove();

 private:
  using Key = std::pair<Nonce, uint64_t>;
  struct Entry {
    Left left;
    bool is_left = false;  // by an earlier server
    uint64_t file = 0, end = 0;
  };
  Journal(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  bool load();
  bool note(uint8_t kind, const Key& key, const Entry& entry);
  bool write_again();

  const std::string path_;
  const uint64_t opened_ns_ = base::clock_ns(CLOCK_MONOTONIC);
  int fd_;
  std::array<std::mutex, 64> names_;
  std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::set<std::tuple<uint64_t, std::string, bool>> claimed_;
  size_t left_ = 0;                    // entries
  size_t bytes_ = 0, most_bytes_ = 0;  // of the file; what makes it be written again
};

}  // namespace headrace::forward
