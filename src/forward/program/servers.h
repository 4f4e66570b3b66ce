// The servers of one prefix, and this process's connection to them: made when it is needed first, and again after fork.
// Thread-safe.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forward/client/client.h"
#include "forward/program/spec.h"

namespace headrace::forward::program {

class Servers {
 public:
  Servers(Spec spec, const Setup& setup);

  const std::string& prefix() const { return spec_.prefix; }
  /// The same directory as servers name it.
  const std::string& directory() const { return spec_.directory; }
  /// The same number in all processes that use the same servers.
  uint64_t identity() const { return identity_; }
  /// st_dev of its files: a number that no device has.
  dev_t device() const { return device_; }

  /// Null when they cannot be reached; why is said on stderr.
  Client* client();
  /// The directory that paths below the prefix start from, once there is a client.
  const Handle& root() const { return root_; }
  /// A path below the prefix as one below root().
  std::string below_root(std::string_view rest) const { return base_ + std::string(rest); }
  /// Whether any of its connections was made anew since this was asked before.
  bool is_connected_anew(Client& client);
  /// The error number for the program, of one that a client's call gave. What tells of servers that are gone is said
  /// on stderr, once, and becomes EIO.
  int error(int error);
  /// A line on stderr, unless the last one was as well and nothing has gone right since.
  void say(const std::string& what);
  /// A line on stderr, once in a process for each of these.
  enum Note : uint8_t { kSharedMap = 1, kAsynchronous = 2 };
  void note(Note which, const std::string& what);

 private:
  friend class OwnConnections;
  std::unique_ptr<Client> open(bool waits);
  bool connect();
  void put_line(const std::string& what) const;
  void give_up();

  const Spec spec_;
  const std::string secret_;
  const uint32_t timeout_ms_;
  uint64_t identity_;
  dev_t device_;
  std::atomic<uint64_t> connections_ = 0;  // that client_ had made
  Client* client_ = nullptr;               // never deleted: other threads may be inside when a process ends
  uint64_t generation_ = 0;                // of the process that it belongs to
  Handle root_;
  std::string base_;
  bool gone_ = false;             // the last call found nobody, or the parent's did
  uint64_t silent_until_ns_ = 0;  // after a failure: calls fail at once
  bool said_ = false;
  std::atomic<uint8_t> noted_ = 0;
};

/// While there is one, this thread's calls go over connections of their own: a child of vfork has its parent's memory,
/// and may have closed the descriptors that connections there go by.
class OwnConnections {
 public:
  OwnConnections();
  ~OwnConnections();
  OwnConnections(const OwnConnections&) = delete;
  OwnConnections& operator=(const OwnConnections&) = delete;
  /// Null when there is none.
  static OwnConnections* of_thread();
  Client* client_of(Servers& servers);

 private:
  std::vector<std::pair<Servers*, std::unique_ptr<Client>>> clients_;
};

}  // namespace headrace::forward::program
