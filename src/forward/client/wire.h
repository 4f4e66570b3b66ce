// The bytes of a client's connection: handshake, sending of calls, receiving of answers, the shared window.
//
// One thread may send while another one receives; connect() needs both to stand still.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forward/client/pending.h"
#include "forward/client/window_room.h"
#include "forward/protocol/secret.h"
#include "forward/transport/link.h"
#include "forward/transport/window.h"

namespace headrace::forward {

struct WireOptions {
  std::optional<Secret> secret;  // needed for all but servers of the same user on this node
  uint32_t connect_ms = 10'000;  // until a connection is made and both ends have proved who they are
  uint32_t window = 4 << 20;     // bytes to share with a server of this node, 0 = none
};

struct OwnedRoot {
  std::string path;
  std::vector<uint8_t> handle;
};

class Wire {
 public:
  Wire(std::string address, WireOptions options);

  /// kIo when nobody is there, or says enough within connect_ms.
  base::Status connect();
  /// After an error: nothing is sent or received any more until connect().
  void close();
  bool is_open() const { return link_ != nullptr; }

  /// Sends a call. `meanwhile` is called when the server takes no more just now: it may receive. An error number, or 0.
  int send(Pending& pending, const std::function<void()>& meanwhile);
  /// Gives back what a call had of the window.
  void release(Pending& pending);

  /// Receives what is there, after waiting for it at most `timeout_ms`, and takes whole answers off it: `find` gives
  /// the call of an id, or null; `done` is told when its answer is complete. An error number, or 0.
  int receive(int timeout_ms, const std::function<Pending*(uint64_t)>& find, const std::function<void(Pending*)>& done);
  int descriptor() const { return link_->descriptor(); }
  /// Called by receive() when the server says that it ends, and has brought to the files what this client wrote.
  std::function<void()> on_goodbye;

  const std::vector<OwnedRoot>& roots() const { return roots_; }
  uint32_t most_data() const { return most_data_; }
  const Placement& placement() const { return placement_; }
  uint64_t instance() const { return instance_; }
  const std::string& address() const { return address_; }
  /// What the server knows this client by.
  const Nonce& name() const { return client_; }
  /// Counts those that were made.
  uint64_t connection() const { return connection_; }
  bool has_window() const { return window_ != nullptr; }

 private:
  base::Result<Reply> shake(const Request& request, std::vector<uint8_t>* body, int* passed);
  base::Status prove_and_set_up(const Nonce& nonce, const Reply& hello);
  bool use_window(Pending& pending);
  int patience_ms() const;
  int send_all(std::vector<iovec> parts, const std::function<void()>& meanwhile);
  int receive_exactly(uint8_t* into, size_t bytes, int* passed);
  int take_data(const Header& header, Pending* pending);

  const std::string address_;
  const WireOptions options_;
  const Nonce client_;
  std::unique_ptr<Link> link_;
  uint64_t shaken_by_ns_ = 0;  // when a handshake has to be over; 0 when there is none
  std::vector<OwnedRoot> roots_;
  uint32_t most_data_ = 0;
  Placement placement_;
  uint64_t instance_ = 0;
  std::atomic<uint64_t> connection_ = 0;
  std::shared_ptr<Window> window_;
  std::mutex room_mutex_;
  WindowRoom room_;
  Sealer seal_, open_;
  std::vector<uint8_t> inbox_;
  size_t begin_ = 0, end_ = 0;  // of what was received and not taken
};

}  // namespace headrace::forward
