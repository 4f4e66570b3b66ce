// A client's connection to one server.
//
// It has no thread of its own: of the threads that wait for answers one receives for all. Any number of threads may use
// it at once. When the connection breaks it is made anew, under the same client's name, and all that is not answered is
// sent again; the server knows what it has done already. After fork it belongs to the parent alone.
#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forward/client/pending.h"
#include "forward/client/uncommitted.h"
#include "forward/client/wire.h"

namespace headrace::forward {

/// Who wants to know of answers: of all channels, and set before there are any.
struct Observer {
  uint64_t (*now)() = nullptr;
  /// A call that was waited for is done; by the thread that waited, without locks.
  void (*answered)(const Pending& pending) = nullptr;
};
inline Observer observer;

class Channel {
 public:
  static base::Result<std::unique_ptr<Channel>> open(const std::string& address, const WireOptions& options,
                                                     uint32_t call_ms = 120'000);
  ~Channel();

  /// Begins a call. `memory` is what a write or append sends or where a read's bytes go, and `bytes` their number; it
  /// must stay until the call is done, and so must `pending`.
  void submit(const Request& request, std::vector<iovec> memory, uint64_t bytes, Pending* pending);
  /// A call whose answer nobody waits for; it may be lost where the server is away.
  void tell(const Request& request);
  /// Returns when it is done, with what it came to: 0, or an error number.
  int wait(Pending* pending);
  /// Whether it is done, without waiting.
  bool test(Pending* pending);
  /// Takes answers, whoever waits for them, until stop_serving(); for a thread of its own.
  void serve();
  void stop_serving();
  int call(const Request& request, Pending* pending) {
    submit(request, {}, 0, pending);
    return wait(pending);
  }

  const std::vector<OwnedRoot>& roots() const { return wire_.roots(); }
  const Placement& placement() const { return wire_.placement(); }
  uint32_t most_data() const { return wire_.most_data(); }
  /// Of all calls through this connection, whoever made them.
  Uncommitted& uncommitted() { return uncommitted_; }
  const std::string& address() const { return wire_.address(); }
  const Nonce& name() const { return wire_.name(); }
  uint64_t connection() const { return wire_.connection(); }
  bool has_window() const { return wire_.has_window(); }
  /// Whether the other end has closed the connection, as far as is known without asking.
  bool is_cut();
  size_t under_way() {
    const Lock lock(mutex_);
    return pending_.size();
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  Channel(const std::string& address, const WireOptions& options, uint32_t call_ms)
      : wire_(address, options), call_ms_(call_ms) {
    wire_.on_goodbye = [this] { uncommitted_.brought(wire_.instance()); };
  }

  bool is_full(Op op) const;
  void step(Lock& lock);
  bool receive(Lock& lock, int timeout_ms);
  void recover(Lock& lock);
  void find_refused();                       // needs the lock
  void finish(Pending* pending, int error);  // needs the lock
  void expire(Lock& lock);

  static constexpr size_t kMostPending = 128;  // a server takes more, but would have to keep as many answers

  Wire wire_;
  const uint32_t call_ms_;
  std::mutex send_mutex_;  // for a whole message; before mutex_ where both are taken
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_serving_ = false;
  unsigned silent_connections_ = 0;  // since the last answer
  bool receiving_ = false;           // by a thread that does not hold the lock then
  std::map<uint64_t, Pending*> pending_;
  uint64_t last_id_ = 0, once_ = 0;  // calls, and those that happen once
  Uncommitted uncommitted_;
};

}  // namespace headrace::forward
