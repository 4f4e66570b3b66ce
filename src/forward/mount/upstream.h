// The servers that a mount's calls go to, for as long as it is there.
//
// One client for all of it, which connects again by itself and knows what servers that are gone had of its data. While
// nobody answers, calls fail at once. Safe in any thread.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "forward/client/client.h"
#include "forward/program/spec.h"

namespace headrace::forward::mount {

/// Tells the user something, in a whole line without its end.
using Say = std::function<void(const std::string&)>;

class Upstream {
 public:
  static base::Result<std::unique_ptr<Upstream>> open(const program::Spec& spec, const program::Setup& setup, Say say);

  Client& client() { return *client_; }
  /// The directory that is mounted, as servers name it.
  const std::string& directory() const { return spec_.directory; }
  const Handle& root() const { return root_; }
  /// Its handle as servers make it now, which may have been started anew with another secret.
  Outcome<Handle> find_root() const;

  /// False: nobody answered lately, so a call would only wait.
  bool answers();
  /// Whether an error of a call says nothing about what the servers did.
  static bool is_silence(int error);
  /// The error number for the program, of one that a call gave: EIO where the servers are gone, which is said once.
  int error(int error);
  void say(const std::string& text) const { say_(text); }

 private:
  Upstream(const program::Spec& spec, const program::Setup& setup, Say say)
      : spec_(spec), timeout_ms_(setup.timeout_seconds * 1000), say_(std::move(say)) {}
  base::Result<std::unique_ptr<Client>> connect() const;
  base::Result<Handle> root_at(Client& client) const;

  const program::Spec spec_;
  const uint32_t timeout_ms_;
  const Say say_;
  WireOptions options_;
  std::unique_ptr<Client> client_;
  Handle root_;
  std::atomic<bool> silent_ = false;
  std::mutex mutex_;
  uint64_t silent_until_ns_ = 0;
};

}  // namespace headrace::forward::mount
