// Appends: each gets the end of its file as it is at that moment, and no two get the same bytes.
//
// All appends to a file meet at one server, the one that clients choose by the file's handle, so the end is known
// there. Appends that come while others are being written wait, and are then given one range in the order in which they
// came and written together. A range that is taken to be written later makes the file as long at once, so that it is
// taken for a server that starts anew too. No timer makes anybody wait. Safe in any thread.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "forward/protocol/handle.h"
#include "forward/server/call.h"
#include "forward/server/execute.h"
#include "forward/server/held_file.h"
#include "forward/server/pool.h"

namespace headrace::forward {

class Appends {
 public:
  using Done = std::function<void(Answer)>;

  /// Does the call, in `pool` unless that is null, and gives its answer to `done`.
  void add(const Services& services, Pool* pool, std::shared_ptr<Call> call, Done done);

 private:
  struct Waiting {
    std::shared_ptr<Call> call;
    Done done;
  };
  struct Queue {
    std::deque<Waiting> waiting;
    bool at_work = false;
  };

  struct Batch {
    std::vector<Waiting> calls;
    uint64_t begin = 0, total = 0, least = 0;
    uint64_t begun_ns = 0;
    int error = 0;  // of all
    bool held = false;
  };

  static const uint8_t* together(const Batch& batch, std::vector<uint8_t>* row);
  static int sync(const Services& services, const File& file, OpenFile& opened);
  static HeldWrite pieces_of(const Batch& batch);
  void work(const Services& services, Pool* pool, const File& file);
  static bool take_range(const Services& services, const File& file, OpenFile& opened, Batch* batch);
  bool write(const Services& services, Pool* pool, const File& file, std::vector<Waiting> calls);
  static void note(const Services& services, const File& file, const Batch& batch);
  void answer(const Services& services, const Batch& batch, const std::vector<BadRange>& failed);
  std::vector<Waiting> next_batch(uint64_t identity);

  std::mutex mutex_;
  std::unordered_map<uint64_t, Queue> queues_;  // by identity
};

}  // namespace headrace::forward
