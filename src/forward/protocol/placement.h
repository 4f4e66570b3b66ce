// Which server of several has what of a file, and what a server says about that in its answer to `prove`.
//
// Every file has a home, by hash of its handle: the server of its locks, of its end and of its truncation. Where its
// bytes go is the servers' setting, the same for all of them: to its home; to the owner of their stripe, of which each
// has one; or to the server of the client's node.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace headrace::forward {

enum class Placing : uint8_t { kFile = 0, kStripe = 1, kNode = 2 };

inline constexpr uint64_t kUsualStripe = 1 << 20, kStripeUnit = 64 << 10, kLargestStripe = 1 << 30;

const char* placing_name(Placing place);  // "stripe"
std::optional<Placing> placing_of(std::string_view name);

struct Placement {
  Placing place = Placing::kFile;
  bool holds = false;              // writes are answered before the file system has them
  uint64_t stripe = kUsualStripe;  // bytes, a multiple of kStripeUnit up to kLargestStripe
  uint64_t node = 0;               // where the server runs: this_node() there
  bool valid() const {
    return place <= Placing::kNode && stripe >= kStripeUnit && stripe <= kLargestStripe && stripe % kStripeUnit == 0;
  }
  /// Whether servers with these may store the same files.
  bool agrees(const Placement& other) const {
    return place == other.place && holds == other.holds && stripe == other.stripe;
  }
};

/// The same number for all processes of a node since it was started, and another one elsewhere.
uint64_t this_node();

/// A hash of what is the same in all handles of a file; 0 for what is no handle.
uint64_t hash_of_file(base::Bytes handle);

/// What the servers of a client have, by their numbers in the client's list.
class Layout {
 public:
  Layout() = default;
  Layout(Placement placement, size_t servers, size_t own) : placement_(placement), servers_(servers), own_(own) {}

  size_t home(uint64_t file) const { return servers_ == 1 ? 0 : file % servers_; }
  /// Where calls go that concern no bytes, but the file as it is seen from here.
  size_t front(uint64_t file) const { return by(Placing::kNode) ? own_ : home(file); }
  size_t owner(uint64_t file, uint64_t offset) const {
    return by(Placing::kStripe) ? (home(file) + offset / placement_.stripe) % servers_ : front(file);
  }
  /// Bytes from here on that have the same owner.
  uint64_t run(uint64_t offset) const {
    return by(Placing::kStripe) ? placement_.stripe - offset % placement_.stripe : UINT64_MAX;
  }
  /// Whether the owner of any byte in a range may be this server; length 0: to the end.
  bool owns_of(uint64_t file, size_t server, uint64_t offset, uint64_t length) const;

  bool by(Placing place) const { return servers_ > 1 && placement_.place == place; }
  /// Servers may hold bytes of a file that another one, which is asked for its size, knows nothing of.
  bool is_spread() const { return placement_.holds && by(Placing::kStripe); }
  /// As above, and bytes of other nodes, which nobody asks for but who needs the end of all.
  bool is_held_elsewhere() const { return placement_.holds && servers_ > 1 && placement_.place != Placing::kFile; }
  /// All bytes of a file go to its home.
  bool all_at_home() const { return servers_ == 1 || placement_.place == Placing::kFile; }
  size_t servers() const { return servers_; }

 private:
  Placement placement_;
  size_t servers_ = 1, own_ = 0;
};

}  // namespace headrace::forward
