// The secret of a job, and what is derived from it: keys, proofs of knowing it, and the seals of frames.
//
// All are SipHash-2-4, a keyed hash of 128-bit keys (docs/decisions/0007-forwarding.md says why no more is needed).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/siphash.h"
#include "forward/protocol/messages.h"

namespace headrace::forward {

using Secret = base::SipKey;

/// 128 bits that nobody else has. It waits until the kernel has them.
Secret random_secret();
/// The secret in a file of 32 hexadecimal digits, which must be the caller's own and closed to all others. Where there
/// is no file and `make` is set one is made, with mode 0600; of several who make it at once one does.
base::Result<Secret> read_secret(const std::string& path, bool make);

/// A key for one purpose alone.
base::SipKey derive(const Secret& secret, std::string_view purpose);
/// A key for one purpose and one pair of peers.
base::SipKey derive(const Secret& secret, std::string_view purpose, const Nonce& client, const Nonce& server);

/// Whether two proofs are the same, in a time that does not depend on where they differ.
bool same(const Nonce& a, const Nonce& b);

/// Seals the frames of one direction of a connection: a frame that is changed, repeated, left out or of another
/// connection does not open. Off, it neither writes nor checks: between processes of one user on one node.
class Sealer {
 public:
  Sealer() = default;
  explicit Sealer(const base::SipKey& key) : key_(key), on_(true) {}
  /// `frame`: header and body.
  void seal(std::vector<uint8_t>& frame) { work(frame.data(), frame.size(), true); }
  bool opens(uint8_t* frame, size_t size) { return work(frame, size, false); }

 private:
  bool work(uint8_t* frame, size_t size, bool write);
  base::SipKey key_{};
  uint64_t number_ = 0;
  bool on_ = false;
};

}  // namespace headrace::forward
